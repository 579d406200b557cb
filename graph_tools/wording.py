"""The wording language: sentences with typed slots, kept in content files and rendered from result rows.

    "{artist} opened with {song|first|quoted} and closed with {song|last|quoted}."

A slot names a parameter or a told variable; filters select among the rows and choose a form. A wording is parsed
once, when its file is loaded: an undeclared slot or an unknown filter is an error there. Nothing else in braces has
a meaning, and no attribute of a value can be reached. A wording that cannot be said truthfully of the given rows
raises `Unspeakable`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from graph_tools import speech
from graph_tools.errors import nearest
from graph_tools.evidence import Value
from graph_tools.speech import Unspeakable

ValueRow = Mapping[str, Value]


@lru_cache(maxsize=4096)
def wording(text: str, slots: frozenset[str]) -> Wording:
    """A wording that was checked when its file was loaded, parsed once a process."""
    return Wording.parse(text, slots)


_SLOT = re.compile(r"\{([^{}]*)\}")
_SELECTIONS = frozenset({"first", "last", "list", "rest", "inner", "count"})
_ENTITY_FORMS = frozenset({"name", "short", "poss", "obj", "agree"})
_LITERAL_FORMS = frozenset(
    {"date", "year", "time", "clock", "number", "figure", "ordinal", "money", "duration", "text", "mid"}
)
_FORMS = _ENTITY_FORMS | _LITERAL_FORMS | {"quoted"}
WHOLE = "whole"
"""As the argument of a list: all of it or nothing, never "and two more"."""
FILTERS = _SELECTIONS | _FORMS


class WordingError(ValueError):
    """A wording does not parse; the message names the slot and the remedy."""


class Voice(Protocol):
    """Who speaks: decides how an entity is referred to and how a time of day is said."""

    def refer(self, iri: str, form: str) -> str:
        """An entity in a form: "" (as fits the context), name, short, poss, obj, they (its pronoun's number)."""

    def title(self, iri: str) -> str:
        """The full name of a thing that is quoted or listed; it is no reference to somebody in the story."""

    def opens(self, text: str) -> bool:
        """True where a name that the graph knows opens the text."""

    @property
    def clock_style(self) -> str:
        """ "clock" or "time"."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One hole of a wording."""

    name: str
    select: str = ""
    form: str = ""
    argument: str = ""
    """Of `list`, `rest`, `inner` how many at most, or `whole`; of `count` "singular/plural"."""
    form_argument: str = ""
    """Of `agree` "was/were", of `money` the variable with the currency."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A parsed wording."""

    text: str
    parts: tuple[str | Slot, ...]

    @classmethod
    def parse(cls, text: str, slots: Collection[str]) -> Wording:
        """Parse `text`, whose slots must be among `slots`. Raises WordingError."""
        if not text.strip():
            raise WordingError("an empty wording; write a sentence")
        if text[0].isspace():
            raise WordingError("a wording that begins with a space; begin with its first word")
        parts: list[str | Slot] = []
        at = 0
        for match in _SLOT.finditer(text):
            parts += [text[at : match.start()], _slot(match[1], slots)]
            at = match.end()
        parts.append(text[at:])
        stray = next((part for part in parts if isinstance(part, str) and re.search(r"[{}]", part)), None)
        if stray is not None:
            raise WordingError(f"a stray brace in {stray.strip()!r}; a slot is written {{name}} or {{name|filter}}")
        return cls(text, tuple(part for part in parts if part != ""))

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Its slots in order."""
        return tuple(part for part in self.parts if isinstance(part, Slot))

    @property
    def lists(self) -> bool:
        """True where it names several things, so that it can be shortened."""
        return any(slot.select in ("list", "rest", "inner") or slot.name == "items" for slot in self.slots)

    @property
    def opens_with_slot(self) -> bool:
        """True where the first thing said is a value."""
        return isinstance(self.parts[0], Slot)

    def render(
        self, rows: Sequence[ValueRow], voice: Voice, *, item: Wording | None = None, most: int | None = None
    ) -> str:
        """The wording said of `rows`; lists name at most `most` things and how many more there are.

        Raises Unspeakable.
        """
        rendering = _Rendering(rows, voice, item, most)
        said = ""
        for part in self.parts:
            more = part if isinstance(part, str) else rendering.say(part)
            said += more[1:] if said.endswith(".") and more.startswith(".") else more  # "Jr." closes a sentence too
        return said


@dataclass(frozen=True, slots=True)
class _Rendering:
    rows: Sequence[ValueRow]
    voice: Voice
    item: Wording | None
    most: int | None

    def say(self, slot: Slot) -> str:
        if slot.name == "items":
            return self._items(slot)
        values = self._values(slot.name)
        match slot.select:
            case "":
                if len(values) != 1:
                    raise Unspeakable(f"{slot.name} has {len(values)} values")
                return self._form(values[0], slot)
            case "first":
                row = self._binding(slot.name)[0]
                return self._form(row[slot.name], slot, row=row)
            case "last":
                row = self._binding(slot.name)[-1]
                return self._form(row[slot.name], slot, row=row)
            case "count":
                return _counted(len(values), slot.argument)
            case "rest":
                values = values[1:]
            case "inner":
                values = values[1:-1]
        if not values:
            raise Unspeakable(f"nothing of {slot.name} is left to list")
        return self._listed([self._form(value, slot, listed=True) for value in values], slot.argument)

    def _items(self, slot: Slot) -> str:
        if self.item is None:
            raise Unspeakable("there is no item wording")
        said = list(dict.fromkeys(self.item.render([row], self.voice) for row in self.rows))
        return self._listed(said, slot.argument)

    def _listed(self, said: list[str], limit: str) -> str:
        if limit == WHOLE:
            return speech.joined(said)
        most = min(n for n in (len(said), self.most, int(limit) if limit else None) if n is not None)
        if (
            len(said) - most == 1
        ):  # "and one more" is longer than the name itself, so the list gives up one further place
            most = max(1, most - 1)
        return speech.joined(said[:most], more=len(said) - most)

    def _values(self, name: str) -> list[Value]:
        return list(dict.fromkeys(row[name] for row in self._binding(name)))

    def _binding(self, name: str) -> list[ValueRow]:
        """The rows that bind a variable, in their order."""
        rows = [row for row in self.rows if name in row]
        if not rows:
            raise Unspeakable(f"{name} is not bound")
        return rows

    def _form(self, value: Value, slot: Slot, *, listed: bool = False, row: ValueRow | None = None) -> str:
        if value.kind == "iri":
            return self._entity(value.value, slot, listed=listed)
        if slot.form == "money":
            return speech.money(value.value, self._currency(slot, value, self.rows if row is None else [row]))
        return self._literal(value, slot)

    def _entity(self, iri: str, slot: Slot, *, listed: bool) -> str:
        if slot.form == "quoted":
            return speech.quoted(self.voice.title(iri))
        if slot.form in _LITERAL_FORMS:
            raise Unspeakable(f"{slot.name} is an entity and has no {slot.form}")
        if slot.form == "agree":
            singular, plural = slot.form_argument.split("/")
            return plural if self.voice.refer(iri, "they") == "they" else singular
        if listed and not slot.form:
            return self.voice.title(iri)
        return self.voice.refer(iri, slot.form)

    def _literal(self, value: Value, slot: Slot) -> str:
        text = value.value
        match slot.form:
            case "":
                return speech.literal(text, value.datatype, clock_style=self.voice.clock_style)
            case "text":
                return speech.set_quotes(text)
            case "mid":
                return speech.mid_sentence(speech.set_quotes(text), self.voice.opens)
            case "quoted":
                return speech.quoted(text)
            case "date":
                return speech.spoken_date(text)
            case "year":
                return speech.year(text)
            case "time":
                return speech.time_of_day(text)
            case "clock":
                return speech.clock(text)
            case "number":
                return speech.number(text)
            case "figure":
                return speech.figure(text)
            case "ordinal":
                return speech.ordinal(text)
            case "duration":
                return speech.duration(text)
        raise Unspeakable(f"{slot.name} is a literal and has no form {slot.form}")

    @staticmethod
    def _currency(slot: Slot, amount: Value, rows: Sequence[ValueRow]) -> str:
        found = {
            row[slot.form_argument].value for row in rows if row.get(slot.name) == amount and slot.form_argument in row
        }
        if len(found) != 1:
            raise Unspeakable(f"{slot.name} has {len(found)} currencies")
        return found.pop()


def _counted(count: int, nouns: str) -> str:
    said = speech.number(str(count))
    if not nouns:
        return said
    singular, plural = nouns.split("/")
    return f"{said} {singular if count == 1 else plural}"


def _slot(inside: str, slots: Collection[str]) -> Slot:
    name, *filters = [part.strip() for part in inside.split("|")]
    if name not in slots:
        raise WordingError(f"undeclared slot {{{name}}}; {nearest(name, slots)}")
    select = form = argument = form_argument = ""
    for text in filters:
        word, _, given = text.partition(":")
        if word not in FILTERS:
            raise WordingError(f"unknown filter {word!r} in {{{inside}}}; {nearest(word, FILTERS)}")
        if (word in _SELECTIONS and select) or (word in _FORMS and form):
            raise WordingError(f"two filters of one kind in {{{inside}}}; keep one selection and one form")
        if word in _SELECTIONS:
            select, argument = word, given
        else:
            form, form_argument = word, given
        _check_argument(word, given, inside, slots)
    return Slot(name, select, form, argument, form_argument)


def _check_argument(word: str, given: str, inside: str, slots: Collection[str]) -> None:
    wanted = {
        "agree": r"[^/]+/[^/]+",
        "count": r"([^/]+/[^/]+)?",
        "list": rf"([1-9]\d?|{WHOLE})?",
        "rest": rf"([1-9]\d?|{WHOLE})?",
        "inner": rf"([1-9]\d?|{WHOLE})?",
        "money": r"\w+",
    }.get(word, "")
    if not re.fullmatch(wanted, given):
        raise WordingError(f"{word!r} in {{{inside}}} has the argument {given!r}; see the wording language in the docs")
    if word == "money" and given not in slots:
        raise WordingError(f"{{{inside}}} takes its currency from {given!r}, which is no slot; {nearest(given, slots)}")
