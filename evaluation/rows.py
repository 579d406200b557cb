"""The rows that a story was told from, found again with their values: the story file has their words and statements.

A question is put again as it stands in the file, by the same strategy and seed. What the pack answers otherwise now is
not taken for what was cited then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import permutations

from agent.links import LINK_ID, NEAR
from evaluation.scores import Unscored
from evaluation.told import Asked, Evidence, Section
from graph_tools import speech
from graph_tools.eligibility import Answers
from graph_tools.errors import CuestoryError
from graph_tools.evidence import EvidencePack, Factlet
from graph_tools.pack import StoryPack
from graph_tools.plan import Question
from graph_tools.retrieval import HybridRetriever, Retriever, merged, retriever
from graph_tools.speech import Unspeakable
from graph_tools.terms import XSD, Iri

OTHERWISE = "the pack answers otherwise now than when the story was told"
_STATEMENT = re.compile(r"<([^>]*)> <([^>]*)> (?:<([^>]*)>)?")
_MOMENT = re.compile(rf'"([^"]*)"\^\^<{re.escape(XSD)}(date|dateTime|gYear|gYearMonth)>')


class Rows:
    """Asks one pack again."""

    def __init__(self, pack: StoryPack) -> None:
        self._pack = pack
        self._answers = Answers(pack)
        self._retrievers: dict[str, Retriever] = {}
        self._known: dict[tuple[Asked, ...], EvidencePack | Unscored] = {}

    def evidence(self, section: Section) -> EvidencePack | Unscored:
        """What the pack answers to the questions of a section; no snippets, which no row is."""
        if not section.asked:
            return Unscored("the evidence does not say which questions of the pack it answers")
        if section.asked not in self._known:
            self._known[section.asked] = self._evidence(section.asked)
        return self._known[section.asked]

    def cited(self, item: Evidence, evidence: EvidencePack) -> Factlet | Unscored:
        """The factlet that a piece of evidence is; for the proof of a link the link itself, where it holds."""
        if item.id == LINK_ID:
            if not self.link_holds(item):
                return Unscored(f"a link between two beats is not what its statements give; {OTHERWISE}")
            return Factlet(id=item.id, cq=item.question, text=item.text, values={}, triples=item.triples)
        found = next((factlet for factlet in evidence.factlets if factlet.id == item.id), None)
        if found is None or (found.text, found.triples) != (item.text, item.triples):
            return Unscored(OTHERWISE)
        return found

    def link_holds(self, link: Evidence) -> bool:
        """Whether all its statements stand in the graph, and its last sentence follows from two of them."""
        return all(map(self._stands, link.triples)) and any(map(link.text.endswith, self._links(link.triples)))

    def _evidence(self, asked: tuple[Asked, ...]) -> EvidencePack | Unscored:
        try:
            return merged(
                self._retriever(one.strategy).ask(
                    Question(cq=one.cq, question="?", bindings=dict(one.bindings)), seed=one.seed
                )
                for one in asked
            )
        except (CuestoryError, KeyError) as error:
            return Unscored(f"{OTHERWISE}: {error}")

    def _retriever(self, strategy: str) -> Retriever:
        if strategy not in self._retrievers:
            self._retrievers[strategy] = (
                HybridRetriever(self._pack, self._answers, top=0)
                if strategy == "hybrid"
                else retriever(strategy, self._pack, self._answers)
            )
        return self._retrievers[strategy]

    def _stands(self, statement: str) -> bool:
        found = _STATEMENT.match(statement)
        return found is not None and any(
            triple.n3() == statement for triple in self._pack.graph.match(Iri(found[1]), Iri(found[2]))
        )

    def _links(self, statements: Iterable[str]) -> Iterator[str]:
        """All that a link can say of these statements, as `agent.links` words its proof."""
        lines = tuple(statements)
        moments = dict.fromkeys(found.groups() for line in lines for found in _MOMENT.finditer(line))
        for (one, kind), (other, its) in permutations(moments, 2):
            yield from _gaps(one, kind, other, its)
        for moment, kind in moments:
            if kind.startswith("date"):
                yield f"Both were on {speech.spoken_date(moment)}."
        things = {iri for line in lines if (found := _STATEMENT.match(line)) for iri in (found[1], found[3]) if iri}
        names = sorted({self._pack.entities.name(Iri(iri)) for iri in things if self._pack.entities.types(Iri(iri))})
        yield from (f"Both were at {name}." for name in names)
        yield from (f"One was at {there}, the other at {here}." for there, here in permutations(names, 2))


def _gaps(one: str, kind: str, other: str, its: str) -> Iterator[str]:
    try:
        if kind == its == "dateTime":
            between = speech.moment(one) - speech.moment(other)
            minutes = abs(round(between.total_seconds() / 60))
            yield f"Between the two lie {minutes} minutes, or {speech.gap(between, str)}."
        if {kind, its} <= {"date", "dateTime"}:
            days: timedelta = datetime.fromisoformat(one).date() - datetime.fromisoformat(other).date()
            if abs(days) < NEAR:
                yield f"Between the two lie {abs(days.days)} days, or {speech.gap(days, str)}."
                return
        yield f"Between the two lie {speech.years_between(one, other, str)}."
    except (Unspeakable, TypeError, ValueError):
        return  # what cannot be compared joins nothing
