"""One thing under two IRIs, and two kinds of thing under one: what no name or date tells apart."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from graph_tools.checks.examined import Examined
from graph_tools.checks.identity import external_ids
from graph_tools.entities import fold
from graph_tools.errors import Problem
from graph_tools.terms import RDF_TYPE, Iri, Term

LARGEST = 60
"""Things that share a property value and are still compared with each other."""


def twin_problems(graph: Examined) -> Iterator[Problem]:
    """Things that nothing tells apart, and things of classes that nothing can have together."""
    seen: set[tuple[Iri, Iri]] = set()
    known = _Known(graph)
    for rule, groups, why in (("twin-name", _by_name(graph), "the name"), ("twin-event", _by_link(graph), "a link")):
        for members in groups:
            for first, *others in _not_apart(known, sorted(set(members)), seen):
                shown = ", ".join(other.n3() for other in others[:3]) + (", ..." if others[3:] else "")
                number = f"these {len(others)}: " if others[1:] else ""
                cause = f"shares a class and {why} with {number}{shown}, and nothing tells them apart"
                yield graph.problem(first, rule, cause, "merge them, or state what tells them apart")
    for subject in graph.subjects:
        kinds = [apart.kind for apart in graph.conventions.apart if apart.classes & graph.classes(subject)]
        if len(kinds) > 1:
            cause = f"is {' and '.join(kinds)} at once"
            yield graph.problem(subject, "class-conflict", cause, "make a node of its own for each")


@dataclass(frozen=True, slots=True)
class _Traits:
    """What may tell one thing from another."""

    ids: Mapping[str, frozenset[str]]
    links: frozenset[Term]
    said: Mapping[str, frozenset[Term]]
    """Property -> values, without what only says which thing it is."""


class _Known:
    def __init__(self, graph: Examined) -> None:
        self._graph = graph
        self._ids = external_ids(graph)
        self._traits: dict[Iri, _Traits] = {}

    def one(self, first: Iri, second: Iri) -> bool:
        """True where no identifier, no link between them and no property that both have tells two things apart."""
        one, other = self._of(first), self._of(second)
        if second in one.links or first in other.links:
            return False
        if any(not one.ids[kind] & other.ids[kind] for kind in one.ids.keys() & other.ids.keys()):
            return False
        return not any(one.said[name].isdisjoint(other.said[name]) for name in one.said.keys() & other.said.keys())

    def _of(self, thing: Iri) -> _Traits:
        known = self._traits.get(thing)
        if known is None:
            about = self._graph.about[thing]
            links = frozenset(value for values in about.values() for value in values)
            said = {p.value: frozenset(values) for p, values in about.items() if p not in self._graph.says_who}
            known = self._traits[thing] = _Traits(self._ids.get(thing, {}), links, said)
        return known


def _not_apart(known: _Known, members: list[Iri], seen: set[tuple[Iri, Iri]]) -> Iterator[list[Iri]]:
    """The members joined by pairs that nothing tells apart, in groups; no pair is looked at twice."""
    group_of = {member: [member] for member in members}
    for first, other in combinations(members, 2):
        if (first, other) not in seen:
            seen.add((first, other))
            if group_of[first] is not group_of[other] and known.one(first, other):
                group_of[first] += group_of[other]
                group_of.update(dict.fromkeys(group_of[other], group_of[first]))
    for member in members:
        if group_of[member][0] == member and group_of[member][1:]:
            yield sorted(group_of[member])


def _by_name(graph: Examined) -> Iterator[list[Iri]]:
    """Things of one class with one name; a year may stand in one of two names and not in the other."""
    exact: dict[tuple[str, str], list[Iri]] = defaultdict(list)
    yearless: dict[tuple[str, str], list[tuple[Iri, bool]]] = defaultdict(list)
    for subject in graph.subjects:
        if graph.classes(subject) & set(graph.checks.unspoken):
            continue
        for name in graph.called(subject):
            plain = " ".join(re.findall(r"\w+", fold(name.lexical)))
            without = " ".join(word for word in plain.split() if not re.fullmatch(r"(1[5-9]|20)\d\d", word))
            for class_ in graph.classes(subject):
                exact[class_, plain].append(subject)
                yearless[class_, without].append((subject, without != plain))
    yield from (members for _, members in sorted(exact.items()) if len(members) > 1)
    for _, marked in sorted(yearless.items()):
        if len({has_year for _, has_year in marked}) == 2:
            yield [subject for subject, _ in marked]


def _by_link(graph: Examined) -> Iterator[list[Iri]]:
    """Events that share a class and the value of a property, a place above all."""
    events = graph.conventions.apart[0].classes
    shared: dict[tuple[str, Iri, Iri], list[Iri]] = defaultdict(list)
    for subject in graph.subjects:
        for class_ in graph.classes(subject) & events:
            for predicate, values in graph.about[subject].items():
                if predicate != RDF_TYPE:
                    for value in values:
                        if isinstance(value, Iri):
                            shared[class_, predicate, value].append(subject)
    yield from (members for _, members in sorted(shared.items()) if 1 < len(members) <= LARGEST)
