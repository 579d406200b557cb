"""What questions say of each other, of user stories and of groups: every name leads somewhere, none is taken twice.

It keeps a pack from opening; what a curator has to mend before a release, but can live with while she works, the gate
finds (`checks`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from graph_tools.errors import Problem, nearest
from graph_tools.library import Library
from graph_tools.persona import Persona
from graph_tools.template import Template


def reference_problems(library: Library, broken: Collection[str], personas: Mapping[str, Persona]) -> Iterator[Problem]:
    """Faults of `stands_for` and `stories`; `broken` are ids of files that exist but could not be loaded."""
    claimed: dict[str, str] = {}
    for template in library.values():
        yield from _stands_for(template, {*library, *broken}, claimed)
        if personas:
            yield from _stories(template, personas)


def group_references(library: Library, groups: Collection[str]) -> Iterator[Problem]:
    """Parameters that are for a group which pack.toml does not have."""
    for template in library.values():
        for name, parameter in template.cq.parameters.items():
            if parameter.applies_to and parameter.applies_to not in groups:
                cause = f"{parameter.applies_to!r} is no group of pack.toml"
                remedy = nearest(parameter.applies_to, groups) if groups else "declare it: [groups.NAME]"
                yield template.header.problem(("parameters", name, "applies_to"), cause, remedy)


def _stands_for(template: Template, known: Collection[str], claimed: dict[str, str]) -> Iterator[Problem]:
    for index, other in enumerate(template.cq.stands_for):
        place = ("stands_for", index)
        if other in known:
            cause = f"it stands for {other}, which is a question of its own"
            yield template.header.problem(place, cause, f"take it out, or take out cqs/{other}.rq")
        elif other in claimed:
            cause = f"{claimed[other]} stands for {other} already"
            yield template.header.problem(place, cause, "let one of the two stand for it")
        claimed.setdefault(other, template.cq.id)


def _stories(template: Template, personas: Mapping[str, Persona]) -> Iterator[Problem]:
    tellers = {story.id: persona.id for persona in personas.values() for story in persona.stories}
    for index, story in enumerate(template.cq.stories):
        place = ("stories", index)
        if story not in tellers:
            cause = f"no persona has a user story {story!r}"
            yield template.header.problem(place, cause, nearest(story, tellers or ["none"]))
        elif tellers[story] not in template.cq.personas:
            cause = f"user story {story!r} is told by {tellers[story]!r}, whom the question is not for"
            yield template.header.problem(place, cause, "add the persona, or take the story out")
