"""A tour inside a visit: where the visitor is on it, what each stop tells, and which ways lead on.

What is told stands in the visit's tree like any other beat; here are the stops, with their staging, and the places of
their beats in it. A question that the visitor asks on the way is told beside the tour, which waits at the same stop.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from agent import visit
from agent.branches import ROOT, Tree
from agent.context import StoryContext
from agent.offer import Choice, Offer
from agent.offering import END, asked_for
from agent.progress import Progress
from agent.taking import questions_of
from agent.thread import Thread
from agent.touring import beat_at, plan_of
from agent.wayback import again, back, from_here
from graph_tools.plan import Beat, BeatPlan, Question, StoryRequest
from graph_tools.tour_beats import wanted
from graph_tools.tour_walk import LEAVE, TourState, begin, options, over, take

FROZEN = ConfigDict(frozen=True, extra="forbid")


class Met(BaseModel):
    """One stop as the visitor met it."""

    model_config = FROZEN

    heading: str
    say: str
    """Staging before what is told."""
    then: str
    """Staging after it."""
    place: int | None
    """Where its beat stands in the tree of the visit; None where nothing is told."""
    state: TourState
    """The walk when the visitor was here."""


class Walk(BaseModel):
    """A tour under way; plain JSON when dumped."""

    model_config = FROZEN

    tour: str
    met: tuple[Met, ...] = ()

    @property
    def here(self) -> Met:
        """The stop where the visitor is."""
        return self.met[-1]

    def back_at(self, place: int) -> Walk:
        """The walk as it was at the stop whose beat stands at that place; as it is now where that is no stop's."""
        number = next((n for n, met in enumerate(self.met) if met.place == place), len(self.met) - 1)
        return self.model_copy(update={"met": self.met[: number + 1]})


def onward(
    walk: Walk, way: str, number: int, request: StoryRequest, thread: Thread, ctx: StoryContext
) -> tuple[Walk, Beat | None]:
    """The walk at its first stop (no way) or the next one, and what is to be told there.

    `number`: the place in the tree where that will stand. Raises NotOffered, UnknownTour."""
    tour = ctx.pack.tours[walk.tour]
    state = take(tour, walk.here.state, way) if walk.met else begin(tour, request.persona)
    beat = beat_at(walk.tour, state, request, thread, ctx)
    stop = tour.stop(state.stop)
    met = Met(
        heading=stop.heading,
        say=stop.say if state.fresh else stop.back,
        then=stop.then,
        place=number if beat is not None else None,
        state=state,
    )
    return walk.model_copy(update={"met": (*walk.met, met)}), beat


def telling_of(walk: Walk, beat: Beat, request: StoryRequest, ctx: StoryContext) -> tuple[BeatPlan, int]:
    """The plan, which is this beat alone, and about how many words it is told in."""
    stop = ctx.pack.tours[walk.tour].stop(walk.here.state.stop)
    return plan_of(beat, request), wanted(stop, request.length)


def on_the_way(walk: Walk, path: Sequence[int]) -> tuple[tuple[int | None, Met | None], ...]:
    """All that the visitor met, in order: the place of what was told, if anything was, and the stop, if it was one.

    `path`: the places of the beats on the way here."""
    found: list[tuple[int | None, Met | None]] = []
    stops = list(walk.met)
    for place in path:
        if any(met.place == place for met in stops):
            while stops[0].place != place:
                found.append((None, stops.pop(0)))
            found.append((place, stops.pop(0)))
        else:
            found.append((place, None))
    return (*found, *((None, met) for met in stops))


def ways(walk: Walk, ctx: StoryContext) -> tuple[Choice, ...]:
    """The ways that are open now; none at the end of the tour, where the way out is the only one."""
    return tuple(
        Choice(id=f"w{number}", label=way.label, kind="way", manner=way.id)
        for number, way in enumerate(options(ctx.pack.tours[walk.tour], walk.here.state), start=1)
        if way.available and way.id != LEAVE
    )


def is_over(walk: Walk, ctx: StoryContext) -> bool:
    """True where the tour has come to its end."""
    return over(ctx.pack.tours[walk.tour], walk.here.state)


def offer_at(
    walk: Walk, tree: Tree, at: int, asked: Sequence[str], request: StoryRequest, thread: Thread, ctx: StoryContext
) -> Offer:
    """The offer at a stop: the ways on, and the same menus as in a story. After the last stop the questions of the menu
    are the choices."""
    if at == ROOT:  # a tour that begins with a crossing
        return Offer(choices=(), rest=(), surprise=None, end=END, ways=ways(walk, ctx))
    first = tree.beat(at).evidence.questions[0]
    heard = Beat(
        step="", questions=(Question(cq=first.cq, question=first.question, bindings=dict(first.bindings)),)
    )  # it was told: so this plan has nothing ahead
    free = visit.offer(plan_of(heard, request), thread, ctx)
    if not is_over(walk, ctx):
        free = free.model_copy(update={"choices": (), "rest": (*free.choices, *free.rest), "surprise": None})
    stops = {met.place for met in walk.met}
    return free.model_copy(
        update={
            "ways": ways(walk, ctx),
            "asked": asked_for(questions_of(asked, request, ctx), ctx),
            "again": again(tree, at, thread, ctx),
            "back": tuple(choice for choice in back(tree, at) if choice.to in stops),
            "from_here": from_here(request, ctx),
        }
    )


def progress(walk: Walk, request: StoryRequest, ctx: StoryContext) -> Progress:
    """How far the walk has come."""
    state = walk.here.state
    left = ctx.stop_beats(walk.tour, request.persona).left(state, request.length)
    here = len(state.path)
    return Progress("Stop", here, here + left.least, here + left.most, left.seconds / 60)
