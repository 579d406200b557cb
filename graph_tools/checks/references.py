"""Where the files of a graph mention an IRI: a problem about a triple needs a line, and a graph has none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from graph_tools.graph_files import GraphFile

_PREFIX = re.compile(r"(?im)^\s*@?prefix\s+([^\s:]*):\s*<([^>]*)>")


@dataclass(frozen=True, slots=True)
class Reference:
    """One mention of an IRI."""

    file: str
    line: int


def find_references(files: Iterable[GraphFile], iri: str) -> Iterator[Reference]:
    """Every line that names the IRI, in full or with a prefix of its file; found as text, so comments count too."""
    for file in files:
        text = file.turtle.decode("utf-8", errors="replace")
        spelled = [re.escape(f"<{iri}>")]
        for prefix, start in _PREFIX.findall(text):
            if iri.startswith(start):
                name = re.escape(f"{prefix}:{iri[len(start) :]}")
                spelled.append(rf"(?<![\w:.-]){name}(?![\w:-]|\.\w)")
        pattern = re.compile("|".join(spelled))
        for number, line in enumerate(text.split("\n"), start=1):
            if pattern.search(line):
                yield Reference(file.name, number)
