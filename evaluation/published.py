"""The figures of the paper, from `published.toml`, each with the place where it is printed."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict

FROZEN = ConfigDict(frozen=True, extra="forbid")
Figures = dict[str, dict[str, tuple[float, ...]]]
"""Persona -> length -> one figure a column."""


class Column(BaseModel):
    """One column of a table, with our metric that answers it."""

    model_config = FROZEN

    key: str
    title: str
    decimals: int
    metric: str


class Table(BaseModel):
    """One table of the paper: strategies as groups of columns, personas and lengths as rows."""

    model_config = FROZEN

    number: int
    caption: str
    place: str
    columns: tuple[Column, ...]
    kg: Figures = {}
    hybrid: Figures = {}
    graph: Figures = {}

    def figure(self, strategy: str, persona: str, length: str, column: int) -> float | None:
        """What is printed there; None where the paper has no such cell."""
        groups = {"kg": self.kg, "hybrid": self.hybrid, "graph": self.graph}
        row = groups.get(strategy, {}).get(persona, {}).get(length)
        return row[column] if row else None


@cache
def tables() -> tuple[Table, ...]:
    """Tables 2 and 3."""
    return tuple(Table.model_validate(table) for table in _source()["tables"])


@cache
def runs() -> dict[str, int]:
    """Persona -> runs in each configuration of the paper."""
    return dict(_source()["protocol"]["runs"])


@cache
def aliases() -> tuple[tuple[str, str], ...]:
    """Names that the published evaluator writes beside each other, in lower case."""
    return tuple((one, other) for one, other in _source()["voting"]["aliases"])


@cache
def narrator() -> str:
    """Who worded the published stories."""
    return str(_source()["paper"]["narrator"])


@cache
def _source() -> dict[str, Any]:
    return tomllib.loads((files("evaluation") / "published.toml").read_text(encoding="utf-8"))
