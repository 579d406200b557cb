"""What has to stand beside a value: its hedge, who says so, what kind of figure it is."""

from __future__ import annotations

from collections.abc import Sequence

from graph_tools.evidence import Factlet
from graph_tools.grounding.case import Case, Read, clause_slots
from graph_tools.grounding.mentions import COUNT, Meant, Mention
from graph_tools.grounding.surfaces import Surfaces
from graph_tools.grounding.text import Reader
from graph_tools.grounding.verdict import Code, Reason


def faults(read: Read, surfaces: Surfaces, reader: Reader) -> list[Reason]:
    """What has to stand beside a value: its hedge, who says so, what kind of figure it is."""
    case, mentions = read.case, read.mentions
    reasons: list[Reason] = []
    for one in {one.clause for one in read.quoted}:
        missing = _missing(one.slot, one.row, "", None, read, surfaces, reader)
        if missing:
            reasons.append(Reason("needs", "", f"it has to be told with {missing}"))
    for clause in read.told:
        for group in clause.groups:
            for member in group.members:
                mention = mentions[member]
                literal = [
                    m for m in sorted(mention.meant)
                    if m.row in clause.rows and not m.slot.startswith(COUNT)
                    and case.rows[m.row].values[m.slot].kind == "literal"
                ]  # fmt: skip
                if not literal:
                    continue
                lacking = [
                    _missing(m.slot, m.row, _before(mention, case), mention, read, surfaces, reader) for m in literal
                ]
                if all(lacking):
                    code: Code = "hedge" if lacking[0].startswith("the hedge") else "needs"
                    reasons.append(Reason(code, mention.text, f"it has to be told with {lacking[0]}"))
    return reasons


def _nearest(slot: str, mention: Mention | None, mentions: Sequence[Mention]) -> frozenset[Meant]:
    """What the nearest words that fill a slot stand for; all of them where no place is given."""
    filling = [other for other in mentions if any(m.slot == slot for m in other.meant)]
    if mention is None:
        return frozenset(m for other in filling for m in other.meant)
    near = min(filling, key=lambda o: (max(o.start - mention.end, mention.start - o.end), o.start), default=None)
    return near.meant if near is not None else frozenset()


def _missing(
    slot: str, number: int, before: str, mention: Mention | None, read: Read, surfaces: Surfaces, reader: Reader
) -> str:
    """What has to stand beside a value and does not; "" where nothing is missing."""
    case = read.case
    row = case.rows[number]
    frames = case.frames[row.cq]
    bound = frozenset(row.values)
    known = frames.needs.get(bound)
    if known is None:
        known = frames.needs[bound] = frames.company(bound)
    company, hedges = known.get(slot, (frozenset(), frozenset()))
    clause = slot in clause_slots(row, frames)
    if not clause and (slot in frames.ordinals or "number" not in surfaces.kind(row.values[slot])):
        company = frozenset(other for other in company if _is_hedge(row, other, reader))
    for kind in sorted(hedges):
        if not any(pattern.search(before) for pattern in reader.hedges[kind]) and not (
            kind in ("estimate", "total", "potential") and any(p.search(case.folded) for p in reader.hedges[kind])
        ):
            return f"the hedge {kind!r}"
    for other in sorted(company):
        if Meant(number, other) not in _nearest(other, mention, read.mentions) and not _hedged_by(other, row, before):
            return other
    return ""


def _is_hedge(row: Factlet, slot: str, reader: Reader) -> bool:
    """True where the value only says how sure another one is: "about"."""
    value = row.values.get(slot)
    return (
        value is not None
        and value.kind == "literal"
        and any(pattern.fullmatch(value.value) for patterns in reader.hedges.values() for pattern in patterns)
    )


def _hedged_by(slot: str, row: Factlet, before: str) -> bool:
    value = row.values.get(slot)
    return value is not None and value.kind == "literal" and value.value.lower() in before


def _before(mention: Mention, case: Case) -> str:
    """The words around a value in which its hedge may stand."""
    lead = case.folded[max(0, mention.start - 60) : mention.start]
    return " ".join(lead.split()[-5:])
