"""`kg/sources/collect.toml`: which services a pack asks, from which identifiers on, and which cell is read from where.

Expressions are JMESPath (https://jmespath.org), read on the documents that `musicbrainz.py` and `wikidata.py` describe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from graph_tools.build.mapping import Mapping, load_mapping
from graph_tools.errors import InvalidPack, PackNotFound, Problem, nearest
from graph_tools.toml_source import TomlSource, read_toml, validate

COLLECT_FILE = "kg/sources/collect.toml"

ServiceName = Literal["musicbrainz", "wikidata"]
SERVICES: tuple[ServiceName, ...] = ("musicbrainz", "wikidata")


def _compiled(text: str) -> str:
    try:
        jmespath.compile(text)
    except JMESPathError as error:
        raise ValueError(f"no JMESPath expression: {' '.join(str(error).split())}") from error
    return text


def _pattern(text: str) -> str:
    try:
        groups = re.compile(text).groups
    except re.error as error:
        raise ValueError(f"no regular expression: {error}") from error
    if groups != 1:
        raise ValueError("needs one pair of ( ) round what is wanted")
    return text


Expression = Annotated[str, AfterValidator(_compiled)]
Pattern = Annotated[str, AfterValidator(_pattern)]
Place = Annotated[str, Field(pattern=r"^\w+\.\w+$")]
"""`table.column`."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cell(_Strict):
    """How one cell is read off a document."""

    at: Expression
    match: Pattern | None = None
    """The part of the text that is wanted; texts that it does not fit are passed over."""
    milliseconds: bool = False
    """A number of milliseconds, for a column of durations; rounded to seconds."""
    words: dict[str, str] = Field(default_factory=dict)
    """Their word -> ours; words that are not listed are passed over, where any is."""
    through: tuple[tuple[Place, ...], ...] = ()
    """Steps from what they say to the id of a row of ours: the row that has it in the first place that fits."""
    part: bool = False
    """Through a column of several values: one of them is enough."""
    mint: bool = False
    """For the id of a new row: made of the text."""
    use: Literal["compare", "fill", "new"] = "compare"
    """`fill`: proposed only where ours is empty; `new`: only in new rows."""


class Rule(_Strict):
    """How the documents of one kind are rows of one table."""

    service: ServiceName
    kind: str
    """Kind of document: an entity type of MusicBrainz; of Wikidata a kind that `ours` names, or the name of a query."""
    table: str
    where: Expression = "@"
    """Only documents for which this holds."""
    each: Expression | None = None
    """The items of a document that are a row each; expressions then see {of: document, row: item, number: 1...}."""
    key: dict[str, Cell] = Field(min_length=1)
    """The cells by which our row is found."""
    also_by: str | None = None
    """Column (a name) by which our row is found where its key cells are still empty."""
    new_rows: bool = False
    """What has no row is proposed as one; otherwise it is listed as not placed."""
    columns: dict[str, Cell] = Field(default_factory=dict)


class Ours(_Strict):
    """Identifiers that our tables hold already: they are looked up too."""

    place: Place
    kind: str
    """What their documents are called in the rules; for MusicBrainz the entity type."""


class Follow(_Strict):
    """From the documents of one kind to the identifiers of others."""

    kind: str
    ids: Expression
    to: str


class MusicBrainz(_Strict):
    """https://musicbrainz.org/doc/MusicBrainz_API"""

    base: str
    pages: str
    """Address of the page of an entity, with {kind} and {id}."""
    pause: float = Field(default=1.0, ge=0)
    """Seconds between two requests. The service asks for one request a second."""
    include: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Entity type -> what its lookup includes (`inc=`)."""
    seeds: dict[str, tuple[str, ...]]
    """Entity type -> the identifiers that everything starts from."""
    follow: tuple[Follow, ...] = ()
    ours: tuple[Ours, ...] = ()
    most: int = Field(default=2000, ge=1)
    """More lookups than this are a fault of the recipe."""


class Query(_Strict):
    """A SPARQL query, asked once for every so many values of a column of ours. Its variables are the cells."""

    text: str = Field(pattern=r"\{values\}")
    """With {values} where the values go, as quoted strings."""
    place: Place
    batch: int = Field(default=50, ge=1, le=200)


class Wikidata(_Strict):
    """https://www.wikidata.org/wiki/Wikidata:Data_access"""

    entities: str
    """Address that `Special:EntityData/Q1.json` is added to."""
    endpoint: str = ""
    """Address of the SPARQL service; needed where there are queries."""
    pages: str
    """Address of the page of an item, with {id}."""
    pause: float = Field(default=1.0, ge=0)
    ours: tuple[Ours, ...] = ()
    queries: dict[str, Query] = Field(default_factory=dict)


class Provenance(_Strict):
    """The row of the table of sources that an accepted cell rests on."""

    table: str
    column: str
    """Column of the refreshed tables that names such rows."""
    url: str
    """Column of the table of sources that holds the page's address."""
    cells: dict[str, str]
    """Column -> text with {service}, {row}, {page}, {name} and {fetched}."""


class Recipe(_Strict):
    """The whole file."""

    keep_days: float = Field(default=30, gt=0)
    """How long an answer is good for."""
    musicbrainz: MusicBrainz | None = None
    wikidata: Wikidata | None = None
    rules: tuple[Rule, ...]
    provenance: Provenance | None = None


def load_recipe(pack_dir: Path) -> tuple[Recipe, Mapping]:
    """The recipe of the pack and the mapping of its tables. Raises PackNotFound, InvalidPack with every fault."""
    mapping = load_mapping(pack_dir)
    path = pack_dir / COLLECT_FILE
    if not path.is_file():
        raise PackNotFound(f"{path}: there is no such file; a pack that collects keeps its recipe there")
    source = read_toml(path.read_text(encoding="utf-8"), COLLECT_FILE)
    if isinstance(source, Problem):
        raise InvalidPack([source])
    recipe = validate(Recipe, source)
    problems = list(recipe if isinstance(recipe, tuple) else _faults(recipe, mapping, source))
    if problems or isinstance(recipe, tuple):
        raise InvalidPack(problems)
    return recipe, mapping


def _faults(recipe: Recipe, mapping: Mapping, source: TomlSource) -> Iterator[Problem]:
    for at, table, column in _places(recipe):
        if table not in mapping.tables:
            yield source.problem(at, f'"{table}" is no table', nearest(table, mapping.tables))
        elif column and column not in mapping.tables[table].columns:
            remedy = nearest(column, mapping.tables[table].columns)
            yield source.problem(at, f'"{column}" is no column of table {table}', remedy)
    for number, rule in enumerate(recipe.rules):
        at = ("rules", number)
        if getattr(recipe, rule.service) is None:
            yield source.problem((*at, "service"), f"there is no [{rule.service}]", "add it")
        if recipe.wikidata and rule.service == "wikidata":
            kinds = {*recipe.wikidata.queries, *(ours.kind for ours in recipe.wikidata.ours)}
            if rule.kind not in kinds:
                cause = f'"{rule.kind}" is neither a kind of [wikidata] nor a query'
                yield source.problem((*at, "kind"), cause, nearest(rule.kind, kinds))
    if recipe.wikidata and recipe.wikidata.queries and not recipe.wikidata.endpoint:
        yield source.problem(("wikidata",), "there are queries but no endpoint", "say where they are asked")


def _places(recipe: Recipe) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Where a table (and column) is named, and which."""
    for number, rule in enumerate(recipe.rules):
        at: tuple[str | int, ...] = ("rules", number)
        yield (*at, "table"), rule.table, rule.also_by or ""
        for part, cells in (("key", rule.key), ("columns", rule.columns)):
            for column, cell in cells.items():
                yield (*at, part, column), rule.table, column
                for place in (place for step in cell.through for place in step):
                    yield (*at, part, column, "through"), *_split(place)
    for service_name in SERVICES:
        service = getattr(recipe, service_name)
        for number, ours in enumerate(service.ours if service else ()):
            yield (service_name, "ours", number), *_split(ours.place)
    for name, query in recipe.wikidata.queries.items() if recipe.wikidata else ():
        yield ("wikidata", "queries", name, "place"), *_split(query.place)
    if recipe.provenance:
        yield ("provenance", "table"), recipe.provenance.table, recipe.provenance.url
        for column in recipe.provenance.cells:
            yield ("provenance", "cells", column), recipe.provenance.table, column


def _split(place: str) -> tuple[str, str]:
    table, _, column = place.partition(".")
    return table, column
