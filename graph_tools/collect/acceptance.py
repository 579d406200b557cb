"""What a review accepts, written into the tables: all of it or nothing, with its sources, and only if it builds."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from graph_tools.build.builder import build_graph
from graph_tools.build.mapping import MAPPING_FILE, Mapping
from graph_tools.collect.findings import minted
from graph_tools.collect.recipe import Provenance, load_recipe
from graph_tools.collect.review import Change, NewRow, Review
from graph_tools.collect.sheet import Sheet
from graph_tools.errors import StaleReview

_NAMES = {"musicbrainz": "MusicBrainz", "wikidata": "Wikidata"}


def accept(pack_dir: Path, review: Review) -> tuple[Path, ...]:
    """Writes what is accepted and returns the files that changed.

    Raises StaleReview where a table is no longer what was reviewed or two accepted values contradict each other, and
    InvalidPack where the graph could not be built of the result; nothing is written then.
    """
    recipe, mapping = load_recipe(pack_dir)
    written = _Tables(pack_dir, mapping, recipe.provenance)
    stale = [why for change in review.changes if change.accept for why in written.change(change)]
    if stale:
        raise StaleReview(f"nothing was written: {'; '.join(stale)}; collect again")
    for row in review.new_rows:
        if row.accept:
            written.append(row)
    changed = written.changed()
    if changed:
        _build_once(pack_dir, changed)
    for path, data in changed.items():
        unfinished = path.with_name(f".{path.name}.part")
        unfinished.write_bytes(data)
        unfinished.replace(path)
    return tuple(changed)


class _Tables:
    def __init__(self, pack_dir: Path, mapping: Mapping, provenance: Provenance | None) -> None:
        self._pack_dir = pack_dir
        self._mapping = mapping
        self._provenance = provenance
        self._sheets: dict[Path, Sheet] = {}
        self._given: dict[tuple[str, int, str], str] = {}

    def change(self, change: Change) -> Iterator[str]:
        """Puts one cell, or says why it cannot."""
        sheet = self._sheet(change.file)
        named = ", ".join(change.row.values())
        numbers = sheet.find(change.row)
        if len(numbers) != 1 or change.column not in sheet.header:
            yield f"{change.file} has no single row {named} with a column {change.column} any more"
            return
        number = numbers[0]
        place = (change.file, number, change.column)
        if place in self._given:
            if self._given[place] != change.theirs:
                yield f"{change.file}, {named}: {change.column} is accepted as {self._given[place]} and {change.theirs}"
            return
        if sheet.cell(number, change.column) != change.ours:
            yield f"{change.file}, {named}: {change.column} is now {sheet.cell(number, change.column)!r}"
            return
        self._given[place] = change.theirs
        sheet.put(number, change.column, change.theirs)
        provenance = self._provenance
        if provenance and provenance.column in sheet.header:
            sources = [part for part in sheet.cell(number, provenance.column).split(";") if part]
            source = self._source(provenance, change, next(iter(change.row.values())))
            if source not in sources:
                sheet.put(number, provenance.column, ";".join([*sources, source]))

    def append(self, row: NewRow) -> None:
        """Adds one row."""
        cells = dict(row.cells)
        sheet = self._sheet(row.file)
        provenance = self._provenance
        if provenance and provenance.column in sheet.header and provenance.column not in cells:
            cells[provenance.column] = self._source(provenance, row, next(iter(cells.values())))
        sheet.append(cells)

    def changed(self) -> dict[Path, bytes]:
        """The files whose bytes are others now."""
        return {path: data for path, sheet in self._sheets.items() if (data := sheet.to_bytes()) != path.read_bytes()}

    def _sheet(self, file: str) -> Sheet:
        path = self._pack_dir / file
        known = {
            (Path(MAPPING_FILE).parent / name).as_posix() for t in self._mapping.tables.values() for name in t.files
        }
        if file not in known:
            raise StaleReview(f"{file} is no table of {MAPPING_FILE}; collect again")
        if path not in self._sheets:
            self._sheets[path] = Sheet(path)
        return self._sheets[path]

    def _source(self, provenance: Provenance, proposal: Change | NewRow, row: str) -> str:
        """The id of the source row of that page, added where there is none."""
        table = self._mapping.tables[provenance.table]
        id_column = table.id_column or ""
        sheets = [self._sheet((Path(MAPPING_FILE).parent / name).as_posix()) for name in table.files]
        for sheet in sheets:
            for number in sheet.find({provenance.url: proposal.page}):
                return sheet.cell(number, id_column)
        told = {
            "service": _NAMES[proposal.service],
            "row": row,
            "page": proposal.page,
            "name": proposal.page_name,
            "fetched": proposal.fetched.isoformat(),
        }
        cells = {column: _filled(text, told) for column, text in provenance.cells.items()}
        taken = {sheet.cell(number, id_column) for sheet in sheets for number in sheet.find({})}
        if cells[id_column] in taken:
            cells[id_column] = minted(cells[id_column], taken)
        sheets[0].append(cells)
        return cells[id_column]


def _filled(text: str, told: dict[str, str]) -> str:
    for name, value in told.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _build_once(pack_dir: Path, changed: dict[Path, bytes]) -> None:
    """Builds the changed tables elsewhere. Raises InvalidPack."""
    folder = Path(MAPPING_FILE).parent
    with tempfile.TemporaryDirectory(prefix="cuestory-collect-") as scratch:
        shutil.copytree(pack_dir / folder, Path(scratch) / folder)
        for path, data in changed.items():
            (Path(scratch) / path.relative_to(pack_dir)).write_bytes(data)
        if (pack_dir / "pack.toml").is_file():
            shutil.copy(pack_dir / "pack.toml", scratch)
        build_graph(Path(scratch))
