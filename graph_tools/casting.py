"""Whom a story follows: every entity has its turn among the seeds, and the scores decide among those near it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count as count_from
from math import gcd
from random import Random

from graph_tools import scoring
from graph_tools.composer import BeatComposer
from graph_tools.persona import ArcBeat
from graph_tools.plan import Followed, Other, StoryRequest
from graph_tools.reasons import because, reason
from graph_tools.scoring import MANY_FACTS, MANY_SOURCES, Score
from graph_tools.terms import Iri

GOLDEN = 0.382
"""Share of a round from one seed's turn to the next one's: steps of it fall into its gaps evenly."""
OTHERS = 3
"""Entities named that are not followed, at most."""


@dataclass(frozen=True, slots=True)
class Role:
    """Who is wanted."""

    entry: ArcBeat
    """The step that brings the entity in."""
    first: Iri | None = None
    """The entity that the story follows already; None where this is to be the first."""


def cast(role: Role, request: StoryRequest, composer: BeatComposer) -> Followed | None:
    """The entity with the highest score of those that can be followed; None where there is none."""
    scores = _scores(role, request, composer)
    ranked = sorted(scores, key=lambda iri: (-scores[iri].total, iri))
    chosen = next((iri for iri in ranked if can_be_followed(iri, role.entry, composer)), None)
    if chosen is None:
        return None
    refused = set(ranked[: ranked.index(chosen)])
    name = composer.pack.entities.name
    others = [
        Other(
            iri=iri.value,
            name=name(iri),
            total=scores[iri].total,
            because="too little can be told of it" if iri in refused else because(scores[iri], scores[chosen]),
        )
        for iri in [iri for iri in ranked if iri != chosen][:OTHERS]
    ]
    why = reason(f"{name(chosen)} is followed", scores[chosen])
    return Followed(iri=chosen.value, name=name(chosen), reason=why, alternatives=tuple(others))


def can_be_followed(iri: Iri, entry: ArcBeat, composer: BeatComposer) -> bool:
    """True where the entity fills the step that brings it in, and has as many answers as `lead_answers` asks."""
    if all(composer.asks(cq, iri) is None for cq in composer.candidates(entry)):
        return False
    left = composer.pack.arcs.lead_answers
    for cq in composer.leading():
        left -= composer.asks(cq, iri) is not None
        if left <= 0:
            return True
    return False


def _scores(role: Role, request: StoryRequest, composer: BeatComposer) -> dict[Iri, Score]:
    """The score of every entity of the class that can be followed. No question is asked for it."""
    arcs = composer.pack.arcs
    members = composer.pack.entities.of_class(Iri(arcs.lead_class))
    places, called = _round(role, request, members)
    beside = [composer.standing(role.first).related] if role.first else []
    told = {iri: 1 for related in beside for iri in related}
    found: dict[Iri, Score] = {}
    for iri in members:
        standing = composer.standing(iri)
        parts = {
            "turn": scoring.turn(places[iri], called, len(members)),
            "salience": scoring.salience(standing.facts, standing.publishers, MANY_FACTS, MANY_SOURCES),
        }
        if beside:
            parts["continuity"] = scoring.continuity(standing.related, beside)
            parts["balance"] = scoring.balance([standing.related], told, len(beside))
        if iri != role.first:
            noise = scoring.drawn(request.seed, request.persona, bool(beside), iri.value)
            found[iri] = Score.of(parts, arcs.scoring.leads, noise)
    return found


def _round(role: Role, request: StoryRequest, members: tuple[Iri, ...]) -> tuple[dict[Iri, int], int]:
    """Each entity's place in this round, and the place of the one whose turn it is.

    As many seeds as there are entities make a round: each of them has one turn in it as the first that is followed, and
    one, half a round later, as the second. Neighbouring seeds have their turns far apart."""
    count = len(members)
    number, at = divmod(request.seed, count)
    order = list(members)
    Random(f"{request.persona}|round {number}").shuffle(order)
    stride = next(step for step in count_from(round(GOLDEN * count) or 1) if gcd(step, count) == 1)
    half = 0 if role.first is None else count // 2
    return {iri: place for place, iri in enumerate(order)}, (at * stride + half) % count
