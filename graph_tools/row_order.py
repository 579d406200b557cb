"""The order of rows, the same whatever engine answered.

SPARQL leaves ties and values of unlike types to the engine (SPARQL 1.1, 15.1). Rows are therefore put in order once
more: by the ORDER BY variables (unbound, blank nodes, IRIs, numbers, points in time, other literals), then by all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation

from graph_tools.terms import XSD, Blank, Iri, Literal, Row, Term

Key = tuple[int, Decimal, str, str]

_ZERO = Decimal(0)
_NUMBERS = frozenset(
    XSD + name
    for name in ("integer", "decimal", "double", "float", "int", "long", "nonNegativeInteger", "positiveInteger")
)
_TIMES = frozenset(XSD + name for name in ("date", "dateTime", "gYear", "gYearMonth"))
_TIME = re.compile(r"(-?\d{4,})(?:-(\d\d))?(?:-(\d\d))?(?:T(\d\d):(\d\d):(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?")


def in_order(rows: Iterable[Row], order: Sequence[tuple[str, bool]]) -> list[Row]:
    """The rows sorted by (variable, descending) and, where these are equal, by all their values."""
    found = sorted(rows, key=lambda row: tuple((name, term.n3()) for name, term in sorted(row.items())))
    for name, descending in reversed(order):
        found.sort(key=lambda row: sort_key(row.get(name)), reverse=descending)
    return found


def sort_key(term: Term | None) -> Key:
    """The place of a term: (kind, number, text, tag)."""
    match term:
        case None:
            return (0, _ZERO, "", "")
        case Blank(label):
            return (1, _ZERO, label, "")
        case Iri(value):
            return (2, _ZERO, value, "")
        case Literal(lexical, datatype, language):
            if datatype in _NUMBERS and (number := _number(lexical)) is not None:
                return (3, number, "", "")
            if datatype in _TIMES and (moment := _moment(lexical)) is not None:
                return (4, moment, "", "")
            return (5, _ZERO, lexical, language or datatype)


def _number(lexical: str) -> Decimal | None:
    try:
        number = Decimal(lexical)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _moment(lexical: str) -> Decimal | None:
    """Seconds from the year 1 to the first instant that the literal may mean; a missing offset is UTC."""
    match = _TIME.fullmatch(lexical)
    if match is None:
        return None
    year, month, day, hour, minute, second, offset = match.groups()
    if not 0 < int(year) < 10000:
        return Decimal(int(year)) * 31_556_952
    try:
        moment = datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC)
        moment += timedelta(hours=int(hour or 0), minutes=int(minute or 0), seconds=int(second or 0))
    except (ValueError, OverflowError):
        return None
    seconds = Decimal(int((moment - datetime(1, 1, 1, tzinfo=UTC)).total_seconds()))
    if offset and offset != "Z":
        hours, minutes = offset[1:].split(":")
        seconds -= (1 if offset[0] == "+" else -1) * Decimal(int(hours) * 3600 + int(minutes) * 60)
    return seconds
