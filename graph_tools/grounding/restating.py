"""The straight proof: a sentence that is one of the curator's wordings, said of the rows that it cites.

Nothing is rendered: the wording is read along the sentence, and each slot takes any form of the value that the rows
have in its place. What a wording says beyond single values (first, last, all of a list, how many) is checked against
the rows, and only where all rows of the answer are cited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graph_tools import speech
from graph_tools.cq import CompetencyQuestion, Telling
from graph_tools.evidence import Factlet, Value
from graph_tools.grounding.surfaces import Surfaces
from graph_tools.grounding.text import fold
from graph_tools.wording import Slot, Wording, wording

_WHOLE_ANSWER = frozenset({"first", "last", "rest", "inner", "count"})
"""What may be said only of all rows of an answer."""
_QUOTES = '"'


@dataclass(frozen=True, slots=True)
class Place:
    """Words of the sentence that a slot took."""

    start: int
    end: int
    factlet: str
    variable: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A wording along a text, from `start` to `end`."""

    end: int
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Clash:
    """A wording that fits but for one value."""

    place: Place
    said: str
    known: str


@dataclass(frozen=True, slots=True)
class Said:
    """A wording of a question, and of which rows it may be said."""

    wording: Wording
    item: Said | None
    telling: Telling | None
    """None for a wording of one row."""
    parts: tuple[str | Slot, ...]
    """The wording's parts, folded."""
    whole: bool
    """True where it says what only all rows of an answer can prove."""

    @classmethod
    def of(cls, wording: Wording, item: Wording | None = None, telling: Telling | None = None) -> Said:
        """A wording, made ready to be read along texts."""
        parts = tuple(fold(part) if isinstance(part, str) else part for part in wording.parts)
        whole = any(slot.select in _WHOLE_ANSWER or slot.argument == "whole" for slot in wording.slots)
        return cls(wording, cls.of(item) if item else None, telling, parts, whole)

    def may_open(self, text: str, start: int) -> bool:
        """False where the text cannot begin so."""
        first = self.parts[0]
        return isinstance(first, Slot) or text.startswith(first, start)


def wordings(cq: CompetencyQuestion) -> tuple[Said, ...]:
    """All wordings of a question, those of single rows last."""
    found: dict[tuple[str, ...], Said] = {}
    for telling in cq.telling:
        item = wording(telling.item, cq.slots) if telling.item else None
        for text in telling.say:
            bounds = (telling.rows, f"{telling.min_rows}-{telling.max_rows}")
            key = (text, telling.item, *bounds, *telling.needs, "|", *telling.lacks)
            found.setdefault(key, Said.of(wording(text, cq.slots | {"items"}), item, telling))
    for text in cq.factlet_wordings:
        found[text,] = Said.of(wording(text, cq.slots))
    return tuple(found.values())


def rows_for(said: Said, rows: Sequence[Factlet], *, complete: bool) -> Iterator[tuple[Factlet, ...]]:
    """The cited rows of a question that a wording may be said of: one by one, or all together."""
    telling = said.telling
    if telling is None:
        yield from ((row,) for row in rows)
        return
    if complete and not (telling.min_rows <= len(rows) <= (telling.max_rows or len(rows))):
        return
    if not complete and (telling.max_rows is not None or said.whole):
        return
    fitting = [
        row for row in rows if row.values.keys() >= set(telling.needs) and not row.values.keys() & set(telling.lacks)
    ]
    if telling.rows == "each":
        yield from ((row,) for row in fitting)
    elif len(fitting) == len(rows):
        yield tuple(rows)


@lru_cache(maxsize=1024)
def _spelled(count: int) -> tuple[str, ...]:
    """A count in words, and in figures."""
    return tuple(dict.fromkeys((speech.number(str(count)), str(count))))


class Restating:
    """Reads a wording along a folded text."""

    def __init__(self, text: str, surfaces: Surfaces) -> None:
        self._text = text
        self._surfaces = surfaces
        self.clash: Clash | None = None
        """Set where a wording fitted but for one value."""

    def along(self, said: Said, rows: Sequence[Factlet], start: int = 0) -> Iterator[Reading]:
        """All ways to read the wording from `start`."""
        yield from self._parts(said.parts, said, rows, start, ())

    def _parts(
        self, parts: Sequence[str | Slot], said: Said, rows: Sequence[Factlet], at: int, places: tuple[Place, ...]
    ) -> Iterator[Reading]:
        if not parts:
            yield Reading(at, places)
            return
        part = parts[0]
        if isinstance(part, str):
            literal = part
            if literal.startswith(".") and self._text[at - 1 : at] == ".":
                literal = literal[1:]
            if self._text.startswith(literal, at):
                yield from self._parts(parts[1:], said, rows, at + len(literal), places)
            return
        for end, more in self._slot(part, said, rows, at):
            yield from self._parts(parts[1:], said, rows, end, (*places, *more))

    def _slot(
        self, slot: Slot, said: Said, rows: Sequence[Factlet], at: int
    ) -> Iterator[tuple[int, tuple[Place, ...]]]:
        if slot.name == "items":
            yield from self._items(said, rows, at)
            return
        bound = [row for row in rows if slot.name in row.values]
        if not bound:
            return
        if slot.form == "agree":
            yield from ((at + len(n), ()) for n in slot.form_argument.split("/") if self._text.startswith(n, at))
            return
        first: dict[Value, Factlet] = {}
        for row in bound:
            first.setdefault(row.values[slot.name], row)
        values = list(first.items())
        match slot.select:
            case "":
                if len(values) == 1:
                    yield from self._value(slot, *values[0], at)
            case "first":
                yield from self._value(slot, bound[0].values[slot.name], bound[0], at)
            case "last":
                yield from self._value(slot, bound[-1].values[slot.name], bound[-1], at)
            case "count":
                yield from self._count(slot, len(values), bound, at)
            case "list":
                yield from self._list(slot, values, at)
            case "rest":
                yield from self._list(slot, values[1:], at)
            case "inner":
                yield from self._list(slot, values[1:-1], at)

    def _value(self, slot: Slot, value: Value, row: Factlet, at: int) -> Iterator[tuple[int, tuple[Place, ...]]]:
        text = self._text
        begins = (at, at + 1) if text[at : at + 1] == _QUOTES else (at,)
        for form in self._forms(slot, value, row.values):
            for begin in begins:
                if text.startswith(form, begin):
                    end = begin + len(form)
                    if begin > at and text[end : end + 1] == _QUOTES:
                        end += 1
                    yield end, (Place(at, end, row.id, slot.name),)

    def _forms(self, slot: Slot, value: Value, row: Mapping[str, Value]) -> Iterator[str]:
        forms = self._surfaces.of(value, row)
        if slot.form == "poss":
            for form in forms:
                yield form + "'s"
                yield form + "'"
        else:
            yield from forms
            yield from (f"the {form}" for form in forms if value.kind == "iri")
        if value.kind == "iri" and slot.form in ("", "poss", "obj"):
            yield from self._surfaces.pronouns(value.value)
        if value.kind == "literal" and slot.form in ("", "text", "mid"):
            yield fold(value.value)

    def _count(
        self, slot: Slot, count: int, rows: Sequence[Factlet], at: int
    ) -> Iterator[tuple[int, tuple[Place, ...]]]:
        nouns = [""] if not slot.argument else [f" {n}" for n in slot.argument.split("/")]
        for form in _spelled(count):
            for noun in nouns:
                if self._text.startswith(form + noun, at):
                    end = at + len(form) + len(noun)
                    yield end, (Place(at, end, rows[0].id, slot.name),)

    def _list(
        self, slot: Slot, values: Sequence[tuple[Value, Factlet]], at: int
    ) -> Iterator[tuple[int, tuple[Place, ...]]]:
        if not values:
            return
        for end, places in self._value(slot, *values[0], at):
            if len(values) == 1:
                yield end, places
                continue
            left = len(values) - 1
            more = f" and {_spelled(left)[0] if left <= 20 else left} more"
            for said in (more, more.replace(" and", "; and")):
                if self._text.startswith(said, end):
                    yield end + len(said), places
            for separator in ("; and ", ", and ", " and ", "; ", ", "):
                if self._text.startswith(separator, end):
                    for last, further in self._list(slot, values[1:], end + len(separator)):
                        yield last, (*places, *further)
                    break

    def _items(self, said: Said, rows: Sequence[Factlet], at: int) -> Iterator[tuple[int, tuple[Place, ...]]]:
        if said.item is None or not rows:
            return
        for reading in self.along(said.item, rows[:1], at):
            if len(rows) == 1:
                yield reading.end, reading.places
            for separator in ("; and ", ", and ", " and ", "; ", ", "):
                if self._text.startswith(separator, reading.end):
                    for end, places in self._items(said, rows[1:], reading.end + len(separator)):
                        yield end, (*reading.places, *places)
            # Rows that say the same are said once.
            for end, places in self._items(said, rows[1:], at):
                if end == reading.end:
                    yield end, places
