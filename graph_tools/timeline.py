"""What happened where and when: a fixed query of the pack, `cqs/timeline.toml`, over its graph."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from graph_tools.errors import Problem
from graph_tools.groups import select_faults
from graph_tools.knowledge_graph import KnowledgeGraph
from graph_tools.terms import Iri, Literal

FILE = "cqs/timeline.toml"
SELECTED = ("what", "who", "where", "when", "hedge")
"""What its query selects, in this order: the happening, whose it is, the place, its beginning (an xsd:dateTime with the
clock of that place), and what hedges that time. The last two may be unbound."""


class Timeline(BaseModel):
    """One file `cqs/timeline.toml`. A pack without it has no timeline."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = ""
    query: str = ""
    """SELECT in the template language, without parameters; its order is the order of the rows without a time."""


class Happening(NamedTuple):
    """One row of a timeline."""

    what: Iri
    who: tuple[Iri, ...]
    where: Iri
    when: datetime | None
    """On the clock of the place; None where no source gives it."""
    hedged: bool
    """True where the time is about right."""


def timeline_problems(timeline: Timeline, cache: Path | None = None) -> tuple[Problem, ...]:
    """What the strict check refuses in its query."""
    if not timeline.query:
        return ()
    faults = select_faults(timeline.query, SELECTED, cache)
    return tuple(Problem(FILE, None, f"the timeline: {fault.cause}", fault.remedy) for fault in faults)


def happenings(timeline: Timeline, graph: KnowledgeGraph) -> tuple[Happening, ...]:
    """All of them, one for each happening, in the order of the query. Raises QueryFailed."""
    found: dict[Iri, Happening] = {}
    for row in graph.select(timeline.query) if timeline.query else []:
        what, who, where = row.get("what"), row.get("who"), row.get("where")
        if not (isinstance(what, Iri) and isinstance(who, Iri) and isinstance(where, Iri)):
            continue
        before = found.get(what)
        everyone = (*(before.who if before else ()), who)
        found[what] = Happening(what, tuple(dict.fromkeys(everyone)), where, _when(row), "hedge" in row)
    return tuple(found.values())


def _when(row: Mapping[str, object]) -> datetime | None:
    value = row.get("when")
    if not isinstance(value, Literal):
        return None
    try:
        when = datetime.fromisoformat(value.lexical)
    except ValueError:
        return None
    return when if when.tzinfo is not None else None
