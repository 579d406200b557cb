"""The machine's nodes: thin shells, (state, runtime) -> update, over the plain functions of `agent.visit`."""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.messages import RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from agent import visit
from agent.context import StoryContext
from agent.offer import Offer
from agent.state import StoryState
from agent.story import StoryBeat
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
        "beat": beat.model_dump(mode="json"),
        "messages": [calls(beat, 0)],
    }


async def generate(state: StoryState, runtime: Runtime[StoryContext]) -> Update:
    """Words the beat from what the graph answered."""
    index = len(state["told"])
    told, thread = visit.generate(
        Beat.model_validate(state["beat"]),
        index,
        answers(state["messages"], index),
        BeatPlan.model_validate(state["plan"]),
        Thread.model_validate(state["thread"]),
        runtime.context,
    )
    return {"draft": told.model_dump(mode="json"), "thread": thread.model_dump(mode="json")}


async def deliver(state: StoryState, runtime: Runtime[StoryContext]) -> Update:
    """Hands the beat over, told or suppressed, and sets out what may come next."""
    told = StoryBeat.model_validate(state["draft"])
    offer = visit.offer(
        BeatPlan.model_validate(state["plan"]),
        Thread.model_validate(state["thread"]),
        runtime.context,
    )
    return {
        "told": [told.model_dump(mode="json")],
        "offer": offer.model_dump(mode="json"),
        "draft": None,
        "messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)],
    }


async def offer(state: StoryState) -> Update:
    """Waits for the visitor's choice, and takes it only from the offer that the state holds.

    Reads, interrupts and does nothing else: it runs once before the choice and once after it.
    """
    answer = interrupt(state["offer"])
    choice = Offer.model_validate(state["offer"]).pick(str(answer["choice"]))
    if choice.beat is None:
        return {"beat": None}
    return {"beat": choice.beat.model_dump(mode="json"), "messages": [calls(choice.beat, len(state["told"]))]}


def after_offer(state: StoryState) -> Literal["retrieve", "__end__"]:
    """Another beat, or the end of the visit."""
    return "__end__" if state.get("beat") is None else "retrieve"
