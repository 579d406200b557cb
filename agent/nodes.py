"""The machine's nodes: thin shells, (state, runtime) -> update, over the plain functions of `agent.visit`."""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.messages import RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from agent import tour_visit, visit
from agent.branches import ROOT, Tree, grown
from agent.context import StoryContext
from agent.offer import Offer
from agent.offering import asked_beat
from agent.state import StoryState
from agent.taking import Turn, question_of
from agent.thread import Thread
from agent.tools import answers, calls
from agent.tour_visit import Walk
from graph_tools.plan import Beat, BeatPlan, StoryRequest

Update = dict[str, Any]


async def planner(state: StoryState, runtime: Runtime[StoryContext]) -> Update:
    """Plans the story and sets out on its first beat, or on what was asked before it; or sets out on a tour."""
    request, start = (
        StoryRequest.model_validate(state["request"]),
        {"thread": Thread().model_dump(mode="json"), "at": ROOT},
    )
    if tour := state.get("tour"):
        return {**start, "walk": Walk(tour=tour).model_dump(mode="json"), **_turn(Turn(kind="walk"), 0)}
    plan, asked = visit.plan(request, runtime.context), state.get("question")
    turn = Turn(kind="tell", beat=visit.opening(plan))
    if asked:
        question = question_of(asked, request, runtime.context)
        turn = Turn(kind="tell", beat=asked_beat(question, runtime.context), again=True)
    return {**start, "plan": plan.model_dump(mode="json"), **_turn(turn, 0)}


async def walk(state: StoryState, runtime: Runtime[StoryContext]) -> Update:
    """Goes on to a stop of the tour, and asks what is told there; at a crossing it asks nothing."""
    number, thread = len(state["told"]), Thread.model_validate(state["thread"])
    request, way = StoryRequest.model_validate(state["request"]), state["turn"]["way"]
    here = Walk.model_validate(state["walk"])
    moved, beat = tour_visit.onward(here, way, number, request, thread, runtime.context)
    return {"walk": moved.model_dump(mode="json"), **_asking(beat, number)}


async def generate(state: StoryState, runtime: Runtime[StoryContext]) -> Update:
    """Words the beat from what the graph answered, or anew from what it answered before."""
    at, thread, turn = state["at"], Thread.model_validate(state["thread"]), Turn.model_validate(state["turn"])
    request = StoryRequest.model_validate(state["request"])
    if turn.kind == "retell":
        place = at if turn.to is None else turn.to
        node, after = await visit.retell_meanwhile(
            Tree(state["told"]),
            at,
            place,
            turn.manner,
            thread,
            runtime.context,
            request=request,
            visit=_visit(runtime),
        )
    else:
        beat = Beat.model_validate(state["beat"])
        if "walk" in state:
            plan, words = tour_visit.telling_of(Walk.model_validate(state["walk"]), beat, request, runtime.context)
        else:
            plan, words = BeatPlan.model_validate(state["plan"]), 0
        told, after = await visit.generate_meanwhile(
            beat,
            thread.beats,
            answers(state["messages"], len(state["told"])),
            plan,
            thread,
            runtime.context,
            words=words,
            # What a stop is there to tell is told, also where the visitor asked for it on the way.
            again=turn.again or turn.kind == "walk",
            visit=_visit(runtime),
        )
        node = grown(at, told, thread, after, voice=request.persona)
    return {"draft": node, "thread": after.model_dump(mode="json")}


async def deliver(state: StoryState, runtime: Runtime[StoryContext]) -> Update:
    """Hands over what was worded, if anything was, and sets out what may come next."""
    draft = state.get("draft")
    told = [draft] if draft else []
    tree = Tree([*state["told"], *told])
    at = len(tree) - 1 if told else state["at"]
    asked, thread = Turn.model_validate(state["turn"]).asked, Thread.model_validate(state["thread"])
    if "walk" in state:
        here, request = Walk.model_validate(state["walk"]), StoryRequest.model_validate(state["request"])
        offer = tour_visit.offer_at(here, tree, at, asked, request, thread, runtime.context)
    else:
        plan = BeatPlan.model_validate(state["plan"])
        offer = visit.offer_at(tree, at, asked, plan, thread, runtime.context)
    return {
        "told": told,
        "at": at,
        "offer": offer.model_dump(mode="json", exclude_defaults=True),
        "draft": None,
        "beat": None,
        "messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)],
    }


async def offer(state: StoryState, runtime: Runtime[StoryContext]) -> Update:
    """Waits for the visitor's choice, and takes it only from what the state holds.

    Reads, interrupts and does nothing else: it runs once before the choice and once after it.
    """
    command = interrupt(state["offer"])
    tree, held = Tree(state["told"]), Offer.model_validate(state["offer"])
    request = StoryRequest.model_validate(state["request"])
    turn = visit.take(command, held, tree, state["at"], request, runtime.context)
    if turn.strategy:
        return {**_turn(turn, len(tree)), **_told_from(turn.strategy, state)}
    if turn.kind == "offer" and turn.to is not None:
        return {**_turn(turn, len(tree)), **_back(turn.to, tree, state)}
    return _turn(turn, len(tree))


def after_planner(state: StoryState) -> Literal["retrieve", "walk"]:
    """The first beat of a story, or the first stop of a tour."""
    return "walk" if "walk" in state else "retrieve"


def after_walk(state: StoryState) -> Literal["retrieve", "deliver"]:
    """What the stop tells, or its ways on at once."""
    return "retrieve" if state.get("beat") else "deliver"


def after_offer(state: StoryState) -> Literal["retrieve", "generate", "deliver", "walk", "__end__"]:
    """Another beat, one told anew, the choices of another moment, the next stop, or the end of the visit."""
    ways: dict[str, Literal["retrieve", "generate", "deliver", "walk", "__end__"]] = {
        "tell": "retrieve",
        "retell": "generate",
        "offer": "deliver",
        "walk": "walk",
        "end": "__end__",
    }
    return ways[state["turn"]["kind"]]


def _told_from(strategy: str, state: StoryState) -> Update:
    """The request and the plan with another strategy: its beats are the same whatever they are told from."""
    request = {**state["request"], "strategy": strategy}
    return {"request": request, **({"plan": {**state["plan"], "request": request}} if "plan" in state else {})}


def _back(place: int, tree: Tree, state: StoryState) -> Update:
    """What stood at an earlier place, on a tour also the stop."""
    earlier: Update = {"at": place, "thread": tree.thread(place).model_dump(mode="json")}
    if "walk" in state:
        earlier["walk"] = Walk.model_validate(state["walk"]).back_at(place).model_dump(mode="json")
    return earlier


def _visit(runtime: Runtime[StoryContext]) -> str:
    info = runtime.execution_info
    return (info.thread_id if info else None) or ""


def _turn(turn: Turn, number: int) -> Update:
    """The turn, and where a beat is told its questions as calls of tools."""
    return {"turn": turn.model_dump(mode="json", exclude={"beat"}), **_asking(turn.beat, number)}


def _asking(beat: Beat | None, number: int) -> Update:
    """The beat that will stand at that place, and its questions; nothing where there is none."""
    return {"beat": beat.model_dump(mode="json"), "messages": [calls(beat, number)]} if beat else {}
