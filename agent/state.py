"""The channels of the machine: plain JSON only, so that a checkpoint can be read without rebuilding any object."""

from __future__ import annotations

import operator
from typing import Annotated, Any, NotRequired, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

Json = dict[str, Any]


class StoryState(TypedDict):
    """One visit. What stands here survives a restart."""

    request: Json
    """StoryRequest: what the visitor asked for; the machine's only input."""
    plan: NotRequired[Json]
    """BeatPlan."""
    tour: NotRequired[str]
    """The tour that the visitor asked for; input, like `request`. Then there is no plan."""
    question: NotRequired[str]
    """Key of the question that a visitor asked before any story: it is told first. Input likewise."""
    walk: NotRequired[Json]
    """Walk: where the visitor is on that tour."""
    thread: NotRequired[Json]
    """Thread: what was heard so far on the branch where the visitor is."""
    at: NotRequired[int]
    """Place in `told` of the beat where the visitor is; -1 before the first one."""
    turn: NotRequired[Json]
    """Turn: what the visitor's last choice makes happen."""
    beat: NotRequired[Json | None]
    """Beat: what is told next."""
    messages: NotRequired[Annotated[list[AnyMessage], add_messages]]
    """The questions of the beat as tool calls, and their answers; empty between turns."""
    draft: NotRequired[Json | None]
    """Node: worded, not yet told."""
    told: NotRequired[Annotated[list[Json], operator.add]]
    """Nodes (agent.branches) in the order in which they were told: a tree, since a visitor may go back."""
    offer: NotRequired[Json]
    """Offer: the only choices that are accepted now."""
