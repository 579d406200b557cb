"""No fact twice: whether a question would only repeat what was told.

A factlet's proof holds joints (the statements that lead from the parameters to the answer) and told statements: those
with a told value in them. Only the latter are news.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from graph_tools.terms import Term, Triple

REPEATS_FROM = 0.5
"""From this share of told statements that were heard before, a question counts as a repetition."""


def news(proof: Sequence[Triple], told: Collection[Term]) -> tuple[int, ...]:
    """Which triples of a proof hold one of the told terms."""
    return tuple(n for n, (subject, _, value) in enumerate(proof) if subject in told or value in told)


SHARES_FROM = 1 / 3
"""Above this share of the smaller one, two questions tell the same."""


def repeats(statements: Iterable[str], heard: Collection[str]) -> bool:
    """True where telling `statements` would mostly repeat what was heard."""
    unique = set(statements)
    return bool(unique) and sum(statement in heard for statement in unique) >= REPEATS_FROM * len(unique)


def shares(one: frozenset[str], other: frozenset[str]) -> bool:
    """True where much of what the smaller of two tells is told by the other too."""
    return bool(one and other) and len(one & other) > SHARES_FROM * min(len(one), len(other))
