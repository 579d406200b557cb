"""Whether a visitor can get through a tour: nothing out of reach, no dead end, no lock, no round without a choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from graph_tools.checks.tour_ways import MOST_SITUATIONS, Situation, Ways, state_of
from graph_tools.toml_source import Path as Place
from graph_tools.tour import Branch, Stop, Tour
from graph_tools.tour_walk import options


class Finding(NamedTuple):
    """A problem of a tour, and the key of its file where it lies."""

    at: Place
    rule: str
    cause: str
    remedy: str


class Closed(NamedTuple):
    """A branch that is open to nobody, though its stop is come to."""

    stop: Stop
    at: Place
    branch: Branch
    why_not: str
    """As it was seen first."""


@dataclass(frozen=True, slots=True)
class Structure:
    """A tour with all the ways through it, one for each persona."""

    tour: Tour
    ways: tuple[Ways, ...]

    def at(self, stop_id: str) -> Place:
        """The place of a stop in its file."""
        return ("stops", self.tour.ids.index(stop_id))

    def findings(self) -> Iterator[Finding]:
        """Every problem of the ways."""
        if not all(ways.complete for ways in self.ways):
            cause = f"a visitor can be in more than {MOST_SITUATIONS:,} situations: too many to walk them all"
            yield Finding((), "tour-large", cause, "take branches out, or let them join sooner")
            return
        closed = list(self._closed())
        yield from self._locked(closed)
        yield from self._unreached({found.branch.to for found in closed})
        for ways in self.ways:
            yield from self._stuck(ways)

    def _stuck(self, ways: Ways) -> Iterator[Finding]:
        for situation in _one_a_stop(ways.stuck()):
            cause = f"a visitor who went {ways.walk(situation)} cannot go on"
            yield Finding(
                self.at(situation.stop),
                "tour-dead-end",
                cause,
                "add `next`, a branch that is open then, or `end = true`",
            )
        loops = list(ways.forced())
        for cycle in loops:
            cause = f"nothing is to be chosen on the way round {' > '.join(cycle)}"
            yield Finding(self.at(cycle[0]), "tour-cycle", cause, "let it branch, or lead on to an end")
        trapped = next(ways.endless(), None)
        if trapped is not None and not loops:
            cause = f"a visitor who went {ways.walk(trapped)} cannot come to an end of the tour"
            yield Finding(self.at(trapped.stop), "tour-dead-end", cause, "add a way that leads to one")

    def _closed(self) -> Iterator[Closed]:
        opened: set[tuple[str, str]] = set()
        reasons: dict[tuple[str, str], str] = {}
        for ways in self.ways:
            for situation in ways.steps:
                for way in options(self.tour, state_of(situation, ways.persona)):
                    key = (situation.stop, way.id)
                    reasons.setdefault(key, way.why_not)
                    if way.available:
                        opened.add(key)
        for stop in self.tour.stops:
            for number, branch in enumerate(stop.branches):
                key = (stop.id, branch.key)
                if key in reasons and key not in opened:
                    yield Closed(stop, (*self.at(stop.id), "branches", number), branch, reasons[key])

    def _locked(self, closed: Iterable[Closed]) -> Iterator[Finding]:
        """Branches that never open: those that wait for each other in a ring, and the others."""
        waits = {found.branch.to: found.branch.heard for found in closed if found.branch.heard}
        rings: set[frozenset[str]] = set()
        for found in closed:
            ring = _ring(found.branch.to, waits)
            if not ring:
                cause = f"branch {found.branch.key!r} of stop {found.stop.id!r} is never open: {found.why_not}"
                yield Finding(found.at, "tour-condition", cause, "change its conditions, or take it out")
            elif frozenset(ring) not in rings:
                rings.add(frozenset(ring))
                cause = f"stops wait for each other: {' waits for '.join(ring)}"
                yield Finding(found.at, "tour-lock", cause, "take one of the conditions out")

    def _unreached(self, closed: set[str]) -> Iterator[Finding]:
        """Stops that nobody comes to; those behind a branch that is `closed` were named with it."""
        reached = {situation.stop for ways in self.ways for situation in ways.steps}
        explained, waiting = set(closed), list(closed)
        while waiting:
            fresh = set(self.tour.stop(waiting.pop()).ways) - explained
            explained |= fresh
            waiting += fresh
        led_to = {to for stop in self.tour.stops for to in stop.ways if to != stop.id}
        for stop in self.tour.stops:
            if stop.id in reached | explained:
                continue
            at = (*self.at(stop.id), "id")
            if stop.id in led_to:
                cause = f"no way from the start leads to stop {stop.id!r}"
                yield Finding(at, "tour-unreachable", cause, "lead there, or take it out")
            else:
                cause = f"nothing leads to stop {stop.id!r}, and the tour starts at {self.tour.start!r}"
                yield Finding(at, "tour-unreachable", cause, "let a branch lead there: a tour has one start")


def _one_a_stop(situations: Iterable[Situation]) -> Iterator[Situation]:
    seen: set[str] = set()
    for situation in situations:
        if situation.stop not in seen:
            seen.add(situation.stop)
            yield situation


def _ring(start: str, waits: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The stops from `start` back to it, each waiting for the next; empty where there is no such ring."""
    paths = [[start]]
    seen: set[str] = set()
    while paths:
        path = paths.pop(0)
        for needed in waits.get(path[-1], ()):
            if needed == start:
                return [*path, start]
            if needed not in seen:
                seen.add(needed)
                paths.append([*path, needed])
    return []
