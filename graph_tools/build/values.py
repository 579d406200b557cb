"""Cells into literals, in canonical form (https://www.w3.org/TR/xmlschema11-2/): the spelling that every engine keeps.

Each function takes the text of a cell and returns the literal, or raises BadValue with what is wrong and what to write.
"""

from __future__ import annotations

import re
from datetime import date, datetime

from graph_tools.terms import XSD, Literal

_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_DATETIME = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2}))?(Z|[+-]\d{2}:\d{2})")
_DURATION = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*")
_URL = re.compile(r"https?://[^\s<>\"{}|\\^`]+")
_DATATYPES = {"year": "gYear", "month": "gYearMonth", "day": "date"}
_MONTHS_A_YEAR, _SECONDS_A_MINUTE, _SECONDS_AN_HOUR, _SECONDS_A_DAY = 12, 60, 3600, 86400


class BadValue(ValueError):
    """A cell that cannot be read as what its column holds."""

    def __init__(self, cause: str, remedy: str) -> None:
        super().__init__(f"{cause}; {remedy}")
        self.cause = cause
        self.remedy = remedy


def string(text: str) -> Literal:
    """A plain string."""
    return Literal(text)


def in_language(text: str, tag: str) -> Literal:
    """A string in a language, its tag in small letters (https://www.rfc-editor.org/rfc/rfc5646)."""
    if not _LANGUAGE.fullmatch(tag):
        raise BadValue(f"has the language {tag!r}, which is no tag", "write the language as ja, ru or de")
    return Literal(text, language=tag)


def integer(text: str) -> Literal:
    """A whole number, without leading zeros or separators."""
    if not re.fullmatch(r"-?\d+", text):
        raise BadValue("is not a whole number", "write digits only, as 26000")
    return Literal(str(int(text)), XSD + "integer")


def boolean(text: str) -> Literal:
    """yes/no or true/false."""
    known = {"yes": "true", "true": "true", "no": "false", "false": "false"}
    if text.lower() not in known:
        raise BadValue("is neither yes nor no", "write yes or no, or leave the cell empty")
    return Literal(known[text.lower()], XSD + "boolean")


def day(text: str, precision: tuple[str, ...] = ("year", "month", "day")) -> Literal:
    """A date at the precision that is known: a year, a month or a day, as gYear, gYearMonth or date."""
    samples = {"year": "2001", "month": "2001-05", "day": "2001-05-30"}
    remedy = "write " + " or ".join(samples[p] for p in precision)
    found = _DATE.fullmatch(text)
    if not found:
        raise BadValue("is not a date", remedy)
    year, month, of_month = found.groups()
    given = "day" if of_month else "month" if month else "year"
    try:
        date(int(year), int(month or 1), int(of_month or 1))
    except ValueError as error:
        raise BadValue(f"is not a date of the calendar ({error})", remedy) from error
    if given not in precision:
        raise BadValue(f"is a date to the {given}", remedy)
    return Literal(text, XSD + _DATATYPES[given])


def moment(text: str) -> Literal:
    """A date and time with its offset from UTC; the offset is part of the fact and is kept."""
    remedy = "write the local time with its offset, as 2001-05-30T19:30+02:00"
    found = _DATETIME.fullmatch(text)
    if not found:
        raise BadValue("is not a date and time with an offset", remedy)
    on, at, seconds, offset = found.groups()
    spelled = f"{on}T{at}:{seconds or '00'}{'Z' if offset in ('+00:00', '-00:00') else offset}"
    try:
        datetime.fromisoformat(spelled)
    except ValueError as error:
        raise BadValue(f"is not a date and time ({error})", remedy) from error
    return Literal(spelled, XSD + "dateTime")


def duration(text: str) -> Literal:
    """A length of time: PT20M, PT16H. Carried over to the biggest unit, as engines do."""
    found = _DURATION.fullmatch(text)
    if not found or not any(found.groups()) or text.endswith("T"):
        raise BadValue("is not a duration", "write it as PT20M for twenty minutes or PT16H for sixteen hours")
    years, months, days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    months += years * _MONTHS_A_YEAR
    seconds += days * _SECONDS_A_DAY + hours * _SECONDS_AN_HOUR + minutes * _SECONDS_A_MINUTE
    dates = [(months // _MONTHS_A_YEAR, "Y"), (months % _MONTHS_A_YEAR, "M"), (seconds // _SECONDS_A_DAY, "D")]
    times = [
        (seconds % _SECONDS_A_DAY // _SECONDS_AN_HOUR, "H"),
        (seconds % _SECONDS_AN_HOUR // _SECONDS_A_MINUTE, "M"),
        (seconds % _SECONDS_A_MINUTE, "S"),
    ]
    before = "".join(f"{n}{unit}" for n, unit in dates if n)
    after = "".join(f"{n}{unit}" for n, unit in times if n)
    spelled = f"P{before}{'T' + after if after else ''}"
    return Literal(spelled if spelled != "P" else "PT0S", XSD + "duration")


def url(text: str) -> Literal:
    """A web address as a value (xsd:anyURI): it is shown, not followed."""
    if not _URL.fullmatch(text):
        raise BadValue("is not a web address", "write it in full with https://, without spaces")
    return Literal(text, XSD + "anyURI")
