"""Clauses that a row quotes: a sentence may repeat one in its own order of words, whole or in whole pieces.

A piece of the sentence restates a clause where its content words follow one another as they do there, few are left
out between them, and no word is left out that changes what is said: a negation, a hedge, a figure, who said so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graph_tools.grounding.text import Reader, Word, fold

_PIECES = re.compile(r"\s*[;:,()—–]\s*|\.\s|\bthat\b|$")
_COMMA = re.compile(r"[,;:]")
_BESIDE = re.compile(r"(?<!\w)(?:at|during)(?: the)? $")
SKIPPED = 3
"""Content words left out in a row at most."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a row, read."""

    row: int
    slot: str
    text: str
    words: tuple[Word, ...]
    """Its content words in order."""
    chunks: tuple[int, ...]
    """For each word the number of its piece between commas."""
    names: frozenset[int] = frozenset()
    """Places of the words that are written with a capital."""
    hedges: tuple[tuple[str, str, str], ...] = ()
    """Kind and words of each hedge, and the word that it stands before."""


@dataclass(frozen=True, slots=True)
class Named:
    """Words of the sentence that name something, whether the clause does or not."""

    start: int
    end: int
    forms: tuple[str, ...]
    """What it is called, folded."""
    passive: bool = False
    """True for what everything is part of: it does nothing in a clause that does not say so."""


@dataclass(frozen=True, slots=True)
class Restated:
    """A piece of the sentence that restates a clause."""

    start: int
    end: int
    clause: Clause
    used: tuple[int, ...]
    """Places of the clause's words."""


def read(row: int, slot: str, text: str, reader: Reader) -> Clause:
    """A clause, read."""
    words: list[Word] = []
    chunks: list[int] = []
    names: set[int] = set()
    folded = fold(text)
    for number, match in enumerate(re.finditer(r"(?:[^,;:]|[,;:](?!\s))+", folded)):
        for word in content(match.group(), reader, match.start()):
            if text[word.start].isupper():
                names.add(len(words))
            words.append(word)
            chunks.append(number)
    hedges = []
    for kind, patterns in reader.hedges.items():
        for pattern in patterns:
            for match in pattern.finditer(folded):
                after = folded[match.end() : match.end() + 16].split()[:1]
                if after:
                    hedges.append((kind, match.group(), after[0].strip("£$€,.;")))
    return Clause(row, slot, text, tuple(words), tuple(chunks), frozenset(names), tuple(hedges))


def content(text: str, reader: Reader, offset: int = 0) -> list[Word]:
    """The words of a text that claim something; "the hall of the town" is read as "the town's hall".

    A word right after a preposition carries it: "at:wembley" may stand anywhere."""
    words: list[Word] = []
    run = 0
    swap = -1
    tie = ""
    for word in reader.read(text, offset=offset):
        if word.text in reader.prepositions:
            tie = word.text
        elif not reader.is_free(word):
            if tie and tie != "of":
                word = Word(f"{tie}:{word.text}", word.canon, word.start, word.end, word.capital)
            tie = ""
        if word.text == "of" and run:
            swap, run = run, 0
            continue
        if reader.is_free(word) and word.text not in ("£", "$", "€"):
            if word.text in ("the", "a", "an", "his", "her", "their", "its") and swap > 0 and not run:
                continue
            words, run, swap = _swapped(words, run, swap), 0, -1
            continue
        words.append(word)
        run += 1
    return _swapped(words, run, swap)


def _swapped(words: list[Word], run: int, swap: int) -> list[Word]:
    if swap <= 0 or not run:
        return words
    rest, head, tail = words[: -run - swap], words[-run - swap : -run], words[-run:]
    return [*rest, *tail, *head]


def restated(folded: str, clauses: Sequence[Clause], optional: Sequence[Named], reader: Reader) -> tuple[Restated, ...]:
    """The pieces of a text that restate a clause; `optional`: names that need not stand in the clause."""
    found: list[Restated] = []
    begin = 0
    pieces: list[tuple[int, int]] = []
    for match in _PIECES.finditer(folded):
        if match.start() > begin:
            pieces.append((begin, match.start()))
        begin = max(begin, match.end())
    number = 0
    while number < len(pieces):
        start = pieces[number][0]
        best = _verbatim(folded, *pieces[number], clauses)
        if best is not None:
            found.append(best)
            number += 1
            continue
        step = 1
        # A list with commas is one piece: the longest run of pieces that a clause holds is taken.
        for size in range(min(6, len(pieces) - number), 0, -1):
            end = pieces[number + size - 1][1]
            best = _best(folded, start, end, clauses, optional, found, reader)
            if best is not None:
                step = size
                break
        if best is not None:
            found.append(best)
        number += step
    return tuple(found)


def _verbatim(folded: str, start: int, end: int, clauses: Sequence[Clause]) -> Restated | None:
    """A clause that says nobody's name, word for word at the end of a piece: "the aim was to ..."."""
    for clause in clauses:
        told = fold(clause.text).rstrip(".")
        begin = end - len(told)
        if not clause.text[:1].isupper() and begin > start and folded.endswith((f" {told}", f" {told}."), 0, end):
            begin -= folded[:end].endswith(f"{told}.")
            begin -= 3 * folded.endswith(" to ", start, begin)
            return Restated(begin, end, clause, tuple(range(len(clause.words))))
    return None


def _best(
    folded: str, start: int, end: int, clauses: Sequence[Clause], optional: Sequence[Named],
    found: Sequence[Restated], reader: Reader,
) -> Restated | None:  # fmt: skip
    words = content(folded[start:end], reader, start)
    if not words:
        return None
    best: Restated | None = None
    before = found[-1].clause if found else None
    for clause in clauses:
        taken = {place for one in found if one.clause is clause for place in one.used}
        used = _along(words, clause, optional, taken, folded)
        if used is None or (len(used) < 2 and len(used) < len(clause.words)):
            continue
        fresh = {clause.chunks[used[0]]} if before is None or before is clause else set[int]()
        opens = any(place == 0 or clause.chunks[place - 1] != clause.chunks[place] for place in used)
        if not opens and not fresh:
            continue
        if best is None or len(used) > len(best.used):
            best = Restated(_begin(folded, start, end, clause, optional), end, clause, used)
    return best


def _begin(folded: str, start: int, end: int, clause: Clause, optional: Sequence[Named]) -> int:
    """Where a clause that says nobody's name begins: behind the names that lead into it, which say who it is about."""
    if clause.text[:1].isupper():
        return start
    words = {word.canon for word in clause.words}
    told = fold(clause.text)
    for name in optional:
        lead = folded[start : name.start]
        if start <= name.start and name.end < end and not any(form in told for form in name.forms):
            if set(re.findall(r"\w+", lead)) & words:
                break
            start = name.end
    return start


def _along(
    words: Sequence[Word], clause: Clause, optional: Sequence[Named], taken: set[int], folded: str
) -> tuple[int, ...] | None:
    """Places of the words in the clause, rising; None where some word is not there, or stands in another order."""
    used: list[int] = []
    strangers: list[Named] = []
    at = end = 0
    canons = ["" if n in taken else word.canon for n, word in enumerate(clause.words)]
    for word in words:
        parted = not used or bool(_COMMA.search(folded, end, word.start))
        end = word.end
        place = next((n for n in range(at, len(canons)) if canons[n] == word.canon and n not in used), None)
        if place is None and ":" in word.text:
            moved = next(
                (n for n, w in enumerate(clause.words) if w.text == word.text and n not in used and canons[n]), None
            )
            if moved is not None:
                used.append(moved)
                continue
        if place is None and parted:  # another piece of the clause may come first
            touched = {clause.chunks[n] for n in used}
            place = next((n for n, c in enumerate(canons) if c == word.canon and clause.chunks[n] not in touched), None)
            if place is not None:
                used.append(place)
                at = place + 1
                continue
        if place is None:
            name = next((n for n in optional if n.start <= word.start and word.end <= n.end), None)
            if name is not None and word.canon not in canons:
                strangers.append(name)
                continue
            return None
        if at and place - at > SKIPPED:
            return None
        used.append(place)
        at = place + 1
    if not used or any(_takes_a_place(name, clause, used, folded) for name in strangers):
        return None
    return tuple(used)


def _takes_a_place(name: Named, clause: Clause, used: Sequence[int], folded: str) -> bool:
    """True where a name that the clause does not know stands for one that it has, or does what somebody did."""
    told = fold(clause.text)
    if any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", told) for form in name.forms):
        return False
    if name.passive and clause.text[:1].isupper() and not _BESIDE.search(folded, 0, name.start):
        return True
    touched = {clause.chunks[place] for place in used}
    return any(place not in used and clause.chunks[place] in touched for place in clause.names)
