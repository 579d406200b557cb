"""Who did what to whom: names that could be mistaken for each other stand as the wordings have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from graph_tools.evidence import Factlet
from graph_tools.grounding import places
from graph_tools.grounding.binding import Clause, Group
from graph_tools.grounding.cues import Node, closure, cues, order_of
from graph_tools.grounding.frames import Frames
from graph_tools.grounding.mentions import COUNT, Mention
from graph_tools.grounding.surfaces import Surfaces
from graph_tools.grounding.text import Reader
from graph_tools.grounding.verdict import Reason
from graph_tools.grounding.wider import Wider

_PLACES = frozenset({"P:at", "P:in", "P:on"})


def collapsed(nodes: Sequence[Node], clause: Clause) -> list[Node]:
    """The clause's nodes with each list as one."""
    inside = {at for group in clause.groups for at in range(group.at + 1, group.to + 1)}
    return [nodes[at] for at in range(clause.begin, clause.end) if at not in inside]


def faults(
    clause: Clause, nodes: Sequence[Node], mentions: Sequence[Mention], rows: Sequence[Factlet],
    frames: Mapping[str, Frames], wider: Wider, ignored: frozenset[str], surfaces: Surfaces, reader: Reader,
) -> list[Reason]:  # fmt: skip
    """What is reversed or not shown in a clause; empty where some row agrees. `ignored`: IRIs with no part to play."""
    flat = collapsed(nodes, clause)
    its = cues(flat, reader)
    order = set(closure(frozenset(order_of(flat))))
    best: list[Reason] | None = None
    for number in sorted(clause.rows):
        found = _in_row(
            number, clause, flat, its, order, mentions, rows, frames[rows[number].cq], wider, ignored, surfaces
        )
        found += places.faults(
            number, clause, flat, its, mentions, rows[number], frames[rows[number].cq], wider.shared, ignored,
            surfaces, reader,
        )  # fmt: skip
        if not found:
            return []
        if best is None or len(found) < len(best):
            best = found
    return best or []


def _in_row(
    number: int, clause: Clause, flat: Sequence[Node], its: Mapping[str, set[str]], order: set[tuple[str, str]],
    mentions: Sequence[Mention], rows: Sequence[Factlet], frames: Frames, wider: Wider, ignored: frozenset[str],
    surfaces: Surfaces,
) -> list[Reason]:  # fmt: skip
    row = rows[number]
    told = [(group, mentions[group.members[0]].slots(number)) for group in clause.groups]
    told = [(group, frozenset(s for s in slots if not s.startswith(COUNT))) for group, slots in told]
    told = [(group, slots) for group, slots in told if slots]
    paired = _paired(told, frames, row, surfaces, ignored)
    if paired is False:
        return [Reason("role", "", "the values belong to one another in another way")]
    reasons: list[Reason] = []
    texts = [mentions[number].text for group in clause.groups for number in group.members]
    if len(clause.groups) > 1 and any(a == b and a[:1].isdigit() for a, b in pairwise(texts)):
        return [Reason("role", texts[-1], "one value cannot be both")]
    later = closure(frames.order)
    for (one, slots), (other, others) in combinations(told, 2):
        if slots & others and mentions[one.members[0]].text == mentions[other.members[0]].text:
            continue
        pairs = [(s, t) for s in sorted(slots) for t in sorted(others) if s != t]
        if not pairs or not all(_alike(row, s, t, surfaces, ignored) for s, t in pairs):
            continue
        if not paired and not any(_agrees(one, s, other, t, flat, its, order, later, frames, wider) for s, t in pairs):
            words = f"{mentions[one.members[0]].text} ... {mentions[other.members[0]].text}"
            reasons.append(Reason("role", words, "the evidence has them the other way round, or does not show it"))
    for group, slots in told:
        entity = any(
            not s.startswith(COUNT) and row.values[s].kind == "iri" and row.values[s].value not in ignored
            for s in slots
        )
        if entity and not any(
            _acts(slot, its.get(str(group.members[0]), set()), frames, row, ignored) for slot in slots
        ):
            reasons.append(Reason("role", mentions[group.members[0]].text, "the evidence does not say this of it"))
    return reasons


def _alike(row: Factlet, one: str, other: str, surfaces: Surfaces, ignored: frozenset[str]) -> bool:
    """True where two values could be mistaken for each other."""
    a, b = row.values[one], row.values[other]
    if a.value in ignored or b.value in ignored:
        return False
    shared = surfaces.kind(a) & surfaces.kind(b)
    return bool(shared) and (a.kind == "iri" or bool(shared & {"number", "time"}))


def _agrees(
    one: Group, s: str, other: Group, t: str, flat: Sequence[Node], its: Mapping[str, set[str]],
    order: set[tuple[str, str]], later: frozenset[tuple[str, str]], frames: Frames, wider: Wider,
) -> bool:  # fmt: skip
    a, b = str(one.members[0]), str(other.members[0])
    for first, second, x, y in ((a, b, s, t), (b, a, t, s)):
        if (first, second) in order and ((x, y) in later or (y, x) in later):
            return (x, y) in later
    between = _between(a, b, flat)
    if between == ["and"] and frozenset({s, t}) in frames.joined:
        return True
    if len(between) == 2 and between[0] == "and" and f"P:{between[1]}" in its.get(a, set()) & its.get(b, set()):
        return True  # "at one and at the other": both do the same
    mine, its_ = its.get(a, set()), its.get(b, set())
    known, others = frames.cues.get(s, frozenset()), frames.cues.get(t, frozenset())
    for _ in range(2):
        for_it = (mine & (known - others)) | (its_ & (others - known))
        against = ((mine & (others - known)) | (its_ & (known - others))) - {"R:be"}
        if for_it or against:
            return bool(for_it) and not against
        known, others = known | wider.cues(frames.cq.id, s), others | wider.cues(frames.cq.id, t)
    return False


def _between(a: str, b: str, flat: Sequence[Node]) -> list[str]:
    names = [at for at, node in enumerate(flat) if node.name in (a, b)]
    return [node.word.text if node.word else node.name for node in flat[names[0] + 1 : names[-1]]]


def _acts(slot: str, its: set[str], frames: Frames, row: Factlet, ignored: frozenset[str]) -> bool:
    """False where the sentence has it do, or undergo, or stand behind a word as only other values do."""
    known = frames.cues.get(slot, frozenset())
    if any(cue.startswith("R:") and cue not in ("R:be", "R:have") for cue in known):
        return True
    place = bool(its & _PLACES)
    for cue in its - known:
        if place and cue.startswith("R:"):
            continue  # "a performance at ... began": not the place did
        if not cue.startswith(("R:", "'s:")) or cue in ("R:be", "R:have"):
            continue
        bound = {name for name, value in row.values.items() if value.value not in ignored}
        owners = [name for name, theirs in frames.cues.items() if cue in theirs and name != slot and name in bound]
        if owners and slot not in owners:
            return False
    return True


def _paired(
    told: Sequence[tuple[Group, frozenset[str]]],
    frames: Frames,
    row: Factlet,
    surfaces: Surfaces,
    ignored: frozenset[str],
) -> bool | None:
    """Whether of two times two values those stand together that belong together; None where there are not so many."""
    for frame in frames.frames:
        if all(slots & frame.slots for _, slots in told):
            slots = [sorted(slots & frame.slots)[0] for _, slots in told]
            break
    else:
        slots = [sorted(slots)[0] for _, slots in told]
    twins = [s for s in slots if any(s != t and _alike(row, s, t, surfaces, ignored) for t in slots)]
    others = {s: {t for t in twins if t != s and _alike(row, s, t, surfaces, ignored)} for s in twins}
    if len(twins) != 4 or any(len(its) != 1 for its in others.values()):
        return None
    close = {frozenset(pair) for pair in zip(twins[::2], twins[1::2], strict=False)}
    for frame in frames.frames:
        if frame.slots >= set(twins):
            names = [node.name for node in frame.nodes if node.name in twins]
            if {frozenset(pair) for pair in zip(names[::2], names[1::2], strict=False)} == close:
                return True
    return False
