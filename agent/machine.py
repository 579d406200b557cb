"""The story as a LangGraph state machine.

    START -> planner -> retrieve -> generate -> deliver -> offer -> END
                           ^           ^           ^         |
                           |           |           +---------+ back to an earlier beat, or the visitor's own words
                           |           +---------------------+ the same beat in another way
                           +---------------------------------+ a choice
                           |                                 |
            planner -> walk -> deliver, where nothing is told |
                        +------------------------------------+ a way on from the stop of a tour

`offer` interrupts; resume with `Command(resume={interrupt id: command})`, a command as `agent.taking` reads it: mostly
{"choice": id}. Run it with `RUN` as part of the config and `durability="exit"`: one checkpoint a turn, written when
the run ends or interrupts.
"""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode

from agent import nodes
from agent.context import StoryContext
from agent.state import StoryState
from agent.tools import answer_cq

Machine = CompiledStateGraph[StoryState, StoryContext, StoryState, StoryState]

RUN: RunnableConfig = {"recursion_limit": 12}
"""A turn takes six steps at most: a loop without a pause is a fault and stops soon."""


def build_machine(checkpointer: BaseCheckpointSaver[str] | None) -> Machine:
    """The compiled machine. Its visits last as long as `checkpointer` keeps them."""
    graph = StateGraph(StoryState, context_schema=StoryContext)
    graph.add_node("planner", nodes.planner)
    graph.add_node("walk", nodes.walk)
    graph.add_node("retrieve", ToolNode([answer_cq], handle_tool_errors=False))
    graph.add_node("generate", nodes.generate)
    graph.add_node("deliver", nodes.deliver)
    graph.add_node("offer", nodes.offer)
    graph.add_edge(START, "planner")
    graph.add_conditional_edges("planner", nodes.after_planner, ["retrieve", "walk"])
    graph.add_conditional_edges("walk", nodes.after_walk, ["retrieve", "deliver"])
    graph.add_edge("retrieve", "generate")
    graph.add_edge("generate", "deliver")
    graph.add_edge("deliver", "offer")
    graph.add_conditional_edges("offer", nodes.after_offer, ["retrieve", "generate", "deliver", "walk", END])
    return graph.compile(checkpointer=checkpointer)
