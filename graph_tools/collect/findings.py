"""Rules on documents: what a service says about one row of one table, with our ids in place of theirs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jmespath

from graph_tools.build.mapping import Mapping as TableMapping
from graph_tools.build.values import duration
from graph_tools.collect.documents import Document, Rows, visible
from graph_tools.collect.recipe import Cell, Recipe, Rule

Values = tuple[str, ...]
"""What a cell could hold, in their order; a column of single values wants exactly one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one document says about one row."""

    rule: Rule
    document: Document
    key: Mapping[str, Values]
    cells: Mapping[str, Values]
    lost: Mapping[str, Values]
    """Column -> what they say there, where that is no row of ours."""


def findings(recipe: Recipe, mapping: TableMapping, rows: Rows, documents: Iterable[Document]) -> Iterator[Finding]:
    """Each row that the documents speak of, by the rules in their order."""
    reader = _Reader(mapping, rows)
    for document in documents:
        for rule in rules_for(recipe, document):
            for data in _items(rule, document.data or {}):
                lost: dict[str, Values] = {}
                many = {column for column, spec in mapping.tables[rule.table].columns.items() if spec.many}
                key = {c: reader.read(cell, data, c, lost, many=c in many) for c, cell in rule.key.items()}
                cells = {c: reader.read(cell, data, c, lost, many=c in many) for c, cell in rule.columns.items()}
                yield Finding(rule, document, key, cells, lost)


def rules_for(recipe: Recipe, document: Document) -> list[Rule]:
    """The rules that read the document."""
    return [
        rule
        for rule in recipe.rules
        if (rule.service, rule.kind) == (document.service, document.kind)
        and document.data is not None
        and jmespath.search(rule.where, document.data)
    ]


def minted(text: str, taken: Iterable[str]) -> str:
    """An id for a new row: the words of the text run together, without accents, and a number where it is taken."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = re.findall(r"[A-Za-z0-9]+", plain.replace("'", ""))
    base = "".join(word[:1].upper() + word[1:] for word in words) or "New"
    base = base if base[0].isalpha() else f"N{base}"
    known = set(taken)
    return next(name for name in (base, *(f"{base}_{n}" for n in range(2, len(known) + 3))) if name not in known)


def _items(rule: Rule, data: dict[str, Any]) -> Iterator[Any]:
    if rule.each is None:
        yield data
        return
    for number, row in enumerate(jmespath.search(rule.each, data) or (), start=1):
        yield {"of": data, "row": row, "number": number}


class _Reader:
    def __init__(self, mapping: TableMapping, rows: Rows) -> None:
        self._mapping = mapping
        self._rows = rows
        self._index: dict[str, dict[frozenset[str], list[str]]] = {}

    def read(self, cell: Cell, data: Any, column: str, lost: dict[str, Values], *, many: bool) -> Values:
        """What the document says in that cell; what is no row of ours goes to `lost`."""
        texts = tuple(dict.fromkeys(self._fit(cell, jmespath.search(cell.at, data))))
        if not many:
            return self._through(cell, texts, column, lost)
        found = [self._through(cell, (text,), column, lost) for text in texts]
        return tuple(dict.fromkeys(ids[0] for ids in found if len(ids) == 1))

    def _through(self, cell: Cell, texts: Values, column: str, lost: dict[str, Values]) -> Values:
        for step in cell.through:
            found = self._step(step, texts, part=cell.part)
            if texts and not found:
                lost[column] = (*lost.get(column, ()), *texts)
                return ()
            texts = found
        return texts

    def _fit(self, cell: Cell, found: Any) -> Iterator[str]:
        for value in found if isinstance(found, list) else [found]:
            if value is None or isinstance(value, list | dict):
                continue
            text = ("true" if value else "false") if isinstance(value, bool) else self._clean(str(value))
            if cell.match:
                match = re.search(cell.match, text)
                text = (match[1] or "") if match else ""
            if cell.milliseconds and text.isdecimal():
                text = duration(f"PT{round(int(text) / 1000)}S").lexical
            if cell.words:
                text = cell.words.get(text, "")
            if text:
                yield text

    def _clean(self, text: str) -> str:
        for character, instead in self._mapping.refused_characters.items():
            text = text.replace(character, instead)
        return visible(text)

    def _step(self, places: tuple[str, ...], texts: Values, *, part: bool) -> Values:
        """Ids of the rows that have these texts in one of the places: all of them in one row, or else one row each."""
        whole = self._ids(places, frozenset(texts), part=part)
        if whole or len(texts) < 2:
            return whole
        single = [self._ids(places, frozenset([text]), part=part) for text in texts]
        return tuple(ids[0] for ids in single) if all(len(ids) == 1 for ids in single) else ()

    def _ids(self, places: tuple[str, ...], texts: frozenset[str], *, part: bool) -> Values:
        for place in places:
            index = self._indexed(place)
            ids = index.get(texts) or [id_ for held in index if part and texts < held for id_ in index[held]]
            if ids:
                return tuple(ids)
        return ()

    def _indexed(self, place: str) -> dict[frozenset[str], list[str]]:
        if place not in self._index:
            name, _, column = place.partition(".")
            table = self._mapping.tables[name]
            many = table.columns[column].many
            index: dict[frozenset[str], list[str]] = {}
            for row in self._rows[name]:
                value = row.cells.get(column)
                if value and table.id_column:
                    parts = frozenset(part.strip() for part in value.split(";")) if many else frozenset([value])
                    index.setdefault(parts, []).append(row.cells[table.id_column])
            self._index[place] = index
        return self._index[place]
