"""Who has to have an answer: the matrix held against what the pack asks, and the groups that questions are for."""

from __future__ import annotations

from collections.abc import Iterator

from graph_tools.checks.findings import finding
from graph_tools.checks.matrix import Covered, Survey
from graph_tools.errors import CuestoryError, Problem, nearest
from graph_tools.pack import StoryPack
from graph_tools.template import Template
from graph_tools.terms import Iri


def coverage_problems(survey: Survey) -> Iterator[Problem]:
    """Questions that the graph answers for nobody, or for fewer than the pack asks; rows without proof."""
    pack = survey.pack
    wanted = pack.checks.coverage
    known = {*pack.library, *pack.library.stands_for}
    for key, named in (("[checks.coverage.questions]", wanted.questions), ("every in [checks.coverage]", wanted.every)):
        for unknown in sorted(set(named) - known):
            cause = f"{key} names {unknown}, which no question is or stands for"
            yield Problem("pack.toml", None, cause, nearest(unknown, known), "coverage-unknown")
    shares = {pack.library.stands_for.get(cq_id, cq_id): share for cq_id, share in wanted.questions.items()}
    shares |= {pack.library.stands_for.get(cq_id, cq_id): 1.0 for cq_id in wanted.every}
    for covered in survey.covered.values():
        template = pack.library[covered.id]
        if covered.error:
            yield finding(pack, template, ("id",), "coverage-failed", (covered.error, "correct the query"))
        elif not covered.answered:
            yield finding(pack, template, ("id",), "coverage-none", _nobody(template, covered, pack))
        elif covered.share < (least := shares.get(covered.id, wanted.least)):
            cause = f"{covered.id} is answered for {covered.answered} of the {covered.applicable} that it applies to"
            cell = next(cell for cell in covered.cells if cell.applies and cell.missing)
            whom = ", ".join(iri.n3() for _, iri in sorted(cell.bindings.items()))
            remedy = f"fill the graph or lower the share; {whom} has no {cell.missing}"
            told = f"{cause}, less than {least:.0%}", remedy
            yield finding(pack, template, ("id",), "coverage-low", told)


def group_problems(pack: StoryPack, *, whole: bool) -> Iterator[Problem]:
    """Groups that are empty, that no question is for, or whose members have no class.

    `whole`: all questions could be read, so that it is known which groups they are for."""
    asked = {p.applies_to for template in pack.library.values() for p in template.cq.parameters.values()}
    for name in pack.groups.names:
        try:
            members = pack.groups.members(name)
        except CuestoryError as error:
            yield Problem("pack.toml", None, f"group {name!r}: {error}", "correct its query", "group-empty")
            continue
        if not members:
            yield Problem("pack.toml", None, f"group {name!r} has no members", "correct its query", "group-empty")
        if whole and name not in asked:
            cause = f"no question applies to group {name!r}"
            yield Problem("pack.toml", None, cause, "name it in `applies_to`, or take it out", "group-unused")
        for iri in members:
            if not pack.entities.types(iri):
                cause = f"group {name!r} has {iri.n3()}, which has no class"
                remedy = "state its class, or ask the group for fewer"
                yield Problem("pack.toml", None, cause, remedy, "group-untyped", iri.value)


def _nobody(template: Template, covered: Covered, pack: StoryPack) -> tuple[str, str]:
    """Cause and remedy for a question without an answer."""
    for name, parameter in sorted(template.cq.parameters.items()):
        if parameter.applies_to and covered.cells and not pack.meant(parameter):
            cause = f"{covered.id} applies to nobody: group {parameter.applies_to!r} has no <{parameter.type}>"
            return cause, f"choose another group or class for ${name}"
    if covered.beyond:
        return f"{covered.id} is answered only for what it does not apply to", "choose another group"
    return f"{covered.id} is answered for no binding", _missing(template, pack)


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
