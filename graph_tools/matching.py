"""Question matching: how well each question of a library fits what a visitor says.

Lexical: what is asked has to be covered by the question's own words, its paraphrases and its answer, and the question
by what is asked; rare words count for more. Another measure of likeness can be added through `Embedder`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from math import log
from typing import Protocol

from rapidfuzz import process
from rapidfuzz.distance import OSA

from graph_tools.cq import CompetencyQuestion
from graph_tools.lexicon import Lexicon, Token, Unit, folded, tokens
from graph_tools.library import Library

NOTHING: frozenset[str] = frozenset()
MASK = "somebody"
"""Stands for names and slots in what an embedder reads."""
ROOT = 5
"""Letters that words of one root share at least."""
SHARED = 0.7
"""Share of the longer one's stem that they are."""
_SLOT = re.compile(r"\{([a-z_]+)[^{}]*\}")


class Grade(IntEnum):
    """How far a word is from what can be answered."""

    KNOWN = 0
    """A question uses it, or a word of the same list."""
    HEARD = 1
    """A record uses it."""
    STRANGE = 2
    """Nobody does."""
    UNKNOWN = 3
    """Nobody does, and it is written as a name is."""
    OUTSIDE = 4
    """It stands in the list of what the records do not hold, though they use the word."""
    FOREIGN = 5
    """It stands in that list, and they do not."""


class Embedder(Protocol):
    """A model of sentences; an optional extra, never a default."""

    def index(self, wordings: Sequence[str]) -> None:
        """Learns the wordings of all questions, once."""

    def likeness(self, text: str) -> Sequence[float]:
        """How like each wording is to the text, 0 (nothing in common) to 1 (the same)."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How the parts of a likeness count, found on `tests/words/tuning.tsv` and the paraphrases (docs/words.md)."""

    asked: float = 0.7
    """Share of what is asked against what the question says."""
    floor: float = 0.3
    """What is left of a likeness where none of these words is taken up."""
    asks: float = 0.2
    """How much it matters that what is asked for, a time or a place, is what the question asks for."""
    content: float = 0.2
    """How much it matters that the words beside names and question words are taken up."""
    sense: float = 0.85
    """A word of the same list, against the word itself."""
    elsewhere: float = 0.75
    """A word of another wording of the question."""
    told: float = 0.5
    """A word of how its answer is told."""
    answered: float = 0.35
    """A word of the answer, before it is looked into."""
    answer: float = 0.35
    """A word of the answer itself."""
    heard: float = 1.5
    """Weight of a word that no question uses, but some record."""
    strange: float = 4.0
    """Weight of a word that neither uses."""
    unknown: float = 6.0
    """Weight of such a word where it is written as a name is."""
    outside: float = 6.0
    """Weight of a word of what the records do not hold."""
    name: float = 3.0
    """Weight of a name that can fill a slot."""
    title: float = 2.0
    """Weight of any other name."""
    named: float = 0.8
    """How surely an answer is about one whom it names, where it names nobody else."""
    joined: float = 0.8
    """How surely one is meant whom the graph joins with one who is named."""
    lead: float = 0.7
    """The same, where stories are about such."""
    missed: float = 0.2
    """What is left of a likeness where a name is not taken up at all."""
    slot: float = 2.0
    """Weight of a slot that only a name can fill."""
    likeness: float = 0.35
    """Share of an embedder, where there is one."""


@dataclass(frozen=True, slots=True)
class Phrasing:
    """One wording of a question, read."""

    text: str
    units: tuple[tuple[str, frozenset[str], float], ...]
    """Key, senses and weight of each unit."""
    senses: frozenset[str]
    keys: frozenset[str]
    whole: float
    """Weight of all units."""


@dataclass(frozen=True, slots=True)
class Fit:
    """One wording against what is asked."""

    phrasing: Phrasing
    uptake: tuple[float, ...]
    """For each unit that is asked, how far the question takes it up, 0 to 1."""
    got: float
    """Weight of the wording's units that are asked."""
    taken: float
    """Weight of what is asked and taken up, of `whole`."""
    whole: float
    content: float
    """The same without question words, of `content_whole`."""
    content_whole: float
    likeness: float | None = None
    """By the embedder, where there is one."""


Units = Sequence[tuple[Unit, float]]


class Matcher:
    """The wordings of a library, read once."""

    def __init__(
        self,
        library: Library,
        lexicon: Lexicon,
        weights: Weights,
        embedder: Embedder | None = None,
        records: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """`records` gives the texts of the graph; they are read where a word comes up that no question uses."""
        self.lexicon, self.weights = lexicon, weights
        self._records = records
        self._embedder = embedder
        read = {
            cq_id: [(text, _read(text, lexicon)) for text in (template.cq.question, *template.cq.paraphrases)]
            for cq_id, template in library.items()
        }
        self._users: dict[str, set[str]] = {}
        for cq_id, wordings in read.items():
            for _, units in wordings:
                for unit in units:
                    for sense in unit.senses:
                        self._users.setdefault(sense, set()).add(cq_id)
        self._count = max(1, len(read))
        self._weights: dict[frozenset[str], float] = {}
        self._wordings: list[Phrasing] = []
        self._numbers: dict[str, list[int]] = {}
        self._postings: dict[str, list[int]] = {}
        for cq_id, wordings in read.items():
            for text, units in wordings:
                phrasing = self._phrasing(text, units)
                for sense in sorted(phrasing.senses):
                    self._postings.setdefault(sense, []).append(len(self._wordings))
                self._numbers.setdefault(cq_id, []).append(len(self._wordings))
                self._wordings.append(phrasing)
        self._all = {
            cq_id: frozenset(sense for number in numbers for sense in self._wordings[number].senses)
            for cq_id, numbers in self._numbers.items()
        }
        self._told = {cq_id: self.senses(telling_words(template.cq)) for cq_id, template in library.items()}
        if embedder is not None:
            embedder.index([phrasing.text for phrasing in self._wordings])
        self._stems = frozenset(key for unit_key in self._users for key in unit_key.split())
        self._roots: dict[str, list[str]] = {}
        for key in sorted(self._users):
            if key.isalpha() and len(key) >= ROOT:
                self._roots.setdefault(key[:ROOT], []).append(key)
        texts = [text for template in library.values() for text in (template.cq.question, *template.cq.paraphrases)]
        self._vocabulary = folded(_SLOT.sub(" ", text) for text in texts) | lexicon.words
        self._by_letter: dict[str, list[str]] = {}
        for word in sorted(self._vocabulary - lexicon.outside):  # a slip of the pen makes nobody a stranger
            self._by_letter.setdefault(word[0], []).append(word)

    def senses(self, texts: Iterable[str]) -> frozenset[str]:
        """Everything that these texts say."""
        return frozenset(sense for text in texts for unit in self.lexicon.units(tokens(text)) for sense in unit.senses)

    def weight(self, unit: Unit) -> float:
        """How much a unit tells the questions apart; what no question uses counts by how far it is from all of them."""
        grade = self.grade(unit)
        if grade is Grade.KNOWN:
            known = self._weights.get(unit.senses)
            if known is None:
                users: set[str] = set().union(*(self._users.get(sense, ()) for sense in unit.senses))
                known = self._weights[unit.senses] = log(1 + self._count / len(users))
            return known
        weights = self.weights
        return (weights.heard, weights.strange, weights.unknown, weights.strange, weights.outside)[grade - 1]

    def grade(self, unit: Unit) -> Grade:
        """How far it is from what can be answered."""
        if any(sense in self._users for sense in unit.senses):
            return Grade.KNOWN
        if unit.outside:
            return Grade.OUTSIDE if unit.key in self._heard[False] else Grade.FOREIGN
        if all(key in self._heard[False] or key in self._heard[True] for key in unit.key.split()):
            return Grade.HEARD
        return Grade.UNKNOWN if unit.proper else Grade.STRANGE

    @cached_property
    def _heard(self) -> tuple[frozenset[str], frozenset[str]]:
        """Stems of the words of records: those that stand there without a capital, and those with one."""
        stem = self.lexicon.stem
        words = {(token.text, token.capital) for text in self._records() for token in tokens(text)}
        small, capital = (frozenset(stem(word) for word, large in words if large is kind) for kind in (False, True))
        return small, capital

    def read(self, found: Sequence[Token | None]) -> tuple[list[tuple[Unit, float]], int]:
        """What a visitor's words say, each unit with its weight, and how many vague ones were left out."""
        spelled = [token and self._spelled(token) for token in found]
        units = self.lexicon.units(spelled, lambda senses: any(sense in self._users for sense in senses))
        near = [self._akin(unit) for unit in units]
        said = [unit for unit in near if self.grade(unit) is Grade.KNOWN or not self._vague(unit)]
        return [(unit, self.weight(unit)) for unit in said], len(near) - len(said)

    def _vague(self, unit: Unit) -> bool:
        """True where it says nothing of what is asked: an ordinary word, or a number that is no year."""
        return unit.key in self.lexicon.vague or (not unit.proper and unit.key.isdigit())

    def _akin(self, unit: Unit) -> Unit:
        """The unit with the senses of the nearest word of questions, where its own word is made of the same root."""
        if " " in unit.key or unit.outside or unit.proper or self.grade(unit) is Grade.KNOWN or self._vague(unit):
            return unit
        kin = self._roots.get(unit.key[:ROOT], ())
        shared, akin = max(((_shared(unit.key, key), key) for key in kin), default=(0, ""))
        if shared < ROOT or shared < SHARED * max(len(unit.key), len(akin)):
            return unit
        return replace(unit, senses=frozenset({unit.key, *self.lexicon.senses(akin)}))

    def fits(
        self, units: Units, names: frozenset[str], answers: Mapping[str, frozenset[str]], text: str = ""
    ) -> dict[str, list[Fit]]:
        """Question -> how each of its wordings fits that shares a word with what is asked; else the first wording.

        `names` are words of names, which a wording may say itself; `answers` what answers say, where that is known;
        `text` is for an embedder."""
        weights = self.weights
        senses = names | {sense for unit, _ in units for sense in unit.senses}
        keys = names | {unit.key for unit, _ in units}
        like = self._likeness(text)
        hit = like.keys() or {number for sense in senses for number in self._postings.get(sense, ())}
        found: dict[str, list[Fit]] = {}
        for cq_id, numbers in self._numbers.items():
            everywhere, told = self._all[cq_id], self._told[cq_id]
            base = [
                weights.elsewhere
                if not unit.senses.isdisjoint(everywhere)
                else weights.told
                if not unit.senses.isdisjoint(told)
                else weights.answered
                if unit.key in answers.get(cq_id, NOTHING)
                else 0.0
                for unit, _ in units
            ]
            chosen = [number for number in numbers if number in hit] or numbers[:1]
            found[cq_id] = [
                self._fit(self._wordings[number], units, base, keys, senses, like.get(number)) for number in chosen
            ]
        return found

    def refit(self, fit: Fit, uptake: tuple[float, ...], units: Units) -> Fit:
        """The same wording, where more of what is asked is taken up."""
        taken = content = 0.0
        for (unit, weight), share in zip(units, uptake, strict=True):
            taken += weight * share
            content += 0.0 if unit.asks else weight * share
        return replace(fit, uptake=uptake, taken=taken, content=content)

    def _fit(
        self,
        phrasing: Phrasing,
        units: Units,
        base: list[float],
        keys: frozenset[str],
        senses: frozenset[str],
        likeness: float | None,
    ) -> Fit:
        sense = self.weights.sense
        uptake: list[float] = []
        taken = whole = content = content_whole = got = 0.0
        for (unit, weight), known in zip(units, base, strict=True):
            share = 1.0 if unit.key in phrasing.keys else known if unit.senses.isdisjoint(phrasing.senses) else sense
            uptake.append(share)
            whole += weight
            taken += weight * share
            if not unit.asks:
                content_whole += weight
                content += weight * share
        for key, unit_senses, weight in phrasing.units:
            got += weight if key in keys else 0.0 if unit_senses.isdisjoint(senses) else weight * sense
        return Fit(phrasing, tuple(uptake), got, taken, whole, content, content_whole, likeness)

    def _spelled(self, token: Token) -> Token:
        """The token, or the word of questions that it is a slip of the pen for."""
        word = token.text
        if word in self._vocabulary or len(word) < 4 or not word.isalpha() or self.lexicon.stem(word) in self._stems:
            return token
        near = [other for other in self._by_letter.get(word[0], ()) if abs(len(other) - len(word)) <= 1]
        close = process.extractOne(word, near, scorer=OSA.distance, score_cutoff=1 if len(word) < 9 else 2)
        if close is None or any(self.lexicon.stem(word) in heard for heard in self._heard):
            return token
        # Of a short word another letter makes another word: only letters that changed places, or one too many or few.
        if len(word) < 7 and sorted(word) != sorted(close[0]) and (len(word) == len(close[0]) or len(word) < 5):
            return token
        return replace(token, text=close[0])

    def _likeness(self, text: str) -> dict[int, float]:
        """Number of a wording -> likeness by the embedder, nothing without one."""
        return dict(enumerate(self._embedder.likeness(text))) if self._embedder else {}

    def _phrasing(self, text: str, units: Sequence[Unit]) -> Phrasing:
        return Phrasing(
            text=_SLOT.sub(MASK, text),
            units=tuple((unit.key, unit.senses, self.weight(unit)) for unit in units),
            senses=frozenset(sense for unit in units for sense in unit.senses),
            keys=frozenset(unit.key for unit in units),
            whole=sum(self.weight(unit) for unit in units),
        )


def _read(text: str, lexicon: Lexicon) -> tuple[Unit, ...]:
    """The units of a wording, its slots apart."""
    found: list[Token | None] = []
    for part in _SLOT.split(text)[::2]:
        found += [*tokens(part), None]
    return tuple(lexicon.units(found))


def _shared(one: str, other: str) -> int:
    """With how many letters both begin."""
    return next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )


def telling_words(cq: CompetencyQuestion) -> list[str]:
    """How its answer is told, and what it is about."""
    said = [wording for telling in cq.telling for wording in (*telling.say, telling.item)]
    texts = [*cq.themes, *cq.results.values(), *cq.factlet_wordings, *said, cq.needs]
    return [re.sub(r"\{[^{}]*\}", " | ", text) for text in texts]
