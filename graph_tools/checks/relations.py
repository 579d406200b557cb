"""The ways of strategy `graph` against the graph: patterns that it does not know, and ways that are never walked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graph_tools.checks.wording import leaks
from graph_tools.errors import Problem, nearest
from graph_tools.pack import StoryPack
from graph_tools.relations import Connection
from graph_tools.terms import RDF_TYPE, Iri
from graph_tools.toml_source import Path


def relation_problems(pack: StoryPack) -> Iterator[Problem]:
    """Terms that the graph does not use, ways that no row of it begins, names of the machine, hubs without members."""
    used = {triple.predicate.value for triple in pack.graph.match() if isinstance(triple.predicate, Iri)}
    classes = {triple.object.value for triple in pack.graph.match(predicate=RDF_TYPE) if isinstance(triple.object, Iri)}
    for connection in pack.relations:
        known = True
        for term in connection.compiled.terms:
            if term not in used | classes:
                known = False
                cause = f"relation {connection.id!r}: the graph has no class or property <{term}>"
                yield _found(pack, connection, ("query",), "relation-term", cause, nearest(term, used | classes))
        yield from _idle(pack, connection) if known else ()
        yield from _leaking(pack, connection)
    for number, hub in enumerate(pack.walk.hubs):
        if hub not in classes:
            cause = f"[walk] hubs: the graph has nothing of class <{hub}>"
            yield Problem("pack.toml", None, cause, nearest(hub, classes), "relation-hub", f"{hub}#{number}")


def _idle(pack: StoryPack, connection: Connection) -> Iterator[Problem]:
    rows = pack.graph.select(connection.relation.query)
    for number, way in enumerate(connection.relation.way):
        if not any(isinstance(row.get(way.start), Iri) for row in rows):
            cause = f"relation {connection.id!r} is never walked from {way.start!r}: the graph has no such row"
            yield _found(
                pack, connection, ("way", number), "relation-idle", cause, "correct its pattern, or take it out"
            )


def _leaking(pack: StoryPack, connection: Connection) -> Iterator[Problem]:
    for number, way in enumerate(connection.relation.way):
        place: Path = ("way", number)
        texts = [((*place, "factlet", at), text) for at, text in enumerate(way.factlet)]
        for at, telling in enumerate(way.telling):
            here: Path = (*place, "telling", at)
            texts += [((*here, "say", index), text) for index, text in enumerate(telling.say)]
            texts += [((*here, "item"), telling.item)]
        for where, text in texts:
            for found in leaks(text, pack):
                cause = f"{found!r} would be read out as it stands"
                yield _found(pack, connection, where, "wording-leak", cause, "write it as people say it, or as a slot")


def _found(pack: StoryPack, connection: Connection, place: Path, rule: str, cause: str, remedy: str) -> Problem:
    assert pack.relations.source is not None  # relations come from a file
    problem = pack.relations.source.problem(("relation", connection.at, *place), cause, remedy)
    return replace(problem, rule=rule, iri=pack.iri(f"relation-{connection.id}").value)
