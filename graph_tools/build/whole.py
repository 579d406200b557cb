"""What only the whole can show: orders without gaps, nodes without a row, nodes without a name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise

from graph_tools.build.mapping import MAPPING_FILE, Sequence, Table
from graph_tools.build.tables import TableRow
from graph_tools.errors import Problem
from graph_tools.terms import RDF_TYPE, Iri, Triple


def sequence_faults(table: Table, rows: Iterable[TableRow]) -> Iterator[Problem]:
    """Numbers of a sequence that repeat, or that leave a gap where none may be."""
    sequence = table.sequence
    if sequence is None:
        return
    remedy = "number the rows of a group 1, 2, 3 ..."
    for members in _in_order(sequence, rows):
        if sequence.contiguous and members[0].cells[sequence.order] != "1":
            yield members[0].problem(sequence.order, "is the first of its group", remedy)
        for before, after in pairwise(members):
            gap = int(after.cells[sequence.order]) - int(before.cells[sequence.order])
            if gap == 0 or (sequence.contiguous and gap != 1):
                cause = f"does not follow {before.cells[sequence.order]} of {before.file}:{before.line}"
                yield after.problem(sequence.order, cause, remedy)


def successions(sequence: Sequence, rows: Iterable[TableRow]) -> Iterator[tuple[TableRow, TableRow]]:
    """Each row with the next of its group."""
    for members in _in_order(sequence, rows):
        yield from pairwise(members)


def missing_rows_and_names(
    origins: Mapping[Triple, tuple[TableRow, str]],
    own: tuple[str, ...],
    naming: Collection[Iri],
    unnamed: Collection[Iri],
) -> Iterator[Problem]:
    """Own nodes that are spoken of but have no type, and typed nodes that have no name and are not `unnamed`."""
    typed = {triple.subject for triple in origins if triple.predicate == RDF_TYPE}
    named = {triple.subject for triple in origins if triple.predicate in naming}
    for triple, (row, column) in origins.items():
        if triple.predicate == RDF_TYPE:
            if triple.subject not in named and triple.object not in unnamed:
                lacking = " or ".join(predicate.n3() for predicate in naming)
                yield Problem(row.file, row.line, f"{triple.subject.n3()} has no {lacking}", "give it a name")
            continue
        for term in (triple.subject, triple.object):
            if isinstance(term, Iri) and term.value.startswith(own) and term not in typed:
                where = f" (column {column})" if column else ""
                cause = f"{term.n3()} is spoken of but has no row{where}"
                yield Problem(row.file, row.line, cause, f"add its row, or correct {MAPPING_FILE}")


def _in_order(sequence: Sequence, rows: Iterable[TableRow]) -> Iterator[list[TableRow]]:
    groups: dict[tuple[str, ...], list[TableRow]] = defaultdict(list)
    for row in rows:
        if row.cells.get(sequence.order, "").isdecimal():
            groups[tuple(row.cells.get(column, "") for column in sequence.group)].append(row)
    for members in groups.values():
        yield sorted(members, key=lambda row: int(row.cells[sequence.order]))
