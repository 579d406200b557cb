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
from graph_tools.lexicon import tokens
from graph_tools.pack import StoryPack
from graph_tools.persona import Persona
from graph_tools.sayable import sayings
from graph_tools.snippet import Snippets, VoiceWordings
from graph_tools.terms import XSD
from graph_tools.wording import Voice

MOST = 12
"""Claims of a beat that are weighed at most, the most fitting first."""
QUOTED = "CQ-QUOTED"
"""Stands for the question of whatever is told from a snippet: one such telling a beat."""
RESULTS = {"claim": "what is said", "source": "who says it", "year": "when it was said"}
Material = tuple[tuple[Message, ...], ...]


def everything(evidence: EvidencePack, pack: StoryPack, persona: Persona, voice: Voice) -> Material:
    """For each question all that can be said in answer; where there are snippets, last what they let be told."""
    found = messages(evidence, pack.library, persona, voice, pack.relations)
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
    asked = [question.cq for question in evidence.questions]
    said = {line[1 : line.index(">")] for f in evidence.factlets for line in f.triples if line.startswith("<")}
    # One side of a disagreement needs the other.
    claims = [
        (snippet, claim)
        for snippet in evidence.snippets
        for claim in snippet.claims
        if not claim.against or not said.isdisjoint(claim.against)
    ]
    claims.sort(key=lambda entry: -entry[1].score)
    for row, (snippet, claim) in enumerate(claims[:MOST]):
        told, beside = _factlet(snippet, claim), asked.index(snippet.cq)
        say = _say(pack.snippets, wordings, snippet, claim)
        if not say:
            continue
        retold = _retold(pack.library[snippet.cq].cq, say)
        for saying in sayings(retold, (told,), patient, voice, truncated=False):
            yield Message(
                replace(saying, row=row),
                len(asked),
                news((told,)),
                quotes=True,
                contradicts=bool(claim.against),
                beside=beside,
            )


def _say(snippets: Snippets, wordings: VoiceWordings, snippet: Snippet, claim: SnippetClaim) -> tuple[str, ...]:
    if claim.against:
        say = wordings.differs
    elif snippets.names_its_speaker(claim.says):
        say = wordings.relays
    else:
        say = wordings.tells if snippet.tier == 1 else wordings.hears
    # A capital letter may only be given to a word that the snippet has, or it reads like a name from nowhere.
    known = {token.text for token in tokens(snippet.text)}
    opens = next((token.text in known for token in tokens(claim.says)), False)
    return say if opens else tuple(text for text in say if not text.startswith("{claim"))


def _retold(cq: CompetencyQuestion, say: tuple[str, ...]) -> CompetencyQuestion:
    """The question as it is told from a snippet: in other words, of other results."""
    telling = Telling(aspect="snippet", role="lead", say=say)
    change = {"id": QUOTED, "telling": (telling,), "results": RESULTS, "parameters": {}, "anchor": Anchor()}
    return cq.model_copy(update=change)


def _factlet(snippet: Snippet, claim: SnippetClaim) -> Factlet:
    """The claim as a row: what it tells is the snippet, once a story, and what the graph tells alike."""
    values = {
        "claim": Value(kind="literal", value=claim.says.replace("...", "…")),
        "source": Value(kind="literal", value=snippet.spoken),
    }
    if claim.year is not None:
        values["year"] = Value(kind="literal", value=str(claim.year), datatype=XSD + "gYear")
    told = (digest(f"snippet {snippet.snippet}"), *claim.same)
    return Factlet(id=snippet.id, cq=snippet.cq, text=snippet.text, values=values, triples=told)
