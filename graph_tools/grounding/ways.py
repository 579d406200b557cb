"""Facts that were walked to (strategy `graph`) are told in the words of a relation: for the gate each way of a relation
is a question of its own, with the relation's query, slots and wordings."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import groupby

from graph_tools.cq import CompetencyQuestion
from graph_tools.evidence import Factlet
from graph_tools.library import Library
from graph_tools.relations import Connection, Relations, Way
from graph_tools.template import Template


def with_ways(library: Library, relations: Relations) -> Library:
    """The library, and each way of a relation as a question under its own name."""
    pattern = next(iter(library.values()), None)
    if pattern is None:
        return library
    ways = [_asked(connection, way, pattern) for connection in relations for way in connection.relation.way]
    return Library([*library.values(), *ways])


def under_its_way(factlet: Factlet) -> Factlet:
    """The factlet as a row of the way that it was walked; any other as it is."""
    return factlet.model_copy(update={"cq": factlet.way}) if factlet.way else factlet


def whole_ways(factlets: Iterable[Factlet], cited: Collection[str]) -> frozenset[str]:
    """The ways of which all that is cited are the facts from one thing, all that the graph has; `cited` are ids."""
    ids = set(cited)
    walked = sorted((row for row in factlets if row.way and row.id in ids), key=lambda row: row.way)
    whole: set[str] = set()
    for way, rows in groupby(walked, key=lambda row: row.way):
        its = list(rows)
        starts = {(row.path[-1].start, len(row.path)) for row in its}
        if len(starts) == 1 and len(its) == its[0].out_of:
            whole.add(way)
    return frozenset(whole)


def _asked(connection: Connection, way: Way, pattern: Template) -> Template:
    relation = connection.relation
    cq: CompetencyQuestion = pattern.cq.model_copy(
        update={
            "id": connection.key(way), "question": "", "paraphrases": (), "stands_for": (), "parameters": {},
            "results": relation.slots, "context": way.context, "anchor": relation.anchor, "factlet": way.factlet,
            "telling": way.telling, "lead_in": {}, "hook": {}, "answer": {},
        }
    )  # fmt: skip
    return Template(cq, pattern.file, pattern.header, relation.query, connection.compiled)
