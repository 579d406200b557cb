"""Whether a stop still has something new to say, whatever was told before it.

A walk tells a part of what its stops could tell. Here each stop before is taken to have told all of it, and each drawn
one to have drawn what leaves least: what holds then holds for every seed and length.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from graph_tools.checks.tour_structure import Finding, Structure
from graph_tools.checks.tour_ways import Situation, Ways
from graph_tools.composer import BeatComposer
from graph_tools.novelty import REPEATS_FROM
from graph_tools.plan import Question
from graph_tools.tour import Stop, Tour
from graph_tools.tour_beats import StopBeats
from graph_tools.tour_walk import crossing

WHO = "\0"
"""Stands in a finding for the personas that meet it."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A question that may lead at a stop. Sets of statements are bits of an integer."""

    openings: tuple[int, ...]
    """What each thing tells that may open its answer."""
    all: int
    """What it may tell."""

    def room(self, heard: int) -> float:
        """How many more statements could be heard before nothing of it is new; none or less: nothing is."""
        rooms = [REPEATS_FROM * told.bit_count() - (told & heard).bit_count() for told in self.openings if told]
        return max(rooms, default=0.0)

    def lost(self, other: int, heard: int) -> int:
        """How many statements of it, at most, are heard from `other` beyond `heard`."""
        return max(((told & other & ~heard).bit_count() for told in self.openings), default=0)


class TourNews:
    """What the stops of one tour tell one persona, measured against each other."""

    def __init__(self, tour: Tour, composer: BeatComposer) -> None:
        self.beats = StopBeats(tour, composer)
        self._composer = composer
        self._bits: dict[str, int] = {}
        self._stops = {stop.id: stop for stop in tour.stops if stop.tells}
        self._candidates = {id_: self._of(stop) for id_, stop in self._stops.items()}
        self._told = {id_: self._all(stop) for id_, stop in self._stops.items() if stop.cq}
        self._known: dict[tuple[str, frozenset[str]], bool] = {}

    def mute(self, stop: Stop) -> tuple[Question, ...]:
        """The questions of a fixed stop that cannot be told at all."""
        if not stop.cq:
            return ()
        return tuple(question for question in self.beats.questions(stop) if not self._tellable(question))

    def silent(self, stop: str, before: Collection[str]) -> bool:
        """True where the stop might have nothing new to say after those."""
        earlier = frozenset(id_ for id_ in before if id_ in self._stops)
        if (stop, earlier) not in self._known:
            self._known[stop, earlier] = self._silent(stop, earlier)
        return self._known[stop, earlier]

    def takers(self, stop: str, before: Iterable[str]) -> list[str]:
        """Of those, the stops that may tell some of it, sorted."""
        wanted = self._union(candidate.all for candidate in self._candidates[stop])
        return sorted(id_ for id_ in before if id_ in self._stops and wanted & self._everything(id_))

    def _silent(self, stop: str, earlier: frozenset[str]) -> bool:
        heard = self._union(self._told[id_] for id_ in earlier if id_ in self._told)
        drawn = [self._candidates[id_] for id_ in sorted(earlier) if id_ not in self._told]
        own = self._candidates[stop]
        if stop in self._told:
            worst = (
                sum(max((own[0].lost(other.all, heard) for other in pool), default=0) for pool in drawn) if own else 0
            )
            return not own or own[0].room(heard) <= worst
        alive = [candidate for candidate in own if candidate.room(heard) > 0]
        return len(alive) <= sum(self._taken(alive, pool, heard, len(drawn)) for pool in drawn)

    def _taken(self, alive: list[_Candidate], pool: tuple[_Candidate, ...], heard: int, draws: int) -> int:
        """How many candidates one draw from the pool may spoil at most; each of `draws` has its share in it."""
        return max(
            (sum(own.lost(other.all, heard) >= own.room(heard) / draws for own in alive) for other in pool), default=0
        )

    def _of(self, stop: Stop) -> tuple[_Candidate, ...]:
        questions = self.beats.questions(stop)[:1] if stop.cq else self.beats.drawn(stop)
        return tuple(
            _Candidate(tuple(self._openings(question)), self._mask(self._composer.statements(question)))
            for question in questions
            if self._tellable(question)
        )

    def _openings(self, question: Question) -> Iterable[int]:
        for saying in self._composer.sayings(question):
            if saying.leads:
                yield self._mask({s for factlet in saying.factlets for s in factlet.told_statements})

    def _tellable(self, question: Question) -> bool:
        cq = self._composer.pack.library[question.cq].cq
        return cq.serves(self._composer.persona) and self._composer.tellable(question)

    def _all(self, stop: Stop) -> int:
        return self._union(self._mask(self._composer.statements(q)) for q in self.beats.questions(stop))

    def _everything(self, stop: str) -> int:
        return self._told.get(stop) or self._union(candidate.all for candidate in self._candidates[stop])

    def _mask(self, statements: Collection[str]) -> int:
        return self._union(1 << self._bits.setdefault(statement, len(self._bits)) for statement in statements)

    @staticmethod
    def _union(masks: Iterable[int]) -> int:
        found = 0
        for mask in masks:
            found |= mask
        return found


def news_findings(structure: Structure, ways: Ways, composer: BeatComposer) -> Iterator[Finding]:
    """Stops that have nothing to say, at all or on some way; each is named once."""
    tour, news = ways.tour, TourNews(ways.tour, composer)
    named: set[str] = set()
    for stop in tour.stops:
        for question in news.mute(stop):
            named.add(stop.id)
            cause = f"{question.cq}, {question.question!r}, cannot be told to {WHO}"
            yield Finding(structure.at(stop.id), "tour-empty", cause, "ask something else there")
    for before, here in _arrivals(ways):
        stop = tour.stop(here.stop)
        heard = before.heard if before else frozenset[str]()
        if stop.id in named:
            continue
        at = structure.at(stop.id)
        way = ways.walk(before) if before else ""
        if stop.id in heard:
            if not crossing(stop):
                named.add(stop.id)
                cause = f"a visitor who went {way} comes to {stop.id!r} again, where all was said"
                yield Finding(at, "tour-empty", cause, "lead somewhere else from there")
        elif stop.tells and news.silent(stop.id, heard):
            named.add(stop.id)
            if before is None or not (takers := news.takers(stop.id, heard)):
                yield Finding(at, "tour-empty", f"{stop.id!r} has nothing to tell {WHO}", "ask for more")
            else:
                cause = f"after {way}, {stop.id!r} may have nothing new for {WHO}"
                remedy = f"ask something else; what it tells may be told by {', '.join(takers)}"
                yield Finding(at, "tour-empty", cause, remedy)


def _arrivals(ways: Ways) -> Iterator[tuple[Situation | None, Situation]]:
    """Every step of every walk, the one to the start first."""
    for here, steps in ways.steps.items():
        if ways.came[here] is None:
            yield None, here
        yield from ((here, there) for _, there in steps)
