"""What the snippets of a beat let be told: each claim a sentence of its own that says who says so.

A claim becomes a message like those of the graph, so that the content pass, the narrator, retelling and "no fact twice"
treat it alike. Its wordings are content (`snippets/wording.toml`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from agent.generation import ATTRIBUTION, Message, digest, messages, news
from graph_tools.cq import Anchor, CompetencyQuestion, Telling
from graph_tools.evidence import EvidencePack, Factlet, Snippet, SnippetClaim, Value
from graph_tools.pack import StoryPack
from graph_tools.persona import Persona
from graph_tools.sayable import sayings
from graph_tools.snippet import VoiceWordings
from graph_tools.terms import XSD
from graph_tools.wording import Voice

MOST = 12
"""Claims of a beat that are weighed at most, the most fitting first."""
RESULTS = {"claim": "what is said", "source": "who says it", "year": "when it was said"}
Material = tuple[tuple[Message, ...], ...]


def everything(evidence: EvidencePack, pack: StoryPack, persona: Persona, voice: Voice) -> Material:
    """For each question all that can be said in answer; where there are snippets, last what they let be told."""
    found = messages(evidence, pack.library, persona, voice)
    wordings = pack.snippets.wordings.get(persona.id)
    if not evidence.snippets or wordings is None:
        return found
    return (*found, tuple(_quotations(evidence, pack, wordings, persona, voice)))


def quotes(outline: Sequence[Message]) -> bool:
    """True where it tells what a snippet says."""
    return any(message.quotes for message in outline)


def unheard(material: Material, heard: Collection[str], cited: Collection[str] = ()) -> Material:
    """The same without the snippets that were told elsewhere; `cited`: ids of those that were told just here."""
    return tuple(
        tuple(m for m in part if not m.quotes or m.saying.factlets[0].id in cited or m.news.isdisjoint(heard))
        for part in material
    )


def _quotations(
    evidence: EvidencePack, pack: StoryPack, wordings: VoiceWordings, persona: Persona, voice: Voice
) -> Iterator[Message]:
    patient = persona.model_copy(update={"max_words": persona.max_words + ATTRIBUTION})
    asked = [pack.library[question.cq].cq for question in evidence.questions]
    cq = next((cq for cq in asked if cq.enrich), asked[0])
    # The first claims of all snippets come before the second ones of any.
    claims = [(place, snippet, claim) for snippet in evidence.snippets for place, claim in enumerate(snippet.claims)]
    claims.sort(key=lambda entry: entry[0])
    for row, (_, snippet, claim) in enumerate(claims[:MOST]):
        told = _factlet(cq.id, snippet, claim)
        for saying in sayings(_retold(cq, wordings, snippet, claim), (told,), patient, voice, truncated=False):
            yield Message(replace(saying, row=row), len(asked), news((told,)), quotes=True)


def _retold(
    cq: CompetencyQuestion, wordings: VoiceWordings, snippet: Snippet, claim: SnippetClaim
) -> CompetencyQuestion:
    """The question as it is told from a snippet: in other words, of other results."""
    say = wordings.differs if claim.against else wordings.tells if snippet.tier == 1 else wordings.hears
    telling = Telling(aspect="snippet", role="lead", say=say)
    change = {"id": f"{cq.id}+", "telling": (telling,), "results": RESULTS, "parameters": {}, "anchor": Anchor()}
    return cq.model_copy(update=change)


def _factlet(cq: str, snippet: Snippet, claim: SnippetClaim) -> Factlet:
    """The claim as a row: what it tells is the snippet, once a story, and what the graph tells alike."""
    values = {"claim": Value(kind="literal", value=claim.says), "source": Value(kind="literal", value=snippet.spoken)}
    if claim.year is not None:
        values["year"] = Value(kind="literal", value=str(claim.year), datatype=XSD + "gYear")
    told = (digest(f"snippet {snippet.snippet}"), *claim.same)
    return Factlet(id=snippet.id, cq=cq, text=snippet.text, values=values, triples=told)
