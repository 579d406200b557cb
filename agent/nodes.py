"""The machine's nodes: thin shells, (state, runtime) -> update, over the plain functions of `agent.visit`."""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.messages import RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from agent import visit
from agent.branches import ROOT, Tree, grown
from agent.context import StoryContext
from agent.offer import Offer
from agent.state import StoryState
from agent.taking import Turn
from agent.thread import Thread
from agent.tools import answers, calls
from graph_tools.plan import Beat, BeatPlan, StoryRequest

Update = dict[str, Any]


async def planner(state: StoryState, runtime: Runtime[StoryContext]) -> Update:
    """Plans the story and sets out on its first beat."""
    plan = visit.plan(StoryRequest.model_validate(state["request"]), runtime.context)
    beat = visit.opening(plan)
    return {
        "plan": plan.model_dump(mode="json"),
        "thread": Thread().model_dump(mode="json"),
        "at": ROOT,
        **_turn(Turn(kind="tell", beat=beat), 0),
    }


async def generate(state: StoryState, runtime: Runtime[StoryContext]) -> Update:
    """Words the beat from what the graph answered, or anew from what it answered before."""
    at, thread, turn = state["at"], Thread.model_validate(state["thread"]), Turn.model_validate(state["turn"])
    plan = BeatPlan.model_validate(state["plan"])
    if turn.kind == "retell":
        place = at if turn.to is None else turn.to
        node, after = await visit.retell_meanwhile(
            Tree(state["told"]),
            at,
            place,
            turn.manner,
            thread,
            runtime.context,
            request=plan.request,
            visit=_visit(runtime),
        )
    else:
        told, after = await visit.generate_meanwhile(
            Beat.model_validate(state["beat"]),
            thread.beats,
            answers(state["messages"], len(state["told"])),
            plan,
            thread,
            runtime.context,
            again=turn.again,
            visit=_visit(runtime),
        )
        node = grown(at, told, thread, after, voice=plan.request.persona)
    return {"draft": node, "thread": after.model_dump(mode="json")}


async def deliver(state: StoryState, runtime: Runtime[StoryContext]) -> Update:
    """Hands over what was worded, if anything was, and sets out what may come next."""
    draft = state.get("draft")
    told = [draft] if draft else []
    tree = Tree([*state["told"], *told])
    at = len(tree) - 1 if told else state["at"]
    offer = visit.offer_at(
        tree,
        at,
        Turn.model_validate(state["turn"]).asked,
        BeatPlan.model_validate(state["plan"]),
        Thread.model_validate(state["thread"]),
        runtime.context,
    )
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
        return {**_turn(turn, len(tree)), "at": turn.to, "thread": tree.thread(turn.to).model_dump(mode="json")}
    return _turn(turn, len(tree))


def after_offer(state: StoryState) -> Literal["retrieve", "generate", "deliver", "__end__"]:
    """Another beat, one told anew, the choices of another moment, or the end of the visit."""
    ways: dict[str, Literal["retrieve", "generate", "deliver", "__end__"]] = {
        "tell": "retrieve",
        "retell": "generate",
        "offer": "deliver",
        "end": "__end__",
    }
    return ways[state["turn"]["kind"]]


def _told_from(strategy: str, state: StoryState) -> Update:
    """The request and the plan with another strategy: its beats are the same whatever they are told from."""
    request = {**state["request"], "strategy": strategy}
    return {"request": request, "plan": {**state["plan"], "request": request}}


def _visit(runtime: Runtime[StoryContext]) -> str:
    info = runtime.execution_info
    return (info.thread_id if info else None) or ""


def _turn(turn: Turn, number: int) -> Update:
    """The turn, and where a beat is told its questions as calls of tools."""
    beat = turn.beat
    taken: Update = {"turn": turn.model_dump(mode="json", exclude={"beat"})}
    if beat is None:
        return taken
    return {**taken, "beat": beat.model_dump(mode="json"), "messages": [calls(beat, number)]}
