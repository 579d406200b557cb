"""Retrieval strategies behind one port."""

from graph_tools.retrieval.graph import GraphRetriever
from graph_tools.retrieval.hybrid import HybridRetriever
from graph_tools.retrieval.kg import KgRetriever
from graph_tools.retrieval.merge import merged
from graph_tools.retrieval.port import Retriever
from graph_tools.retrieval.snippet_search import IndexMaker, SnippetSearch, own_index
from graph_tools.retrieval.sought import Sought
from graph_tools.retrieval.strategies import known_strategy, retriever, strategies

__all__ = [
    "GraphRetriever", "HybridRetriever", "IndexMaker", "KgRetriever", "Retriever", "SnippetSearch", "Sought",
    "known_strategy", "merged", "own_index", "retriever", "strategies",
]  # fmt: skip
