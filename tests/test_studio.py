"""What langgraph.json names can be loaded and run by LangGraph's own server."""

import importlib
import json
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

ROOT = Path(__file__).resolve().parent.parent
REQUEST = {"persona": "emma", "length": "small", "strategy": "kg", "seed": 7, "lang": "en"}


async def test_the_graph_that_langgraph_json_names_pauses_at_an_offer_and_takes_a_choice_from_it() -> None:
    (target,) = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"].values()
    file, name = target.split(":")
    module = importlib.import_module(".".join(Path(file).with_suffix("").parts))
    graph = await getattr(module, name)()
    # The server that loads it brings its own.
    graph.checkpointer = InMemorySaver()
    config: RunnableConfig = {"configurable": {"thread_id": "studio"}}

    paused: dict[str, Any] = await graph.ainvoke({"request": REQUEST, "told": []}, config)
    (first,) = paused["__interrupt__"]
    assert first.value["choices"]
    chosen = {"choice": first.value["choices"][0]["id"]}
    paused = await graph.ainvoke(Command(resume={first.id: chosen}), config)
    (second,) = paused["__interrupt__"]
    assert second.value != first.value
    ended = await graph.ainvoke(Command(resume={second.id: {"choice": second.value["end"]["id"]}}), config)
    assert [node["beat"]["index"] for node in ended["told"]] == [0, 1]
