"""A graph that is built from tables: are these without fault, and is the built file what they say?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from graph_tools.build import build_files
from graph_tools.build.mapping import MAPPING_FILE
from graph_tools.errors import InvalidPack, Problem

_REMEDY = "run cuestory kg build; what should stay goes into the tables first"


def source_problems(root: Path) -> Iterator[Problem]:
    """Faults of the pack's tables; without any, built files that are not what the tables give. Nothing is written."""
    if not (root / MAPPING_FILE).is_file():
        return
    try:
        built = build_files(root)
    except InvalidPack as invalid:
        yield from invalid.problems
        return
    for name, data in built.items():
        path = root / name
        if not path.is_file():
            yield Problem(name, None, "is missing, though the tables of kg/sources give it", _REMEDY, "build-stale")
            continue
        found = path.read_bytes().replace(b"\r\n", b"\n")
        if found != data:
            yield _stale(name, found, data)


def _stale(name: str, found: bytes, built: bytes) -> Problem:
    """Named by the first line that differs."""
    pairs = zip_longest(found.split(b"\n"), built.split(b"\n"))
    line, here, there = next((n, a, b) for n, (a, b) in enumerate(pairs, start=1) if a != b)
    cause = f"is not what the tables of kg/sources give: {_shown(here)} here, {_shown(there)} from them"
    return Problem(name, line, cause, _REMEDY, "build-stale")


def _shown(line: bytes | None) -> str:
    if line is None:
        return "no such line"
    text = line.decode("utf-8", errors="backslashreplace").strip()
    return repr(text if len(text) <= 80 else text[:77] + "...")
