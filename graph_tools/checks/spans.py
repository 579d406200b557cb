"""Dates, durations and numbers as spans that can be compared, each as precisely as it is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from graph_tools.terms import XSD, Literal

_ZONE = r"(Z|[+-]\d\d:\d\d)?"
_TIME = re.compile(rf"(\d{{4}})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(?:\.\d+)?)?)?)?{_ZONE}")
_LENGTH = re.compile(r"(-)?P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_TIMES = {XSD + kind for kind in ("gYear", "gYearMonth", "date", "dateTime")}
_LENGTHS = {XSD + kind for kind in ("duration", "dayTimeDuration", "yearMonthDuration")}
_NUMBERS = {XSD + kind for kind in ("integer", "decimal", "nonNegativeInteger", "positiveInteger", "int", "long")}
_IN_SECONDS = (31_556_952, 2_629_746, 86_400, 3_600, 60, 1)
"""A year and a month (of the Gregorian mean), a day, an hour, a minute, a second."""


@dataclass(frozen=True, slots=True)
class Span:
    """From `low` to `high`: seconds for times and lengths, else the number itself."""

    kind: str
    """time, length or number."""
    low: Decimal
    high: Decimal
    offset: int | None = None
    """Of a time, seconds east of UTC, where it is stated; `low` and `high` are local."""

    def beyond(self, other: Span) -> bool:
        """True where all of it comes after all of the other.

        What is of another kind never does. A time without an offset is taken to be local to the other."""
        if self.kind != other.kind:
            return False
        if self.offset is None or other.offset is None:
            return self.low > other.high
        return self.low - self.offset > other.high - other.offset


def span(literal: Literal) -> Span | None:
    """What the literal covers; None where it is no date, duration or number, or one that no calendar has."""
    if literal.datatype in _TIMES:
        return read(literal.lexical, "time")
    if literal.datatype in _LENGTHS:
        return read(literal.lexical, "length")
    return read(literal.lexical, "number") if literal.datatype in _NUMBERS else None


def read(text: str, kind: str) -> Span | None:
    """The text as a span of that kind; None where it is none."""
    if kind == "time":
        return _time(text)
    if kind == "length":
        found = _LENGTH.fullmatch(text)
        if not found:
            return None
        sign, *parts = found.groups()
        seconds = sum((Decimal(part) * unit for part, unit in zip(parts, _IN_SECONDS, strict=True) if part), Decimal())
        return Span(kind, -seconds, -seconds) if sign else Span(kind, seconds, seconds)
    return Span(kind, Decimal(text), Decimal(text)) if _NUMBER.fullmatch(text) else None


def offset(literal: Literal) -> str:
    """The offset of a time as +01:00, or "" where it has none."""
    found = _TIME.fullmatch(literal.lexical)
    stated = (found.group(5) or "") if found and literal.datatype == XSD + "dateTime" else ""
    return "+00:00" if stated in ("Z", "-00:00") else stated


def _time(text: str) -> Span | None:
    found = _TIME.fullmatch(text)
    if not found:
        return None
    year, month, day, clock, zone = found.groups()
    try:
        if clock:
            low = high = datetime.fromisoformat(f"{year}-{month}-{day}T{clock}")
        else:
            low = datetime(int(year), int(month or 1), int(day or 1))
            high = datetime.combine(_last(low, month, day), datetime.max.time())
    except ValueError:
        return None
    return Span("time", _seconds(low), _seconds(high), _east(zone))


def _last(first: datetime, month: str | None, day: str | None) -> date:
    """The last day of the year, month or day that begins there."""
    if day:
        return first.date()
    if not month or first.month == 12:
        return date(first.year, 12, 31)
    return date(first.year, first.month + 1, 1) - timedelta(days=1)


def _seconds(moment: datetime) -> Decimal:
    return Decimal((moment - datetime.min) // timedelta(seconds=1))


def _east(zone: str | None) -> int | None:
    if not zone:
        return None
    if zone == "Z":
        return 0
    seconds = int(zone[1:3]) * 3_600 + int(zone[4:]) * 60
    return -seconds if zone[0] == "-" else seconds
