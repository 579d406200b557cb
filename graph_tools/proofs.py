"""Which statements stand in the proof of which question, over everything that its parameters can be bound to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from types import MappingProxyType

from graph_tools.eligibility import Answers
from graph_tools.joins import Joins
from graph_tools.pack import StoryPack
from graph_tools.terms import Iri, Triple

MOST_BINDINGS = 20_000
"""Bindings of one question that are looked at; those of its last parameters vary first."""


def all_bindings(
    cq_id: str, pack: StoryPack, fixed: Mapping[str, Iri] = MappingProxyType({})
) -> Iterator[Mapping[str, Iri]]:
    """Every binding of the question's parameters to entities of their classes, in a fixed order; `fixed` binds some."""
    parameters = pack.library[cq_id].cq.parameters
    names = sorted(parameters)
    pools = []
    for name in names:
        members = pack.entities.of_class(Iri(parameters[name].type))
        pools.append((fixed[name],) if fixed.get(name) in members else members)
    for number, chosen in enumerate(product(*pools)):
        if number == MOST_BINDINGS:
            return
        yield dict(zip(names, chosen, strict=True))


def answered_bindings(cq_id: str, pack: StoryPack, answers: Answers, joins: Joins) -> Iterator[Mapping[str, Iri]]:
    """The bindings for which the question has evidence enough, in the same order."""
    template = pack.library[cq_id]
    for bindings in all_bindings(cq_id, pack):
        if not joins.first_failing(template, bindings) and answers.answered(cq_id, bindings):
            yield bindings


def proof_of(cq_id: str, pack: StoryPack, answers: Answers, joins: Joins) -> frozenset[Triple]:
    """The statements that prove a row of the question, over all bindings for which it has evidence enough."""
    found: set[Triple] = set()
    for bindings in answered_bindings(cq_id, pack, answers, joins):
        found |= answers.proof(cq_id, bindings)
    return frozenset(found)


def proofs(pack: StoryPack) -> dict[str, frozenset[Triple]]:
    """Question -> the statements that prove its rows."""
    answers, joins = Answers(pack), Joins(pack.graph)
    return {cq_id: proof_of(cq_id, pack, answers, joins) for cq_id in sorted(pack.library)}
