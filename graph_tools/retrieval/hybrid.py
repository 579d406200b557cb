"""Strategy `hybrid`: what the graph answers, and beside it vetted snippets where a question has `enrich = true`.

A snippet gets in where it is about an entity that the question is bound to besides the pack's defaults; where only
these are bound, where it is about them and about a theme of the question.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

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
from graph_tools.snippet_index import ChromaIndex, SnippetIndex, VectorFile
from graph_tools.snippet_ranking import ANSWER, ENTITIES, LIKENESS, WORDS, Ranked, WordIndex, fused, places, shared
from graph_tools.terms import XSD_STRING, Iri, Literal

log = logging.getLogger(__name__)

TOP = 5
"""Snippets that one question gets at most."""
ENOUGH = 0.4
"""From this share of the best score by words a snippet belongs to the topic, if it shares a theme with the question;
chosen on tests/snippets/relevant.tsv: nine of ten that are served are relevant."""
FITTING = 0.3
"""From this share of the best claim's score by words another claim may be told."""
KNOWN = 0.6
"""What such a score counts of a claim that the graph's answer tells too."""
ROWS_READ = 8
"""Rows of the graph's answer whose words snippets are looked for with."""
_SLOT = re.compile(r"\{[^{}]*\}")
IndexMaker = Callable[[StoryPack], SnippetIndex]


def own_index(pack: StoryPack, embedder: Embedder | None = None, kept: VectorFile | None = None) -> SnippetIndex:
    """All snippets of the pack that may be told, in Chroma, by the default embedder or another one.

    `kept`: where its vectors are kept from one start to the next. Raises IndexUnavailable."""
    snippets = pack.snippets.told
    index = ChromaIndex(embedder or HashedEmbedder(snippet.searched for snippet in snippets), kept)
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
        self._index: SnippetIndex | None = None
        self._worded: WordIndex | None = None
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
        found = self._candidates(question)
        if not found:
            return ()
        rankings = self._rankings(question, found)
        about = {id_: self._names(self._about(snippet, question)) for id_, snippet in found.items()}
        return fused(found.values(), rankings, about)

    def rankings(self, question: Question) -> dict[str, dict[str, int]]:
        """Name of a ranking -> id of a snippet that may serve the question -> its place. Raises IndexUnavailable."""
        return self._rankings(question, self._candidates(question))

    def _candidates(self, question: Question) -> dict[str, VettedSnippet]:
        """The snippets about whom the question is bound to that belong to its topic.

        They tell of the same things of the graph as its answer; or they share a theme, where it has any, and many of
        its words."""
        cq = self._pack.library[question.cq].cq
        bound = {snippet.id: snippet for snippet in self._snippets if self._claims(snippet, cq, question)}
        if not bound:
            return {}
        answer, text = self._named_in(question), self._text(question)
        scores = {id_: self._words().score(text, id_) for id_ in sorted(bound)}
        enough = ENOUGH * max(scores.values())
        return {
            id_: snippet
            for id_, snippet in bound.items()
            if _told_of(snippet) & answer or (_on(cq.themes, snippet) and scores[id_] > enough)
        }

    def _rankings(self, question: Question, found: Mapping[str, VettedSnippet]) -> dict[str, dict[str, int]]:
        cq = self._pack.library[question.cq].cq
        text, answer = self._text(question), self._named_in(question)
        alike = self._likeness().nearest(text, found)
        worded = {id_: round(self._words().score(text, id_), 6) for id_ in sorted(found)}
        about = {
            id_: (len(self._about(snippet, question)), len(shared(cq.themes, snippet.themes)))
            for id_, snippet in found.items()
        }
        told = {id_: len(_told_of(snippet) & answer) for id_, snippet in found.items()}
        return {
            LIKENESS: {id_: place for place, id_ in enumerate(alike, start=1)},
            WORDS: places({id_: score for id_, score in worded.items() if score}),
            ENTITIES: places(about),
            ANSWER: places({id_: count for id_, count in told.items() if count}),
        }

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
        claims = self._fitting([ranked.snippet for ranked in best], question)
        told = [ranked for ranked in best if claims[ranked.snippet.id]]
        served = [_served(n, ranked, cq, claims[ranked.snippet.id]) for n, ranked in enumerate(told, start=1)]
        return evidence.model_copy(update={"snippets": tuple(served)})

    def _likeness(self) -> SnippetIndex:
        if self._index is None:
            self._index = self._make_index(self._pack)
        return self._index

    def _words(self) -> WordIndex:
        if self._worded is None:
            texts = {snippet.id: snippet.searched for snippet in self._snippets}
            self._worded = WordIndex(texts, self._pack.words, self._pack.language)
        return self._worded

    def _fitting(self, snippets: Sequence[VettedSnippet], question: Question) -> dict[str, tuple[SnippetClaim, ...]]:
        """What may be told of each snippet, the most fitting by its words first.

        A claim that the graph's answer tells too fits, and says less that is new; any other has to fit about as well as
        the best one."""
        cq = self._pack.library[question.cq].cq
        text, answer = self._text(question), self._named_in(question)
        found = [
            (s, claim, self._words().likeness(text, claim.says))
            for s in snippets
            for claim in self._claims(s, cq, question)
        ]
        least = FITTING * max((score for _, _, score in found), default=0.0)
        fitting: dict[str, list[SnippetClaim]] = {snippet.id: [] for snippet in snippets}
        for snippet, claim, score in found:
            known = not answer.isdisjoint(claim.same_as)
            if known or score >= least:
                weighed = round(score * (KNOWN if known else 1), 6)
                fitting[snippet.id].append(self._claim(claim, snippet, weighed))
        return {id_: tuple(sorted(claims, key=lambda claim: -claim.score)) for id_, claims in fitting.items()}

    def _claim(self, claim: Claim, snippet: VettedSnippet, score: float) -> SnippetClaim:
        proved = claim.year is not None and str(claim.year) in f"{snippet.published} {snippet.text}"
        return SnippetClaim(
            says=claim.says,
            year=claim.year if proved else None,
            about=claim.about,
            same=tuple(line for iri in claim.same_as for line in self._texts_of(iri)),
            against=claim.against,
            score=score,
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

    def _text(self, question: Question) -> str:
        """What snippets are looked for with: the question in all its wordings, its themes and its answer."""
        factlets = self._graph.ask(question).factlets[:ROWS_READ]
        return " ".join((self._topic(question), *(factlet.text for factlet in factlets)))

    def _topic(self, question: Question) -> str:
        cq = self._pack.library[question.cq].cq
        return " ".join((question.question, *cq.themes, *(_SLOT.sub(" ", text) for text in cq.paraphrases)))

    def _names(self, iris: Iterable[str]) -> str:
        return speech.joined([self._pack.entities.name(Iri(iri)) or iri for iri in iris])

    def _named_in(self, question: Question) -> frozenset[str]:
        """The things that the graph's answer is made of."""
        evidence = self._graph.ask(question)
        lines = [line for factlet in evidence.factlets for line in factlet.triples]
        return frozenset(line[1 : line.index(">")] for line in lines if line.startswith("<"))


def _on(themes: tuple[str, ...], snippet: VettedSnippet) -> bool:
    return not themes or bool(shared(themes, snippet.themes))


def _told_of(snippet: VettedSnippet) -> frozenset[str]:
    return frozenset(iri for claim in snippet.claims for iri in (*claim.same_as, *claim.against))


def _served(number: int, ranked: Ranked, cq: CompetencyQuestion, claims: tuple[SnippetClaim, ...]) -> Snippet:
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
        cq=cq.id,
        tier=snippet.tier,
        spoken=snippet.spoken,
        entities=snippet.entities,
        claims=claims,
        score=ranked.score,
        why=ranked.why,
    )
