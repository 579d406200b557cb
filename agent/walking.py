"""Telling evidence as a walk: what was reached along a relation is told in that relation's words, and each sentence
takes up somebody or something of the one before.

A leg is one stretch of a walk. A fact one step away is about an entity of the question; one two steps away may be told
only after a fact that leads there, or the visitor would not know why it is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from weakref import WeakKeyDictionary

from graph_tools.cq import CompetencyQuestion
from graph_tools.evidence import Factlet
from graph_tools.persona import Persona
from graph_tools.relations import Connection, Relations, Way
from graph_tools.sayable import Saying, sayings
from graph_tools.wording import Voice

LEGS = 24
"""Legs for one question that are weighed at most, the nearest to it first."""
OFF_THE_WAY = 7.0
"""What a sentence costs that takes up nothing of the one before."""
ON_TOPIC = 2.5
"""What one costs that takes up its topic, and nobody and nothing else."""
AFAR = 0.35
"""What each bunch of facts costs that is more relevant and is passed over."""
OPENING = 5.0
"""What it costs that the sentence that opens is not of the nearest bunch: it answers the beat's question."""
LEADING = 4.0
"""What it is worth that the last sentence comes to whom the next beat is about."""
_KEPT = 20_000
"""Bunches whose sayings are remembered at most."""


@dataclass(frozen=True, slots=True)
class Leg:
    """What one message is about, on a walk."""

    bunch: int
    """Place of its facts' bunch in the evidence: the order of the walk, the nearest to the question first."""
    start: str
    """IRI from which it goes."""
    begun: bool
    """True where that is an entity of the question."""
    ends: frozenset[str]
    """IRIs to which it leads."""
    alone: bool = True
    """False where it can be understood only after an earlier part of its thread."""
    thread: str = ""
    """IRI of what it is a part of, or ""."""
    place: int = 0
    """Its place there."""

    @property
    def stops(self) -> frozenset[str]:
        """Everything on it."""
        return self.ends | {self.start}


@dataclass(frozen=True, slots=True)
class Around:
    """What lies before and behind a walk, as IRIs."""

    hubs: frozenset[str] = frozenset()
    """What everything here is about, so that it joins nothing."""
    near: frozenset[str] = frozenset()
    """What the sentence before is about."""
    ahead: frozenset[str] = frozenset()
    """Whom the next beat of the plan is about."""
    nearest: int = 0
    """The bunch nearest to the question that a walk can begin with."""


NOWHERE = Around()


def walked(
    cq: CompetencyQuestion, factlets: Sequence[Factlet], persona: Persona, voice: Voice, relations: Relations
) -> Iterator[tuple[Saying, Leg]]:
    """All that can be said of facts that were walked to, in the order of the walk.

    What ranges over all rows of a bunch is said only where the evidence holds all that the graph has."""
    at = 0
    bunches = groupby(factlets, key=lambda factlet: (factlet.way, factlet.path[-1].start, len(factlet.path)))
    for number, ((key, start, steps), told) in enumerate(bunches):
        rows = tuple(told)
        _, way = relations.way(key)
        own = [telling for telling in way.telling if not telling.personas or persona.id in telling.personas]
        for saying in _said(cq, rows, persona, voice, relations):
            at_row = rows if saying.telling.rows == "all" else rows[saying.row : saying.row + 1]
            ends = frozenset(
                value.value for row in at_row for name in way.to if (value := row.values.get(name)) is not None
            )
            thread, place = _part(at_row[0], way)
            alone = not way.thread or own[saying.at].role == "lead"
            leg = Leg(number, start, steps == 1, ends, alone, thread, place)
            yield replace(saying, at=at + saying.at, factlets=at_row), leg
        at += len(own)


def opens(leg: Leg) -> bool:
    """True where a walk may begin with it: it is about an entity of the question, and takes nothing for heard."""
    return leg.begun and leg.alone


def leads_on(before: Leg, leg: Leg) -> bool:
    """True where a leg can be told right after another one: what is two steps away after what leads there, or goes on
    from there too; what is part of a thread after an earlier part."""
    return (leg.begun or leg.start in before.ends or (leg.start == before.start and not before.begun)) and (
        leg.alone or (leg.thread == before.thread != "" and before.place < leg.place)
    )


def opening(leg: Leg, around: Around) -> float:
    """What it costs to begin with a leg."""
    far = OPENING + AFAR * leg.bunch if leg.bunch > around.nearest else 0.0
    return far + (_gap(around.near, "", leg, around.hubs) if around.near else 0.0)


def going_on(before: Leg, leg: Leg, around: Around) -> float:
    """What it costs to tell a leg after another one: that it takes up nothing of it, or is far from the question."""
    return _gap(before.stops, before.thread, leg, around.hubs) + AFAR * leg.bunch / 2


def astray(legs: Sequence[Leg], around: Around) -> float:
    """What a whole walk costs."""
    led = bool((legs[-1].ends & around.ahead) - around.hubs)
    on = sum(going_on(before, leg, around) for before, leg in pairwise(legs))
    return opening(legs[0], around) + on - LEADING * led


def _gap(stops: frozenset[str], thread: str, leg: Leg, hubs: frozenset[str]) -> float:
    shared = (stops & leg.stops) - hubs
    if shared - {thread, leg.thread}:
        return 0.0
    return ON_TOPIC if shared else OFF_THE_WAY


def _said(
    cq: CompetencyQuestion, rows: tuple[Factlet, ...], persona: Persona, voice: Voice, relations: Relations
) -> tuple[Saying, ...]:
    """What can be said of a bunch in a persona's voice; remembered, since neither words nor graph change."""
    first = rows[0]
    start, steps = first.path[-1].start, len(first.path)
    key = (cq.id, first.way, start, steps, persona.id, tuple(row.text for row in rows))
    known = _sayings.setdefault(relations, {})
    if key not in known:
        if len(known) >= _KEPT:
            known.clear()
        connection, way = relations.way(first.way)
        asked = _in_words_of(cq, connection, way, start, steps)
        found = sayings(asked, rows, persona, voice, truncated=len(rows) < first.out_of)
        known[key] = found
    return known[key]


_sayings: WeakKeyDictionary[Relations, dict[tuple[object, ...], tuple[Saying, ...]]] = WeakKeyDictionary()


def _part(factlet: Factlet, way: Way) -> tuple[str, int]:
    """Of which thread a fact is a part, and its place in it."""
    thread, place = ([factlet.values.get(name) for name in way.thread] + [None, None])[:2]
    counted = int(place.value) if place is not None and place.value.isdecimal() else 0
    return thread.value if thread is not None else "", counted


def _in_words_of(
    cq: CompetencyQuestion, connection: Connection, way: Way, start: str, steps: int
) -> CompetencyQuestion:
    """The question told in a relation's words. What is two steps away opens no beat."""
    tellings = tuple(
        telling.model_copy(
            update={
                "aspect": f"{connection.key(way)} <{start}> {telling.aspect}",
                "role": telling.role if steps == 1 else "detail",
            }
        )
        for telling in way.telling
    )
    return cq.model_copy(
        update={
            "telling": tellings,
            "parameters": {},
            "results": connection.relation.slots,
            "context": way.context,
            "anchor": connection.relation.anchor,
            "lead_in": {},
        }
    )
