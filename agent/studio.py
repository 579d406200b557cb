"""The machine for `langgraph dev` and LangGraph Studio, which hand over JSON but no pack: the context is bound here."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agent.context import StoryContext
from agent.machine import RUN, build_machine
from agent.settings import Settings
from agent.state import StoryState
from agent.wiring import story_context


# The server asks for the graph anew at every run.
@lru_cache(maxsize=1)
def _opened() -> StoryContext:
    return story_context(Settings.from_environment())


async def machine() -> CompiledStateGraph[StoryState, Any, StoryState, StoryState]:
    """One node that runs the machine; its offers surface as interrupts of this graph.

    The input is `{"request": {"persona": "emma", "length": "small", "strategy": "kg", "seed": 7, "lang": "en"},
    "told": []}`. No checkpointer: the server that loads this brings its own. Raises PackNotFound or InvalidPack.
    """
    context = await asyncio.to_thread(_opened)
    inner = build_machine(None)

    async def visit(state: StoryState) -> Any:
        return await inner.ainvoke(state, RUN, context=context)

    graph = StateGraph(StoryState)
    graph.add_node("visit", visit)
    graph.add_edge(START, "visit")
    graph.add_edge("visit", END)
    return graph.compile()
