"""The questions against all that they can be asked about: what applies, what is answered, and what the rest lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from graph_tools.eligibility import Answers
from graph_tools.errors import CuestoryError
from graph_tools.joins import Joins
from graph_tools.pack import StoryPack
from graph_tools.proofs import all_bindings
from graph_tools.template import Template
from graph_tools.terms import Iri, Triple


@dataclass(frozen=True, slots=True)
class Cell:
    """One question about one choice of entities."""

    bindings: Mapping[str, Iri]
    rows: int
    """All that can be told, before the question's cap."""
    missing: str = ""
    """Where it is not answered: the first pattern that the graph does not meet."""
    applies: bool = True
    """False where one of the entities is outside the group that its parameter is for."""


@dataclass(frozen=True, slots=True)
class Covered:
    """One question about everything that it can be asked about."""

    id: str
    cells: tuple[Cell, ...]
    error: str = ""
    """What the engine or a proof refused, if anything."""
    proof: frozenset[Triple] = field(default=frozenset(), repr=False)
    """The statements that prove a row of any cell."""

    @property
    def answered(self) -> int:
        """For how many of the choices that it applies to it has evidence enough."""
        return sum(cell.applies and not cell.missing for cell in self.cells)

    @property
    def applicable(self) -> int:
        """How many choices of entities it applies to."""
        return sum(cell.applies for cell in self.cells)

    @property
    def beyond(self) -> tuple[Cell, ...]:
        """Answered, though the question was not meant for them."""
        return tuple(cell for cell in self.cells if not cell.applies and not cell.missing)

    @property
    def share(self) -> float:
        """`answered` as a share of `applicable`."""
        return self.answered / self.applicable if self.applicable else 0.0

    @property
    def varied(self) -> tuple[str, ...]:
        """The parameters that differ from cell to cell, sorted; all of them where there is one cell only."""
        names = sorted(self.cells[0].bindings) if self.cells else []
        varied = tuple(name for name in names if len({cell.bindings[name] for cell in self.cells}) > 1)
        return varied or tuple(names)


@dataclass(frozen=True)
class Survey:
    """A pack's questions asked about everything, once for all checks."""

    pack: StoryPack = field(repr=False)
    answers: Answers = field(repr=False)
    joins: Joins = field(repr=False)
    covered: Mapping[str, Covered]
    """By id."""

    @classmethod
    def of(cls, pack: StoryPack) -> Survey:
        """Asks every question of the pack."""
        answers, joins = Answers(pack), Joins(pack.graph)
        covered = {cq_id: _covered(pack.library[cq_id], pack, answers, joins) for cq_id in sorted(pack.library)}
        return cls(pack, answers, joins, covered)


def coverage(pack: StoryPack) -> tuple[Covered, ...]:
    """Every question of the pack, by id."""
    return tuple(Survey.of(pack).covered.values())


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
    proof: set[Triple] = set()
    try:
        meant = {name: frozenset(pack.meant(parameter)) for name, parameter in template.cq.parameters.items()}
        for bindings in choices:
            applies = all(iri in meant[name] for name, iri in bindings.items())
            missing, rows = joins.first_failing(template, bindings), 0
            if not missing:  # no engine is asked for what the graph cannot prove
                rows = answers.rows(template.cq.id, bindings).total
                if not answers.answered(template.cq.id, bindings):
                    missing = f"{template.cq.min_evidence} rows that pass its filters"
            cells.append(Cell(bindings, rows, missing, applies))
            if not missing:
                proof |= answers.proof(template.cq.id, bindings)
    except CuestoryError as error:
        return Covered(template.cq.id, tuple(cells), str(error))
    return Covered(template.cq.id, tuple(cells), proof=frozenset(proof))
