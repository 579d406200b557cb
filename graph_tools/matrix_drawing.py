"""The questions against the entities that they apply to, drawn: a panel for each class of entities."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graph_tools.checks.matrix import Cell, Covered
from graph_tools.drawing import Box, Drawing, Mark, Stroke, Words
from graph_tools.pack import StoryPack
from graph_tools.terms import Iri

ANSWERED, UNANSWERED, OUTSIDE = "#1b4f72", "#f5b041", "#ececec"
"""Dark, middle and light, so that they differ in grey too; what is not answered is crossed out besides."""
SIZE, GAP, EDGE = 12, 1, 24
ROW_LABEL, COUNT = 380, 70
LETTER = 5.4
"""Width of one in a label."""
LONGEST_ROW, LONGEST_COLUMN = 58, 28
"""Characters of a label."""

Choice = tuple[Iri, ...]


@dataclass(frozen=True, slots=True)
class _Panel:
    heading: str
    columns: tuple[Choice, ...]
    """Choices of entities to which at least one of the questions applies, by name."""
    rows: tuple[tuple[Covered, Mapping[Choice, Cell]], ...]


def draw_matrix(found: Sequence[Covered], pack: StoryPack) -> Drawing:
    """Answered, applicable and not answered, not applicable; questions in the order of `found`, entities by name."""
    panels = tuple(_panels(found, pack))
    width = EDGE * 2 + ROW_LABEL + COUNT + max((len(panel.columns) for panel in panels), default=0) * SIZE
    title = f"{pack.title}: what each question applies to, and whether it is answered"
    marks: list[Mark] = [Words(EDGE, EDGE + 12, title, 14), *_legend(EDGE + 34)]
    top = EDGE + 64.0
    for panel in panels:
        marks += _drawn(panel, top, pack)
        top += 24 + _label_height(panel, pack) + len(panel.rows) * SIZE + 30
    return Drawing(title, max(width, 900), top, tuple(marks))


def _panels(found: Sequence[Covered], pack: StoryPack) -> Iterator[_Panel]:
    kinds: dict[tuple[tuple[str, str], ...], list[Covered]] = {}
    for covered in found:
        parameters = pack.library[covered.id].cq.parameters
        kinds.setdefault(tuple((name, parameters[name].type) for name in covered.varied), []).append(covered)
    for kind, questions in sorted(kinds.items()):
        rows = [(covered, {_choice(cell, kind): cell for cell in covered.cells}) for covered in questions]
        asked = {choice for _, cells in rows for choice in cells}
        meant = {choice for _, cells in rows for choice, cell in cells.items() if cell.applies}
        columns = sorted(meant, key=lambda choice: (_called(choice, pack), choice))
        what = ", ".join(f"{name} ({_local(class_iri)})" for name, class_iri in kind) or "no parameter"
        left_out = f", without {len(asked - meant)} to which none of these applies" if asked - meant else ""
        yield _Panel(f"{what}: {len(columns)}{left_out}", tuple(columns), tuple(rows))


def _choice(cell: Cell, kind: tuple[tuple[str, str], ...]) -> Choice:
    return tuple(cell.bindings[name] for name, _ in kind)


def _drawn(panel: _Panel, top: float, pack: StoryPack) -> Iterator[Mark]:
    yield Words(EDGE, top + 12, panel.heading, 12)
    left, first = EDGE + ROW_LABEL, top + 24 + _label_height(panel, pack)
    for number, choice in enumerate(panel.columns):
        yield Words(left + number * SIZE + SIZE - 3, first - 4, _label(choice, pack), 9, upright=True)
    for number, (covered, cells) in enumerate(panel.rows):
        y = first + number * SIZE
        label = f"{covered.id}  {_asked(covered, pack)}"
        yield Words(left - 6, y + SIZE - 3, _cut(label, LONGEST_ROW), 9, "end")
        for column, choice in enumerate(panel.columns):
            yield from _box(cells.get(choice), left + column * SIZE, y)
        count = f"{covered.answered} of {covered.applicable}"
        yield Words(left + len(panel.columns) * SIZE + 6, y + SIZE - 3, count, 9)


def _label(choice: Choice, pack: StoryPack) -> str:
    return _cut(_called(choice, pack), LONGEST_COLUMN)


def _label_height(panel: _Panel, pack: StoryPack) -> float:
    return max((len(_label(choice, pack)) for choice in panel.columns), default=0) * LETTER + 8


def _box(cell: Cell | None, x: float, y: float) -> Iterator[Mark]:
    side = SIZE - GAP
    if cell is None or not cell.applies:
        yield Box(x, y, side, side, OUTSIDE)
    elif not cell.missing:
        yield Box(x, y, side, side, ANSWERED)
    else:
        yield Box(x, y, side, side, UNANSWERED)
        yield Stroke(x + 2, y + 2, x + side - 2, y + side - 2, "#1a1a1a")
        yield Stroke(x + 2, y + side - 2, x + side - 2, y + 2, "#1a1a1a")


def _legend(y: float) -> Iterator[Mark]:
    shown = (
        (Cell({}, 1), "answered"),
        (Cell({}, 0, "rows"), "applies, not answered"),
        (Cell({}, 0, "rows", applies=False), "does not apply"),
    )
    for number, (cell, text) in enumerate(shown):
        yield from _box(cell, EDGE + number * 200, y)
        yield Words(EDGE + number * 200 + SIZE + 6, y + SIZE - 2, text, 11)


def _asked(covered: Covered, pack: StoryPack) -> str:
    """The question, about no particular entity."""
    question = pack.library[covered.id].cq.question
    return re.sub(r"\{(\w+)(\|poss)?[^}]*\}", lambda slot: f"the {slot[1]}{'’s' if slot[2] else ''}", question)


def _called(choice: Choice, pack: StoryPack) -> str:
    return " / ".join(pack.entities.name(iri) or _local(iri.value) for iri in choice)


def _local(iri: str) -> str:
    return iri[max(iri.rfind("#"), iri.rfind("/")) + 1 :]


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
