"""What comes out of the queries: no two questions with the same rows, no pattern that only keeps answers away."""

from __future__ import annotations

from collections.abc import Iterator

from graph_tools.checks.findings import finding
from graph_tools.checks.matrix import Survey
from graph_tools.errors import Problem
from graph_tools.sparql_tree import Name, Pattern
from graph_tools.template import Template
from graph_tools.terms import RDF_TYPE, Iri


def row_problems(survey: Survey) -> Iterator[Problem]:
    """Questions that tell the same rows as another one; patterns that empty answers and are never told."""
    known: dict[object, str] = {}
    for cq_id, template in survey.pack.library.items():
        if survey.covered[cq_id].error or not survey.covered[cq_id].answered:
            continue
        rows = {_rows(survey, template, names) for names in (template.variables, tuple(template.cq.results))}
        other = next((known[found] for found in rows if found in known), "")
        known |= {found: known.get(found, cq_id) for found in rows}
        if other:
            cause = f"{cq_id} has the rows of {other}, for everything that either is asked about"
            remedy = f"tell other facts, or take it out and add it to `stands_for` of {other}"
            yield finding(survey.pack, template, ("id",), "rows-twice", (cause, remedy))
        yield from _tight(survey, template)


def _rows(survey: Survey, template: Template, names: tuple[str, ...]) -> object:
    """Every binding with the values that its rows have under these names, whatever the names are."""
    answers = []
    for cell in survey.covered[template.cq.id].cells:
        if not cell.missing:
            rows = survey.answers.rows(template.cq.id, cell.bindings).rows
            values = (tuple(sorted(row[name].n3() for name in names if name in row)) for row in rows)
            answers.append((tuple(sorted(cell.bindings.items())), frozenset(values)))
    return frozenset(answers)


def _tight(survey: Survey, template: Template) -> Iterator[Problem]:
    """A class or a property that nothing tells, where the question would be answered for more without it."""
    patterns = {pattern.shown() for pattern in template.required}
    cells = survey.covered[template.cq.id].cells
    broken = [cell for cell in cells if cell.applies and cell.missing in patterns]
    for pattern in _spare(template) if broken else ():
        rest = tuple(other for other in template.required if other != pattern)
        kept = [cell for cell in broken if not survey.joins.breaks_off(rest, cell.bindings)]
        if kept:
            whom = ", ".join(iri.n3() for _, iri in sorted(kept[0].bindings.items()))
            cause = f"{pattern.shown()} is never told, and keeps an answer from {len(kept)}, such as {whom}"
            told = cause, "make it OPTIONAL, or take it out"
            yield finding(survey.pack, template, ("id",), "pattern-tight", told)


def _spare(template: Template) -> Iterator[Pattern]:
    """Required patterns that only state a class or lead to a variable that nobody uses, and join nothing."""
    cq, compiled = template.cq, template.compiled
    used = {*cq.results, *cq.context, cq.anchor.time, cq.anchor.place, *compiled.filtered}
    used |= {name for name, _ in compiled.order}
    used |= {name for block in compiled.optional for pattern in block for name in pattern.variables}
    for pattern in compiled.required:
        rest = [other for other in compiled.required if other != pattern]
        alone = pattern.variables - {name for other in rest for name in other.variables}
        stated = pattern.predicate == RDF_TYPE and isinstance(pattern.object, Iri)
        if (stated or alone) and not alone & used and _hang_together(rest, frozenset(cq.parameters)):
            yield pattern


def _hang_together(patterns: list[Pattern], parameters: frozenset[str]) -> bool:
    """True where the patterns reach each other and every parameter."""
    if not patterns:
        return False
    reached, rest = set(patterns[0].names), patterns[1:]
    while joined := [pattern for pattern in rest if pattern.names & reached]:
        reached.update(*(pattern.names for pattern in joined))
        rest = [pattern for pattern in rest if pattern not in joined]
    return not rest and {Name("$", name) for name in parameters} <= reached
