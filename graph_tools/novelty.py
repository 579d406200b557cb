"""No fact twice: which statements of the graph a factlet tells, and whether a question would only repeat them.

A factlet's proof holds joints (the statements that lead from the parameters to the answer) and told statements:
those with a told value in them. Only the latter are news.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from graph_tools.evidence import Factlet
from graph_tools.terms import Iri, Literal

REPEATS_FROM = 0.5
"""From this share of told statements that were heard before, a question counts as a repetition."""


def told_statements(factlet: Factlet, background: Collection[str]) -> frozenset[str]:
    """The statements of its proof that hold a told value, `background` variables apart; all where none does."""
    terms = [
        Iri(value.value).n3() if value.kind == "iri" else Literal(value.value, value.datatype, value.language).n3()
        for name, value in factlet.values.items()
        if name not in background
    ]
    told = {triple for triple in factlet.triples if any(_mentions(triple, term) for term in terms)}
    return frozenset(told or factlet.triples)


def repeats(statements: Iterable[str], heard: Collection[str]) -> bool:
    """True where telling `statements` would mostly repeat what was heard."""
    unique = set(statements)
    return bool(unique) and sum(statement in heard for statement in unique) >= REPEATS_FROM * len(unique)


def shares(one: Collection[str], other: Collection[str]) -> bool:
    """True where more than half of what the smaller of two tells is told by the other too."""
    smaller, larger = sorted((frozenset(one), frozenset(other)), key=len)
    return bool(smaller) and len(smaller & larger) > REPEATS_FROM * len(smaller)


def _mentions(triple: str, term: str) -> bool:
    return triple.startswith(term + " ") or triple.endswith(f" {term} .")
