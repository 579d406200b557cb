"""The evidence gate: does the cited evidence prove this sentence? What it cannot prove it does not refute."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from graph_tools.evidence import EvidencePack, Factlet, Snippet
from graph_tools.grounding import form
from graph_tools.grounding.case import Case, bond
from graph_tools.grounding.frames import Frames, compiled
from graph_tools.grounding.openers import Openers
from graph_tools.grounding.restating import Place, Restating, rows_for
from graph_tools.grounding.rewording import Rewording
from graph_tools.grounding.surfaces import Surfaces
from graph_tools.grounding.text import Reader, fold
from graph_tools.grounding.verdict import Reason, Status, Verdict
from graph_tools.grounding.ways import under_its_way, whole_ways, with_ways
from graph_tools.grounding.wider import Wider
from graph_tools.pack import StoryPack

_CONTRADICTING = frozenset({"negation", "role", "order", "conflict"})
"""Faults that say the opposite of the evidence, where they are all that is wrong."""


class Gate:
    """The gate of a pack. Made once; what it learns of a question's wordings it keeps."""

    def __init__(self, pack: StoryPack) -> None:
        self._library = with_ways(pack.library, pack.relations)
        self._reader = Reader(pack.gate_words, pack.language)
        self._surfaces = Surfaces(pack.entities)
        self._openers = Openers(pack.library, pack.personas, pack.gate_words.openers)
        self._frames: dict[str, Frames] = {}
        wider = Wider(self._library, self.frames, tuple(pack.library), pack.defaults)
        self._rewording = Rewording(self._surfaces, self._reader, wider)
        self._defaults = frozenset(iri.value for iri in pack.defaults.values())

    def check(
        self,
        text: str,
        cited: Sequence[Factlet],
        snippets: Sequence[Snippet] = (),
        *,
        complete: Collection[str] = (),
    ) -> Verdict:
        """Whether the cited factlets prove the sentence.

        `complete`: the questions all of whose rows are among them (`complete_in`); only of those may be said how many
        there are, which is the first, or that these are all. Snippets prove nothing yet: a sentence that needs one is
        unproved. The same arguments give the same verdict.
        """
        folded = fold(text)
        rows = tuple(under_its_way(row) for row in cited)
        fault = self._form(text, folded, rows)
        if not fault and not rows:
            fault = (Reason("evidence", "", "only snippets are cited" if snippets else "nothing is cited"),)
        if fault:
            return Verdict("unproved", fault)
        if folded in self._openers.hooks:
            return Verdict("proved")
        whole = frozenset(complete)
        openings = tuple(dict.fromkeys(self._openers.ends(folded, rows, self._surfaces)))
        known = tuple(row for row in rows if row.cq in self._library and row.values)  # a link's proof is no row
        for start in openings:
            places = self._restated(folded, start, known, whole)
            if places is not None:
                by_id = {row.id: row for row in rows}
                path = tuple(bond(text[p.start : p.end], by_id[p.factlet], p.variable) for p in places)
                return Verdict("proved", (), path)
        tried = [self._reworded(text[start:], folded[start:], known, whole) for start in openings]
        return min(tried, key=lambda verdict: len(verdict.reasons))

    def _form(self, text: str, folded: str, rows: Sequence[Factlet]) -> tuple[Reason, ...]:
        if not any(form.faults(text, text)):
            return ()
        masked = text
        for row in rows:
            for value in row.values.values():
                names = self._surfaces.of(value, row.values)
                for name in names:
                    at = folded.find(name) if len(name) > 2 else -1
                    if at >= 0 and (" " in name or any(c in name for c in ".&-/:") or value.kind == "iri"):
                        masked = masked[:at] + "x" * len(name) + masked[at + len(name) :]
            at = text.find(row.text)
            if at >= 0:
                masked = masked[:at] + "x" * len(row.text) + masked[at + len(row.text) :]
        return tuple(form.faults(text, masked))

    def _restated(
        self, folded: str, start: int, rows: Sequence[Factlet], complete: frozenset[str]
    ) -> tuple[Place, ...] | None:
        reading = Restating(folded, self._surfaces)
        for cq in dict.fromkeys(row.cq for row in rows):
            its = [row for row in rows if row.cq == cq]
            for said in self.frames(cq).said:
                if not said.may_open(folded, start):
                    continue
                for told in rows_for(said, its, complete=cq in complete):
                    for found in reading.along(said, told, start):
                        if folded[found.end :] in ("", "."):
                            return found.places
        return None

    def _reworded(self, text: str, folded: str, rows: tuple[Factlet, ...], complete: frozenset[str]) -> Verdict:
        frames = {row.cq: self.frames(row.cq) for row in rows}
        found = self._rewording.find(Case(folded, text, rows, complete, frames, self._defaults))
        if not found.reasons:
            return Verdict("proved", (), found.bonds)
        codes = {reason.code for reason in found.reasons}
        status: Status = "contradicted" if codes <= _CONTRADICTING else "unproved"
        return Verdict(status, found.reasons, found.bonds)

    def frames(self, cq: str) -> Frames:
        """What the wordings of a question teach; compiled when first asked for."""
        known = self._frames.get(cq)
        if known is None:
            known = self._frames[cq] = compiled(self._library[cq].cq, self._reader)
        return known


def complete_in(evidence: EvidencePack, cited: Collection[str]) -> frozenset[str]:
    """The questions of which no row was cut off and all rows are cited, and likewise the ways of relations; `cited`
    are ids of factlets."""
    whole = {asked.cq for asked in evidence.questions if not asked.truncated}
    ids = set(cited)
    asked = frozenset(
        cq
        for cq in whole
        if (rows := [row for row in evidence.of(cq) if row.values]) and all(row.id in ids for row in rows)
    )
    return asked | whole_ways(evidence.factlets, ids)
