"""A finding about a question: at its header's line, with a rule, and with the IRI by which a pack may accept it."""

from __future__ import annotations

from dataclasses import replace

from graph_tools.errors import Problem
from graph_tools.pack import StoryPack
from graph_tools.template import Template
from graph_tools.toml_source import Path


def finding(pack: StoryPack, template: Template, place: Path, rule: str, told: tuple[str, str]) -> Problem:
    """`told` is cause and remedy; `place` the header key that it is about."""
    found = template.header.problem(place, *told)
    return replace(found, rule=rule, iri=pack.iri(template.cq.id).value)
