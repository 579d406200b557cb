"""A sentence as the gate reads it: what it cites, what it names, which clauses it quotes, which rows hold it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_tools.evidence import Factlet
from graph_tools.grounding.binding import Clause
from graph_tools.grounding.clauses import Restated
from graph_tools.grounding.cues import Node
from graph_tools.grounding.frames import Frames
from graph_tools.grounding.mentions import COUNT, Meant, Mention
from graph_tools.grounding.verdict import Bond


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence and what it cites."""

    folded: str
    original: str
    rows: tuple[Factlet, ...]
    complete: frozenset[str]
    """Questions all of whose rows are cited."""
    frames: Mapping[str, Frames]
    """Of the questions of the rows."""
    defaults: frozenset[str]
    """IRIs of what everything in the pack is part of."""


@dataclass(frozen=True, slots=True)
class Read:
    """A sentence, read."""

    case: Case
    mentions: tuple[Mention, ...]
    nodes: Sequence[Node]
    """Its words and mentions, without what quotes a clause."""
    quoted: tuple[Restated, ...]
    told: tuple[Clause, ...]
    """The nodes by the rows that hold them together."""

    def values(self, mention: Mention) -> list[tuple[Factlet, Meant]]:
        """The rows that hold what a mention names, and what it is in them; without what is only counted."""
        return [(self.case.rows[m.row], m) for m in mention.meant if not m.slot.startswith(COUNT)]

    def named(self, clause: Clause) -> set[str]:
        """IRIs and literals that a clause names."""
        return {
            row.values[m.slot].value
            for group in clause.groups
            for number in group.members
            for row, m in self.values(self.mentions[number])
        }


def clause_slots(row: Factlet, frames: Frames) -> list[str]:
    """Variables of a row whose value is told as a clause."""
    values = {slot: row.values[slot] for slot in frames.clauses & row.values.keys()}
    return sorted(slot for slot, value in values.items() if value.kind == "literal" and value.value.count(" ") > 1)


def bond(words: str, row: Factlet, slot: str) -> Bond:
    """A step of a proof, with the statements that hold the value."""
    name = slot.removeprefix(COUNT)
    value = row.values.get(name)
    held = tuple(triple for triple in row.triples if value is not None and value.value in triple)
    return Bond(words, row.id, name, held)
