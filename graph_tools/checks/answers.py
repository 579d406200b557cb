"""The questions against the graph: each one has to be answered for something, and its rows proven."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product

from graph_tools.eligibility import Answers
from graph_tools.errors import CuestoryError, Problem
from graph_tools.pack import StoryPack
from graph_tools.template import Template
from graph_tools.terms import Iri

MAX_TRIED = 500
"""Bindings of the other parameters that are tried before a question counts as unanswered."""


def unanswered(pack: StoryPack) -> Iterator[Problem]:
    """Questions that the graph answers for no binding at all, and bindings whose rows have no proof."""
    answers = Answers(pack)
    for template in pack.library.values():
        try:
            bindings = first_binding(template, pack, answers)
            if bindings is None:
                cause = f"{template.cq.id} is answered for no binding"
                yield template.header.problem(("id",), cause, _missing(template, pack))
                continue
            for row in answers.rows(template.cq.id, bindings).rows:
                template.prove(row, bindings, pack.graph)
        except CuestoryError as error:
            yield template.header.problem(("id",), str(error), "correct the query")


def first_binding(template: Template, pack: StoryPack, answers: Answers) -> Mapping[str, Iri] | None:
    """Bindings for which the question has evidence enough, the pack's defaults first; None where there are none."""
    for bindings in possible_bindings(template, pack, answers):
        return bindings
    return None


def possible_bindings(template: Template, pack: StoryPack, answers: Answers) -> Iterator[Mapping[str, Iri]]:
    """All bindings for which the question has evidence enough, in a fixed order, the pack's defaults first."""
    names = sorted(template.cq.parameters, key=lambda name: (name in pack.defaults, name))
    if not names:
        if answers.answered(template.cq.id, {}):
            yield {}
        return
    lead, *others = names
    pools = [_pool(template, name, pack) for name in others]
    for chosen in islice(product(*pools), MAX_TRIED):
        fixed = dict(zip(others, chosen, strict=True))
        for entity in answers.entities_for(template.cq.id, lead, fixed):
            yield {lead: entity, **fixed}


def _pool(template: Template, name: str, pack: StoryPack) -> tuple[Iri, ...]:
    members = pack.entities.of_class(Iri(template.cq.parameters[name].type))
    default = pack.defaults.get(name)
    if default is None or default not in members:
        return members
    return (default, *(iri for iri in members if iri != default))


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
