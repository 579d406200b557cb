"""Dates, numbers and places in a list: of one kind for one property, as precise as they are known, and in order."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from graph_tools.checks.examined import Examined
from graph_tools.errors import Problem
from graph_tools.terms import XSD, XSD_STRING, Iri, Literal, Triple

_DATES = {XSD + kind: kind for kind in ("gYear", "gYearMonth", "date", "dateTime")}
_INTEGERS = {XSD + "integer", XSD + "nonNegativeInteger", XSD + "positiveInteger", XSD + "int", XSD + "long"}
_ZONED = re.compile(r".*T.*(Z|[+-]\d\d:\d\d)")
_DATE_IN_TEXT = re.compile(r"-?\d{4}(-\d\d){0,2}(T[\d:.]+)?(Z|[+-]\d\d:\d\d)?")


def date_problems(graph: Examined) -> Iterator[Problem]:
    """Dates and numbers that would be spoken or sorted wrongly, by property."""
    by_property: dict[Iri, list[tuple[Iri, Literal]]] = defaultdict(list)
    for subject, predicate, value in graph.triples:
        if isinstance(subject, Iri) and isinstance(predicate, Iri) and isinstance(value, Literal):
            by_property[predicate].append((subject, value))
    for predicate, values in sorted(by_property.items()):
        yield from _kinds(graph, predicate, values)
        yield from _padded(graph, predicate, values)
        yield from _offsets(graph, predicate, values)
    yield from _positions(graph)


def _kinds(graph: Examined, predicate: Iri, values: list[tuple[Iri, Literal]]) -> Iterator[Problem]:
    """Plain text among dates or integers."""
    kinds = Counter(_DATES.get(value.datatype, "") for _, value in values)
    text = [(subject, value) for subject, value in values if value.datatype == XSD_STRING]
    dates = [(subject, value) for subject, value in text if _DATE_IN_TEXT.fullmatch(value.lexical)]
    typed = {kind: count for kind, count in sorted(kinds.items()) if kind}
    if dates and typed:
        shown = " and ".join(f"{count} xsd:{kind}" for kind, count in typed.items())
        cause = f"has {dates[0][1].n3()} for {predicate.n3()}: text in {_times(dates)}, beside {shown}"
        yield graph.problem(dates[0][0], "date-kinds", cause, "give every date the datatype of its precision")
    numbers = [(subject, value) for subject, value in text if re.fullmatch(r"[+-]?\d+", value.lexical)]
    integers = sum(value.datatype in _INTEGERS for _, value in values)
    if numbers and integers:
        cause = f"has {numbers[0][1].n3()} for {predicate.n3()}: text in {_times(numbers)}, beside {integers} whole"
        yield graph.problem(numbers[0][0], "number-kinds", cause, "write all of them as numbers")


def _times(values: list[tuple[Iri, Literal]]) -> str:
    return f"{len(values)} place{'s' if len(values) > 1 else ''}"


def _padded(graph: Examined, predicate: Iri, values: list[tuple[Iri, Literal]]) -> Iterator[Problem]:
    """First of January, midnight: what a year becomes where a whole date is asked for."""
    for kind, end in (("dateTime", r"-01-01T00:00:00(Z|\+00:00)?"), ("date", "-01-01")):
        padded = [(s, v) for s, v in values if v.datatype == XSD + kind and re.fullmatch(r"-?\d{4,}" + end, v.lexical)]
        if padded:
            count = f"{len(padded)} such value{'s' if len(padded) > 1 else ''}"
            cause = (
                f"has {padded[0][1].lexical} for {predicate.n3()} ({count}), which looks like a year made into a date"
            )
            remedy = "write it as precisely as it is known; where it is the true day, list it in [[checks.accept]]"
            yield graph.problem(padded[0][0], "date-padded", cause, remedy)


def _offsets(graph: Examined, predicate: Iri, values: list[tuple[Iri, Literal]]) -> Iterator[Problem]:
    """Times with and without an offset cannot be put in order."""
    times = [(subject, value) for subject, value in values if value.datatype == XSD + "dateTime"]
    bare = [(subject, value) for subject, value in times if not _ZONED.fullmatch(value.lexical)]
    if bare and len(bare) < len(times):
        for subject, value in bare:
            cause = f"has {value.lexical} for {predicate.n3()}, without an offset, which other times have"
            yield graph.problem(subject, "date-offset", cause, "add the offset of the place")


def _positions(graph: Examined) -> Iterator[Problem]:
    """Entries of a list: whole numbers from 1 on, each once."""
    lists = graph.conventions.lists
    entries = {Iri(property_) for property_ in lists.element}
    places = {Iri(property_) for property_ in lists.position}
    found: dict[Iri, list[str]] = defaultdict(list)
    for triple in graph.triples:
        if triple.predicate in entries and isinstance(triple.subject, Iri):
            yield from _text_positions(graph, triple, places, found[triple.subject])
    for subject, numbers in sorted(found.items()):
        counted = sorted(int(number) for number in numbers)
        if counted and counted != list(range(1, len(counted) + 1)):
            cause = f"has its entries at {', '.join(map(str, counted))}"
            yield graph.problem(subject, "list-order", cause, "number them from 1 without a gap")


def _text_positions(graph: Examined, triple: Triple, places: set[Iri], numbers: list[str]) -> Iterator[Problem]:
    for place in sorted(places):
        for value in graph.about.get(triple.object, {}).get(place, ()):
            if isinstance(value, Literal) and value.datatype in _INTEGERS:
                numbers.append(value.lexical)
            elif isinstance(triple.subject, Iri):
                cause = f"has an entry at {value.n3()}, which is no whole number: it would sort 1, 10, 2"
                yield graph.problem(triple.subject, "list-order", cause, "write positions as integers")
