"""Which statements a graph holds no longer, and what stands there in their place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from graph_tools.knowledge_graph import KnowledgeGraph


@dataclass(frozen=True, slots=True)
class Replaced:
    """A statement that a graph holds no longer."""

    before: str
    after: tuple[str, ...]
    """What is new there, of the same thing with the same property; sorted, empty where nothing is."""


class Standing:
    """The statements of a graph as N-Triples: does one still stand?"""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._graph = graph

    def gone(self, statements: Iterable[str]) -> tuple[str, ...]:
        """Those that the graph does not hold, each once, in their order."""
        return tuple(dict.fromkeys(line for line in statements if line not in self._statements))

    def instead(self, statement: str) -> tuple[str, ...]:
        """What the graph says of the same thing with the same property, sorted."""
        return tuple(sorted(self._by_start[_start(statement)]))

    def replaced(self, proof: Iterable[str], old: Standing) -> tuple[Replaced, ...]:
        """The statements of a proof that `old` held and this graph does not, each with what came in its place."""
        lost = [line for line in self.gone(proof) if not old.gone([line])]
        return tuple(Replaced(line, old.gone(self.instead(line))) for line in lost)

    @cached_property
    def _statements(self) -> frozenset[str]:
        return frozenset(triple.n3() for triple in self._graph.match())

    @cached_property
    def _by_start(self) -> defaultdict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for statement in self._statements:
            found[_start(statement)].append(statement)
        return found


def _start(statement: str) -> str:
    """Subject and predicate: neither holds a blank."""
    return " ".join(statement.split(" ", 2)[:2])
