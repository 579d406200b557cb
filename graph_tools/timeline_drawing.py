"""A timeline, drawn: one column for each of two places, the hours between them on the clock of each.

Pure; drawn in `currentColor` like `path_drawing`. Its text alternative is the table of the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from html import escape
from typing import NamedTuple

from graph_tools.path_drawing import WIDTH, cut
from graph_tools.terms import Iri
from graph_tools.timeline import Happening

HOUR, ROW = 66, 14
"""Height of an hour, and of a line of text."""
_TOP = 46
_LEFT, _RIGHT = 136, 224
"""Where the names of either column end and begin."""
_LETTERS = 21


class Entry(NamedTuple):
    """One row of the table."""

    where: str
    clocks: tuple[str, ...]
    """The time on the clock of each place, in the order of `Chart.places`; empty where no source gives it."""
    who: str
    here: bool


class Chart(NamedTuple):
    """The picture, and the table that says the same."""

    svg: str
    """Empty where no time is known, or there are more than two places."""
    places: tuple[str, ...]
    entries: tuple[Entry, ...]


def draw_timeline(rows: Sequence[Happening], name: Callable[[Iri], str], here: frozenset[Iri], title: str) -> Chart:
    """`here`: what or who the visitor has just heard about: "you are here" stands beside it."""
    timed = [row for row in rows if row.when is not None]
    first = {row.where: _time(row) for row in sorted(timed, key=_time, reverse=True)}
    places = sorted(
        {row.where for row in rows}, key=lambda place: (place not in first, first.get(place, _NEVER), place)
    )
    zones = {row.where: row.when.tzinfo for row in timed if row.when is not None}
    entries = tuple(
        Entry(
            name(row.where),
            tuple(_clock(row, zones.get(place)) for place in places) if row.when else (),
            _called(row, name),
            _is_here(row, here),
        )
        for row in sorted(rows, key=lambda row: (row.when is None, _time(row)))
    )
    svg = "".join(_lines(timed, places, zones, name, here, title)) if timed and len(places) <= 2 else ""
    return Chart(svg, tuple(name(place) for place in places), entries)


_NEVER = datetime.max.replace(tzinfo=UTC)


def _time(row: Happening) -> datetime:
    return row.when if row.when is not None else _NEVER


def _clock(row: Happening, zone: object) -> str:
    if row.when is None or not isinstance(zone, timezone):
        return ""
    return ("about " if row.hedged else "") + f"{row.when.astimezone(zone):%H:%M}"


def _called(row: Happening, name: Callable[[Iri], str]) -> str:
    return ", ".join(name(who) for who in row.who)


def _is_here(row: Happening, here: frozenset[Iri]) -> bool:
    return not here.isdisjoint({row.what, *row.who})


def _lines(
    timed: Sequence[Happening],
    places: Sequence[Iri],
    zones: Mapping[Iri, object],
    name: Callable[[Iri], str],
    here: frozenset[Iri],
    title: str,
) -> Iterator[str]:
    begin = min(map(_time, timed)).astimezone(UTC).replace(minute=0)
    end = max(map(_time, timed)).astimezone(UTC) + timedelta(minutes=59)
    hours = int((end.replace(minute=0) - begin).total_seconds() // 3600)
    marks: list[str] = []
    lowest = float(_TOP + hours * HOUR)
    for column, place in enumerate(places):
        side = _RIGHT if column else _LEFT
        anchor, dot, inward = ("start", 217, -1) if column else ("end", 143, 1)
        marks.append(_text(side, 14, name(place), anchor, 10.5, "600"))
        marks.append(f'<path d="M{dot} {_TOP - 8}V{_TOP + hours * HOUR}" stroke="currentColor" stroke-opacity="0.45"/>')
        for hour in range(hours + 1):
            at, zone = begin + timedelta(hours=hour), zones.get(place)
            clock = f"{at.astimezone(zone):%H:%M}" if isinstance(zone, timezone) else ""
            y: float = _TOP + hour * HOUR
            marks.append(_text(dot + 6 * inward, y + 4, clock, "end" if column else "start", 10, "400"))
        free = 0.0
        for row in sorted((row for row in timed if row.where == place), key=_time):
            y = _TOP + (_time(row) - begin).total_seconds() / 3600 * HOUR
            shown: float = max(y, free)
            lit = _is_here(row, here)
            marks.append(
                f'<path d="M{dot} {y:g}L{side - inward * -2:g} {shown:g}" stroke="currentColor" stroke-opacity="0.35"/>'
            )
            marks.append(
                f'<circle cx="{dot}" cy="{y:g}" r="{5 if lit else 3}" fill="currentColor"{_LIT if lit else ""}/>'
            )
            marks.append(_text(side, shown + 4, _called(row, name), anchor, 11.5, "700" if lit else "400", lit=lit))
            if lit:
                shown += ROW
                marks.append(_text(side, shown + 4, "you are here", anchor, 11.5, "400", lit=True))
            free = shown + ROW
        lowest = max(lowest, free)
    size = f'viewBox="0 0 {WIDTH} {lowest + 10:g}" width="{WIDTH}"'
    words = f"{title}. The table below says the same."
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(words)}">'
    yield from marks
    yield "</svg>"


_LIT = ' class="cue-here"'


def _text(x: float, y: float, text: str, anchor: str, size: float, weight: str, *, lit: bool = False) -> str:
    how = f'font-size="{size:g}" font-weight="{weight}" text-anchor="{anchor}" fill="currentColor"{_LIT if lit else ""}'
    return f'<text x="{x:g}" y="{y:g}" {how}>{escape(cut(text, _LETTERS))}</text>'
