"""A score: a figure, or the reason why there is none. What could not be scored stays out of every mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unscored:
    """There is no figure, and this is why."""

    because: str


Score = float | Unscored


def mean(scores: Iterable[Score]) -> Score:
    """The mean of the figures among them; where there is no figure, the first reason."""
    found = list(scores)
    figures = [score for score in found if not isinstance(score, Unscored)]
    if figures:
        return sum(figures) / len(figures)
    reasons = [score.because for score in found if isinstance(score, Unscored)]
    return Unscored(reasons[0] if reasons else "there is nothing to score")


def percent(score: Score) -> Score:
    """A share from 0 to 1 as a percentage."""
    return score if isinstance(score, Unscored) else 100 * score


def share(hits: int, of: int, *, nothing: str) -> Score:
    """`hits / of`; with `of` 0 it could not be scored, for the reason `nothing`."""
    return hits / of if of else Unscored(nothing)
