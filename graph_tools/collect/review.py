"""The difference between tables and services, for a curator to review: nothing is written unless accepted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from graph_tools.errors import CollectError


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Proposal(_Strict):
    accept: bool = False
    """Set to true by whoever reviews it."""
    table: str
    file: str
    service: str
    page: str
    """Where people read what the service says."""
    page_name: str
    fetched: date


class Change(_Proposal):
    """One cell that the service fills otherwise."""

    line: int
    row: dict[str, str]
    """The cells by which the row is found again."""
    column: str
    ours: str
    """Empty where the cell is."""
    theirs: str
    """What would stand in the cell."""
    found_by: Literal["key", "name"] = "key"
    """`name`: the row had no identifier yet, and only the name is the same."""


class NewRow(_Proposal):
    """A row that the tables lack."""

    cells: dict[str, str]


class NotPlaced(_Strict):
    """What a service says that is no cell of a row as it stands."""

    table: str
    why: str
    cells: dict[str, str]
    page: str


class Review(_Strict):
    """The whole difference, in the order of the tables and their lines."""

    format: Literal["cuestory.collect/1"] = "cuestory.collect/1"
    changes: tuple[Change, ...] = ()
    new_rows: tuple[NewRow, ...] = ()
    not_placed: tuple[NotPlaced, ...] = ()

    def to_json(self) -> str:
        """The file that is reviewed."""
        return self.model_dump_json(indent=1) + "\n"

    def to_text(self) -> str:
        """The same for reading."""
        return "".join(f"{line}\n" for line in _lines(self))

    @property
    def summary(self) -> str:
        """One line."""
        return f"{len(self.changes)} cells differ, {len(self.new_rows)} rows are new, {len(self.not_placed)} not placed"


def read_review(path: Path) -> Review:
    """A reviewed file. Raises CollectError."""
    try:
        return Review.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise CollectError(f"{path}: there is no such file; run kg collect with the same --out first") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise CollectError(f"{path}: {where}: {first['msg']}; only change accept from false to true") from None


def _lines(review: Review) -> Iterator[str]:
    for file, changes in groupby(review.changes, key=lambda change: change.file):
        yield file
        for change in changes:
            named = ", ".join(change.row.values())
            by = " (found by its name)" if change.found_by == "name" else ""
            yield f"  line {change.line}, {named}{by}"
            yield f"    {change.column}: {change.ours or '(empty)'} -> {change.theirs}"
            yield f"    {change.page}"
    for file, rows in groupby(review.new_rows, key=lambda row: row.file):
        yield f"{file}, new rows"
        for row in rows:
            yield "  " + "; ".join(f"{column}={value}" for column, value in row.cells.items())
            yield f"    {row.page}"
    if review.not_placed:
        yield "not placed"
    for item in review.not_placed:
        cells = "; ".join(f"{column}={value}" for column, value in item.cells.items())
        yield f"  {item.table}: {item.why}" + (f" ({cells})" if cells else "")
        yield f"    {item.page}"
