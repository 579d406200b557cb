"""A question's required patterns followed through the graph without its engine: where does an answer break off?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from graph_tools.knowledge_graph import KnowledgeGraph
from graph_tools.sparql_tree import Name, Pattern
from graph_tools.template import Template
from graph_tools.terms import Iri, Term

MOST_STEPS = 2_000
"""Partial answers that are followed before a question is taken to have one."""
_Numbers = tuple[int, int, int]
"""A statement, each term by its number."""
_Step = tuple[int | str | None, ...]
"""A pattern with its bindings in it: terms by number, variables by name, and None for what nothing binds."""
_Found = dict[str, int]
_NOWHERE = -1
"""The number of whatever is not in the graph."""


class _Statements:
    """The statements of a graph by number: a look-up compares no texts."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self.number: dict[Term, int] = {}
        self._found: dict[tuple[int | None, ...], list[_Numbers]] = defaultdict(list)
        number = self.number.setdefault
        for subject, predicate, value in graph.match():
            s, p, o = (number(term, len(self.number)) for term in (subject, predicate, value))
            for key in ((s, p, o), (s, p, None), (None, p, o), (None, p, None)):
                self._found[key].append((s, p, o))

    def matching(self, asked: tuple[int | None, ...]) -> Sequence[_Numbers]:
        """The statements with these terms, None standing for any."""
        known = self._found.get(asked)
        if known is None and asked[1] is None:  # of any property: asked for once in a while
            whole = (found for key, (found, *_) in list(self._found.items()) if None not in key)
            wanted = [(at, term) for at, term in enumerate(asked) if term is not None]
            known = self._found[asked] = [found for found in whole if all(found[at] == term for at, term in wanted)]
        return known or ()


class Joins:
    """Follows the required patterns of questions through the graph."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._graph = graph
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
        steps = [self._bound(pattern, bindings) for pattern in required]
        order = self._outwards(required, steps)
        reached = 0
        open_rows: list[Iterator[_Found]] = [iter(({},))]  # for each pattern met so far, what else would meet it
        for _ in range(MOST_STEPS):
            row = next(open_rows[-1], None)
            while row is None:
                open_rows.pop()
                if not open_rows:
                    return required[order[reached]].shown()
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
            free = self._freed[patterns] = tuple(pattern.variables for pattern in patterns)
        least = min(map(len, free))
        near = [number for number, names in enumerate(free) if len(names) == least]
        first = near[0] if len(near) < 2 else min(near, key=lambda number: len(self._matches(steps[number], {})))
        known = self._ordered.get((patterns, first))
        if known is None:
            known = self._ordered[patterns, first] = _from(first, free)
        return known

    @cached_property
    def _statements(self) -> _Statements:
        return _Statements(self._graph)

    def _bound(self, pattern: Pattern, bindings: Mapping[str, Iri]) -> _Step:
        number = self._statements.number
        found: list[int | str | None] = []
        for place in pattern:
            if isinstance(place, Name) and place.sign == "?":
                found.append(place.name)
            elif isinstance(place, Name):
                found.append(number.get(bindings[place.name], _NOWHERE) if place.name in bindings else None)
            else:
                found.append(number.get(place, _NOWHERE))
        return tuple(found)

    def _matches(self, step: _Step, row: _Found) -> Sequence[_Numbers]:
        return self._statements.matching(tuple([row.get(p) if isinstance(p, str) else p for p in step]))

    def _extended(self, step: _Step, row: _Found) -> Iterator[_Found]:
        open_places = [(at, place) for at, place in enumerate(step) if isinstance(place, str) and place not in row]
        for found in self._matches(step, row):
            extended = dict(row)
            for at, place in open_places:
                if extended.setdefault(place, found[at]) != found[at]:
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
