"""How good a choice is: pure functions from 0 to 1, weighed by a curator (`[scoring]` of arcs.toml, docs/planning.md).

What they are given is plain: sets of entities, statements and themes, and numbers. A score is the weighted sum of its
parts and of a little noise, which the seed draws; of equal scores the smaller id wins.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from random import Random

from pydantic import BaseModel, ConfigDict, Field

FROZEN = ConfigDict(frozen=True, extra="forbid")

SHARED_ENOUGH = 2
"""Entities in common from which two beats hang together as well as they can."""
FEW_FACTS, FEW_SOURCES = 6, 2
"""Statements and publishers at which a question is half as salient as it can be."""
MANY_FACTS, MANY_SOURCES = 60, 6
"""The same for an entity, of which the graph says more."""
TURNS = 6
"""Entities from the one whose turn it is, it included, that the turn still speaks for."""


class QuestionWeights(BaseModel):
    """What each part counts when a question is chosen to lead a beat, or to join one."""

    model_config = FROZEN

    continuity: float = Field(default=1.0, ge=0, le=10)
    novelty: float = Field(default=1.0, ge=0, le=10)
    balance: float = Field(default=1.0, ge=0, le=10)
    salience: float = Field(default=0.5, ge=0, le=10)
    interest: float = Field(default=0.5, ge=0, le=10)
    room: float = Field(default=1.0, ge=0, le=10)
    noise: float = Field(default=0.5, ge=0, le=10)
    """The most that the seed's draw adds."""


class LeadWeights(BaseModel):
    """What each part counts when an entity is chosen to be followed."""

    model_config = FROZEN

    turn: float = Field(default=2.0, ge=0, le=10)
    salience: float = Field(default=0.5, ge=0, le=10)
    continuity: float = Field(default=0.2, ge=0, le=10)
    balance: float = Field(default=0.3, ge=0, le=10)
    noise: float = Field(default=0.1, ge=0, le=10)
    """The most that the seed's draw adds."""


class Scoring(BaseModel):
    """`[scoring]` of arcs.toml."""

    model_config = FROZEN

    questions: QuestionWeights = QuestionWeights()
    leads: LeadWeights = LeadWeights()
    kinds: dict[str, tuple[str, ...]] = {}
    """Kind -> classes (IRIs) of its entities: what a story is kept in balance over. Without any, every class counts."""


@dataclass(frozen=True, slots=True)
class Score:
    """What speaks for one choice."""

    parts: Mapping[str, float]
    """Name -> value from 0 to 1, in the order of the weights."""
    gains: Mapping[str, float]
    """Name -> value times weight; "noise" among them."""
    total: float
    """Their sum, to three decimals."""

    @classmethod
    def of(cls, parts: Mapping[str, float], weights: BaseModel, drawn: float) -> Score:
        """The weighted sum of the parts; `drawn` is the noise, from 0 to 1. A part that was left out counts nothing."""
        weighed = {name: float(weight) for name, weight in weights.model_dump().items()}
        gains = {
            name: weight * (drawn if name == "noise" else parts.get(name, 0.0)) for name, weight in weighed.items()
        }
        known = {name: round(parts[name], 3) for name in weighed if name in parts}
        return cls(known, gains, round(sum(gains.values()), 3))


def continuity(entities: Collection[str], beside: Iterable[Collection[str]]) -> float:
    """How well it hangs together with the beats beside it: the mean over them of shared / 2, at most 1.

    `shared` counts the entities that both name. 0 where nothing stands beside it."""
    joined = [min(1.0, len(set(entities) & set(other)) / SHARED_ENOUGH) for other in beside]
    return _mean(joined)


def novelty(statements: Collection[str], heard: Collection[str]) -> float:
    """The share of its statements that the story does not tell elsewhere: 1 - heard / all. 0 where it has none."""
    return sum(statement not in heard for statement in statements) / len(statements) if statements else 0.0


def balance(groups: Iterable[Collection[str]], told: Mapping[str, int], beats: int) -> float:
    """How much of it the story has had too little of: the mean over groups of the mean over their members of
    1 - told / beats.

    Groups are its topics (kinds and themes), its entities, and the question itself, whomever it is asked about. `told`
    counts the beats that have such a member, `beats` all of them. Empty groups do not count; 0 where all are."""
    filled = (sorted(group) for group in groups if group)
    return _mean([_mean([1 - told.get(name, 0) / beats if beats else 1.0 for name in group]) for group in filled])


def salience(facts: int, sources: int, few_facts: int = FEW_FACTS, few_sources: int = FEW_SOURCES) -> float:
    """How notable and how well attested: the mean of facts / (facts + few) and sources / (sources + few).

    `facts` are statements, `sources` publishers; at `few` of them each half reaches one half."""
    return (facts / (facts + few_facts) + sources / (sources + few_sources)) / 2


def interest(themes: Iterable[str], interests: Mapping[str, float]) -> float:
    """The persona's greatest interest among its themes; 0 where there is none."""
    return max((interests.get(theme, 0.0) for theme in themes), default=0.0)


def room(words: int, wanted: float) -> float:
    """words / wanted, at most 1: how far it fills its beat's share of the story."""
    return min(1.0, words / wanted) if wanted > 0 else 1.0


def turn(place: int, called: int, count: int) -> float:
    """1 for the entity whose turn it is, falling by 1/6 for each one further on in the round; 0 from the sixth on.

    `place` is the entity's place in the round, `called` the one whose turn it is, `count` how many there are."""
    return max(0.0, 1 - ((place - called) % count) / TURNS)


def drawn(*seed: object) -> float:
    """Noise from 0 to 1 for one choice: it depends on nothing but what is named here, nor on the order of the draws."""
    return Random("|".join(map(str, seed))).random()


def _mean(values: Collection[float]) -> float:
    return sum(values) / len(values) if values else 0.0
