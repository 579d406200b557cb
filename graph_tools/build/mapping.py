"""`kg/sources/mapping.toml`: how each table of a pack is said as RDF. Strict: an unknown key is a fault.

A pattern is text with `{column}` or `{column:other}` in it, the second being the cell `other` of the row that `column`
points to. Where a list of patterns is allowed, the first one of which every cell is filled is used.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from graph_tools.errors import InvalidPack, PackNotFound, Problem, nearest

MAPPING_FILE = "kg/sources/mapping.toml"
SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")
ROW = "row"
"""In a statement: the node of the row itself, in place of an IRI pattern."""

Kind = Literal[
    "id", "ref", "iri", "class", "string", "integer", "boolean", "date", "datetime", "duration", "url", "note"
]
Precision = Literal["year", "month", "day"]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Also(_Strict):
    """The same value said once more: by another property, or of another node of the row."""

    predicate: str
    subject: str = ROW


class Column(_Strict):
    """What the cells of one column mean."""

    kind: Kind
    predicate: str | None = None
    """CURIE; none: the cell only feeds patterns."""
    also: tuple[Also, ...] = ()
    """Where else the value goes."""
    language: str | None = None
    """For `string`: the language tag, or a pattern with the column that holds it."""
    required: bool = False
    many: bool = False
    """Several values in a cell, separated by ';'."""
    to: tuple[str, ...] = ()
    """For `ref`: the tables whose ids may stand here; none given: any table."""
    object_classes: tuple[str, ...] = ()
    """For `ref`: classes that the node pointed to has because it is named here."""
    pattern: str = "{value}"
    """For `iri`: where the cell goes in the IRI."""
    match: str | None = None
    """For `iri` and `string`: regular expression that the whole cell has to fit."""
    one_of: tuple[str, ...] = ()
    """For `string`: the only texts allowed."""
    values: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """For `class`: the classes that each cell text stands for."""
    precision: tuple[Precision, ...] = ("year", "month", "day")
    """For `date`: the precisions allowed."""


class Statement(_Strict):
    """One more triple per row, made from patterns; left out where a cell it needs is empty."""

    predicate: str
    subject: str = ROW
    object: str | None = None
    text: tuple[str, ...] = ()


class Sequence(_Strict):
    """Rows of one group stand in an order: unique integers, optionally 1..n, optionally linked row to next row."""

    group: tuple[str, ...]
    order: str
    predicate: str | None = None
    contiguous: bool = False


class Table(_Strict):
    """One or more CSV files of the same columns."""

    files: tuple[str, ...]
    optional: bool = False
    """The files may be missing."""
    subject: tuple[str, ...] = ()
    """IRI patterns (CURIE) of the row's own node."""
    describes: str | None = None
    """In place of `subject`: the `ref` column whose node the row says more about."""
    classes: tuple[str, ...] = ()
    columns: dict[str, Column]
    statements: tuple[Statement, ...] = ()
    sequence: Sequence | None = None

    @property
    def id_column(self) -> str | None:
        """The column by which other tables point here."""
        return next((name for name, column in self.columns.items() if column.kind == "id"), None)


class Minting(_Strict):
    """Nodes that have names elsewhere keep them; every other one is named under a base of the pack's own."""

    own: str
    """Prefix name of that base."""
    kept: str
    """File beside the mapping with the names that stay in `namespace`, one a line."""


class Mapping(_Strict):
    """The whole file."""

    output: str
    """Where the Turtle goes, relative to the pack."""
    namespace: str
    """Prefix name of the pack's nodes."""
    minting: Minting | None = None
    name: tuple[str, ...] = Field(min_length=1)
    """Predicates (CURIEs) of which every typed node has to have one; in TOML one text, or a list."""
    unnamed: tuple[str, ...] = ()
    """Classes (CURIEs) whose nodes need no name: they are said, not spoken of."""
    prefixes: dict[str, str]
    refused_characters: dict[str, str] = Field(default_factory=dict)
    """Character that no cell may hold -> what to write instead."""
    tables: dict[str, Table]

    @field_validator("name", mode="before")
    @classmethod
    def _one_or_several(cls, given: object) -> object:
        return (given,) if isinstance(given, str) else given


def load_mapping(pack_dir: Path) -> Mapping:
    """The mapping of the pack in `pack_dir`. Raises PackNotFound, InvalidPack with every fault of the file."""
    path = pack_dir / MAPPING_FILE
    if not path.is_file():
        raise PackNotFound(f"{path}: there is no such file; a pack that builds its graph keeps its mapping there")
    text = path.read_text(encoding="utf-8")
    try:
        mapping = Mapping.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found.group(1)) if found else None
        raise InvalidPack([Problem(MAPPING_FILE, line, f"not valid TOML: {error}", "correct the line")]) from error
    except ValidationError as error:
        raise InvalidPack(
            Problem(
                MAPPING_FILE,
                _line_of(text, [str(part) for part in fault["loc"]]),
                f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}",
                "see graph_tools/build/mapping.py for the keys allowed",
            )
            for fault in error.errors()
        ) from error
    problems = list(_faults(mapping, text))
    if problems:
        raise InvalidPack(problems)
    return mapping


def expand(mapping: Mapping, curie: str) -> str | None:
    """The IRI of a CURIE of the mapping's prefixes; None where it is none."""
    prefix, colon, local = curie.partition(":")
    base = mapping.prefixes.get(prefix)
    return base + local if colon and base is not None else None


def _line_of(text: str, location: list[str]) -> int | None:
    """The line of the innermost key of `location` that the text names, below the header of its table."""
    lines = text.splitlines()
    start = 0
    found: int | None = None
    for part in location:
        for number in range(start, len(lines)):
            if re.search(rf"(^|[\[.\s]){re.escape(part)}(\]|\.|\s*=)", lines[number]):
                found, start = number + 1, number
                break
    return found


def _faults(mapping: Mapping, text: str) -> Iterator[Problem]:
    prefixes = ", ".join(mapping.prefixes)

    def fault(location: list[str], cause: str, remedy: str) -> Problem:
        return Problem(MAPPING_FILE, _line_of(text, location), cause, remedy)

    if mapping.namespace not in mapping.prefixes:
        yield fault(["namespace"], f'namespace "{mapping.namespace}" is no prefix', f"name one of {prefixes}")
    if mapping.minting is not None and mapping.minting.own not in mapping.prefixes:
        yield fault(["minting", "own"], f'"{mapping.minting.own}" is no prefix', f"name one of {prefixes}")
    for name, table in mapping.tables.items():
        here = ["tables", name]
        if bool(table.subject) == bool(table.describes):
            yield fault(here, f"table {name} needs either subject or describes", "give exactly one of them")
        for statement in table.statements:
            if (statement.object is None) == (not statement.text):
                yield fault(
                    here, f"a statement of table {name} needs either object or text", "give exactly one of them"
                )
        for curie in _curies(mapping, table):
            if expand(mapping, curie) is None:
                yield fault(here, f'"{curie}" of table {name} has no declared prefix', f"use one of {prefixes}")
        for column in _columns_named(table):
            if column not in table.columns:
                yield fault(here, f'"{column}" is no column of table {name}', nearest(column, table.columns))
        for column, other in _followed(table):
            spec = table.columns.get(column)
            if spec is None or spec.kind != "ref" or spec.many:
                remedy = "follow a ref column with a single value"
                yield fault(here, f'"{{{column}:{other}}}" of table {name} cannot be followed', remedy)
        for column, spec in table.columns.items():
            for target in spec.to:
                if target not in mapping.tables or mapping.tables[target].id_column is None:
                    yield fault([*here, column], f'"{target}" is no table with an id column', "name one of this file")


def _patterns(table: Table) -> Iterator[str]:
    yield from table.subject
    for statement in table.statements:
        yield from (pattern for pattern in (statement.subject, statement.object) if pattern not in (None, ROW))
        yield from statement.text
    for column in table.columns.values():
        yield from (also.subject for also in column.also if also.subject != ROW)
        if column.language:
            yield column.language


def _curies(mapping: Mapping, table: Table) -> Iterator[str]:
    yield from (*table.subject, *table.classes, *mapping.name)
    for statement in table.statements:
        yield statement.predicate
        yield from (pattern for pattern in (statement.subject, statement.object) if pattern not in (None, ROW))
    for column in table.columns.values():
        yield from column.object_classes
        yield from (name for names in column.values.values() for name in names)
        if column.predicate:
            yield column.predicate
        for also in column.also:
            yield from (curie for curie in (also.predicate, also.subject) if curie != ROW)
    if table.sequence and table.sequence.predicate:
        yield table.sequence.predicate


def _columns_named(table: Table) -> Iterator[str]:
    yield from (found.group(1) for pattern in _patterns(table) for found in SLOT.finditer(pattern))
    if table.describes:
        yield table.describes
    if table.sequence:
        yield from (*table.sequence.group, table.sequence.order)


def _followed(table: Table) -> Iterator[tuple[str, str]]:
    for pattern in _patterns(table):
        yield from ((found.group(1), found.group(2)) for found in SLOT.finditer(pattern) if found.group(2))
