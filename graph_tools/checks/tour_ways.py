"""Every situation that a visitor of a tour can be in: which stop, which stops before it, which choices that matter."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graph_tools.tour import Tour
from graph_tools.tour_walk import TourState, Way, options

MOST_SITUATIONS = 10_000
"""Beyond this a tour is not walked any further: nobody could look it over either."""


@dataclass(frozen=True, slots=True)
class Situation:
    """Walks that have the same future: the order of the stops before makes no difference to it."""

    stop: str
    heard: frozenset[str]
    """The stops that the visitor has been at, this one among them."""
    made: frozenset[str] = frozenset()
    """Choices made, of those that some condition of the tour asks for."""


@dataclass(frozen=True, slots=True)
class Ways:
    """All situations of one tour for one persona."""

    tour: Tour
    persona: str
    steps: Mapping[Situation, tuple[tuple[Way, Situation], ...]]
    """Situation -> the open ways and where they lead, in the order in which situations were come to."""
    came: Mapping[Situation, Situation | None]
    """Situation -> the one before it on a shortest walk."""
    complete: bool

    def walk(self, situation: Situation) -> str:
        """The stops of a shortest walk to it: "a > b > c"."""
        path = []
        here: Situation | None = situation
        while here is not None:
            path.append(here.stop)
            here = self.came[here]
        return " > ".join(reversed(path))

    def stuck(self) -> Iterator[Situation]:
        """Situations with no way on that are no end."""
        return (s for s, steps in self.steps.items() if not steps and not self.tour.stop(s.stop).end)

    def endless(self) -> Iterator[Situation]:
        """Situations from which there are ways on, but none that comes to any end."""
        before: dict[Situation, list[Situation]] = {}
        for situation, steps in self.steps.items():
            for _, there in steps:
                before.setdefault(there, []).append(situation)
        ending = [situation for situation, steps in self.steps.items() if not steps]
        found = set(ending)
        while ending:
            fresh = [s for s in before.get(ending.pop(), ()) if s not in found]
            found.update(fresh)
            ending += fresh
        return (situation for situation in self.steps if situation not in found)

    def forced(self) -> Iterator[tuple[str, ...]]:
        """Cycles in which there is never anything to choose, each as its stops, the first one again at the end."""
        only = {s: steps[0][1] for s, steps in self.steps.items() if len(steps) == 1}
        seen: set[Situation] = set()
        for start in only:
            path: list[Situation] = []
            here = start
            while here in only and here not in seen:
                seen.add(here)
                path.append(here)
                here = only[here]
            if here in path:
                cycle = path[path.index(here) :]
                yield (*(situation.stop for situation in cycle), here.stop)


def explore(tour: Tour, persona: str) -> Ways:
    """Every situation, breadth first; not complete where there are more than MOST_SITUATIONS."""
    asked = {choice for stop in tour.stops for branch in stop.branches for choice in branch.chosen}
    first = Situation(tour.start, frozenset({tour.start}))
    came: dict[Situation, Situation | None] = {first: None}
    steps: dict[Situation, tuple[tuple[Way, Situation], ...]] = {}
    waiting = deque([first])
    while waiting and len(steps) < MOST_SITUATIONS:
        here = waiting.popleft()
        steps[here] = tuple(_steps(here, tour, persona, asked))
        for _, there in steps[here]:
            if there not in came:
                came[there] = here
                waiting.append(there)
    return Ways(tour, persona, steps, came, complete=not waiting)


def state_of(situation: Situation, persona: str) -> TourState:
    """Some walk that is in that situation."""
    path = (*sorted(situation.heard - {situation.stop}), situation.stop)
    return TourState(persona=persona, path=path, made=tuple(sorted(situation.made)))


def _steps(here: Situation, tour: Tour, persona: str, asked: set[str]) -> Iterator[tuple[Way, Situation]]:
    for way in options(tour, state_of(here, persona)):
        if way.available and way.kind != "leave":
            made = here.made | ({f"{here.stop}.{way.id}"} & asked)
            yield way, Situation(way.to, here.heard | {way.to}, made)
