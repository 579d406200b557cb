"""The snippets of a pack that serve a question, ranked, and what of each may be told.

A snippet gets in where it is about an entity that the question is bound to besides the pack's defaults; where only
these are bound, where it is about them and about a theme of the question. Of those it keeps what is on the topic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from graph_tools import speech
from graph_tools.embedder import Embedder, HashedEmbedder
from graph_tools.evidence import SnippetClaim
from graph_tools.pack import StoryPack
from graph_tools.retrieval.sought import Sought
from graph_tools.snippet import Claim, VettedSnippet
from graph_tools.snippet_index import ChromaIndex, SnippetIndex, VectorFile
from graph_tools.snippet_ranking import ANSWER, ENTITIES, LIKENESS, WORDS, Ranked, WordIndex, fused, places
from graph_tools.terms import XSD_STRING, Iri, Literal

ENOUGH = 0.4
"""From this share of the best score by words in the whole pack a snippet belongs to the topic, if it shares a theme
with the question; chosen on tests/snippets/relevant.tsv: nine of ten that are served are relevant."""
FITTING = 0.4
"""From this share of the best claim's score by words another claim may be told."""
KNOWN = 0.6
"""What such a score counts of a claim that the graph's answer tells too."""
IndexMaker = Callable[[StoryPack], SnippetIndex]
Found = Mapping[str, VettedSnippet]


def own_index(pack: StoryPack, embedder: Embedder | None = None, kept: VectorFile | None = None) -> SnippetIndex:
    """All snippets of the pack that may be told, in Chroma, by the default embedder or another one.

    `kept`: where its vectors are kept from one start to the next. Raises IndexUnavailable."""
    snippets = pack.snippets.told
    index = ChromaIndex(embedder or HashedEmbedder(snippet.searched for snippet in snippets), kept)
    index.hold(snippets)
    return index


class SnippetSearch:
    """Finds and ranks the snippets of a pack. Its index is made when something is first looked for."""

    def __init__(self, pack: StoryPack, make_index: IndexMaker = own_index) -> None:
        self._pack = pack
        self._make_index = make_index
        self._snippets = pack.snippets.told

    def ranked(self, sought: Sought) -> tuple[Ranked, ...]:
        """All snippets that may serve a question, the best first. Raises IndexUnavailable."""
        found = self._on_topic(self.about(sought), sought)
        if not found:
            return ()
        named = {id_: self._names(sought.named(snippet)) for id_, snippet in found.items()}
        return fused(found.values(), self.rankings(sought, found), named)

    def about(self, sought: Sought) -> Found:
        """The snippets that tell something of whom the question is bound to, by id, be it on its topic or not."""
        return {snippet.id: snippet for snippet in self._snippets if sought.claims(snippet)}

    def rankings(self, sought: Sought, found: Found) -> dict[str, dict[str, int]]:
        """Name of a ranking -> id -> rank from 1, of the snippets that it says anything of. Raises IndexUnavailable."""
        alike = self._index.nearest(sought.text, found)
        worded = {id_: round(self._words.score(sought.text, id_), 6) for id_ in sorted(found)}
        about = {id_: (len(sought.named(s)), len(sought.themes(s))) for id_, s in found.items()}
        told = {id_: len(sought.told(snippet)) for id_, snippet in found.items()}
        return {
            LIKENESS: {id_: place for place, id_ in enumerate(alike, start=1)},
            WORDS: places({id_: score for id_, score in worded.items() if score}),
            ENTITIES: places(about),
            ANSWER: places({id_: count for id_, count in told.items() if count}),
        }

    def fitting(self, snippets: Sequence[VettedSnippet], sought: Sought) -> dict[str, tuple[SnippetClaim, ...]]:
        """Id -> what may be told of a snippet, the most fitting by its words first.

        A claim that the graph's answer tells too fits, and says less that is new; any other has to fit about as well as
        the best one."""
        claims = [(snippet, claim) for snippet in snippets for claim in sought.claims(snippet)]
        found = [(snippet, claim, self._words.likeness(sought.text, claim.says)) for snippet, claim in claims]
        least = FITTING * max((score for _, _, score in found), default=0.0)
        fitting: dict[str, list[SnippetClaim]] = {snippet.id: [] for snippet in snippets}
        for snippet, claim, score in found:
            known = not sought.answer.isdisjoint(claim.same_as)
            if known or score >= least:
                fitting[snippet.id].append(self._claim(claim, snippet, score * (KNOWN if known else 1)))
        return {id_: tuple(sorted(claims, key=lambda claim: -claim.score)) for id_, claims in fitting.items()}

    @cached_property
    def _index(self) -> SnippetIndex:
        return self._make_index(self._pack)

    @cached_property
    def _words(self) -> WordIndex:
        texts = {snippet.id: snippet.searched for snippet in self._snippets}
        return WordIndex(texts, self._pack.words, self._pack.language)

    def _on_topic(self, found: Found, sought: Sought) -> Found:
        """Those that tell of the same things of the graph as the answer; or that share a theme, where the question has
        any, and many of its words."""
        scores = {snippet.id: self._words.score(sought.text, snippet.id) for snippet in self._snippets}
        enough = ENOUGH * max(scores.values(), default=0.0)
        return {
            id_: snippet
            for id_, snippet in found.items()
            if sought.told(snippet) or ((sought.themes(snippet) or not sought.cq.themes) and scores[id_] > enough)
        }

    def _claim(self, claim: Claim, snippet: VettedSnippet, score: float) -> SnippetClaim:
        proved = claim.year is not None and str(claim.year) in f"{snippet.published} {snippet.text}"
        return SnippetClaim(
            says=claim.says,
            year=claim.year if proved else None,
            about=claim.about,
            same=tuple(line for iri in claim.same_as for line in self._texts_of(iri)),
            against=claim.against,
            score=round(score, 6),
        )

    def _texts_of(self, iri: str) -> list[str]:
        """What the graph has a thing say: its statements with a text, sorted."""
        found = self._pack.graph.match(subject=Iri(iri))
        texts = [(triple.n3(), triple.object) for triple in found if isinstance(triple.object, Literal)]
        return sorted(line for line, text in texts if text.language or text.datatype == XSD_STRING)

    def _names(self, iris: Sequence[str]) -> str:
        return speech.joined([self._pack.entities.name(Iri(iri)) or iri for iri in iris])
