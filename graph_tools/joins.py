"""A question's required patterns followed through the graph without its engine: where does an answer break off?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graph_tools.knowledge_graph import KnowledgeGraph
from graph_tools.sparql_tree import Name, Pattern
from graph_tools.template import Template
from graph_tools.terms import Iri, Term, Triple

MOST_STEPS = 2_000
"""Partial answers that are followed before a question is taken to have one."""
_Step = tuple[Term | str | None, ...]
"""A pattern with its bindings in it; a variable is its name, and what nothing binds is None."""
_Found = dict[str, Term]


class Joins:
    """Follows the required patterns of questions through the graph; every look-up is made once."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._graph = graph
        self._known: dict[tuple[Term | None, ...], tuple[Triple, ...]] = {}
        self._freed: dict[tuple[Pattern, ...], tuple[frozenset[str], ...]] = {}
        self._ordered: dict[tuple[tuple[Pattern, ...], int], tuple[int, ...]] = {}

    def first_failing(self, template: Template, bindings: Mapping[str, Iri]) -> str:
        """The required pattern that no partial answer gets past, or "" where all of them can be met together."""
        return self.breaks_off(template.required, bindings)

    def breaks_off(self, required: tuple[Pattern, ...], bindings: Mapping[str, Iri]) -> str:
        """The same for any patterns.

        They are followed outwards from what is bound, so that the pattern named is the first step that cannot be taken.
        """
        if not required:  # all of it stands in branches
            return ""
        steps = [_bound(pattern, bindings) for pattern in required]
        order = self._outwards(required, steps)
        reached = 0
        open_rows: list[Iterator[_Found]] = [iter(({},))]  # for each pattern met so far, what else would meet it
        for _ in range(MOST_STEPS):
            row = next(open_rows[-1], None)
            while row is None:
                open_rows.pop()
                if not open_rows:
                    return shown(required[order[reached]])
                row = next(open_rows[-1], None)
            depth = len(open_rows) - 1
            reached = max(reached, depth)
            if depth == len(order):
                break
            open_rows.append(self._extended(steps[order[depth]], row))
        return ""

    def _outwards(self, patterns: tuple[Pattern, ...], steps: list[_Step]) -> tuple[int, ...]:
        """Numbers of the patterns: each after those that bind as much of it as possible, first the one that fits the
        least."""
        free = self._freed.get(patterns)
        if free is None:
            free = self._freed[patterns] = tuple(frozenset(_free(pattern)) for pattern in patterns)
        least = min(map(len, free))
        near = [number for number, names in enumerate(free) if len(names) == least]
        first = near[0] if len(near) < 2 else min(near, key=lambda number: len(self._matches(steps[number], {})))
        known = self._ordered.get((patterns, first))
        if known is None:
            known = self._ordered[patterns, first] = _from(first, free)
        return known

    def _matches(self, step: _Step, row: _Found) -> tuple[Triple, ...]:
        asked = tuple([row.get(place) if isinstance(place, str) else place for place in step])
        known = self._known.get(asked)
        if known is None:
            known = self._known[asked] = tuple(self._graph.match(*asked))
        return known

    def _extended(self, step: _Step, row: _Found) -> Iterator[_Found]:
        open_places = [(at, place) for at, place in enumerate(step) if isinstance(place, str) and place not in row]
        for triple in self._matches(step, row):
            extended = dict(row)
            for at, place in open_places:
                if extended.setdefault(place, triple[at]) != triple[at]:
                    break
            else:
                yield extended


def _from(first: int, free: tuple[frozenset[str], ...]) -> tuple[int, ...]:
    order, known = [first], set(free[first])
    rest = [number for number in range(len(free)) if number != first]
    while rest:
        chosen = min(rest, key=lambda number: len(free[number] - known))
        rest.remove(chosen)
        known |= free[chosen]
        order.append(chosen)
    return tuple(order)


def _bound(pattern: Pattern, bindings: Mapping[str, Iri]) -> _Step:
    return tuple(
        (place.name if place.sign == "?" else bindings.get(place.name)) if isinstance(place, Name) else place
        for place in pattern
    )


def _free(pattern: Pattern) -> set[str]:
    return {place.name for place in pattern if isinstance(place, Name) and place.sign == "?"}


def shown(pattern: Pattern) -> str:
    """The pattern as it would stand in a query."""
    return " ".join(str(place) if isinstance(place, Name) else place.n3() for place in pattern)
