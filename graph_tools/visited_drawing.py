"""Whom a visitor has met, drawn: a dot for everybody of whom something can be told, those met filled and joined by the
way between them.

Pure; drawn in `currentColor` like `path_drawing`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from graph_tools.path_drawing import WIDTH, Sketch, cut

PER_ROW = 14
_SIDE, _TOP, _LEGEND = 24, 16, 18


def draw_visited(met: Sequence[str], everybody: Sequence[str], title: str) -> Sketch:
    """`met`: names in the order of meeting, all of them among `everybody`, which is in the order of the dots."""
    places = {name: _place(number) for number, name in enumerate(everybody)}
    order = [name for name in dict.fromkeys(met) if name in places]
    left = len(places) - len(order)
    words = f"{title}: {len(order)} of {len(places)}" + (f", {', '.join(order)}" if order else "")
    return Sketch("".join(_lines(order, places, f"{words}. {left} are left.")), words)


def _place(number: int) -> tuple[float, float]:
    return _SIDE / 2 + number % PER_ROW * (WIDTH - _SIDE) / (PER_ROW - 1), _TOP + number // PER_ROW * _SIDE


def _lines(order: Sequence[str], places: dict[str, tuple[float, float]], words: str) -> Iterator[str]:
    below = max((y for _, y in places.values()), default=0.0) + _SIDE + 8
    height = below + -(-len(order) // 2) * _LEGEND
    size = f'viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(words)}">'
    way = "L".join(f"{places[name][0]:g} {places[name][1]:g}" for name in order)
    if len(order) > 1:
        yield f'<path d="M{way}" fill="none" stroke="currentColor" stroke-opacity="0.3" class="cue-here"/>'
    for name, (x, y) in places.items():
        if name not in order:
            yield f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="none" stroke="currentColor" stroke-opacity="0.6"/>'
    for number, name in enumerate(order, start=1):
        x, y = places[name]
        yield f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="currentColor" class="cue-here"/>'
        yield f'<text x="{x:g}" y="{y - 7:g}" font-size="9.5" text-anchor="middle" fill="currentColor">{number}</text>'
        column, row = (number - 1) % 2, (number - 1) // 2
        at = f'x="{6 + column * WIDTH / 2:g}" y="{below + row * _LEGEND:g}"'
        yield f'<text {at} font-size="12" fill="currentColor">{number}  {escape(cut(name, 24))}</text>'
    yield "</svg>"
