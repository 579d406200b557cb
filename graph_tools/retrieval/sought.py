"""What snippets are looked for with: a bound question, whom it is about, and what the graph answers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graph_tools.cq import CompetencyQuestion
from graph_tools.evidence import EvidencePack
from graph_tools.pack import StoryPack
from graph_tools.plan import Question
from graph_tools.snippet import Claim, VettedSnippet

ROWS_READ = 8
"""Rows of the graph's answer whose words snippets are looked for with."""
_SLOT = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Sought:
    """A question as snippets answer it."""

    cq: CompetencyQuestion
    entities: frozenset[str]
    """IRIs that it is bound to besides the pack's defaults; where there are none, the defaults."""
    of_the_whole: bool
    """True where only the pack's defaults are bound: then themes decide what belongs to it."""
    text: str
    """The question in all its wordings, its themes, and its answer in words."""
    answer: frozenset[str]
    """IRIs of the things that the graph's answer is made of."""

    @classmethod
    def of(cls, question: Question, pack: StoryPack, evidence: EvidencePack) -> Sought:
        """The question with what the graph answers to it."""
        cq = pack.library[question.cq].cq
        bound = frozenset(question.bindings.values())
        own = bound - {iri.value for iri in pack.defaults.values()}
        wordings = (question.question, *(_SLOT.sub(" ", text) for text in cq.paraphrases))
        rows = (factlet.text for factlet in evidence.factlets[:ROWS_READ])
        lines = (line for factlet in evidence.factlets for line in factlet.triples)
        return cls(
            cq=cq,
            entities=own or bound,
            of_the_whole=not own,
            text=" ".join((*wordings, *cq.themes, *rows)),
            answer=frozenset(line[1 : line.index(">")] for line in lines if line.startswith("<")),
        )

    def claims(self, snippet: VettedSnippet) -> tuple[Claim, ...]:
        """What of a snippet is about whom the question is bound to; where themes decide, of one that shares some."""
        if self.of_the_whole and not self.themes(snippet):
            return ()
        return tuple(claim for claim in snippet.claims if not self.entities.isdisjoint(claim.about))

    def named(self, snippet: VettedSnippet) -> tuple[str, ...]:
        """Whom of those that the question is bound to a snippet is about."""
        return tuple(iri for iri in snippet.entities if iri in self.entities)

    def themes(self, snippet: VettedSnippet) -> tuple[str, ...]:
        """The themes that it shares with a snippet."""
        return tuple(theme for theme in self.cq.themes if theme in snippet.themes)

    def told(self, snippet: VettedSnippet) -> frozenset[str]:
        """The things of its answer of which a snippet tells too, be it the same or otherwise."""
        return self.answer & {iri for claim in snippet.claims for iri in (*claim.same_as, *claim.against)}
