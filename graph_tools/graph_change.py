"""What a change of the graph touches: statements gained and lost, and the questions, beats and tours told from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graph_tools.eligibility import Answers
from graph_tools.errors import BindingError
from graph_tools.knowledge_graph import KnowledgeGraph
from graph_tools.pack import StoryPack
from graph_tools.persona import ArcBeat
from graph_tools.proofs import proofs
from graph_tools.terms import Iri, Triple


@dataclass(frozen=True, slots=True)
class TouchedQuestion:
    """A question whose proofs change."""

    id: str
    lost: tuple[Triple, ...]
    """Statements of its old proofs that the new graph has no longer."""
    gained: tuple[Triple, ...]
    """Statements of its new proofs that the old graph had not."""
    silenced: bool
    """True where the old graph answered it and the new one does not, for anybody."""


@dataclass(frozen=True, slots=True)
class TouchedBeat:
    """A beat of an arc in which a touched question may be told."""

    persona: str
    length: str
    index: int
    step: str
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TouchedStop:
    """A stop of a tour whose own answers change, or one that may draw a touched question."""

    tour: str
    stop: str
    heading: str
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphChange:
    """From one graph to another."""

    lost: tuple[Triple, ...]
    gained: tuple[Triple, ...]
    questions: tuple[TouchedQuestion, ...]
    beats: tuple[TouchedBeat, ...]
    tours: tuple[TouchedStop, ...]


def compare(old: KnowledgeGraph, new: KnowledgeGraph, pack: StoryPack) -> GraphChange:
    """What the pack's questions, beats and tours lose and gain when `new` takes the place of `old`."""
    before, after = frozenset(old.match()), frozenset(new.match())
    lost, gained = before - after, after - before
    questions = _questions(old, new, pack, lost, gained) if lost or gained else ()
    ids = {question.id for question in questions}
    tours = tuple(_stops(old, new, pack, lost | gained, ids)) if ids else ()
    return GraphChange(_sorted(lost), _sorted(gained), questions, _beats(pack, ids), tours)


def _questions(
    old: KnowledgeGraph, new: KnowledgeGraph, pack: StoryPack, lost: frozenset[Triple], gained: frozenset[Triple]
) -> tuple[TouchedQuestion, ...]:
    before, after = proofs(pack.with_graph(old)), proofs(pack.with_graph(new))
    found = []
    for cq_id in sorted(pack.library):
        gone, come = before[cq_id] & lost, after[cq_id] & gained
        if gone or come:
            silenced = bool(before[cq_id]) and not after[cq_id]
            found.append(TouchedQuestion(cq_id, _sorted(gone), _sorted(come), silenced))
    return tuple(found)


def _beats(pack: StoryPack, touched: set[str]) -> tuple[TouchedBeat, ...]:
    found = []
    for persona, arcs in sorted(pack.arcs.arcs.items()):
        for length, arc in sorted(arcs.items()):
            for index, beat in enumerate(arc.beats):
                ids = tuple(sorted(_tellable_in(beat, persona, pack) & touched))
                if ids:
                    found.append(TouchedBeat(persona, length, index, beat.step, ids))
    return tuple(found)


def _stops(
    old: KnowledgeGraph, new: KnowledgeGraph, pack: StoryPack, changed: frozenset[Triple], touched: set[str]
) -> Iterator[TouchedStop]:
    """The stops that are touched: a fixed one where the proof of what it asks changes, for what it is bound to."""
    both = [(packed, Answers(packed)) for packed in (pack.with_graph(old), pack.with_graph(new))]
    for name, tour in pack.tours.items():
        for stop in tour.stops:
            if stop.any_ is not None:
                ids = tuple(sorted(set(stop.any_.cqs or pack.library) & touched))
            else:
                asked = [cq_id for cq_id in (stop.cq, *stop.companions) if cq_id in touched]
                ids = tuple(
                    cq_id
                    for cq_id in asked
                    if any(changed & _proof(cq_id, stop.bind, packed, answers) for packed, answers in both)
                )
            if ids:
                yield TouchedStop(name, stop.id, stop.heading, ids)


def _proof(cq_id: str, bind: Mapping[str, str], pack: StoryPack, answers: Answers) -> frozenset[Triple]:
    """The statements that prove the answer to a question of a stop; none where its entities are not in the graph."""
    template = pack.library[cq_id]
    bindings = {name: Iri(bind[name]) if name in bind else pack.defaults[name] for name in template.cq.parameters}
    try:
        return answers.proof(cq_id, bindings)
    except BindingError:
        return frozenset()


def _tellable_in(beat: ArcBeat, persona: str, pack: StoryPack) -> set[str]:
    """The questions that may lead the beat, and those that may join them there."""
    leads = set(beat.named) or {
        cq_id for cq_id, template in pack.library.items() if template.cq.serves(persona, beat.step)
    }
    if beat.questions == 1:
        return leads
    return leads.union(*(pack.library[cq_id].cq.companions for cq_id in leads))


def _sorted(triples: frozenset[Triple]) -> tuple[Triple, ...]:
    return tuple(sorted(triples, key=lambda triple: triple.n3()))
