"""The questions against everything that they can be asked about: who has an answer, and what the others lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from graph_tools.eligibility import Answers
from graph_tools.errors import CuestoryError, Problem
from graph_tools.joins import Joins
from graph_tools.pack import StoryPack
from graph_tools.proofs import all_bindings
from graph_tools.template import Template
from graph_tools.terms import Iri


@dataclass(frozen=True, slots=True)
class Cell:
    """One question about one choice of entities."""

    bindings: Mapping[str, Iri]
    rows: int
    """All that can be told, before the question's cap."""
    missing: str = ""
    """Where it is not answered: the first pattern that the graph does not meet."""


@dataclass(frozen=True, slots=True)
class Covered:
    """One question about everything that it can be asked about."""

    id: str
    cells: tuple[Cell, ...]
    error: str = ""
    """What the engine or a proof refused, if anything."""

    @property
    def answered(self) -> int:
        """For how many choices of entities it has evidence enough."""
        return sum(not cell.missing for cell in self.cells)

    @property
    def share(self) -> float:
        """`answered` as a share of all."""
        return self.answered / len(self.cells) if self.cells else 0.0


def coverage(pack: StoryPack) -> tuple[Covered, ...]:
    """Every question of the pack, by id."""
    answers, joins = Answers(pack), Joins(pack.graph)
    return tuple(_covered(pack.library[cq_id], pack, answers, joins) for cq_id in sorted(pack.library))


def coverage_problems(pack: StoryPack) -> Iterator[Problem]:
    """Questions that the graph answers for nobody, or for fewer than the pack asks; rows without proof."""
    wanted = pack.checks.coverage
    for unknown in sorted(wanted.questions.keys() - pack.library.keys()):
        cause = f"[checks.coverage] names {unknown}, which is no question"
        yield Problem("pack.toml", None, cause, "correct the id, or take it out", "coverage-unknown")
    for covered in coverage(pack):
        template = pack.library[covered.id]
        if covered.error:
            found = template.header.problem(("id",), covered.error, "correct the query")
            yield Problem(found.file, found.line, found.cause, found.remedy, "coverage-failed")
        elif not covered.answered:
            cause = f"{covered.id} is answered for no binding"
            found = template.header.problem(("id",), cause, _missing(template, pack))
            yield Problem(found.file, found.line, found.cause, found.remedy, "coverage-none")
        elif covered.share < (least := wanted.questions.get(covered.id, wanted.least)):
            cause = f"{covered.id} is answered for {covered.answered} of {len(covered.cells)}, less than {least:.0%}"
            cell = next(cell for cell in covered.cells if cell.missing)
            whom = ", ".join(iri.n3() for _, iri in sorted(cell.bindings.items()))
            remedy = f"fill the graph or lower the share; {whom} has no {cell.missing}"
            found = template.header.problem(("id",), cause, remedy)
            yield Problem(found.file, found.line, found.cause, found.remedy, "coverage-low")


def _covered(template: Template, pack: StoryPack, answers: Answers, joins: Joins) -> Covered:
    """Over the entities of its parameters, with defaults where there are any; where that gives nothing, over all."""
    fixed = pack.defaults if len(template.cq.parameters) > 1 else {}
    found = Covered(template.cq.id, ())
    for defaults in (fixed, {}) if fixed else ({},):
        found = _asked(template, all_bindings(template.cq.id, pack, defaults), pack, answers, joins)
        if found.answered or found.error:
            break
    return found


def _asked(
    template: Template, choices: Iterable[Mapping[str, Iri]], pack: StoryPack, answers: Answers, joins: Joins
) -> Covered:
    cells: list[Cell] = []
    try:
        for bindings in choices:
            missing = joins.first_failing(template, bindings)
            if missing:  # no engine is asked for what the graph cannot prove
                cells.append(Cell(bindings, 0, missing))
                continue
            answer = answers.rows(template.cq.id, bindings)
            if not answers.answered(template.cq.id, bindings):
                cells.append(Cell(bindings, answer.total, f"{template.cq.min_evidence} rows that pass its filters"))
                continue
            if all(cell.missing for cell in cells):
                for row in answer.rows:
                    template.prove(row, bindings, pack.graph)
            cells.append(Cell(bindings, answer.total))
    except CuestoryError as error:
        return Covered(template.cq.id, tuple(cells), str(error))
    return Covered(template.cq.id, tuple(cells))


def _missing(template: Template, pack: StoryPack) -> str:
    """The first thing that the required patterns ask for and the graph does not have at all."""
    for pattern in template.required:
        predicate, object_ = pattern.predicate, pattern.object
        if not isinstance(predicate, Iri):
            continue
        if not any(pack.graph.match(None, predicate)):
            return f"the graph does not use {predicate.n3()}{_twin(predicate, pack)}"
        if isinstance(object_, Iri) and not any(pack.graph.match(None, predicate, object_)):
            return f"the graph has no {predicate.n3()} {object_.n3()}"
    for name in sorted(template.cq.parameters):
        class_iri = template.cq.parameters[name].type
        if not pack.entities.of_class(Iri(class_iri)):
            return f"the graph has nothing of class <{class_iri}> for ${name}"
    return "each pattern is met by itself: check how they are joined"


def _twin(predicate: Iri, pack: StoryPack) -> str:
    """The same property with the other of http and https, where the graph uses that one: they are different terms."""
    scheme, _, rest = predicate.value.partition("://")
    twin = Iri({"http": "https", "https": "http"}.get(scheme, scheme) + "://" + rest)
    return f", but it uses {twin.n3()}" if any(pack.graph.match(None, twin)) else ""
