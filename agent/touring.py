"""A walk through a tour, told: at each stop the same evidence-closed beat as in a visit, with the staging beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random

from pydantic import BaseModel, ConfigDict

from agent import visit
from agent.context import StoryContext
from agent.story import StoryBeat
from agent.thread import Thread
from graph_tools.errors import UnknownPersona, nearest
from graph_tools.plan import Beat, BeatPlan, StoryRequest
from graph_tools.tour_beats import wanted
from graph_tools.tour_walk import TourState, Way, begin, options, take


class StopTold(BaseModel):
    """One stop of a walk as the visitor met it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stop: str
    heading: str
    say: str
    """Staging before what was told."""
    then: str
    """Staging after it."""
    beat: StoryBeat | None
    """None at a crossing, and where the visitor came back."""


class TourWalk(BaseModel):
    """A walk under way: plain JSON when dumped."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tour: str
    request: StoryRequest
    state: TourState
    thread: Thread = Thread()
    told: tuple[StopTold, ...] = ()

    @property
    def beats(self) -> tuple[StoryBeat, ...]:
        """What was told, in order."""
        return tuple(stop.beat for stop in self.told if stop.beat is not None)


def start(tour: str, request: StoryRequest, ctx: StoryContext, at: str = "") -> TourWalk:
    """The walk at its first stop, or at the stop `at`, told.

    Raises UnknownTour, UnknownPersona where the tour is not for that one, NotOffered for an unknown stop."""
    told_to(tour, request.persona, ctx)
    return _told(TourWalk(tour=tour, request=request, state=begin(ctx.pack.tours[tour], request.persona, at)), ctx)


def told_to(tour: str, persona: str, ctx: StoryContext) -> None:
    """Raises UnknownTour, or UnknownPersona where the tour is not for that one."""
    found = ctx.pack.tours[tour]
    if persona not in found.personas:
        raise UnknownPersona(f"tour {tour!r} is not told to {persona!r}; {nearest(persona, found.personas)}")


def ways(walk: TourWalk, ctx: StoryContext) -> tuple[Way, ...]:
    """The ways that are open now; none where the walk is over."""
    return tuple(way for way in options(ctx.pack.tours[walk.tour], walk.state) if way.available)


def go(walk: TourWalk, way: str, ctx: StoryContext) -> TourWalk:
    """The walk at the next stop, told. Raises NotOffered."""
    state = take(ctx.pack.tours[walk.tour], walk.state, way)
    moved = walk.model_copy(update={"state": state})
    return moved if state.left else _told(moved, ctx)


def draw(walk: TourWalk, open_ways: Sequence[Way]) -> Way:
    """The way that the seed picks."""
    return Random(f"{walk.request.seed}|way|{len(walk.state.path)}").choice(open_ways)


def beat_at(tour: str, state: TourState, request: StoryRequest, thread: Thread, ctx: StoryContext) -> Beat | None:
    """What is told where the walk is; None at a crossing, where the visitor came back, and where nothing new is left
    to draw."""
    stop = ctx.pack.tours[tour].stop(state.stop)
    if not stop.tells or not state.fresh:
        return None
    openings, heard = ctx.opening(request.persona), frozenset(thread.heard)
    return ctx.stop_beats(tour, request.persona).beat(
        stop, request.seed, lambda one: one.key not in thread.asked and openings.fresh(one, heard)
    )


def plan_of(beat: Beat, request: StoryRequest) -> BeatPlan:
    """A plan of one beat: a tour has no other."""
    return BeatPlan(request=request, leads=(), beats=(beat,))


def to_json(walk: TourWalk, ctx: StoryContext) -> str:
    """The walk as a story file; where it went, with the staging, stands under a key of its own, `tour`."""
    document = json.loads(visit.story_of(walk.request, walk.beats, ctx).to_json())
    way = [stop.model_dump(exclude={"beat"}) | {"beat": stop.beat.index if stop.beat else None} for stop in walk.told]
    title = ctx.pack.tours[walk.tour].title
    document["tour"] = {"name": walk.tour, "title": title, "choices": list(walk.state.made), "stops": way}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _told(walk: TourWalk, ctx: StoryContext) -> TourWalk:
    tour = ctx.pack.tours[walk.tour]
    stop = tour.stop(walk.state.stop)
    thread, told = walk.thread, None
    beat = beat_at(walk.tour, walk.state, walk.request, thread, ctx)
    if beat is not None:
        evidence = visit.retrieve(beat, ctx, walk.request.strategy, walk.request.seed)
        plan, words = plan_of(beat, walk.request), wanted(stop, walk.request.length)
        told, thread = visit.generate(beat, thread.beats, evidence, plan, thread, ctx, words=words)
    met = StopTold(
        stop=stop.id,
        heading=stop.heading,
        say=stop.say if walk.state.fresh else stop.back,
        then=stop.then,
        beat=told,
    )
    return walk.model_copy(update={"thread": thread, "told": (*walk.told, met)})
