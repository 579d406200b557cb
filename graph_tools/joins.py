"""A question's required patterns followed through the graph without its engine: where does an answer break off?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graph_tools.knowledge_graph import KnowledgeGraph
from graph_tools.sparql_tree import Name, Pattern, Place
from graph_tools.template import Template
from graph_tools.terms import Iri, Row, Term, Triple

MOST_STEPS = 2_000
"""Partial answers that are followed before a question is taken to have one."""


class Joins:
    """Follows the required patterns of questions through the graph; every look-up is made once."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._graph = graph
        self._known: dict[tuple[Term | None, ...], tuple[Triple, ...]] = {}

    def first_failing(self, template: Template, bindings: Mapping[str, Iri]) -> str:
        """The required pattern that no partial answer gets past, or "" where all of them can be met together."""
        return self.breaks_off(template.required, bindings)

    def breaks_off(self, required: tuple[Pattern, ...], bindings: Mapping[str, Iri]) -> str:
        """The same for any patterns.

        They are followed outwards from what is bound, so that the pattern named is the first step that cannot be taken.
        """
        patterns = self._outwards(required, bindings)
        reached = 0
        open_rows: list[Iterator[Row]] = [iter(({},))]  # for each pattern met so far, what else would meet it
        for _ in range(MOST_STEPS):
            row = next(open_rows[-1], None)
            while row is None:
                open_rows.pop()
                if not open_rows:
                    return shown(patterns[reached])
                row = next(open_rows[-1], None)
            depth = len(open_rows) - 1
            reached = max(reached, depth)
            if depth == len(patterns):
                break
            open_rows.append(self._extended(patterns[depth], row, bindings))
        return ""

    def _outwards(self, patterns: tuple[Pattern, ...], bindings: Mapping[str, Iri]) -> list[Pattern]:
        """Each pattern after those that bind as much of it as possible, and first the one that fits the least."""
        rest, known, found = list(patterns), set[str](), list[Pattern]()
        while rest:
            free = min(len(_free(pattern) - known) for pattern in rest)
            best = [pattern for pattern in rest if len(_free(pattern) - known) == free]
            chosen = best[0] if found else min(best, key=lambda pattern: len(self._matches(pattern, {}, bindings)))
            rest.remove(chosen)
            known |= _free(chosen)
            found.append(chosen)
        return found

    def _matches(self, pattern: Pattern, row: Row, bindings: Mapping[str, Iri]) -> tuple[Triple, ...]:
        asked = tuple(_asked(place, row, bindings) for place in pattern)
        known = self._known.get(asked)
        if known is None:
            known = self._known[asked] = tuple(self._graph.match(*asked))
        return known

    def _extended(self, pattern: Pattern, row: Row, bindings: Mapping[str, Iri]) -> Iterator[Row]:
        for triple in self._matches(pattern, row, bindings):
            extended = dict(row)
            for place, term in zip(pattern, triple, strict=True):
                if isinstance(place, Name) and place.sign == "?" and extended.setdefault(place.name, term) != term:
                    break
            else:
                yield extended


def _asked(place: Place, row: Row, bindings: Mapping[str, Iri]) -> Term | None:
    if isinstance(place, Name):
        return row.get(place.name) if place.sign == "?" else bindings.get(place.name)
    return place


def _free(pattern: Pattern) -> set[str]:
    return {place.name for place in pattern if isinstance(place, Name) and place.sign == "?"}


def shown(pattern: Pattern) -> str:
    """The pattern as it would stand in a query."""
    return " ".join(str(place) if isinstance(place, Name) else place.n3() for place in pattern)
