"""What the machine does with the graph, as LangChain tools. Their arguments come from the plan, never from a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.prebuilt import ToolRuntime

from agent import visit
from agent.context import StoryContext
from agent.state import StoryState
from graph_tools.evidence import EvidencePack
from graph_tools.plan import Beat, Question
from graph_tools.retrieval import merged


class NotPlanned(LookupError):
    """A question was asked that is not in the beat."""


@tool(response_format="content_and_artifact")
async def answer_cq(cq: str, bindings: dict[str, str], runtime: ToolRuntime[Any, Any]) -> tuple[str, dict[str, Any]]:
    """Answer one competency question of the beat from the knowledge graph."""
    # The annotation stays loose: LangChain builds a schema of it, and neither state nor context is an argument.
    state: StoryState = runtime.state
    ctx: StoryContext = runtime.context
    question = _planned(Beat.model_validate(state["beat"]), cq, bindings)
    pack = visit.ask(question, ctx, state["request"]["strategy"], state["request"]["seed"])
    return f"{len(pack.factlets)} facts", pack.model_dump(mode="json")


def calls(beat: Beat, index: int) -> AIMessage:
    """The questions of a beat as calls of `answer_cq`. The same beat at the same place gives the same ids."""
    return AIMessage(
        content="",
        id=f"beat-{index}",
        tool_calls=[
            {
                "name": answer_cq.name,
                "args": {"cq": question.cq, "bindings": question.bindings},
                "id": f"beat-{index}-{number}",
                "type": "tool_call",
            }
            for number, question in enumerate(beat.questions)
        ],
    )


def answers(messages: Iterable[AnyMessage], index: int) -> EvidencePack:
    """What the calls of a beat brought, as one pack, in the order in which they were made."""
    by_call = {message.tool_call_id: message for message in messages if isinstance(message, ToolMessage)}
    packs: list[EvidencePack] = []
    while (message := by_call.get(f"beat-{index}-{len(packs)}")) is not None:
        packs.append(EvidencePack.model_validate(message.artifact))
    return merged(packs)


def _planned(beat: Beat, cq: str, bindings: dict[str, str]) -> Question:
    for question in beat.questions:
        if (question.cq, question.bindings) == (cq, bindings):
            return question
    raise NotPlanned(f"{cq} with these bindings is no question of the beat {beat.key!r}")
