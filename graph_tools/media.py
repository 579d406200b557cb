"""Pictures and films of what a beat tells: fixed queries of the pack, `cqs/media.toml`, over its graph.

They are links with credit; nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal as OneOf
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from graph_tools.errors import Problem
from graph_tools.groups import select_faults
from graph_tools.knowledge_graph import KnowledgeGraph
from graph_tools.terms import Iri, Literal

FILE = "cqs/media.toml"
PICTURE = ("item", "of", "page", "credit")
"""What the query for pictures selects: the picture, what it shows, the page it is on, author and licence in words."""
FILM = ("item", "of", "page")


class Media(BaseModel):
    """One file `cqs/media.toml`. A pack without it points to nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pictures: str = ""
    films: str = ""


class Medium(NamedTuple):
    """One picture or film."""

    kind: OneOf["picture", "film"]
    item: Iri
    page: str
    """A web page (http or https)."""
    credit: str
    """Author and licence; empty for a film, which states none."""


def media_problems(media: Media, cache: Path | None = None) -> tuple[Problem, ...]:
    """What the strict check refuses in its queries."""
    asked = (("pictures", media.pictures, PICTURE), ("films", media.films, FILM))
    return tuple(
        Problem(FILE, None, f"{name}: {fault.cause}", fault.remedy)
        for name, query, selected in asked
        if query
        for fault in select_faults(query, selected, cache)
    )


def shown(media: Media, graph: KnowledgeGraph, entities: Iterable[str]) -> tuple[Medium, ...]:
    """At most one picture and one film, of the first of these entities (IRIs) that has any. Raises QueryFailed."""
    wanted = list(dict.fromkeys(entities))
    found: list[Medium] = []
    for kind, query in (("picture", media.pictures), ("film", media.films)):
        of = dict(reversed([*_rows(kind, query, graph)]))
        first = next((of[iri] for iri in wanted if iri in of), None)
        found += [first] if first is not None else []
    return tuple(found)


def _rows(kind: str, query: str, graph: KnowledgeGraph) -> Iterator[tuple[str, Medium]]:
    for row in graph.select(query) if query else []:
        item, of, page, credit = (row.get(name) for name in PICTURE)
        if isinstance(item, Iri) and isinstance(of, Iri) and isinstance(page, Literal):
            words = credit.lexical if isinstance(credit, Literal) else ""
            if page.lexical.startswith(("http://", "https://")):
                yield of.value, Medium("picture" if kind == "picture" else "film", item, page.lexical, words)
