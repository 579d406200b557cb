"""What can go wrong in the symbolic half, as one tree.

CuestoryError
|- PackError        InvalidPack(problems)  PackNotFound
|- PlanError        UnknownPersona  UnknownLength  UnknownQuestion  NoEligibleBeat  UnknownTour  NotOffered
|- BindingError     MissingParameter  UnknownEntity  WrongEntityType
|- RetrievalError   QueryFailed  IndexUnavailable
|- CollectError     ServiceUnavailable  StaleReview
`- CannotDraw

A message names the thing and the remedy in one line: it is printed to people as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


class CuestoryError(Exception):
    """The root: everything that this project raises on purpose."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault of a pack or of a graph file."""

    file: str
    """Path relative to the pack."""
    line: int | None
    """From 1; None where the fault has no line of its own."""
    cause: str
    remedy: str
    rule: str = ""
    """Id of the rule that it breaks (docs/checks.md); the gate leaves none empty."""
    iri: str = ""
    """What it is found of, where that has an IRI: a thing of the graph, or a question of the library."""

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        rule = f" [{self.rule}]" if self.rule else ""
        return f"{where}: {self.cause}; {self.remedy}{rule}"


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """By file and line, each once."""
    return tuple(sorted(dict.fromkeys(problems), key=lambda problem: (problem.file, problem.line or 0, problem.cause)))


class PackError(CuestoryError):
    """A story pack cannot be used."""


class PackNotFound(PackError):
    """There is no pack at that path."""


class InvalidPack(PackError):
    """The pack has faults; `problems` holds every one that was found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)) or "the pack is invalid")


class PlanError(CuestoryError):
    """A story cannot be planned as asked."""


class UnknownPersona(PlanError):
    """No such persona in the pack."""


class UnknownLength(PlanError):
    """The persona has no arc of that length."""


class UnknownStrategy(PlanError):
    """No way of gathering evidence has that name."""


class UnknownQuestion(PlanError):
    """No competency question has that id."""


class NoEligibleBeat(PlanError):
    """The graph answers none of the questions that a step of the arc could ask."""


class UnknownTour(PlanError):
    """The pack has no tour of that name."""


class NotOffered(PlanError):
    """That way on is not open at this stop of a tour."""


class BindingError(CuestoryError):
    """A parameter of a template cannot be filled as asked."""


class MissingParameter(BindingError):
    """A declared parameter was left out, or an undeclared one was given."""


class UnknownEntity(BindingError):
    """The graph does not hold that entity, or the name fits several."""


class WrongEntityType(BindingError):
    """The entity exists but has not the class that the parameter asks for."""


class RetrievalError(CuestoryError):
    """The graph could not be asked: an outage, never an empty answer."""


class QueryFailed(RetrievalError):
    """The engine refused or broke off a query."""


class IndexUnavailable(RetrievalError):
    """Snippets cannot be found by likeness here and now: a story goes on with what the graph answers."""


class CollectError(CuestoryError):
    """The source tables cannot be refreshed as asked."""


class ServiceUnavailable(CollectError):
    """A web service did not answer, or not with what it is asked for."""


class StaleReview(CollectError):
    """The tables are no longer what the review was made of."""


class CannotDraw(CuestoryError):
    """A picture of that kind cannot be drawn here."""


def nearest(asked: str, known: Iterable[str]) -> str:
    """The end of a sentence that names the valid values closest to `asked`; where none is close, all of them or some.

    Of more than eight the first eight are named, and how many there are."""
    names = sorted(known)
    folded = {name.casefold(): name for name in names}
    close = [folded[hit] for hit in get_close_matches(asked.casefold(), list(folded), n=3, cutoff=0.5)]
    if close:
        return f"did you mean {' or '.join(close)}?"
    few = ", ".join(names[:8])
    return f"there are {few}" if len(names) <= 8 else f"among {len(names)}: {few}"
