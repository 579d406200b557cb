"""What the services answer, as the documents that the rules of a recipe are read on."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from graph_tools.build.tables import TableRow
from graph_tools.collect.cache import Answer
from graph_tools.collect.recipe import Ours, ServiceName

Rows = Mapping[str, list[TableRow]]
"""Our tables, as `read_tables` gives them."""


class Web(Protocol):
    """What a collector needs of the network."""

    def get(self, url: str) -> Answer:
        """The JSON at `url`."""
        ...

    def post(self, url: str, form: Mapping[str, str], accept: str) -> Answer:
        """The JSON that answers `form`."""
        ...


@dataclass(frozen=True, slots=True)
class Document:
    """One answer, or one row of one."""

    service: ServiceName
    kind: str
    data: dict[str, Any] | None
    """With `requested`, the identifier that was asked for; None: the service does not know it."""
    requested: str
    page: str
    """Where people read the same."""
    fetched: datetime

    @property
    def name(self) -> str:
        """What the service calls it; the identifier where it gives no name."""
        data = self.data or {}
        labels = data.get("labels") or {}
        named = data.get("name") or data.get("title") or labels.get("en") or next(iter(labels.values()), "")
        return visible(str(named or self.requested))


_HIDDEN = {"Cc", "Cf", "Cs"}


def visible(text: str) -> str:
    """The text without control, format and half characters, which give orders to a terminal or break a file."""
    shown = "".join(c if unicodedata.category(c) not in _HIDDEN else " " if c.isspace() else "" for c in text)
    return " ".join(unicodedata.normalize("NFC", shown).split())


def ids_of_ours(rows: Rows, ours: Iterable[Ours]) -> list[tuple[str, str]]:
    """(kind, identifier) of what our tables name, each once, in the order of the tables."""
    found: dict[tuple[str, str], None] = {}
    for each in ours:
        for value in column_values(rows, each.place):
            found[each.kind, value] = None
    return list(found)


def column_values(rows: Rows, place: str) -> list[str]:
    """What stands in `table.column`, each once."""
    table, _, column = place.partition(".")
    return list(dict.fromkeys(row.cells[column] for row in rows[table] if column in row.cells))
