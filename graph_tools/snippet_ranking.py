"""Which snippets serve a question best: by likeness, by words and by whom they are about, fused by their ranks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from graph_tools import speech
from graph_tools.lexicon import Lexicon, Words, tokens
from graph_tools.snippet import VettedSnippet

K1, B = 1.2, 0.75
"""Of BM25 (Robertson and Zaragoza 2009, formula 3.15): how soon a word counts no more, how much length counts."""
RANKS_FROM = 60
"""Of reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): 1 / (RANKS_FROM + rank), summed over the rankings."""
LIKENESS, WORDS, ENTITIES, ANSWER = "likeness", "words", "entities and themes", "what the graph's answer tells"
"""The rankings: by vectors, by words, by whom and what it is about, by how many things of the answer it tells of."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A snippet with its fused score, and in words where that comes from."""

    snippet: VettedSnippet
    score: float
    why: str


class WordIndex:
    """BM25 over the stems of texts."""

    def __init__(self, texts: Mapping[str, str], words: Words, language: str) -> None:
        """`texts`: id -> text. `words`: which words of that language carry nothing."""
        self._lexicon = Lexicon(words, language)
        self._counts = {id_: Counter(self._stems(text)) for id_, text in sorted(texts.items())}
        self._mean = sum(counts.total() for counts in self._counts.values()) / max(1, len(self._counts))
        self._with = Counter(stem for counts in self._counts.values() for stem in counts)
        self._last: tuple[str, tuple[str, ...]] = ("", ())

    def score(self, question: str, id_: str) -> float:
        """How well the text with that id answers to the question's words; 0 where it has none of them."""
        return self._score(question, self._counts[id_])

    def likeness(self, question: str, text: str) -> float:
        """The same for any other text."""
        return self._score(question, Counter(self._stems(text)))

    def _score(self, question: str, counts: Counter[str]) -> float:
        norm = K1 * (1 - B + B * counts.total() / self._mean) if self._mean else K1
        return math.fsum(
            self._rare(stem) * counts[stem] * (K1 + 1) / (counts[stem] + norm)
            for stem in self._asked(question)
            if counts[stem]
        )

    def _asked(self, question: str) -> tuple[str, ...]:
        """Its stems, each once; those of the last question are remembered, since many texts are held against it."""
        if self._last[0] != question:
            self._last = question, tuple(sorted(set(self._stems(question))))
        return self._last[1]

    def _rare(self, stem: str) -> float:
        found = self._with[stem]
        return math.log(1 + (len(self._counts) - found + 0.5) / (found + 0.5))

    def _stems(self, text: str) -> list[str]:
        stems = [self._lexicon.stem(token.text) for token in tokens(text)]
        return [stem for stem in stems if stem not in self._lexicon.small]


def places(scores: Mapping[str, Hashable]) -> dict[str, int]:
    """The rank of each id from 1, the highest score first; equal scores share a rank."""
    ordered = sorted(scores.items(), key=lambda entry: entry[1], reverse=True)  # type: ignore[arg-type,return-value]
    found: dict[str, int] = {}
    for at, (id_, score) in enumerate(ordered, start=1):
        before = ordered[at - 2] if at > 1 else None
        found[id_] = found[before[0]] if before is not None and before[1] == score else at
    return found


def fused(
    snippets: Iterable[VettedSnippet], rankings: Mapping[str, Mapping[str, int]], about: Mapping[str, str]
) -> tuple[Ranked, ...]:
    """The snippets by the sum of their reciprocal ranks, equal ones by id.

    `rankings`: name of a ranking -> id -> rank from 1 (none: it says nothing of that snippet); `about`: id -> whom the
    snippet is about, in words."""
    scored: list[Ranked] = []
    for snippet in snippets:
        ranks = {name: found[snippet.id] for name, found in rankings.items() if snippet.id in found}
        score = round(math.fsum(1 / (RANKS_FROM + rank) for rank in ranks.values()), 6)
        scored.append(Ranked(snippet, score, _why(about.get(snippet.id, ""), ranks)))
    return tuple(sorted(scored, key=lambda ranked: (-ranked.score, ranked.snippet.id)))


def _why(about: str, ranks: Mapping[str, int]) -> str:
    placed = speech.joined([f"number {rank} by {name}" for name, rank in ranks.items()]) if ranks else "in no ranking"
    return f"about {about}; {placed}" if about else placed
