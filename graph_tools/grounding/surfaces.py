"""In which forms a value may stand in a sentence: names and short names, dates, times, numbers, money, lengths."""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping
from datetime import date

from graph_tools import speech
from graph_tools.entities import EntityIndex
from graph_tools.evidence import Value
from graph_tools.grounding.text import fold
from graph_tools.speech import Unspeakable
from graph_tools.terms import XSD, Iri

PRONOUNS = {
    "he": ("he", "him", "his"), "she": ("she", "her"), "it": ("it", "its"), "they": ("they", "them", "their"),
}  # fmt: skip
_NUMBERS = {XSD + n for n in ("integer", "int", "long", "nonNegativeInteger", "positiveInteger", "decimal", "double")}
_UNITS = {"GBP": ("pounds", "pounds sterling"), "USD": ("dollars", "us dollars"), "EUR": ("euros",)}
_NO_NOUNS = frozenset({"music", "live", "list", "object", "image", "video", "page"})
"""Parts of the names of classes that say too little, or something else, by themselves."""
_BRACKETED = re.compile(r"\s*\([^)]*\)")


class Surfaces:
    """The forms of a pack's values, folded; each is found out once."""

    def __init__(self, entities: EntityIndex) -> None:
        self._entities = entities
        self._names: dict[str, tuple[str, ...]] = {}
        self._nouns: dict[str, frozenset[str]] = {}
        self._literals: dict[Value, tuple[str, ...]] = {}

    def of(self, value: Value, row: Mapping[str, Value]) -> tuple[str, ...]:
        """All forms of a value of that row."""
        if value.kind == "iri":
            return self.names(value.value)
        known = self._literals.get(value)
        if known is None:
            known = self._literals[value] = tuple(dict.fromkeys(filter(None, map(fold, _spoken(value)))))
        if value.datatype in _NUMBERS and "currency" in row and row["currency"].kind == "literal":
            return (*known, *_money(value.value, row["currency"].value))
        return known

    def names(self, iri: str) -> tuple[str, ...]:
        """What an entity is called: its names, each with and without an article and what stands in brackets."""
        known = self._names.get(iri)
        if known is None:
            entity = Iri(iri)
            name = self._entities.name(entity)
            names = [name, self._entities.short(entity), *self._entities.aliases(entity)]
            if self._entities.pronoun(entity) in ("he", "she") and " " in name:
                names.append(name.rsplit(" ", 1)[1])
            names += [_BRACKETED.sub("", n) for n in names]
            folded = [fold(n.replace("...", "…")) for n in names if n] + [fold(n) for n in names if n]
            folded += [n.removeprefix("the ") for n in folded]
            known = self._names[iri] = tuple(n for n in dict.fromkeys(folded) if len(n) > 1 or n == name.lower())
        return known

    def is_proper(self, iri: str) -> bool:
        """True where the name is written with a capital."""
        return any(c.isupper() for c in self._entities.name(Iri(iri)))

    def pronouns(self, iri: str) -> tuple[str, ...]:
        """The pronouns that may stand for an entity."""
        return PRONOUNS.get(self._entities.pronoun(Iri(iri)), ())

    def nouns(self, iri: str) -> frozenset[str]:
        """What the classes of an entity are called: "house", "group", and in the plural."""
        known = self._nouns.get(iri)
        if known is None:
            local = [re.split(r"[/#]", type_.value)[-1] for type_ in self._entities.types(Iri(iri))]
            words = {w.lower() for name in local for w in re.findall(r"[A-Z][a-z]{3,}", name)} - _NO_NOUNS
            known = self._nouns[iri] = frozenset(words | {_plural(word) for word in words})
        return known

    def kind(self, value: Value) -> frozenset[str]:
        """What sort of thing a value is: two of one sort can be mistaken for each other."""
        if value.kind == "iri":
            return frozenset(type_.value for type_ in self._entities.types(Iri(value.value)))
        if value.datatype in _NUMBERS:
            return frozenset({"number"})
        kind = value.datatype.removeprefix(XSD)
        return frozenset({"time" if kind in ("date", "dateTime", "gYear", "gYearMonth") else kind or "text"})


def _try(form: object, *given: object) -> str:
    try:
        return str(form(*given))  # type: ignore[operator]
    except (Unspeakable, ValueError, OverflowError):
        return ""


def _spoken(value: Value) -> list[str]:
    text = value.value
    kind = value.datatype.removeprefix(XSD)
    if value.datatype in _NUMBERS:
        whole = text.lstrip("+-").isdigit()
        ordinal = _try(speech.ordinal, text) if whole and int(text) < 1000 else ""
        nth = f"{text}{_suffix(int(text))}" if whole and 0 < int(text) < 1000 else ""
        spelled = speech.words(int(text)) if whole and 0 <= int(text) < 10_000 else ""
        return [_try(speech.number, text), _try(speech.figure, text), text, ordinal, nth, spelled]
    if kind in ("dateTime", "date", "gYear", "gYearMonth"):
        return _moments(text, kind)
    if kind == "duration":
        said = _try(speech.duration, text)
        return [said, re.sub(r"[a-z-]+(?= (?:day|hour|minute|second))", _figures, said), said.replace(" and ", " ")]
    bare = text.removeprefix("the ").removeprefix("The ")
    return [speech.set_quotes(text), text, bare, *(["the " + bare] if bare != text else [])]


def _moments(text: str, kind: str) -> list[str]:
    forms = [_try(speech.spoken_date, text), _try(speech.year, text)]
    if re.match(r"\d{4}-\d\d", text):
        month = _try(speech.spoken_date, text[:7])
        forms.append(month)
        if re.match(r"\d{4}-\d\d-\d\d", text):
            day = str(int(text[8:10]))
            name, _, year = month.partition(" ")
            forms += [f"{name} {day}, {year}", f"{day} {name}", f"{name} {day}"]
            nth = f"{day}{_suffix(int(day))}"
            forms += [f"{nth} {name} {year}", f"{nth} of {name} {year}", f"{name} {nth}, {year}", f"{nth} {name}"]
            forms += [f"{nth} of {name}", f"{name} {nth}"]
            weekday = _try(_weekday, text[:10])
            dates = (f"{day} {name} {year}", f"{day} {name}", f"{name} {day}, {year}")
            forms += [f"{weekday}{mark} {form}" for form in dates for mark in ("", ",")]
            forms.append(weekday)
    if kind == "dateTime":
        at = _try(speech.time_of_day, text)
        clock = _try(speech.clock, text)
        half = re.sub(r" in the morning$", " am", re.sub(r" (in the (afternoon|evening)|at night)$", " pm", clock))
        forms += [at, at.lstrip("0"), at.replace(":", "."), clock, half, half.replace(" am", "am").replace(" pm", "pm")]
        forms.append(half.replace(" am", " a.m.").replace(" pm", " p.m."))
        if re.search(r"(?:Z|[+-]\d\d:\d\d)$", text):
            forms += [f"{form} local time" for form in (at, clock)]
    return forms


def _plural(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def _weekday(day: str) -> str:
    return calendar.day_name[date.fromisoformat(day).weekday()]


def _money(amount: str, currency: str) -> tuple[str, ...]:
    signed = _try(speech.money, amount, currency)
    plain = [_try(speech.number, amount), _try(speech.figure, amount)]
    return tuple(fold(f) for f in (signed, *(f"{n} {u}" for n in plain for u in _UNITS.get(currency, ()) if n)) if f)


def _figures(found: re.Match[str]) -> str:
    for number in range(21):
        if speech.words(number) == found.group():
            return str(number)
    return found.group()


def _suffix(number: int) -> str:
    return "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
