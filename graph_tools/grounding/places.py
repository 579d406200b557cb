"""Each value in a place of its own: what everything is part of does nothing by itself, a kind of thing is nobody.

The event of a pack stands in nearly every row. So it is held to the wordings more strictly than others: it acts, and
stands behind a preposition, only as some wording has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_tools.evidence import Factlet
from graph_tools.grounding.binding import Clause, Group
from graph_tools.grounding.cues import Node, ahead, copulas
from graph_tools.grounding.frames import Frames
from graph_tools.grounding.mentions import COUNT, Mention
from graph_tools.grounding.surfaces import Surfaces
from graph_tools.grounding.text import Reader
from graph_tools.grounding.verdict import Reason

Told = Sequence[tuple[Group, frozenset[str]]]
"""Groups of a clause with the slots that they are in one row."""


def faults(
    number: int, clause: Clause, flat: Sequence[Node], its: Mapping[str, set[str]], mentions: Sequence[Mention],
    row: Factlet, frames: Frames, shared: frozenset[str], ignored: frozenset[str], surfaces: Surfaces, reader: Reader,
) -> list[Reason]:  # fmt: skip
    """What stands in a clause where the wordings have another kind of value. `shared`: the prepositions that what
    everything is part of (`ignored`) stands behind in the wordings of any question."""
    slots = {
        str(member): frozenset(s for s in mentions[member].slots(number) if not s.startswith(COUNT))
        for group in clause.groups for member in group.members
    }  # fmt: skip
    texts = {name: mentions[int(name)].text for name in slots}
    common = {name for name, held in slots.items() if held and all(row.values[s].value in ignored for s in held)}
    kinds = {name for name, held in slots.items() if held and all(_is_kind(row, s, surfaces) for s in held)}
    found: list[Reason] = []
    for name in sorted(common):
        cues = its.get(name, set())
        at = next((n for n, node in enumerate(flat) if node.name == name), None)
        lead = ahead(flat, at) if at is not None else ""
        if lead in reader.prepositions and f"P:{lead}" not in shared and "'s" not in _behind(flat, at):
            found.append(Reason("role", texts[name], f"no wording has it behind {lead!r}"))
        if any(_of_others(cue, slots[name], frames, row, ignored) for cue in cues):
            found.append(Reason("role", texts[name], "the evidence does not say this of it"))
    for one, other in sorted(copulas(flat, reader)):
        if not {one, other} & (common | kinds) or not slots.get(one) or not slots.get(other):
            continue
        if not any((s, t) in frames.copulas for s in slots[one] for t in slots[other]):
            found.append(Reason("role", f"{texts[one]} ... {texts[other]}", "the evidence does not say that it is"))
    for left, between, right in zip(flat, flat[1:], flat[2:], strict=False):
        if not (between.word and between.word.text == "and" and {left.name, right.name} & common):
            continue
        held, others = slots.get(left.name, frozenset()), slots.get(right.name, frozenset())
        if held and others and not any(frozenset({s, t}) in frames.joined for s in held for t in others):
            words = f"{texts[left.name]} and {texts[right.name]}"
            found.append(Reason("role", words, "they are not of one kind"))
    for name, held in sorted(slots.items()):
        sides = [cue for cue in its.get(name, ()) if cue.startswith(("O:", "T:"))]
        if held and sides and not any(_may_stand(cue, held, row, frames, surfaces) for cue in sides):
            found.append(Reason("order", texts[name], "no wording has it there"))
    return found


def _is_kind(row: Factlet, slot: str, surfaces: Surfaces) -> bool:
    value = row.values[slot]
    return value.kind == "iri" and not surfaces.is_proper(value.value)


def _behind(flat: Sequence[Node], at: int | None) -> str:
    if at is None or at + 1 >= len(flat):
        return ""
    word = flat[at + 1].word
    return word.text if word else ""


def _of_others(cue: str, held: frozenset[str], frames: Frames, row: Factlet, ignored: frozenset[str]) -> bool:
    """True where the wordings have other values of the row do this, and never this one."""
    if not cue.startswith("R:") or cue in ("R:be", "R:have"):
        return False
    mine = {known for slot in held for known in frames.cues.get(slot, ())}
    if cue in mine or f"L:{cue[2:]}:by" in mine:
        return False
    bound = {name for name, value in row.values.items() if value.value not in ignored}
    return any(cue in theirs for name, theirs in frames.cues.items() if name in bound)


def _may_stand(cue: str, held: frozenset[str], row: Factlet, frames: Frames, surfaces: Surfaces) -> bool:
    """True where such a value may stand before or after: some wording has it there, or one like it."""
    side = cue[2:]
    for slot in held:
        if cue.startswith("T:"):
            known = frames.cues.get(slot, frozenset())
            turned = f"T:{'before' if side == 'after' else 'after'}"
            if cue in known or turned not in known:
                return True
            continue
        kind = surfaces.kind(row.values[slot])
        for other, theirs in frames.cues.items():
            if other in row.values and theirs & {"O:after", "O:before"} and surfaces.kind(row.values[other]) & kind:
                return True
    return cue.startswith("O:") and not any(
        theirs & {"O:after", "O:before"} and name in row.values for name, theirs in frames.cues.items()
    )
