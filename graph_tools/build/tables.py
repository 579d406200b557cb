"""CSV files into rows that know their line. Every fault of a file is reported, with the line a spreadsheet shows."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from graph_tools.build.mapping import MAPPING_FILE, Mapping, Table
from graph_tools.errors import Problem, nearest
from graph_tools.terms import Iri


@dataclass(slots=True)
class TableRow:
    """One line of a table."""

    table: str
    file: str
    line: int
    cells: dict[str, str]
    """Column -> text; an empty cell is absent."""
    node: Iri | None = None
    targets: dict[str, TableRow] = field(default_factory=dict)
    """Column with a single reference -> the row it points to."""

    def problem(self, column: str, cause: str, remedy: str) -> Problem:
        """A fault of one cell, with its value."""
        value = self.cells.get(column, "")
        return Problem(self.file, self.line, f'column {column}: "{value}" {cause}', remedy)


@dataclass(slots=True)
class Tables:
    """What the files hold, and what is wrong with them."""

    rows: dict[str, list[TableRow]] = field(default_factory=dict)
    """Table -> its rows, in file order."""
    unread: dict[str, list[Problem]] = field(default_factory=dict)
    """Table -> why some of its rows could not be read: what seems to be missing from it may be there."""
    faults: list[Problem] = field(default_factory=list)
    """Of cells, and of files that no table reads."""

    @property
    def problems(self) -> list[Problem]:
        """All of it, what hides rows first."""
        return [*(problem for found in self.unread.values() for problem in found), *self.faults]


def read_tables(pack_dir: Path, mapping: Mapping) -> Tables:
    """All tables of the pack."""
    tables = Tables()
    folder = (pack_dir / MAPPING_FILE).parent
    for name, table in mapping.tables.items():
        tables.rows[name] = []
        unread: list[Problem] = []
        for file in table.files:
            path = folder / file
            shown = path.relative_to(pack_dir).as_posix()
            if not path.is_file():
                if not table.optional:
                    cause = f"the file of table {name} is missing"
                    unread.append(Problem(shown, None, cause, f"add it or correct {MAPPING_FILE}"))
                continue
            for row in _read(path, shown, name, table, unread):
                tables.faults += _faults(row, table, mapping)
                tables.rows[name].append(row)
        if unread:
            tables.unread[name] = unread
    mapped = {file for table in mapping.tables.values() for file in table.files}
    tables.faults += [
        Problem(path.relative_to(pack_dir).as_posix(), None, "no table reads this file", f"name it in {MAPPING_FILE}")
        for path in sorted(folder.glob("*.csv"))
        if path.name not in mapped
    ]
    return tables


def _read(path: Path, shown: str, name: str, table: Table, problems: list[Problem]) -> Iterable[TableRow]:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        line = 1 if wide else data[: error.start].count(b"\n") + 1
        cause = "is UTF-16, not UTF-8" if wide else "is not UTF-8 text"
        problems.append(Problem(shown, line, cause, "save the sheet as CSV UTF-8"))
        return []
    reader = csv.reader(text.splitlines(keepends=True), strict=True)
    result: list[TableRow] = []
    header: list[str] | None = None
    line = 1
    try:
        for cells in reader:
            start, line = line, reader.line_num + 1
            if header is None:
                header = cells
                if not _header_fits(header, shown, table, problems):
                    return []
                continue
            if not any(cells):
                continue
            if len(cells) != len(header):
                problems.append(
                    Problem(
                        shown,
                        start,
                        f"the row has {len(cells)} cells, the header {len(header)}",
                        'put a cell that holds a comma in "quotes"',
                    )
                )
                continue
            row = TableRow(name, shown, start, {c: v for c, v in zip(header, cells, strict=True) if v})
            result.append(row)
    except csv.Error as error:
        problems.append(
            Problem(shown, line, f"the row that begins here is not CSV ({error})", "look for an unclosed quote")
        )
    if header is None:
        problems.append(Problem(shown, 1, "the file is empty", f"write the header {','.join(table.columns)}"))
    return result


def _header_fits(header: list[str], shown: str, table: Table, problems: list[Problem]) -> bool:
    before = len(problems)
    for mark, named in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and set(header[0].split(mark)) & table.columns.keys() and mark in header[0]:
            problems.append(Problem(shown, 1, f"has {named} between its cells", "save the sheet with commas"))
            return False
    unknown = [column for column in header if column not in table.columns]
    problems += [Problem(shown, 1, f'unknown column "{column}"', nearest(column, table.columns)) for column in unknown]
    problems += [
        Problem(shown, 1, f'column "{column}" stands twice', "keep one of them")
        for column in sorted({c for c in header if header.count(c) > 1})
    ]
    for column, spec in table.columns.items():
        meant = any(get_close_matches(other, [column]) for other in unknown)  # said above
        if column not in header and not meant and (spec.required or spec.kind == "id"):
            problems.append(Problem(shown, 1, f'column "{column}" is missing', "add it to the header"))
    return len(problems) == before


def _faults(row: TableRow, table: Table, mapping: Mapping) -> Iterable[Problem]:
    for column, spec in table.columns.items():
        value = row.cells.get(column, "")
        if not value and (spec.required or spec.kind == "id"):
            yield row.problem(column, "is empty", "fill the cell")
        if value != value.strip():
            yield row.problem(column, "begins or ends with a space", "delete the space")
        if value != unicodedata.normalize("NFC", value):
            yield row.problem(column, "has an accent apart from its letter", "type the letter as one character")
        for character, instead in mapping.refused_characters.items():
            if character in value:
                yield row.problem(column, f"holds the character {character!a}", f"write {instead!r} in its place")
