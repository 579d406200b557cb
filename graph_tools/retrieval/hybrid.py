"""Strategy `hybrid`: what the graph answers, and beside it vetted snippets where a question has `enrich = true`."""

from __future__ import annotations

import logging

from graph_tools.eligibility import Answers
from graph_tools.errors import IndexUnavailable
from graph_tools.evidence import EvidencePack, Snippet, SnippetClaim
from graph_tools.pack import StoryPack
from graph_tools.plan import Beat, Question
from graph_tools.retrieval.kg import KgRetriever
from graph_tools.retrieval.merge import merged
from graph_tools.retrieval.snippet_search import IndexMaker, SnippetSearch, own_index
from graph_tools.retrieval.sought import Sought
from graph_tools.snippet_ranking import Ranked

log = logging.getLogger(__name__)

TOP = 5
"""Snippets that one question gets at most."""


class HybridRetriever:
    """Answers questions from the graph, and adds snippets where they help."""

    def __init__(self, pack: StoryPack, answers: Answers, make_index: IndexMaker = own_index, top: int = TOP) -> None:
        """`make_index` is called when the first question is to be enriched; `top` 0: no snippets."""
        self._pack = pack
        self._graph = KgRetriever(pack, answers)
        self._search = SnippetSearch(pack, make_index)
        self._top = top if pack.snippets.told else 0
        self._asked: dict[tuple[str, str], EvidencePack] = {}

    def retrieve(self, beat: Beat, *, seed: int = 0) -> EvidencePack:
        """The evidence for all questions of a beat, merged."""
        return merged(self.ask(question, seed=seed) for question in beat.questions)

    def ask(self, question: Question, *, seed: int = 0) -> EvidencePack:  # noqa: ARG002
        """The evidence for one question, whatever the seed; remembered."""
        key = (question.key, question.question)  # the evidence says how it was asked
        known = self._asked.get(key)
        if known is None:
            known = self._asked[key] = self._ask(question)
        return known

    def _ask(self, question: Question) -> EvidencePack:
        evidence = self._graph.ask(question)
        if not self._top or not self._pack.library[question.cq].cq.enrich:
            return evidence
        try:
            return evidence.model_copy(update={"snippets": self._snippets(question, evidence)})
        except IndexUnavailable as error:
            log.warning("%s. Stories of strategy hybrid go on with what the graph answers.", error)
            self._top = 0  # said once; a restart tries again
            return evidence

    def _snippets(self, question: Question, evidence: EvidencePack) -> tuple[Snippet, ...]:
        sought = Sought.of(question, self._pack, evidence)
        best = self._search.ranked(sought)[: self._top]
        claims = self._search.fitting([ranked.snippet for ranked in best], sought)
        told = [ranked for ranked in best if claims[ranked.snippet.id]]
        return tuple(_served(n, found, question.cq, claims[found.snippet.id]) for n, found in enumerate(told, start=1))


def _served(number: int, ranked: Ranked, cq: str, claims: tuple[SnippetClaim, ...]) -> Snippet:
    snippet = ranked.snippet
    return Snippet(
        id=f"s{number}",
        text=snippet.text,
        source_url=snippet.source_url,
        source_title=snippet.source_title,
        publisher=snippet.publisher,
        accessed=snippet.accessed,
        published=snippet.published or "",
        snippet=snippet.id,
        cq=cq,
        tier=snippet.tier,
        spoken=snippet.spoken,
        entities=snippet.entities,
        claims=claims,
        score=ranked.score,
        why=ranked.why,
    )
