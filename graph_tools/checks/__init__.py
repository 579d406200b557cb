"""The pack gate: everything that has to hold before a pack is told from (`cuestory check`)."""

from __future__ import annotations

from pathlib import Path

from graph_tools.checks.answers import unanswered
from graph_tools.checks.graph import graph_problems
from graph_tools.checks.references import find_references
from graph_tools.errors import Problem
from graph_tools.pack import examine

__all__ = ["check_pack", "find_references"]


def check_pack(path: Path, *, cache: Path | None = None) -> tuple[Problem, ...]:
    """Every problem of the pack, by file and line; none means that it may be told. Raises PackNotFound."""
    pack, problems = examine(path, cache=cache)
    if pack is None:
        return problems
    found = [*problems, *graph_problems(pack), *unanswered(pack)]
    return tuple(sorted(dict.fromkeys(found), key=lambda p: (p.file, p.line or 0, p.cause)))
