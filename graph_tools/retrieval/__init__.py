"""Retrieval strategies behind one port."""

from graph_tools.retrieval.hybrid import HybridRetriever, IndexMaker, own_index
from graph_tools.retrieval.kg import KgRetriever
from graph_tools.retrieval.merge import merged
from graph_tools.retrieval.port import Retriever
from graph_tools.retrieval.strategies import known_strategy, retriever, strategies

__all__ = [
    "HybridRetriever", "IndexMaker", "KgRetriever", "Retriever", "known_strategy", "merged", "own_index", "retriever",
    "strategies",
]  # fmt: skip
