"""Findings against our tables. Who says less than we do does not differ; what a service lacks is never taken away."""

from __future__ import annotations

import re
from collections.abc import Iterable

from graph_tools.build import values
from graph_tools.build.mapping import MAPPING_FILE, Column, Mapping, Table
from graph_tools.build.tables import TableRow
from graph_tools.collect.documents import Document, Rows
from graph_tools.collect.findings import Finding, Values, findings, minted, rules_for
from graph_tools.collect.recipe import Cell, Recipe, Rule
from graph_tools.collect.review import Change, NewRow, NotPlaced, Review

_FOLDER = MAPPING_FILE.rpartition("/")[0]
_READERS = {
    "integer": values.integer,
    "boolean": values.boolean,
    "datetime": values.moment,
    "duration": values.duration,
    "url": values.url,
}


def compare(recipe: Recipe, mapping: Mapping, rows: Rows, documents: Iterable[Document]) -> Review:
    """The review of these documents."""
    comparison = _Comparison(mapping, rows)
    known = list(documents)
    for document in known:
        if not rules_for(recipe, document):
            unknown = f"{document.service} knows no {document.kind} {document.requested}"
            why = unknown if document.data is None else f"no rule reads the {document.kind} {document.name}"
            comparison.not_placed.append(NotPlaced(table="", why=why, cells={}, page=document.page))
    for finding in findings(recipe, mapping, rows, known):
        comparison.add(finding)
    return comparison.review()


class _Comparison:
    def __init__(self, mapping: Mapping, rows: Rows) -> None:
        self.mapping = mapping
        self.rows = rows
        self.changes: list[Change] = []
        self.new_rows: list[NewRow] = []
        self.not_placed: list[NotPlaced] = []
        self._ids = {
            name: {row.cells[table.id_column] for row in rows[name]}
            for name, table in mapping.tables.items()
            if table.id_column
        }
        self._new_keys: set[tuple[str, tuple[tuple[str, str], ...]]] = set()

    def review(self) -> Review:
        """What was found, in the order of the tables; what is new in the order it was found."""
        order = {name: number for number, name in enumerate(self.mapping.tables)}
        changes = dict.fromkeys(change.model_dump_json() for change in self.changes)
        ordered = sorted(
            map(Change.model_validate_json, changes), key=lambda c: (order[c.table], c.file, c.line, c.column)
        )
        return Review(
            changes=tuple(ordered),
            new_rows=tuple(sorted(self.new_rows, key=lambda row: order[row.table])),
            not_placed=tuple(sorted(self.not_placed, key=lambda item: order.get(item.table, -1))),
        )

    def add(self, finding: Finding) -> None:
        """Compares one finding with the row that it is about."""
        rule, table = finding.rule, self.mapping.tables[finding.rule.table]
        for column, said in finding.lost.items():
            required = column in rule.key
            why = f"{column}: no row of ours is {', '.join(said)}" + (
                "" if required else "; it is left out of the cell"
            )
            self._put_aside(finding, why)
            if required:
                return
        key = {column: found[0] for column, found in finding.key.items() if len(found) == 1}
        if len(key) < len(finding.key):
            if all(finding.key.values()) and not rule.new_rows and all(c.use == "new" for c in rule.columns.values()):
                return  # the rule only asks whether there is a row, and there is more than one
            several = [f"{column} could be {', '.join(found) or 'nothing'}" for column, found in finding.key.items()]
            self._put_aside(finding, f"its row cannot be told: {'; '.join(several)}")
            return
        matching = [row for row in self.rows[rule.table] if all(row.cells.get(c) == v for c, v in key.items())]
        by_name = not matching
        if by_name:
            matching = self._by_name(rule, finding, key)
        if len(matching) > 1:
            lines = ", ".join(str(row.line) for row in matching)
            self._put_aside(finding, f"could be any of lines {lines} of {matching[0].file}")
        elif matching:
            self._compare(finding, table, matching[0], key if by_name else {}, by_name=by_name)
        elif rule.new_rows:
            self._propose(finding, table, key)
        else:
            self._put_aside(finding, f"no row of {rule.table} is about it")

    def _by_name(self, rule: Rule, finding: Finding, key: dict[str, str]) -> list[TableRow]:
        if rule.also_by is None:
            return []
        names = {text.casefold() for text in finding.cells.get(rule.also_by, ())}
        return [
            row
            for row in self.rows[rule.table]
            if not any(column in row.cells for column in key) and row.cells.get(rule.also_by, "").casefold() in names
        ]

    def _compare(self, finding: Finding, table: Table, row: TableRow, key: dict[str, str], *, by_name: bool) -> None:
        said = {column: (value,) for column, value in key.items()} | dict(finding.cells)
        by_rule = finding.rule.columns | {column: finding.rule.key[column] for column in key}
        for column, found in said.items():
            ours = row.cells.get(column, "")
            theirs = self._proposal(finding, table.columns[column], column, by_rule[column], ours, found)
            if theirs is None:
                continue
            named = [table.id_column] if table.id_column else list(finding.rule.key)
            self.changes.append(
                Change(
                    table=finding.rule.table,
                    file=row.file,
                    line=row.line,
                    row={name: row.cells.get(name, "") for name in named},
                    column=column,
                    ours=ours,
                    theirs=theirs,
                    service=finding.document.service,
                    page=finding.document.page,
                    page_name=finding.document.name,
                    fetched=finding.document.fetched.date(),
                    found_by="name" if by_name else "key",
                )
            )

    def _proposal(
        self, finding: Finding, spec: Column, column: str, cell: Cell, ours: str, found: Values
    ) -> str | None:
        """What would stand in the cell; None where nothing is to be proposed."""
        if not found or cell.use == "new" or (cell.use == "fill" and ours):
            return None
        if spec.many:
            held = [part.strip() for part in ours.split(";") if part.strip()]
            folded = {part.casefold() for part in held}
            more = [text for text in found if text.casefold() not in folded and ";" not in text]
            return ";".join([*held, *more]) if more else None
        if ours in found:
            return None
        if len(found) > 1:
            self._put_aside(finding, f"{column}: ours is {ours or 'empty'}, theirs {' or '.join(found)}")
            return None
        why = _unfit(spec, found[0])
        if why:
            self._put_aside(finding, f"{column}: {found[0]} {why}")
            return None
        return None if ours and _agrees(spec, ours, found[0]) else found[0]

    def _propose(self, finding: Finding, table: Table, key: dict[str, str]) -> None:
        rule = finding.rule
        identity = (rule.table, tuple(sorted(key.items())))
        if identity in self._new_keys:
            return
        self._new_keys.add(identity)
        cells = {
            column: ";".join(found) if table.columns[column].many else found[0]
            for column, found in {**finding.key, **finding.cells}.items()
            if found and (table.columns[column].many or len(found) == 1)
        }
        for column in rule.columns:
            if rule.columns[column].mint and column in cells:
                cells[column] = minted(cells[column], self._ids[rule.table])
                self._ids[rule.table].add(cells[column])
        unfit = {
            c: why for c, text in cells.items() if not table.columns[c].many and (why := _unfit(table.columns[c], text))
        }
        if unfit:
            self._put_aside(finding, "; ".join(f"{column}: {cells[column]} {why}" for column, why in unfit.items()))
            return
        self.new_rows.append(
            NewRow(
                table=rule.table,
                file=f"{_FOLDER}/{table.files[0]}",
                service=finding.document.service,
                page=finding.document.page,
                page_name=finding.document.name,
                fetched=finding.document.fetched.date(),
                cells={column: cells[column] for column in table.columns if column in cells},
            )
        )

    def _put_aside(self, finding: Finding, why: str) -> None:
        said = {column: ";".join(found) for column, found in {**finding.key, **finding.cells}.items() if found}
        item = NotPlaced(table=finding.rule.table, why=why, cells=said, page=finding.document.page)
        if item not in self.not_placed:
            self.not_placed.append(item)


def _unfit(spec: Column, text: str) -> str | None:
    """Why the text cannot stand in such a cell."""
    if spec.match and not re.fullmatch(spec.match, text):
        return f"does not fit {spec.match}"
    if spec.one_of and text not in spec.one_of:
        return f"is none of {', '.join(spec.one_of)}"
    if spec.kind == "class" and text not in spec.values:
        return f"is none of {', '.join(spec.values)}"
    try:
        _literal(spec, text)
    except values.BadValue as error:
        return error.cause
    return None


def _agrees(spec: Column, ours: str, theirs: str) -> bool:
    """The same value, or for a date the same one, known less precisely."""
    try:
        mine, other = _literal(spec, ours), _literal(spec, theirs)
    except values.BadValue:
        return False
    return mine == other or (spec.kind == "date" and ours.startswith(f"{theirs}-"))


def _literal(spec: Column, text: str) -> object:
    if spec.kind == "date":
        return values.day(text, spec.precision)
    return _READERS[spec.kind](text) if spec.kind in _READERS else text
