"""The strategies by name: `kg`, `hybrid`, `graph`, and what an installed package adds through the entry-point group of
GROUP.

An entry point is a callable like `KgRetriever`: of a pack and its answers it makes a Retriever.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points

from graph_tools.eligibility import Answers
from graph_tools.errors import UnknownStrategy, nearest
from graph_tools.pack import StoryPack
from graph_tools.retrieval.graph import GraphRetriever
from graph_tools.retrieval.hybrid import HybridRetriever
from graph_tools.retrieval.kg import KgRetriever
from graph_tools.retrieval.port import Retriever

GROUP = "cuestory.strategies"
Maker = Callable[[StoryPack, Answers], Retriever]
_OWN: dict[str, Maker] = {"kg": KgRetriever, "hybrid": HybridRetriever, "graph": GraphRetriever}


def strategies() -> tuple[str, ...]:
    """Every strategy: our own in the paper's order, then those of other packages, sorted."""
    return (*_OWN, *sorted(_added().keys() - _OWN.keys()))


def known_strategy(name: str) -> str:
    """The name itself. Raises UnknownStrategy."""
    if name not in strategies():
        raise UnknownStrategy(f"unknown strategy {name!r}; {nearest(name, strategies())}")
    return name


def retriever(name: str, pack: StoryPack, answers: Answers) -> Retriever:
    """Who gathers evidence in that way. Raises UnknownStrategy."""
    return (_OWN | _added() | _OWN)[known_strategy(name)](pack, answers)


@cache
def _added() -> dict[str, Maker]:
    return {point.name: point.load() for point in entry_points(group=GROUP)}
