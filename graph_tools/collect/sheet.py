"""One CSV file, changed cell by cell: what is not touched keeps its bytes."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_MARK = "\ufeff"


@dataclass(slots=True)
class _Record:
    text: str
    """As it stands in the file, with its line end."""
    cells: list[str]


class Sheet:
    """The records of one file. Raises OSError, UnicodeDecodeError, csv.Error: `read_tables` tells them better first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = path.read_bytes().decode("utf-8")
        self._mark = _MARK if text.startswith(_MARK) else ""
        lines = text.removeprefix(_MARK).splitlines(keepends=True)
        self._end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
        self._records: list[_Record] = []
        reader = csv.reader(lines, strict=True)
        start = 0
        for cells in reader:
            self._records.append(_Record("".join(lines[start : reader.line_num]), cells))
            start = reader.line_num
        self.header = self._records[0].cells

    def find(self, wanted: Mapping[str, str]) -> list[int]:
        """Numbers of the records that hold these cells."""
        columns = [(self.header.index(column), value) for column, value in wanted.items() if column in self.header]
        return [
            number
            for number, record in enumerate(self._records[1:], start=1)
            if any(record.cells) and all(record.cells[at] == value for at, value in columns)
        ]

    def cell(self, number: int, column: str) -> str:
        """The cell; empty where the file has no such column."""
        return self._records[number].cells[self.header.index(column)] if column in self.header else ""

    def put(self, number: int, column: str, value: str) -> None:
        """Changes one cell. Raises ValueError where the file has no such column."""
        record = self._records[number]
        record.cells[self.header.index(column)] = value
        record.text = self._written(record.cells)

    def append(self, cells: Mapping[str, str]) -> int:
        """Adds a row at the end and returns its number; columns that the file lacks are left out."""
        if not self._records[-1].text.endswith("\n"):
            self._records[-1].text += self._end
        values = [cells.get(column, "") for column in self.header]
        self._records.append(_Record(self._written(values), values))
        return len(self._records) - 1

    def to_bytes(self) -> bytes:
        """The whole file."""
        return (self._mark + "".join(record.text for record in self._records)).encode("utf-8")

    def _written(self, cells: list[str]) -> str:
        out = io.StringIO()
        csv.writer(out, lineterminator=self._end).writerow(cells)
        return out.getvalue()
