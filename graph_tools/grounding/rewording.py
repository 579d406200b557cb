"""The proof of a sentence in words of its own: names, bindings, roles, guarded words, and a closed vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from graph_tools.grounding import bending, binding, company, daytime, joining, roles, vocabulary
from graph_tools.grounding import clauses as quoting
from graph_tools.grounding.binding import Group
from graph_tools.grounding.case import Case, Read, bond, clause_slots
from graph_tools.grounding.cues import Node
from graph_tools.grounding.mentions import COUNT, Linker, Meant, Mention, nodes_of
from graph_tools.grounding.surfaces import Surfaces
from graph_tools.grounding.text import Reader
from graph_tools.grounding.verdict import Bond, Reason
from graph_tools.grounding.wider import Wider
from graph_tools.speech import words as spelled


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of a sentence."""

    reasons: tuple[Reason, ...]
    bonds: tuple[Bond, ...]


class Rewording:
    """Proves sentences that are no wording of a curator's."""

    def __init__(self, surfaces: Surfaces, reader: Reader, wider: Wider) -> None:
        self._wider = wider
        self._surfaces = surfaces
        self._reader = reader
        self._linker = Linker(surfaces)
        self._clauses: dict[str, quoting.Clause] = {}

    def mentions(self, case: Case) -> tuple[Mention, ...]:
        """What the sentence names of the rows."""
        skipped = [frozenset(clause_slots(row, case.frames[row.cq])) for row in case.rows]
        return self._linker.link(case.folded, case.original, case.rows, skipped, _counts(case))

    def find(self, case: Case) -> Finding:
        """All that is wrong with the sentence, and what binds it."""
        mentions = self.mentions(case)
        reader = self._reader
        quoted = self._quoted(case, mentions)
        named = [self._named(mention, case) for mention in mentions] if quoted else []
        reasons = bending.bent(case.folded, quoted, named, reader)
        nodes = self._nodes(case, mentions, quoted)
        own = {int(node.name) for node in nodes if node.name}
        told = binding.clauses(nodes, mentions, frozenset(range(len(case.rows))))
        if isinstance(told, Group):
            words = " ... ".join(mentions[n].text for n in told.members)
            return Finding((*reasons, Reason("binding", words, "no row holds it with the rest")), ())
        read = Read(case, mentions, nodes, quoted, told)
        reasons += joining.faults(read, self._surfaces, reader)
        ordered, fault = vocabulary.order_faults(read)
        reasons += fault
        reasons += vocabulary.faults(read, ordered, self._surfaces, reader, self._wider)
        for clause in told:
            if len(clause.groups) > 0:
                reasons += roles.faults(
                    clause, nodes, mentions, case.rows, case.frames, self._wider, case.defaults, self._surfaces, reader
                )
        reasons += daytime.faults(read)
        reasons += company.faults(read, self._surfaces, reader)
        if not own and not quoted:
            reasons.append(Reason("binding", "", "it names nothing of the evidence"))
        return Finding(tuple(dict.fromkeys(reasons)), _bonds(read))

    def _quoted(self, case: Case, mentions: Sequence[Mention]) -> tuple[quoting.Restated, ...]:
        clauses: list[quoting.Clause] = []
        for number, row in enumerate(case.rows):
            for slot in clause_slots(row, case.frames[row.cq]):
                text = row.values[slot].value
                known = self._clauses.get(text)
                if known is None:
                    known = self._clauses[text] = quoting.read(0, "", text, self._reader)
                clauses.append(replace(known, row=number, slot=slot))
        if not clauses:
            return ()
        return quoting.restated(case.folded, clauses, [self._named(m, case) for m in mentions], self._reader)

    def _named(self, mention: Mention, case: Case) -> quoting.Named:
        held = [(case.rows[m.row], m.slot) for m in mention.meant if not m.slot.startswith(COUNT)]
        forms = {form for row, slot in held for form in self._surfaces.of(row.values[slot], row.values)}
        passive = bool(held) and all(row.values[slot].value in case.defaults for row, slot in held)
        return quoting.Named(mention.start, mention.end, tuple(sorted(forms)), passive)

    def _nodes(self, case: Case, mentions: Sequence[Mention], quoted: Sequence[quoting.Restated]) -> list[Node]:
        nodes: list[Node] = []
        at = 0
        for one in (*quoted, None):
            nodes += nodes_of(case.folded, case.original, mentions, self._reader, at, one.start if one else None)
            if one is None:
                break
            at = one.end
        return nodes


@lru_cache(maxsize=1024)
def _words(count: int) -> str:
    return spelled(count)


def _counts(case: Case) -> dict[str, frozenset[Meant]]:
    """How many values a slot has, as words and figures: of slots that some wording counts, in whole answers."""
    found: dict[str, set[Meant]] = {}
    for cq in case.complete & case.frames.keys():
        rows = [(number, row) for number, row in enumerate(case.rows) if row.cq == cq]
        for slot in case.frames[cq].counted:
            count = len({row.values[slot] for _, row in rows if slot in row.values})
            for form in (_words(count), str(count)) if count else ():
                found.setdefault(form, set()).update(Meant(number, COUNT + slot) for number, _ in rows)
    return {form: frozenset(meant) for form, meant in found.items()}


def _bonds(read: Read) -> tuple[Bond, ...]:
    told, mentions, quoted, case = read.told, read.mentions, read.quoted, read.case
    found: list[tuple[int, Bond]] = []
    for clause in told:
        for group in clause.groups:
            for member in group.members:
                mention = mentions[member]
                meant = min((m for m in mention.meant if m.row in clause.rows), default=None)
                if meant is not None:
                    found.append((mention.start, bond(mention.text, case.rows[meant.row], meant.slot)))
    for one in quoted:
        text = case.original[one.start : one.end]
        found.append((one.start, bond(text, case.rows[one.clause.row], one.clause.slot)))
    return tuple(step for _, step in sorted(found, key=lambda pair: pair[0]))
