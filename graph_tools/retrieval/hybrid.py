"""Strategy `hybrid`: what the graph answers, and beside it vetted snippets where a question has `enrich = true`.

A snippet gets in where it is about an entity that the question is bound to besides the pack's defaults; where only
these are bound, where it is about them and about a theme of the question.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from graph_tools import speech
from graph_tools.cq import CompetencyQuestion
from graph_tools.eligibility import Answers
from graph_tools.embedder import Embedder, HashedEmbedder
from graph_tools.errors import IndexUnavailable
from graph_tools.evidence import EvidencePack, Snippet, SnippetClaim
from graph_tools.pack import StoryPack
from graph_tools.plan import Beat, Question
from graph_tools.retrieval.kg import KgRetriever
from graph_tools.retrieval.merge import merged
from graph_tools.snippet import Claim, VettedSnippet
from graph_tools.snippet_index import ChromaIndex, SnippetIndex
from graph_tools.snippet_ranking import ENTITIES, LIKENESS, WORDS, Ranked, WordIndex, fused, places, shared
from graph_tools.terms import XSD_STRING, Iri, Literal

log = logging.getLogger(__name__)

TOP = 5
"""Snippets that one question gets at most."""
IndexMaker = Callable[[StoryPack], SnippetIndex]


def own_index(pack: StoryPack, embedder: Embedder | None = None) -> SnippetIndex:
    """All snippets of the pack that may be told, in Chroma. Raises IndexUnavailable."""
    snippets = pack.snippets.told
    index = ChromaIndex(embedder or HashedEmbedder(snippet.searched for snippet in snippets))
    index.hold(snippets)
    return index


class HybridRetriever:
    """Answers questions from the graph, and adds snippets where they help."""

    def __init__(self, pack: StoryPack, answers: Answers, make_index: IndexMaker = own_index, top: int = TOP) -> None:
        """`make_index` is called when the first question is to be enriched; `top` 0: no snippets."""
        self._pack = pack
        self._graph = KgRetriever(pack, answers)
        self._make_index = make_index
        self._top = top
        self._snippets = pack.snippets.told if top else ()
        self._searched: tuple[SnippetIndex, WordIndex] | None = None
        self._asked: dict[str, EvidencePack] = {}

    def retrieve(self, beat: Beat) -> EvidencePack:
        """The evidence for all questions of a beat, merged."""
        return merged(self.ask(question) for question in beat.questions)

    def ask(self, question: Question) -> EvidencePack:
        """The evidence for one question; remembered."""
        known = self._asked.get(question.key)
        if known is None:
            known = self._asked[question.key] = self._ask(question)
        return known

    def ranked(self, question: Question) -> tuple[Ranked, ...]:
        """All snippets that may serve a question, the best first. Raises IndexUnavailable."""
        cq = self._pack.library[question.cq].cq
        found = {snippet.id: snippet for snippet in self._snippets if self._claims(snippet, cq, question)}
        if not found:
            return ()
        index, words = self._indexes()
        text = _text(cq, question)
        answer = self._named_in(question)
        alike = {id_: place for place, id_ in enumerate(index.nearest(text, found), start=1)}
        worded = {id_: score for id_ in sorted(found) if (score := round(words.score(text, id_), 6))}
        about = {id_: self._about(snippet, question) for id_, snippet in found.items()}
        weights = {
            id_: (len(about[id_]), len(shared(cq.themes, s.themes)), len(_told_of(s) & answer))
            for id_, s in found.items()
        }
        rankings = {LIKENESS: alike, WORDS: places(worded), ENTITIES: places(weights)}
        return fused(found.values(), rankings, {id_: self._names(iris) for id_, iris in about.items()})

    def _ask(self, question: Question) -> EvidencePack:
        evidence = self._graph.ask(question)
        cq = self._pack.library[question.cq].cq
        if not cq.enrich or not self._snippets:
            return evidence
        try:
            best = self.ranked(question)[: self._top]
        except IndexUnavailable as error:
            log.warning("%s. Stories of strategy hybrid go on with what the graph answers.", error)
            self._snippets = ()  # said once; a restart tries again
            return evidence
        served = [self._served(number, ranked, cq, question) for number, ranked in enumerate(best, start=1)]
        return evidence.model_copy(update={"snippets": tuple(served)})

    def _indexes(self) -> tuple[SnippetIndex, WordIndex]:
        if self._searched is None:
            texts = {snippet.id: snippet.searched for snippet in self._snippets}
            words = WordIndex(texts, self._pack.words, self._pack.language)
            self._searched = self._make_index(self._pack), words
        return self._searched

    def _served(self, number: int, ranked: Ranked, cq: CompetencyQuestion, question: Question) -> Snippet:
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
            tier=snippet.tier,
            spoken=snippet.spoken,
            entities=snippet.entities,
            claims=tuple(self._claim(claim, snippet) for claim in self._claims(snippet, cq, question)),
            score=ranked.score,
            why=ranked.why,
        )

    def _claim(self, claim: Claim, snippet: VettedSnippet) -> SnippetClaim:
        proved = claim.year is not None and str(claim.year) in f"{snippet.published} {snippet.text}"
        return SnippetClaim(
            says=claim.says,
            year=claim.year if proved else None,
            about=claim.about,
            same=tuple(line for iri in claim.same_as for line in self._texts_of(iri)),
            against=claim.against,
        )

    def _texts_of(self, iri: str) -> list[str]:
        """What the graph has a thing say: its statements with a text, sorted."""
        found = self._pack.graph.match(subject=Iri(iri))
        texts = [
            t for t in found if isinstance(t.object, Literal) and (t.object.language or t.object.datatype == XSD_STRING)
        ]
        return sorted(triple.n3() for triple in texts)

    def _claims(self, snippet: VettedSnippet, cq: CompetencyQuestion, question: Question) -> tuple[Claim, ...]:
        """What of a snippet may be told in answer to a question."""
        bound = set(question.bindings.values())
        own = bound - {iri.value for iri in self._pack.defaults.values()}
        if not own and not shared(cq.themes, snippet.themes):
            return ()
        return tuple(claim for claim in snippet.claims if shared(claim.about, own or bound))

    def _about(self, snippet: VettedSnippet, question: Question) -> list[str]:
        bound = set(question.bindings.values())
        own = bound - {iri.value for iri in self._pack.defaults.values()}
        return list(shared(snippet.entities, own or bound))

    def _names(self, iris: Iterable[str]) -> str:
        return speech.joined([self._pack.entities.name(Iri(iri)) or iri for iri in iris])

    def _named_in(self, question: Question) -> frozenset[str]:
        """The things that the graph's answer is made of."""
        evidence = self._graph.ask(question)
        lines = [line for factlet in evidence.factlets for line in factlet.triples]
        return frozenset(line[1 : line.index(">")] for line in lines if line.startswith("<"))


def _text(cq: CompetencyQuestion, question: Question) -> str:
    """What snippets are looked for with: the question in words, and what it is about."""
    return " ".join((question.question, *cq.themes))


def _told_of(snippet: VettedSnippet) -> frozenset[str]:
    return frozenset(iri for claim in snippet.claims for iri in (*claim.same_as, *claim.against))
