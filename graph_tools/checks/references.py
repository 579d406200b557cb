"""Where the files of a graph mention an IRI: a problem about a triple needs a line, and a graph has none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from graph_tools.errors import Problem
from graph_tools.graph_files import GraphFile

_PREFIX = re.compile(r"(?im)^\s*@?prefix\s+([^\s:]*):\s*<([^>]*)>")


_NAMED = re.compile(r"<([^<>\s]*)>|(?<![\w:.\"'-])([A-Za-z][\w.-]*|):((?:[\w.:-]|%[0-9A-Fa-f]{2}|\\\\.)*)")


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


class Places:
    """The lines of all IRIs of some files, found in one pass: a thousand faults cost no more than one."""

    def __init__(self, files: Iterable[GraphFile]) -> None:
        self._files = tuple(files)

    def problem(self, iri: str, rule: str, cause: str, remedy: str) -> Problem:
        """A problem about `iri`, at the line that begins to describe it, else at its first mention."""
        found = self._described.get(iri) or self._mentioned.get(iri)
        name = self._files[0].name if self._files else "pack.toml"
        if found is None:
            return Problem(name, None, cause, remedy, rule, iri)
        return Problem(found.file, found.line, cause, remedy, rule, iri)

    @cached_property
    def _both(self) -> tuple[dict[str, Reference], dict[str, Reference]]:
        described: dict[str, Reference] = {}
        mentioned: dict[str, Reference] = {}
        for file in self._files:
            text = file.turtle.decode("utf-8", errors="replace")
            prefixes = dict(_PREFIX.findall(text))
            for number, line in enumerate(text.split("\n"), start=1):
                for found in _NAMED.finditer(line):
                    full, prefix, local = found.groups()
                    iri = full if full is not None else prefixes.get(prefix, "\0") + local.rstrip(".")
                    place = Reference(file.name, number)
                    mentioned.setdefault(iri, place)
                    if found.start() == 0:
                        described.setdefault(iri, place)
        return described, mentioned

    @property
    def _described(self) -> dict[str, Reference]:
        return self._both[0]

    @property
    def _mentioned(self) -> dict[str, Reference]:
        return self._both[1]
