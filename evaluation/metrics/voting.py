"""The vote of the published tables: are a sentence and a line of evidence about the same?

Three measures vote: TF-IDF cosine >= 0.40, Jaccard of character trigrams >= 0.30, topic similarity >= 0.30. Two votes
decide; so does a name in common together with a number (or century) in common, whatever else the sentence says. All on
the one line whose best measure, plus 0.06 for a common name and 0.04 for a common number, is highest.

Source: the published evaluator as it was run for tables 2 and 3. One part is rebuilt as far as its description goes:
of the alias pairs that it doubles, those in `published.toml`. A year is compared by its century only: a slip of the
published code that its figures rest on.
"""

from __future__ import annotations

import math
import re
from calendar import month_name
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluation.metrics.topics import Topics
from evaluation.published import aliases
from evaluation.text import NAME, NUMBER, tabulated_tokens
from graph_tools import speech

TFIDF, TRIGRAMS, TOPIC, VOTES = 0.40, 0.30, 0.30, 2
NAME_BONUS, NUMBER_BONUS = 0.06, 0.04
_ONCE = math.log(3 / 2) + 1
"""idf of a word that stands in one of two texts: ln(3 / (df + 1)) + 1; in both it is 1."""
_CENTURY = re.compile(r"\b(19|20)\d\d\b")
_MONTHS = tuple(month_name)[1:]
_DATE = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(_MONTHS)}) (\d{{4}})\b")
_SPELLED = {speech.words(number): str(number) for number in range(21)}
_SPELLED_WORD = re.compile(rf"\b({'|'.join(sorted(_SPELLED, key=len, reverse=True))})\b", re.I)


@dataclass(frozen=True)
class Measured:
    """A text as it is compared."""

    text: str

    @cached_property
    def words(self) -> Counter[str]:
        """Its tokens and how often they stand in it."""
        return Counter(tabulated_tokens(self.text))

    @cached_property
    def trigrams(self) -> frozenset[str]:
        """Its character trigrams."""
        lower = self.text.lower()
        return frozenset(lower[at : at + 3] for at in range(len(lower) - 2))

    @cached_property
    def names(self) -> frozenset[str]:
        """Runs of capitalised words."""
        return frozenset(NAME.findall(self.text))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Its figures."""
        return frozenset(NUMBER.findall(self.text))

    @cached_property
    def centuries(self) -> frozenset[str]:
        """ "19" or "20" for each year in it."""
        return frozenset(_CENTURY.findall(self.text))


class Ballot:
    """The sentences and lines of one section, ready to be compared."""

    def __init__(self, sentences: Sequence[str], lines: Sequence[str]) -> None:
        self.sentences = [Measured(prepared(text)) for text in sentences]
        self.lines = [Measured(text) for text in unlike([prepared(line) for line in lines])]
        self._topics = Topics([one.text for one in (*self.sentences, *self.lines)])

    def supported(self) -> list[bool]:
        """For each sentence, whether a line carries it."""
        return [self._carried(place, backwards=False) for place in range(len(self.sentences))]

    def covered(self) -> list[bool]:
        """For each line, whether a sentence carries it."""
        return [self._carried(place, backwards=True) for place in range(len(self.lines))]

    def _carried(self, place: int, *, backwards: bool) -> bool:
        one = (self.lines if backwards else self.sentences)[place]
        others = self.sentences if backwards else self.lines
        best, carried = -1.0, False
        for at, other in enumerate(others):
            pair = (at, place) if backwards else (place, at)
            measures = (
                tfidf(one, other), trigrams(one, other), self._topics.similarity(pair[0], len(self.sentences) + pair[1])
            )  # fmt: skip
            names, numbers = bool(one.names & other.names), bool(one.numbers & other.numbers)
            fused = max(measures) + NAME_BONUS * names + NUMBER_BONUS * numbers
            if fused > best:
                votes = sum(value >= bar for value, bar in zip(measures, (TFIDF, TRIGRAMS, TOPIC), strict=True))
                anchored = names and (numbers or bool(one.centuries & other.centuries))
                best, carried = fused, anchored or votes >= VOTES
        return carried


def tfidf(one: Measured, other: Measured) -> float:
    """Cosine of the two texts' TF-IDF vectors over these two texts alone; 0 to 1."""
    common = one.words.keys() & other.words.keys()
    dot = sum(one.words[word] * other.words[word] for word in common)
    length = math.sqrt(_square(one, other) * _square(other, one))
    return dot / length if length else 0.0


def trigrams(one: Measured, other: Measured) -> float:
    """Jaccard similarity of character trigrams; 0 to 1."""
    union = len(one.trigrams | other.trigrams)
    return len(one.trigrams & other.trigrams) / union if union else 0.0


def prepared(text: str) -> str:
    """Without addresses and marks of origin; aliases, dates and spelled numbers written twice, as published."""
    clean = re.sub(r"https?://\S+|<[^>]*>|\b(?:KG|WEB):\s*", "", text)
    for pair in aliases():
        for alias, twin in (pair, pair[::-1]):
            if twin not in clean.lower():
                clean = re.sub(rf"\b({re.escape(alias)})\b", rf"\1 {twin}", clean, flags=re.I)
    clean = _DATE.sub(lambda m: f"{m[0]} {m[3]}-{_MONTHS.index(m[2]) + 1:02}-{int(m[1]):02}", clean)
    clean = _SPELLED_WORD.sub(lambda m: f"{m[0]} {_SPELLED[m[0].lower()]}", clean)
    return " ".join(clean.split())


def unlike(lines: Sequence[str]) -> list[str]:
    """The lines without those that are the same in lower case."""
    return list({line.lower(): line for line in reversed(lines)}.values())[::-1]


def _square(one: Measured, other: Measured) -> float:
    return sum((count * (1.0 if word in other.words else _ONCE)) ** 2 for word, count in one.words.items())
