"""A picture of boxes, lines and words, as SVG (by ourselves, the same bytes always) or as PNG (by matplotlib).

Lengths are in pixels, from the upper left corner.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal

from graph_tools.errors import CannotDraw

FONT = "DejaVu Sans"
INK = "#1a1a1a"
_SHARP = 2
"""Pixels of a PNG for one of the picture."""


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line."""

    x: float
    y: float
    to_x: float
    to_y: float
    colour: str


@dataclass(frozen=True, slots=True)
class Words:
    """One line of text: `x`, `y` are its left or right end on the base line; `upright` text runs from bottom to top."""

    x: float
    y: float
    text: str
    size: float = 10
    end: Literal["start", "end"] = "start"
    upright: bool = False


Mark = Box | Stroke | Words


@dataclass(frozen=True)
class Drawing:
    """A picture and what it is called."""

    title: str
    width: float
    height: float
    marks: tuple[Mark, ...]

    def write(self, path: Path) -> None:
        """Draws it to a file named *.svg or *.png. Raises CannotDraw, OSError."""
        if path.suffix.lower() == ".svg":
            path.write_bytes(self.svg())
        elif path.suffix.lower() == ".png":
            path.write_bytes(self.png())
        else:
            raise CannotDraw(f"{path.name!r} is no picture that can be drawn; name it *.svg or *.png")

    def svg(self) -> bytes:
        """SVG 1.1, UTF-8."""
        return "\n".join(self._svg_lines()).encode() + b"\n"

    def png(self) -> bytes:
        """PNG. Raises CannotDraw where matplotlib is not installed."""
        try:
            from matplotlib.collections import LineCollection, PolyCollection
            from matplotlib.figure import Figure
        except ImportError as error:
            raise CannotDraw("PNG needs matplotlib; install cuestory[plots], or draw an SVG") from error
        figure = Figure(figsize=(self.width / 100, self.height / 100), dpi=100 * _SHARP, facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, self.width)
        axes.set_ylim(self.height, 0)
        axes.set_axis_off()
        boxes = [mark for mark in self.marks if isinstance(mark, Box)]
        corners = [
            [(b.x, b.y), (b.x + b.width, b.y), (b.x + b.width, b.y + b.height), (b.x, b.y + b.height)] for b in boxes
        ]
        axes.add_collection(PolyCollection(corners, facecolors=[box.fill for box in boxes], linewidths=0))
        strokes = [mark for mark in self.marks if isinstance(mark, Stroke)]
        lines = [[(s.x, s.y), (s.to_x, s.to_y)] for s in strokes]
        axes.add_collection(LineCollection(lines, colors=[s.colour for s in strokes], linewidths=0.72))
        for words in (mark for mark in self.marks if isinstance(mark, Words)):
            plain = words.text.replace("$", r"\$")  # no formula
            axes.text(
                words.x, words.y, plain, fontsize=words.size * 0.72, fontfamily=FONT, color=INK,
                rotation=90 if words.upright else 0, rotation_mode="anchor",
                horizontalalignment="left" if words.end == "start" else "right", verticalalignment="baseline",
            )  # fmt: skip
        written = io.BytesIO()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            figure.savefig(written, format="png", metadata={"Title": self.title, "Software": None})
        return written.getvalue()

    def _svg_lines(self) -> Iterator[str]:
        size = f'width="{self.width:g}" height="{self.height:g}" viewBox="0 0 {self.width:g} {self.height:g}"'
        yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FONT}, Arial, sans-serif">'
        yield f"<title>{escape(self.title)}</title>"
        yield f'<rect width="{self.width:g}" height="{self.height:g}" fill="#ffffff"/>'
        for mark in self.marks:
            match mark:
                case Box(x, y, width, height, fill):
                    yield f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"/>'
                case Stroke(x, y, to_x, to_y, colour):
                    yield f'<path d="M{x:g} {y:g}L{to_x:g} {to_y:g}" stroke="{colour}"/>'
                case Words(x, y, text, font, end, upright):
                    turned = f' transform="rotate(-90 {x:g} {y:g})"' if upright else ""
                    place = f'x="{x:g}" y="{y:g}" font-size="{font:g}" text-anchor="{end}" fill="{INK}"{turned}'
                    yield f"<text {place}>{escape(text)}</text>"
        yield "</svg>"
