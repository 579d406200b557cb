"""How values are spoken: dates, times, numbers, money, lists, gaps of time. Pure functions from lexical forms to words.

British English (Babel locale en_GB; number words by num2words). A date is spoken at the precision that its datatype
has: a year stays a year. An ill-typed value is never spoken: it raises `Unspeakable`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import Final

from babel.dates import format_date
from babel.lists import format_list
from babel.numbers import get_currency_symbol
from num2words import num2words

from graph_tools.terms import XSD

LOCALE: Final = "en_GB"
_DURATION = re.compile(r"P(?:([0-9]{1,9})D)?(?:T(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})S)?)?")
_STRAIGHT_PAIR: Final = re.compile(r'"([^"]+)"')
_QUOTES: Final = '“”"'
_PLAIN_OPENERS: Final = frozenset([
    "a", "after", "although", "an", "another", "as", "at", "because", "before", "behind", "between", "both", "by",
    "during", "each", "every", "for", "from", "her", "his", "if", "in", "instead", "it", "its", "later",
    "many", "more", "most", "near", "nobody", "on", "once", "one", "only", "over", "people", "several", "since",
    "some", "still", "that", "the", "their", "then", "there", "these", "they", "this", "those", "though", "three",
    "to", "two", "under", "until", "up", "when", "where", "while", "with", "within", "without",
])  # fmt: skip
"""First words that are no name, whatever follows."""
_NUMERIC = {
    XSD + name for name in ("integer", "int", "long", "nonNegativeInteger", "positiveInteger", "decimal", "double")
}
DAYS_A_YEAR: Final = 365.2425
_SCALES = ((10**9, "billion"), (10**6, "million"))


class Unspeakable(ValueError):
    """A value cannot be said in the form that a wording asks for."""


def words(number: int) -> str:
    """A whole number in words: 21 -> "twenty-one"."""
    return str(num2words(number, lang="en"))


def ordinal(lexical: str) -> str:
    """1 -> "first"; above twenty in figures ("21st")."""
    number = _whole(lexical)
    return str(num2words(number, to="ordinal" if number <= 20 else "ordinal_num", lang="en"))


def figure(lexical: str) -> str:
    """Digits with grouping: 89484 -> "89,484"."""
    text = lexical.strip().removeprefix("+")
    if not re.fullmatch(r"-?[0-9]{1,30}(\.[0-9]{1,30})?", text):
        raise Unspeakable(f"{lexical!r} is no plain number")
    whole, _, part = text.partition(".")
    part = part.rstrip("0")
    return f"{int(whole):,}" + (f".{part}" if part else "")


def number(lexical: str) -> str:
    """Up to twenty in words, round millions and billions by name ("1.9 billion"), else digits: never rounded."""
    text = figure(lexical)
    if "." in text or text.startswith("-"):
        return text
    value = int(text.replace(",", ""))
    if value <= 20:
        return words(value)
    for size, name in _SCALES:
        if value >= size and value * 10 % size == 0:
            return f"{value / size:g} {name}"
    return text


def money(lexical: str, currency: str) -> str:
    """An amount with its currency's sign before it: "£150 million"; small amounts stay digits."""
    symbol = get_currency_symbol(currency, locale=LOCALE).removeprefix("US")
    text = figure(lexical)
    value = int(text.replace(",", "").partition(".")[0])
    return symbol + (number(lexical) if value > 20 else text)


def year(lexical: str) -> str:
    """The year of any date form; before our era as "44 BC"."""
    match = re.match(r"(-?)([0-9]{4,9})(?=$|-|Z|[+])", lexical)
    if not match:
        raise Unspeakable(f"{lexical!r} holds no year")
    return f"{int(match[2])} BC" if match[1] else str(int(match[2]))


def spoken_date(lexical: str) -> str:
    """ "1985-07-13" -> "13 July 1985", "1985-07" -> "July 1985", "1985" -> "1985"; a dateTime gives its day."""
    match = re.fullmatch(r"(\d{4})-(\d\d)(?:-(\d\d))?(?:T.*|Z|[+-]\d\d:\d\d)?", lexical)
    if not match:
        return year(lexical) if re.fullmatch(r"-?\d{4,}(Z|[+-]\d\d:\d\d)?", lexical) else _no_date(lexical)
    try:
        day = date(int(match[1]), int(match[2]), int(match[3] or 1))
    except ValueError:
        return _no_date(lexical)
    return str(format_date(day, "d MMMM y" if match[3] else "MMMM y", locale=LOCALE))


def moment(lexical: str) -> datetime:
    """An xsd:dateTime as a datetime, with its offset where it has one."""
    try:
        return datetime.fromisoformat(lexical)
    except ValueError as error:
        raise Unspeakable(f"{lexical!r} is no date and time") from error


def time_of_day(lexical: str) -> str:
    """Local time on the 24-hour clock, as written: "18:41"."""
    return f"{moment(lexical):%H:%M}"


def clock(lexical: str) -> str:
    """Local time as people say it: "6:41 in the evening", "noon"."""
    at = moment(lexical)
    if (at.hour, at.minute) == (12, 0):
        return "noon"
    if (at.hour, at.minute) == (0, 0):
        return "midnight"
    part = "in the morning" if at.hour < 12 else "in the afternoon" if at.hour < 18 else "in the evening"
    if at.hour >= 22:
        part = "at night"
    hour = at.hour % 12 or 12
    return f"{hour}:{at.minute:02d} {part}" if at.minute else f"{hour} {part}"


def duration(lexical: str) -> str:
    """An xsd:duration of days, hours, minutes: "PT1H20M" -> "one hour and 20 minutes"."""
    match = _DURATION.fullmatch(lexical)
    if not match or not any(match.groups()):
        raise Unspeakable(f"{lexical!r} is no duration")
    units = zip(match.groups(), ("day", "hour", "minute", "second"), strict=True)
    parts = [f"{number(n)} {unit}{'' if int(n) == 1 else 's'}" for n, unit in units if n and int(n)]
    if not parts:
        raise Unspeakable(f"{lexical!r} lasts no time")
    return joined(parts)


def literal(lexical: str, datatype: str, *, clock_style: str = "time") -> str:
    """A literal in the form that its datatype calls for; other datatypes are spoken as written."""
    kind = datatype.removeprefix(XSD)
    if datatype in _NUMERIC:
        return number(lexical)
    if kind == "dateTime":
        return clock(lexical) if clock_style == "clock" else time_of_day(lexical)
    if kind in ("date", "gYear", "gYearMonth"):
        return spoken_date(lexical)
    if kind == "duration":
        return duration(lexical)
    return set_quotes(lexical)


def joined(items: Sequence[str], *, more: int = 0) -> str:
    """ "a, b and c"; with `more` left out: "a, b and two more". Semicolons where an item holds a comma."""
    parts = list(items) + ([f"{words(more) if more <= 20 else more} more"] if more else [])
    if any("," in part for part in parts) and len(parts) > 2:
        return "; ".join(parts[:-1]) + f"; and {parts[-1]}"
    return str(format_list(parts, style="standard", locale=LOCALE))


def possessive(name: str) -> str:
    """ "Nora" -> "Nora's"; "the Twins" -> "the Twins'"."""
    return name + ("'" if name.endswith(("s", "S")) else "'s")


def quoted(title: str) -> str:
    """A title in typographic quotation marks, without any of its own, its three dots set as one character."""
    bare = title.strip(_QUOTES).replace("...", "…")
    return f"“{bare}”"


def mid_sentence(text: str, opens_with_name: Callable[[str], bool]) -> str:
    """A sentence as the end of another one: its first word is lowered, unless a name opens it.

    Raises Unspeakable where neither can be told: "Rose" may be a name or not, whatever its spelling.
    """
    first = text.split(" ", 1)[0]
    if opens_with_name(text) or not first[:1].isupper():
        return text
    if first.casefold() in _PLAIN_OPENERS:
        return text[:1].lower() + text[1:]
    raise Unspeakable(f"{first!r} may be a name")


def set_quotes(text: str) -> str:
    """Straight double quotation marks in pairs set as typographic ones."""
    return _STRAIGHT_PAIR.sub(r"“\1”", text)


def lower_first(text: str) -> str:
    """The first letter lowered, unless the first word is "I" or an abbreviation."""
    first = text.split(" ", 1)[0]
    return text if first in {"I", "I'm"} or first[1:2].isupper() else text[:1].lower() + text[1:]


def upper_first(text: str) -> str:
    """The first letter capital."""
    return text[:1].upper() + text[1:]


def gap(between: timedelta, spell: Callable[[int], str] = words) -> str:
    """A length of time as people say it, hedged where it is rounded: "about forty minutes", "two hours", "three days".

    Minutes are rounded to five above ten, hours to halves, days stay whole. `spell=str` gives it in figures.
    """
    minutes = abs(round(between.total_seconds() / 60))
    if minutes < 1:
        raise Unspeakable("no time lies between")
    if minutes < 55:
        near = minutes if minutes <= 10 else 5 * round(minutes / 5)
        return ("about " if near != minutes else "") + (f"{spell(near)} minutes" if near > 1 else "a minute")
    if minutes < 20 * 60:
        hours, half = divmod(round(minutes / 30), 2)
        hedge = "about " if (2 * hours + half) * 30 != minutes else ""
        whole = "an hour" if hours == 1 else f"{spell(hours)} hours"
        if not half:
            return hedge + whole
        return hedge + ("an hour and a half" if hours == 1 else f"{spell(hours)} and a half hours")
    days = round(minutes / (24 * 60))
    if days < 60:
        return "a day" if days <= 1 else f"about {spell(days)} days"
    return f"about {spell(round(days / 30.44))} months"


def years_between(one: str, other: str, spell: Callable[[int], str] = words) -> str:
    """ "fifteen years" between two anniversaries, else "about fifteen years": from two lexical dates of any precision.

    Raises Unspeakable where no year lies between.
    """
    days = _whole_day(one), _whole_day(other)
    years = abs(int(year(one)) - int(year(other)))
    exact = False
    if days[0] is not None and days[1] is not None:
        years = round(abs((days[0] - days[1]).days) / DAYS_A_YEAR)
        exact = (days[0].month, days[0].day) == (days[1].month, days[1].day)
    if not years:
        raise Unspeakable("less than a year")
    return ("" if exact else "about ") + ("a year" if years == 1 else f"{spell(years)} years")


def _whole_day(lexical: str) -> date | None:
    match = re.match(r"\d{4}-\d\d-\d\d", lexical)
    return date.fromisoformat(match[0]) if match else None


def _whole(lexical: str) -> int:
    if not re.fullmatch(r"\+?[0-9]{1,30}", lexical):
        raise Unspeakable(f"{lexical!r} is no whole number")
    return int(lexical)


def _no_date(lexical: str) -> str:
    raise Unspeakable(f"{lexical!r} is no date")
