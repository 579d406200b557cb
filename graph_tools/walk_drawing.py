"""The part of the graph that a piece of evidence stands on, drawn: things from left to right by how far they are from
the question, relations as the lines between them.

SVG 1.1, the same bytes always, for light and dark. Names only: no IRI is shown. The description lists in words what is
drawn, so that nothing is for the eye alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from graph_tools.entities import EntityIndex
from graph_tools.errors import CannotDraw
from graph_tools.evidence import EvidencePack
from graph_tools.terms import Iri

COLUMN, BOX, LINE, GAP, EDGE = 400, 290, 26, 10, 24
"""Width of a column and of a box in it, height of a box, space between boxes, margin; in pixels."""
HEAD = 64
LETTERS = 42
"""Of a name that are shown; the description has all of it."""
_LIGHT = (
    ".walk text{font:12px DejaVu Sans,Arial,sans-serif;fill:#1a1a1a}.walk .head{font-size:15px}"
    ".walk rect{fill:#fff;stroke:#1b4f72}.walk .seed{fill:#d6e6f2}.walk .words{stroke-dasharray:4 3}"
    ".walk path{fill:none;stroke:#7a8a99}.walk .back{fill:#fff;stroke:none}"
)
_DARK = (
    ".walk text{fill:#eee}.walk rect{fill:#222;stroke:#8ab6d6}.walk .seed{fill:#1b4f72}"
    ".walk path{stroke:#8a99a8}.walk .back{fill:#111}"
)
STYLE = f"{_LIGHT}@media(prefers-color-scheme:dark){{{_DARK}}}"
"""Of this picture alone, also where it stands within a page."""


@dataclass(frozen=True, slots=True)
class Node:
    """A thing, or the words in which a walk ends."""

    key: str
    label: str
    column: int
    """0: an entity of the question."""
    words: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One relation between two of them."""

    start: str
    end: str
    kind: str


@dataclass(frozen=True)
class Subgraph:
    """What is drawn."""

    title: str
    nodes: tuple[Node, ...]
    """Column by column, from above."""
    lines: tuple[Line, ...]
    sentences: tuple[str, ...]
    """The same in words, one for each fact."""

    def write(self, path: Path) -> None:
        """Draws it to a file named *.svg. Raises CannotDraw, OSError."""
        if path.suffix.lower() != ".svg":
            raise CannotDraw(f"{path.name!r} is no picture of this kind; name it *.svg")
        path.write_bytes(self.svg())

    def svg(self) -> bytes:
        """SVG 1.1, UTF-8."""
        places: dict[str, tuple[float, float]] = {}
        below: dict[int, int] = {}
        tallest = max((sum(n.column == column for n in self.nodes) for column in range(4)), default=1)
        for node in self.nodes:
            many = sum(other.column == node.column for other in self.nodes)
            row = below[node.column] = below.get(node.column, -1) + 1
            top = HEAD + (tallest - many) * (LINE + GAP) / 2 + row * (LINE + GAP)
            places[node.key] = (EDGE + node.column * COLUMN, top)
        width = EDGE * 2 + max((node.column for node in self.nodes), default=0) * COLUMN + BOX
        height = HEAD + tallest * (LINE + GAP) + EDGE
        box = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} class="walk" role="img">',
            f"<title>{escape(self.title)}</title>",
            f"<desc>{escape(' '.join(self.sentences) or 'Nothing was reached.')}</desc>",
            f"<style>{STYLE}</style>",
            f'<rect class="back" width="{width:g}" height="{height:g}"/>',
            f'<text class="head" x="{EDGE}" y="{EDGE + 14}">{escape(self.title)}</text>',
        ]
        parts += [self._drawn(line, places) for line in self.lines]
        parts += [self._boxed(node, places[node.key]) for node in self.nodes]
        return "\n".join([*parts, "</svg>"]).encode() + b"\n"

    @staticmethod
    def _drawn(line: Line, places: dict[str, tuple[float, float]]) -> str:
        (x, y), (to_x, to_y) = places[line.start], places[line.end]
        if to_x > x:  # to the right
            x, y, to_y = x + BOX, y + LINE / 2, to_y + LINE / 2
            bend = (to_x - x) / 2
            way = f"M{x:g} {y:g}C{x + bend:g} {y:g} {to_x - bend:g} {to_y:g} {to_x:g} {to_y:g}"
        elif to_x < x:  # back to the left
            y, to_x, to_y = y + LINE / 2, to_x + BOX, to_y + LINE / 2
            bend = (x - to_x) / 2
            way = f"M{x:g} {y:g}C{x - bend:g} {y:g} {to_x + bend:g} {to_y:g} {to_x:g} {to_y:g}"
        else:  # down the column: round its right side
            x, y, to_x, to_y = x + BOX, y + LINE / 2, to_x + BOX, to_y + LINE / 2
            way = f"M{x:g} {y:g}C{x + 40:g} {y:g} {to_x + 40:g} {to_y:g} {to_x:g} {to_y:g}"
        return f'<path d="{way}"><title>{escape(line.kind)}</title></path>'

    @staticmethod
    def _boxed(node: Node, place: tuple[float, float]) -> str:
        x, y = place
        kind = "words" if node.words else "seed" if not node.column else "thing"
        shown = node.label if len(node.label) <= LETTERS else node.label[: LETTERS - 1].rstrip() + "…"
        return (
            f'<g><title>{escape(node.label)}</title><rect class="{kind}" x="{x:g}" y="{y:g}" width="{BOX}" '
            f'height="{LINE}" rx="5"/><text x="{x + 8:g}" y="{y + 17:g}">{escape(shown)}</text></g>'
        )


def subgraph(asked: str, evidence: EvidencePack, entities: EntityIndex) -> Subgraph:
    """What the walks of an evidence pack went through; `asked` is its question in words.

    Raises CannotDraw where its strategy does not walk."""
    walked = [factlet for factlet in evidence.factlets if factlet.path]
    if evidence.factlets and not walked:
        raise CannotDraw("this evidence is no walk; draw what --strategy graph found")
    columns: dict[str, int] = {}
    labels: dict[str, str] = {}
    lines: dict[Line, None] = {}
    for factlet in walked:
        for at, step in enumerate(factlet.path):
            columns[step.start] = min(at, columns.get(step.start, at))
            end = step.end
            if not end or not entities.name(Iri(end)):
                end = f"words {step.words}"
                labels[end] = step.words
            columns[end] = min(at + 1, columns.get(end, at + 1))
            lines[Line(step.start, end, step.relation.replace("-", " "))] = None
    nodes = [
        Node(key, labels.get(key) or entities.name(Iri(key)), column, words=key in labels)
        for key, column in columns.items()
    ]
    return Subgraph(
        title=asked,
        nodes=tuple(sorted(nodes, key=lambda node: node.column)),  # within a column in the order of the walk
        lines=tuple(lines),
        sentences=tuple(dict.fromkeys(factlet.text for factlet in walked)),
    )
