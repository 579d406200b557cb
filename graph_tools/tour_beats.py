"""What the stops of a tour tell: the beat of a fixed stop, the questions that a drawn one may choose from, and how many
words and minutes that makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple

from graph_tools.composer import BeatComposer
from graph_tools.cq import CompetencyQuestion
from graph_tools.novelty import shares
from graph_tools.plan import Beat, Question
from graph_tools.terms import Iri
from graph_tools.tour import AnyOf, Stop, Tour
from graph_tools.tour_walk import TourState, begin, options, over, take

WORDS: Mapping[str, int] = {"small": 22, "medium": 38, "long": 55}
"""Length -> words told at a stop, where the stop does not say."""
WALKS = 60
"""Seeded walks over which minutes are counted."""


class Left(NamedTuple):
    """What is still ahead of a walk."""

    least: int
    """Stops, where the visitor takes the shortest of many seeded ways."""
    most: int
    seconds: float
    """The mean over the same ways, told and gone."""


class StopBeats:
    """The beats of one tour for one persona; what it found out is remembered."""

    def __init__(self, tour: Tour, composer: BeatComposer) -> None:
        self.tour = tour
        self.composer = composer
        self._drawn: dict[str, tuple[Question, ...]] = {}
        self._lengths: dict[str, Mapping[str, int]] = {}

    def beat(self, stop: Stop, seed: int, fresh: Callable[[Question], bool]) -> Beat | None:
        """What is told there; None at a crossing, or where nothing that may be drawn is `fresh`.

        `fresh` says whether a question would tell a visitor something new. The same stop and seed draw in the same
        order."""
        if stop.cq:
            return Beat(step=stop.heading, questions=self.questions(stop))
        pool = list(self.drawn(stop))
        Random(f"{seed}|stop|{stop.id}").shuffle(pool)
        chosen = next((question for question in pool if fresh(question)), None)
        return Beat(step=stop.heading, questions=(chosen,)) if chosen else None

    def questions(self, stop: Stop) -> tuple[Question, ...]:
        """The questions of a fixed stop, the leading one first."""
        library = self.composer.pack.library
        return tuple(self._bound(library[cq_id].cq, stop.bind) for cq_id in (stop.cq, *stop.companions))

    def drawn(self, stop: Stop) -> tuple[Question, ...]:
        """What a drawn stop may choose from, sorted: all that fits and can be told, but what another stop tells."""
        if stop.any_ is None:
            return ()
        if stop.id not in self._drawn:
            fixed = [q for other in self.tour.stops if other.cq for q in self.questions(other)[:1]]
            taken = [self.composer.statements(question) for question in fixed]
            found = [
                question
                for question in self._fitting(stop, stop.any_)
                if self.composer.tellable(question)
                and not any(shares(self.composer.statements(question), statements) for statements in taken)
            ]
            self._drawn[stop.id] = tuple(sorted(found, key=lambda question: question.key))
        return self._drawn[stop.id]

    def words(self, stop: Stop, length: str) -> int:
        """About how many words are told there: what is asked for, as far as there is enough to tell."""
        if not stop.tells:
            return 0
        asked = wanted(stop, length)
        pool = [self.questions(stop)] if stop.cq else [(question,) for question in self.drawn(stop)]
        room = [self.composer.capacity(questions) for questions in pool] or [0]
        return min(asked, round(sum(room) / len(room)))

    def minutes(self, length: str) -> tuple[float, float]:
        """How long the shortest and the longest of many seeded walks take, read aloud and gone."""
        told, start = self._told(length), begin(self.tour, self.composer.persona)
        found = [self._here(start, told) + self._onwards(seed, start, told)[1] for seed in range(WALKS)]
        return min(found) / 60, max(found) / 60

    def left(self, state: TourState, length: str) -> Left:
        """The stops after the one where a walk is, and how long they take."""
        told = self._told(length)
        found = [self._onwards(seed, state, told) for seed in range(WALKS)]
        stops = [number for number, _ in found]
        return Left(min(stops), max(stops), sum(seconds for _, seconds in found) / WALKS)

    def _told(self, length: str) -> Mapping[str, int]:
        """Words told at each stop; found out once for each length."""
        if length not in self._lengths:
            self._lengths[length] = {stop.id: self.words(stop, length) for stop in self.tour.stops}
        return self._lengths[length]

    def _here(self, state: TourState, told: Mapping[str, int]) -> float:
        """Seconds that a stop takes, staging and all."""
        stop = self.tour.stop(state.stop)
        staging = len(f"{stop.say if state.fresh else stop.back} {stop.then}".split())
        return (staging + (told[stop.id] if state.fresh else 0)) * 60 / self.tour.pace

    def _onwards(self, seed: int, state: TourState, told: Mapping[str, int]) -> tuple[int, float]:
        """How many stops one seeded walk has from there to its end, and how many seconds."""
        tour, rng = self.tour, Random(f"{seed}|minutes")
        stops, seconds = 0, 0.0
        while not over(tour, state):
            state = take(tour, state, rng.choice([way.id for way in options(tour, state) if way.available]))
            seconds += tour.between
            if not state.left:
                stops, seconds = stops + 1, seconds + self._here(state, told)
        return stops, seconds

    def _fitting(self, stop: Stop, any_: AnyOf) -> list[Question]:
        """Every question that a drawn stop asks for, about everything that its one open parameter may be."""
        composer = self.composer
        found: list[Question] = []
        for cq in composer.leading():
            if any_.cqs and cq.id not in any_.cqs:
                continue
            if (any_.step and any_.step not in cq.steps) or (any_.themes and not set(any_.themes) & set(cq.themes)):
                continue
            open_ = sorted(cq.parameters.keys() - stop.bind.keys() - composer.pack.defaults.keys())
            if not stop.bind.keys() <= cq.parameters.keys() or len(open_) > 1:
                continue
            if not open_ and not (any_.class_ or any_.among):
                found.append(self._bound(cq, stop.bind))
            found += [self._bound(cq, stop.bind | {name: iri}) for name in open_ for iri in self._who(cq, name, any_)]
        return found

    def _who(self, cq: CompetencyQuestion, name: str, any_: AnyOf) -> list[str]:
        entities = self.composer.pack.entities
        members = entities.of_class(Iri(cq.parameters[name].type))
        wanted = set(entities.of_class(Iri(any_.class_))) if any_.class_ else set(members)
        return [iri.value for iri in members if iri in wanted and (not any_.among or iri.value in any_.among)]

    def _bound(self, cq: CompetencyQuestion, bind: Mapping[str, str]) -> Question:
        defaults = self.composer.pack.defaults
        bindings = {name: bind.get(name) or defaults[name].value for name in cq.parameters}
        return self.composer.worded(cq, bindings)


def wanted(stop: Stop, length: str) -> int:
    """Words to tell at a stop; what the file says goes before the length."""
    return stop.words or WORDS.get(length, WORDS["medium"])
