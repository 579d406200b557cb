"""One run of the collectors: ask the services, read the rules, compare with the tables. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from graph_tools.build.tables import read_tables
from graph_tools.collect import musicbrainz, wikidata
from graph_tools.collect.comparison import compare
from graph_tools.collect.documents import Document, Rows, Web
from graph_tools.collect.recipe import Recipe, ServiceName, load_recipe
from graph_tools.collect.review import Review
from graph_tools.errors import InvalidPack


def collect(pack_dir: Path, services: Iterable[ServiceName], web: Web) -> Review:
    """How the tables of the pack differ from what the services say.

    Raises InvalidPack where recipe or tables are broken, ServiceUnavailable where a service is out: what it answered
    until then is in the cache, and the next run goes on from there.
    """
    recipe, mapping = load_recipe(pack_dir)
    tables = read_tables(pack_dir, mapping)
    rows, problems = tables.rows, tables.problems
    if problems:
        raise InvalidPack(problems)
    return compare(recipe, mapping, rows, _documents(recipe, set(services), web, rows))


def addresses(recipe: Recipe) -> list[tuple[str, float]]:
    """(base address, pause) of everything that the recipe asks."""
    found = []
    if recipe.musicbrainz:
        found.append((recipe.musicbrainz.base, recipe.musicbrainz.pause))
    if recipe.wikidata:
        bases = (recipe.wikidata.entities, recipe.wikidata.endpoint)
        found += [(base, recipe.wikidata.pause) for base in bases if base]
    return found


def _documents(recipe: Recipe, services: set[ServiceName], web: Web, rows: Rows) -> Iterator[Document]:
    if recipe.musicbrainz and "musicbrainz" in services:
        yield from musicbrainz.lookups(recipe.musicbrainz, web, rows)
    if recipe.wikidata and "wikidata" in services:
        yield from wikidata.lookups(recipe.wikidata, web, rows)
