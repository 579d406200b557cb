"""The build: read the mapping and the tables, mint the nodes, say every cell as triples, check the whole, write it.

All faults of all tables are found in one run and raised together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from graph_tools.build import values
from graph_tools.build.canonical import turtle
from graph_tools.build.description import describe
from graph_tools.build.mapping import ROW, SLOT, Column, Mapping, Statement, Table, expand, load_mapping
from graph_tools.build.names import Names
from graph_tools.build.tables import TableRow, Tables, read_tables
from graph_tools.build.whole import missing_rows_and_names, sequence_faults, successions
from graph_tools.errors import InvalidPack, Problem, in_order, nearest
from graph_tools.terms import RDF_TYPE, Iri, Term, Triple
from graph_tools.terms import Literal as RdfLiteral

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_IN_IRI = re.compile(r"[A-Za-z0-9_-]+")
_SEPARATOR = ";"
_READERS = {
    "string": values.string,
    "integer": values.integer,
    "boolean": values.boolean,
    "datetime": values.moment,
    "duration": values.duration,
    "url": values.url,
}


def write_graph(pack_dir: Path) -> tuple[Path, ...]:
    """Builds the graph of the pack and its description, writes both and returns their files. Raises InvalidPack."""
    paths = []
    for name, data in build_files(pack_dir).items():
        paths.append(pack_dir / name)
        paths[-1].write_bytes(data)
    return tuple(paths)


def build_graph(pack_dir: Path) -> bytes:
    """The pack's tables as Turtle: the same tables give the same bytes. Raises InvalidPack with every fault found."""
    return next(iter(build_files(pack_dir).values()))


def build_files(pack_dir: Path) -> dict[str, bytes]:
    """File -> bytes: the graph, then its description where the pack has one. Raises InvalidPack."""
    mapping = load_mapping(pack_dir)
    tables = read_tables(pack_dir, mapping)
    build = _Build(mapping, tables, Names(mapping, pack_dir))
    build.run()
    if tables.problems:
        first = [problem for unread in tables.unread.values() for problem in unread]
        raise InvalidPack([*in_order(first), *in_order(tables.faults)])
    graph = turtle(build.origins, mapping.prefixes)
    description = describe(pack_dir, mapping, build.origins, graph)
    return {mapping.output: graph} | dict([description] if description else [])


class _Build:
    def __init__(self, mapping: Mapping, tables: Tables, names: Names) -> None:
        self.mapping = mapping
        self.rows = tables.rows
        self.problems = tables.faults
        self.unread = tables.unread.keys()
        """Tables of which rows are missing: that something is not in them is no fault of who names it."""
        self.origins: dict[Triple, tuple[TableRow, str]] = {}
        """Triple -> the row and column that said it first."""
        self.by_id: dict[str, dict[str, TableRow]] = defaultdict(dict)
        self.names = names

    def run(self) -> None:
        """Fills `origins` and `problems`."""
        self._index()
        for name, table in self.mapping.tables.items():
            for row in self.rows[name]:
                self._resolve(row, table)
        self._mint()
        for name, table in self.mapping.tables.items():
            for row in self.rows[name]:
                if row.node is not None:
                    self._say_row(row, row.node, table)
            self.problems += sequence_faults(table, self.rows[name])
            if table.sequence and table.sequence.predicate:
                follows = self._curie(table.sequence.predicate)
                for before, after in successions(table.sequence, self.rows[name]):
                    if before.node and after.node:
                        self._say(before.node, follows, after.node, before, table.sequence.order)
        if not self.problems and not self.unread:
            naming = [self._curie(name) for name in self.mapping.name]
            unnamed = {self._curie(name) for name in self.mapping.unnamed}
            self.problems += missing_rows_and_names(self.origins, self.names.bases, naming, unnamed)
            self.problems += self.names.faults()

    def _index(self) -> None:
        for name, table in self.mapping.tables.items():
            column = table.id_column
            for row in self.rows[name] if column else ():
                key = row.cells.get(column or "", "")
                first = self.by_id[name].get(key)
                if first is not None:
                    cause = f"is the id of {first.file}:{first.line} too"
                    self.problems.append(row.problem(column or "", cause, "give each row its own id"))
                elif key and not _ID.fullmatch(key):
                    remedy = "use letters, digits, _ and -, a letter first"
                    self.problems.append(row.problem(column or "", "cannot be an id", remedy))
                else:
                    self.by_id[name][key] = row

    def _resolve(self, row: TableRow, table: Table) -> None:
        for column, spec in table.columns.items():
            if spec.kind == "ref" and not spec.many and column in row.cells:
                target = self._find(row.cells[column], spec)
                if target is not None:
                    row.targets[column] = target

    def _waits(self, row: TableRow, table: Table) -> bool:
        """True where the row names one of a table that could not be read."""
        refs = {column: spec for column, spec in table.columns.items() if spec.kind == "ref" and not spec.many}
        return any(
            column in row.cells and column not in row.targets and self.unread & set(spec.to or self.mapping.tables)
            for column, spec in refs.items()
        )

    def _find(self, key: str, spec: Column) -> TableRow | None:
        return next((self.by_id[t][key] for t in spec.to or self.mapping.tables if key in self.by_id[t]), None)

    def _mint(self) -> None:
        minted: dict[Iri, TableRow] = {}
        for name, table in self.mapping.tables.items():
            for row in self.rows[name]:
                if table.describes:
                    continue
                iris = [iri for iri in (self._iri(pattern, row) for pattern in table.subject) if iri is not None]
                if not iris and self._waits(row, table):
                    continue
                if not iris:
                    cause = f"cells that make the row's name are empty or hold other characters ({table.subject[-1]})"
                    self.problems.append(Problem(row.file, row.line, cause, "fill them"))
                    continue
                row.node = iris[0]
                first = minted.setdefault(row.node, row)
                if first is not row and f"{first.file}:{first.line}" != f"{row.file}:{row.line}":
                    cause = f"makes the same node <{row.node.value}> as {first.file}:{first.line}"
                    self.problems.append(Problem(row.file, row.line, cause, "delete one of them or tell them apart"))

        for name, table in self.mapping.tables.items():
            if table.describes:
                self._attach(table, table.describes, self.rows[name])

    def _attach(self, table: Table, column: str, rows: Iterable[TableRow]) -> None:
        """Rows without a node of their own take the one they point to; the same fact twice is a fault."""
        facts = [name for name, spec in table.columns.items() if spec.required and not spec.many]
        seen: dict[tuple[str, ...], TableRow] = {}
        for row in rows:
            target = row.targets.get(column)
            row.node = target.node if target else None
            if target is None and column in row.cells:
                self._value(row, column, table.columns[column], row.cells[column])
            first = seen.setdefault(tuple(row.cells.get(name, "") for name in facts), row)
            if first is not row:
                self.problems.append(Problem(row.file, row.line, f"says the same as line {first.line}", "delete it"))

    def _fill(self, pattern: str, row: TableRow) -> str | None:
        """The pattern with its cells put in; None where one is empty."""
        missing = False

        def cell(found: re.Match[str]) -> str:
            nonlocal missing
            column, other = found.groups()
            source = row.targets.get(column) if other else row
            value = source.cells.get(other or column, "") if source else ""
            missing = missing or not value
            return value

        filled = SLOT.sub(cell, pattern)
        return None if missing else filled

    def _iri(self, pattern: str, row: TableRow) -> Iri | None:
        filled = self._fill(pattern, row)
        if filled is None or not _IN_IRI.fullmatch(filled.partition(":")[2]):
            return None
        value = expand(self.mapping, filled)
        return self.names.named(value) if value else None

    def _curie(self, curie: str) -> Iri:
        return Iri(expand(self.mapping, curie) or curie)

    def _say(self, subject: Term, predicate: Iri, value: Term, row: TableRow, column: str) -> None:
        self.origins.setdefault(Triple(subject, predicate, value), (row, column))

    def _say_row(self, row: TableRow, node: Iri, table: Table) -> None:
        for name in table.classes:
            self._say(node, RDF_TYPE, self._curie(name), row, "")
        for column, spec in table.columns.items():
            cell = row.cells.get(column)
            if cell is None or spec.kind in ("id", "note"):
                continue
            parts = [part.strip() for part in cell.split(_SEPARATOR)] if spec.many else [cell]
            for part in parts:
                self._say_value(row, node, column, spec, part)
        for statement in table.statements:
            self._say_statement(row, node, statement)

    def _say_value(self, row: TableRow, node: Iri, column: str, spec: Column, text: str) -> None:
        if spec.kind == "class":
            if text not in spec.values:
                self.problems.append(row.problem(column, "is not known here", nearest(text, spec.values)))
            for name in spec.values.get(text, ()):
                self._say(node, RDF_TYPE, self._curie(name), row, column)
            return
        value = self._value(row, column, spec, text)
        if value is None:
            return
        for name in spec.object_classes:
            self._say(value, RDF_TYPE, self._curie(name), row, column)
        if spec.predicate:
            self._say(node, self._curie(spec.predicate), value, row, column)
        for also in spec.also:
            subject = node if also.subject == ROW else self._iri(also.subject, row)
            if subject is not None:
                self._say(subject, self._curie(also.predicate), value, row, column)

    def _value(self, row: TableRow, column: str, spec: Column, text: str) -> Term | None:
        if spec.kind == "ref":
            target = self._find(text, spec)
            if target is None:
                tables = spec.to or tuple(self.mapping.tables)
                if self.unread & set(tables):
                    return None
                known = [key for table in tables for key in self.by_id[table]]
                where = " or ".join(spec.to) or "any table"
                cause = f"names {text!r}, which is no id of {where}" if spec.many else f"is no id of {where}"
                remedy = nearest(text, known) if known else "the table is empty"
                self.problems.append(row.problem(column, cause, remedy))
            return target.node if target else None
        if spec.match and not re.fullmatch(spec.match, text):
            self.problems.append(row.problem(column, "has not the form asked for", f"it has to fit {spec.match}"))
            return None
        if spec.kind == "iri":
            return Iri(spec.pattern.replace("{value}", text))
        if spec.one_of and text not in spec.one_of:
            self.problems.append(row.problem(column, "is not known here", nearest(text, spec.one_of)))
            return None
        try:
            if spec.language:
                return values.in_language(text, self._fill(spec.language, row) or "")
            return values.day(text, spec.precision) if spec.kind == "date" else _READERS[spec.kind](text)
        except values.BadValue as error:
            self.problems.append(row.problem(column, error.cause, error.remedy))
            return None

    def _say_statement(self, row: TableRow, node: Iri, statement: Statement) -> None:
        subject = node if statement.subject == ROW else self._iri(statement.subject, row)
        value: Term | None
        if statement.object is not None:
            value = node if statement.object == ROW else self._iri(statement.object, row)
        else:
            texts = (self._fill(pattern, row) for pattern in statement.text)
            value = next((RdfLiteral(text) for text in texts if text is not None), None)
        if subject is not None and value is not None:
            self._say(subject, self._curie(statement.predicate), value, row, "")
