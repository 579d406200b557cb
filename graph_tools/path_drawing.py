"""What proves a sentence, drawn: the things that its statements lead over, one below the other, joined by lines.

Pure: statements in words go in, an SVG and the same in words come out. The picture is drawn in `currentColor`, so that
it is read in light and in the dark; nothing in it is an address.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

WIDTH = 360
"""Of a picture, in its own units: the width of a phone."""
MOST_THINGS, MOST_VALUES, MOST_CLAIMS = 5, 3, 8
READ = 60
"""Statements that are looked at: a picture of more would not be read."""
_TOP, _STEP, _LINE = 14, 50, 17
_LETTERS = 42
_THIN = 'stroke="currentColor" stroke-opacity="0.55" stroke-width="1.5"'


class Edge(NamedTuple):
    """One statement in words."""

    subject: str
    """What identifies the subject; not shown."""
    subject_name: str
    predicate: str
    object: str
    """What identifies the object; empty where it is a value."""
    object_name: str


class Sketch(NamedTuple):
    """A picture, and the same in words for whoever does not see it."""

    svg: str
    words: str


class _Hop(NamedTuple):
    edge: Edge
    forth: bool
    """True where the line is gone from subject to object."""


def draw_path(edges: Sequence[Edge], title: str, first: int = 0) -> Sketch | None:
    """The longest way that the statements make from thing to thing; None where they join no two things.

    `first`: how many of them prove the first fact; where these alone lead over three things, that way is drawn. Where
    several sources each say a value of their own, who says what instead."""
    read = list(dict.fromkeys(edges))[:READ]
    claims = _claims(read)
    if len(claims) > 1:
        return _draw_claims(claims, title)
    way = _longest(read[:first])
    way = way if len(way) > 1 else _longest(read)
    return _draw_way(way, read, title) if way else None


def _names(edges: Sequence[Edge]) -> dict[str, str]:
    """Names of things; one without a name of its own is called by what it is."""
    names: dict[str, str] = {}
    for edge in edges:
        names.setdefault(edge.subject, edge.subject_name)
        if edge.object and edge.predicate != "is a":
            names.setdefault(edge.object, edge.object_name)
    kinds = {edge.subject: edge.object_name for edge in reversed(edges) if edge.predicate == "is a"}
    return {key: name or (f"({kinds[key].lower()})" if key in kinds else "") for key, name in names.items()}


def _longest(edges: Sequence[Edge]) -> list[_Hop]:
    """The longest of the shortest ways between two things; of equals the one found first."""
    around: dict[str, list[_Hop]] = {}
    for edge in edges:
        if edge.object and edge.predicate != "is a" and edge.object != edge.subject:
            around.setdefault(edge.subject, []).append(_Hop(edge, True))
            around.setdefault(edge.object, []).append(_Hop(edge, False))
    best: list[_Hop] = []
    for start in around:
        ways: dict[str, list[_Hop]] = {start: []}
        waiting = [start]
        for here in waiting:
            for hop in around[here]:
                there = hop.edge.object if hop.forth else hop.edge.subject
                if there not in ways and len(ways[here]) < MOST_THINGS - 1:
                    ways[there] = [*ways[here], hop]
                    waiting.append(there)
        farthest = max(ways.values(), key=len)
        if len(farthest) > len(best):
            best = farthest
    return best


def _draw_way(way: Sequence[_Hop], edges: Sequence[Edge], title: str) -> Sketch:
    names = _names(edges)
    first = way[0].edge.subject if way[0].forth else way[0].edge.object
    stations = [first, *(hop.edge.object if hop.forth else hop.edge.subject for hop in way)]
    values = {key: [e for e in edges if e.subject == key and not e.object][:MOST_VALUES] for key in stations}
    marks: list[str] = []
    said: list[str] = []
    y = float(_TOP)
    for number, key in enumerate(stations):
        height = _STEP + _LINE * len(values[key])
        if number < len(way):
            hop = way[number]
            marks.append(f'<path d="M10 {y:g}V{y + height:g}" {_THIN}/>')
            label = y + height - _STEP / 2 + 4
            marks.append(_arrow(y + height - _STEP / 2, down=hop.forth))
            marks.append(_text(28, label, hop.edge.predicate, 12.5, "italic"))
            ends = (names[hop.edge.subject], hop.edge.predicate, names[hop.edge.object])
            said.append(", ".join(filter(None, ends)))
        marks.append(f'<circle cx="10" cy="{y:g}" r="5.5" fill="currentColor" class="cue-dot"/>')
        marks.append(_text(28, y + 5, names[key] or "(without a name)", 14.5, "bold"))
        for row, edge in enumerate(values[key], start=1):
            marks.append(_text(28, y + 5 + row * _LINE, f"{edge.predicate}: {edge.object_name}", 12.5))
            said.append(f"{names[key]}, {edge.predicate}: {edge.object_name}")
        y += height if number < len(way) else _LINE * len(values[key]) + _TOP
    return _sketch(marks, y, title, said)


def _claims(edges: Sequence[Edge]) -> list[tuple[str, str]]:
    """Who says which value, where several do and not all the same."""
    by: dict[str, dict[str, str]] = {}
    for edge in edges:
        by.setdefault(edge.subject, {}).setdefault(edge.predicate, edge.object_name)
    found = [
        (claim["author"], " ".join(filter(None, (_grouped(claim["value"]), _of_what(claim)))))
        for claim in by.values()
        if "author" in claim and "value" in claim
    ]
    found = list(dict.fromkeys(found))
    return found if len({value for _, value in found}) > 1 else []


def _draw_claims(claims: Sequence[tuple[str, str]], title: str) -> Sketch:
    marks: list[str] = []
    y = float(_TOP)
    for who, value in claims[:MOST_CLAIMS]:
        marks.append(f'<circle cx="10" cy="{y:g}" r="5.5" fill="currentColor" class="cue-dot"/>')
        marks.append(_text(28, y + 5, who, 14.5, "bold"))
        marks.append(f'<path d="M10 {y:g}V{y + 22:g}H22" fill="none" {_THIN}/>')
        marks.append(_text(28, y + 26, f"says {value}", 13.5))
        y += _STEP
    left = len(claims) - MOST_CLAIMS
    if left > 0:
        marks.append(_text(28, y, f"and {left} more, listed below", 12.5, "italic"))
        y += _LINE
    return _sketch(marks, y - 8, title, [f"{who} says {value}" for who, value in claims])


def _of_what(claim: Mapping[str, str]) -> str:
    return claim.get("unit text") or (f"({claim['quantity']})" if claim.get("quantity") else "")


def _grouped(number: str) -> str:
    return f"{int(number):,}" if number.isascii() and number.isdigit() and len(number) > 4 else number


def _arrow(y: float, *, down: bool) -> str:
    tip, base = (y + 4, y - 4) if down else (y - 4, y + 4)
    return f'<path d="M10 {tip:g}L5 {base:g}H15Z" fill="currentColor"/>'


def _text(x: float, y: float, text: str, size: float, style: str = "") -> str:
    how = {"bold": ' font-weight="600"', "italic": ' font-style="italic" fill-opacity="0.85"'}.get(style, "")
    shown = escape(cut(text, round(_LETTERS * 14.5 / size)))
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="currentColor"{how}>{shown}</text>'


def _sketch(marks: Sequence[str], height: float, title: str, said: Sequence[str]) -> Sketch:
    words = f"{title}. " + " ".join(f"{sentence}." for sentence in said)
    lines = "".join(_lines(marks, height, words))
    return Sketch(lines, words)


def _lines(marks: Sequence[str], height: float, words: str) -> Iterator[str]:
    size = f'viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(words)}">'
    yield from marks
    yield "</svg>"


def cut(text: str, longest: int = _LETTERS) -> str:
    """The text, shortened to what fits a line."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
