"""Which values of the cited rows a sentence names, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graph_tools.evidence import Factlet, Value
from graph_tools.grounding.cues import Node
from graph_tools.grounding.surfaces import Surfaces
from graph_tools.grounding.text import Reader

COUNT = "#"
"""Before the name of a slot: how many values it has in all rows."""


class Meant(NamedTuple):
    """What a mention may stand for."""

    row: int
    """Place among the cited factlets."""
    slot: str


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that name a value."""

    start: int
    end: int
    text: str
    """As it stands in the sentence."""
    meant: frozenset[Meant]

    @property
    def rows(self) -> frozenset[int]:
        """The rows that hold the value."""
        return frozenset(meant.row for meant in self.meant)

    def slots(self, row: int) -> frozenset[str]:
        """What it is in that row."""
        return frozenset(meant.slot for meant in self.meant if meant.row == row)


class Linker:
    """Finds mentions; what a row's values look like is found out once."""

    def __init__(self, surfaces: Surfaces) -> None:
        self._surfaces = surfaces
        self._rows: dict[tuple[str, str, tuple[str, ...]], tuple[tuple[str, str, bool], ...]] = {}

    def link(
        self, folded: str, original: str, rows: Sequence[Factlet], skipped: Sequence[frozenset[str]],
        counts: Mapping[str, frozenset[Meant]],
    ) -> tuple[Mention, ...]:  # fmt: skip
        """The mentions in the order of the text; of two that overlap the longer one.

        `skipped`: for each row the slots whose values are clauses, no names. `counts`: further forms, what they mean.
        """
        forms: dict[str, set[Meant]] = {form: set(meant) for form, meant in counts.items()}
        capital: set[str] = set()
        for number, row in enumerate(rows):
            for form, slot, proper in self._forms(row):
                if form in folded and slot not in skipped[number]:
                    forms.setdefault(form, set()).add(Meant(number, slot))
                    if proper:
                        capital.add(form)
        taken = [False] * len(folded)
        found: list[Mention] = []
        for form in sorted(forms, key=lambda form: (-len(form), form)):
            at = folded.find(form)
            while at >= 0:
                end = at + len(form)
                if not any(taken[at:end]) and _stands(folded, at, end) and _fits(original, at, end, form in capital):
                    taken[at:end] = [True] * len(form)
                    found.append(Mention(at, end, original[at:end], frozenset(forms[form])))
                at = folded.find(form, at + 1)
        return tuple(sorted(found, key=lambda mention: mention.start))

    def _forms(self, row: Factlet) -> tuple[tuple[str, str, bool], ...]:
        """Form, slot, and whether it is a name that is written with a capital."""
        key = (row.cq, row.text, row.triples)
        known = self._rows.get(key)
        if known is None:
            known = self._rows[key] = tuple(
                (form, slot, self._proper(value))
                for slot, value in row.values.items()
                for form in self._surfaces.of(value, row.values)
            )
        return known

    def _proper(self, value: Value) -> bool:
        return value.kind == "iri" and self._surfaces.is_proper(value.value)


def nodes_of(
    folded: str, original: str, mentions: Sequence[Mention], reader: Reader, begin: int = 0, stop: int | None = None
) -> list[Node]:
    """The words and mentions between two places; a mention is named by its number."""
    nodes: list[Node] = []
    at, stop = begin, len(folded) if stop is None else stop
    for number, mention in enumerate(mentions):
        if mention.start < begin or mention.end > stop:
            continue
        nodes += [Node("", w) for w in reader.read(folded[at : mention.start], original[at : mention.start], at)]
        nodes.append(Node(str(number)))
        at = mention.end
    nodes += [Node("", w) for w in reader.read(folded[at:stop], original[at:stop], at)]
    return nodes


def _stands(text: str, start: int, end: int) -> bool:
    """True where no letter or digit of the same word stands on either side; scripts without spaces need none."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if text[start].isdigit() and before in ("£", "$", "€", ".", ","):
        return False
    if text[end - 1].isdigit() and after in (".", ",", ":") and text[end + 1 : end + 2].isdigit():
        return False
    if text[end - 1].isdigit() and text[end:].startswith((" million", " billion", "%", " per cent")):
        return False
    wordlike = text[start : start + 1].isascii() and text[end - 1 : end].isascii()
    return not (wordlike and ((before.isalnum() and before.isascii()) or (after.isalnum() and after.isascii())))


def _fits(original: str, start: int, end: int, proper: bool) -> bool:
    """A name that is written with a capital has one somewhere."""
    return not proper or any(c.isupper() or c.isdigit() or not c.isascii() for c in original[start:end])
