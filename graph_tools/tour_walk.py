"""A walk through a tour: where the visitor is, which ways are open, and the step to the next stop. Pure."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from graph_tools.errors import NotOffered, nearest
from graph_tools.tour import MOST_STEPS, Branch, Stop, Tour

FROZEN = ConfigDict(frozen=True, extra="forbid")

NEXT = "next"
"""Id of the way on for whoever chooses no branch."""
LEAVE = "leave"
"""Id of the way out, where no other is open or the walk has gone on for too long."""


class TourState(BaseModel):
    """One walk under way; plain JSON when dumped."""

    model_config = FROZEN

    persona: str
    path: tuple[str, ...] = Field(min_length=1)
    """Stops in the order in which the visitor came to them, the last one being here."""
    made: tuple[str, ...] = ()
    """Choices made, as `stop.branch`."""
    left: bool = False
    """True where the walk was broken off."""

    @property
    def stop(self) -> str:
        """Where the visitor is."""
        return self.path[-1]

    @property
    def heard(self) -> frozenset[str]:
        """The stops that the visitor has been at."""
        return frozenset(self.path)

    @property
    def fresh(self) -> bool:
        """True where the visitor is here for the first time: only then something is told."""
        return self.stop not in self.path[:-1]


class Way(BaseModel):
    """One way on from a stop."""

    model_config = FROZEN

    id: str
    """Unique at its stop; all that a client sends back."""
    label: str
    to: str
    """The stop it leads to; empty where it leads out."""
    kind: Literal["branch", "next", "leave"]
    available: bool = True
    why_not: str = ""
    """Where it is closed: why, for whoever writes the tour."""


def begin(tour: Tour, persona: str, at: str = "") -> TourState:
    """At the start of the tour, or at the stop to which a code on the wall leads. Raises NotOffered."""
    if at and at not in tour.ids:
        raise NotOffered(f"the tour has no stop {at!r}; {nearest(at, tour.ids)}")
    return TourState(persona=persona, path=(at or tour.start,))


def over(tour: Tour, state: TourState) -> bool:
    """True where the walk has come to an end."""
    return state.left or tour.stop(state.stop).end


def options(tour: Tour, state: TourState) -> tuple[Way, ...]:
    """The ways on, open or closed, in file order; nothing where the walk is over. Else one is open, be it the way out.

    A branch to a stop that was told is closed, unless there is something to choose at that stop. `next` comes last and
    is always open."""
    if over(tour, state):
        return ()
    out = Way(id=LEAVE, label="End the tour", to="", kind="leave")
    if len(state.path) >= MOST_STEPS * len(tour.stops):
        return (out,)
    here = tour.stop(state.stop)
    ways = tuple(_way(branch, tour, state) for branch in here.branches)
    if here.next:
        ways += (Way(id=NEXT, label="Go on", to=here.next, kind="next"),)
    return ways if any(way.available for way in ways) else (*ways, out)


def take(tour: Tour, state: TourState, way_id: str) -> TourState:
    """The walk after that choice. Raises NotOffered for one that is not open here."""
    open_ = {way.id: way for way in options(tour, state) if way.available}
    way = open_.get(way_id)
    if way is None:
        raise NotOffered(f"{way_id!r} is no way on from {state.stop!r} now; open are {', '.join(open_) or 'none'}")
    if way.kind == "leave":
        return state.model_copy(update={"left": True})
    made = (*state.made, f"{state.stop}.{way.id}") if way.kind == "branch" else state.made
    return state.model_copy(update={"path": (*state.path, way.to), "made": made})


def crossing(stop: Stop) -> bool:
    """True where a visitor may come back: there is something to choose."""
    return bool(stop.branches)


def _way(branch: Branch, tour: Tour, state: TourState) -> Way:
    why_not = _closed(branch, tour, state)
    return Way(id=branch.key, label=branch.label, to=branch.to, kind="branch", available=not why_not, why_not=why_not)


def _closed(branch: Branch, tour: Tour, state: TourState) -> str:
    heard, target = state.heard, tour.stop(branch.to)
    if branch.personas and state.persona not in branch.personas:
        return f"only for {' and '.join(branch.personas)}"
    if missing := [stop for stop in branch.heard if stop not in heard]:
        return f"only after {' and '.join(missing)}"
    if met := [stop for stop in branch.unheard if stop in heard]:
        return f"closed after {' or '.join(met)}"
    if missing := [choice for choice in branch.chosen if choice not in state.made]:
        return f"only where {' and '.join(missing)} was chosen"
    if target.id in heard and not crossing(target):
        return f"{target.id} was told before"
    return ""
