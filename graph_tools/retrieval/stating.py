"""A row of the graph stated in plain words, with the statements that prove it and the pages they were read on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from graph_tools import speech
from graph_tools.evidence import Factlet, Source, Value
from graph_tools.novelty import news
from graph_tools.pack import StoryPack
from graph_tools.plain_voice import PlainVoice
from graph_tools.speech import Unspeakable
from graph_tools.terms import Blank, Iri, Term, Triple
from graph_tools.wording import Wording


def stated(
    cq: str,
    wordings: Sequence[Wording],
    told: Mapping[str, Term],
    background: Collection[str],
    proof: Sequence[Triple],
    pack: StoryPack,
    voice: PlainVoice,
) -> Factlet | None:
    """The first wording that fits, as a factlet with id `f0`; None where none fits or a thing has no name to cite.

    `told`: the values that may be said, and those of the parameters; `background`: names of those that are no news."""
    if not proof or any(isinstance(term, Blank) for triple in proof for term in triple):
        return None  # what has no name cannot be cited
    values = {name: Value.of(term) for name, term in sorted(told.items()) if not isinstance(term, Blank)}
    if len(values) < len(told):
        return None
    fresh = news(proof, {term for name, term in told.items() if name not in background})
    for text in wordings:
        try:
            said = text.render([values], voice)
        except Unspeakable:
            continue
        return Factlet(
            id="f0",
            cq=cq,
            text=speech.upper_first(said),
            values=values,
            triples=tuple(triple.n3() for triple in proof),
            news=fresh,
            sources=sources_of(proof, pack),
        )
    return None


def sources_of(proof: Sequence[Triple], pack: StoryPack) -> tuple[Source, ...]:
    """Where the statements of a proof were read, in their order, each page once."""
    found: dict[Source, None] = {}
    for subject in dict.fromkeys(triple.subject for triple in proof):
        if isinstance(subject, Iri):
            found |= dict.fromkeys(pack.entities.sources(subject))
    return tuple(found)
