"""The part of the graph around some entities: relation by relation, at most two steps out, never through a hub.

A bunch is what one way of one relation leads to from one thing: the rows of the relation's query with that thing in
the place of the way's start. Walking is looking up: each relation is asked for once, all of it, when first needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from graph_tools.pack import StoryPack
from graph_tools.relations import Connection, Relations, Way
from graph_tools.row_order import in_order
from graph_tools.template import prove, tellable
from graph_tools.terms import Iri, Row, Triple


@dataclass(frozen=True, slots=True)
class Fact:
    """One row of a relation."""

    relation: str
    number: int
    """Its place among the relation's rows."""


@dataclass(frozen=True, slots=True)
class Bunch:
    """The facts along one way from one thing."""

    way: str
    start: Iri
    facts: tuple[Fact, ...]
    """In the order of the relation's query, each once."""
    distance: int
    """1: they are about an entity of the question."""
    through: tuple[str, Fact] | None = None
    """The way and the fact by which the start was reached; None at distance 1."""


class Ways:
    """The relations of one pack over its graph, by where they start."""

    def __init__(self, pack: StoryPack) -> None:
        self._pack = pack
        self._rows: dict[str, tuple[Row, ...]] = {}
        self._by_start: dict[tuple[str, str], dict[Iri, tuple[Fact, ...]]] = {}
        self._hubs: dict[Iri, bool] = {}

    @property
    def relations(self) -> Relations:
        """The relations."""
        return self._pack.relations

    def row(self, fact: Fact) -> Row:
        """The values of a fact."""
        return self.rows(self._by_id[fact.relation])[fact.number]

    def proof(self, fact: Fact) -> tuple[Triple, ...]:
        """The statements that prove it."""
        connection = self._by_id[fact.relation]
        return prove(connection.compiled, self.row(fact), {}, self._pack.graph, fact.relation)

    def connection(self, fact: Fact) -> Connection:
        """Its relation."""
        return self._by_id[fact.relation]

    def rows(self, connection: Connection) -> tuple[Row, ...]:
        """All rows of a relation that can be cited, in the order of its query."""
        known = self._rows.get(connection.id)
        if known is None:
            found = filter(tellable, self._pack.graph.select(connection.relation.query))
            known = self._rows[connection.id] = tuple(in_order(found, connection.compiled.order))
        return known

    def facts(self, connection: Connection, way: Way, start: Iri) -> tuple[Fact, ...]:
        """The facts along a way from a thing."""
        return self._started(connection, way.start).get(start, ())

    def is_hub(self, thing: Iri) -> bool:
        """True for what is not walked through: by its class, or for the number of facts that begin there."""
        known = self._hubs.get(thing)
        if known is None:
            classes = {class_.value for class_ in self._pack.entities.types(thing)}
            starts = {(connection.id, way.start) for connection in self.relations for way in connection.relation.way}
            degree = sum(len(self._started(self._by_id[id_], start).get(thing, ())) for id_, start in starts)
            walk = self._pack.walk
            known = self._hubs[thing] = bool(classes & set(walk.hubs)) or degree > walk.degree
        return known

    def around(self, seeds: Sequence[Iri]) -> Iterator[Bunch]:
        """Everything that can be reached from the seeds: nearest first, then by relation and thing.

        No fact comes twice, and no walk goes through a hub, through what has no name, or back to a seed."""
        reached: set[Fact] = set()
        frontier: dict[Iri, tuple[str, Fact] | None] = dict.fromkeys(sorted(seeds, key=lambda iri: iri.value))
        walked = set(frontier)
        for distance in range(1, self._pack.walk.hops + 1):
            bunches = [
                bunch
                for connection in self.relations
                for way in connection.relation.way
                if distance in way.hops
                for start, through in frontier.items()
                if (bunch := self._bunch(connection, way, start, distance, through, reached)) is not None
            ]
            yield from bunches
            frontier = {}
            for bunch in bunches:
                reached.update(bunch.facts)
                for fact in bunch.facts:
                    for end in self.ends(bunch.way, fact):
                        if end not in walked and not self.is_hub(end) and self._pack.entities.name(end):
                            frontier.setdefault(end, (bunch.way, fact))
            frontier = dict(sorted(frontier.items(), key=lambda entry: entry[0].value))
            walked |= frontier.keys()

    def ends(self, way: str, fact: Fact) -> tuple[Iri, ...]:
        """Where a fact leads along a way, in the order of its file."""
        row = self.row(fact)
        _, taken = self.relations.way(way)
        return tuple(term for name in taken.to if isinstance(term := row.get(name), Iri))

    def _bunch(
        self,
        connection: Connection,
        way: Way,
        start: Iri,
        distance: int,
        through: tuple[str, Fact] | None,
        reached: set[Fact],
    ) -> Bunch | None:
        facts = tuple(fact for fact in self.facts(connection, way, start) if fact not in reached)
        return Bunch(connection.key(way), start, facts, distance, through) if facts else None

    def _started(self, connection: Connection, start: str) -> Mapping[Iri, tuple[Fact, ...]]:
        known = self._by_start.get((connection.id, start))
        if known is None:
            found: dict[Iri, list[Fact]] = {}
            for number, row in enumerate(self.rows(connection)):
                if isinstance(thing := row.get(start), Iri):
                    found.setdefault(thing, []).append(Fact(connection.id, number))
            known = self._by_start[connection.id, start] = {iri: tuple(facts) for iri, facts in found.items()}
        return known

    @cached_property
    def _by_id(self) -> Mapping[str, Connection]:
        return {connection.id: connection for connection in self.relations}
