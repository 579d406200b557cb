"""Checks of `[choices.NAME]` in arcs.toml: a pack's own kinds of choices name questions, steps and themes there are."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from graph_tools.errors import Problem, nearest
from graph_tools.library import Library
from graph_tools.persona import Arcs
from graph_tools.toml_source import TomlSource

BUILT_IN = ("plan", "more", "theme", "surprise", "ask", "retell", "rewind", "end")
"""Kinds of choices that every pack has, whatever it says."""


def choice_problems(
    library: Library, broken: Collection[str], arcs: Arcs | None, source: TomlSource | None
) -> Iterator[Problem]:
    """Faults of the kinds of choices. What could not be read itself is not checked against."""
    if arcs is None or source is None or not library:
        return
    known = {
        "cqs": {*library, *broken},
        "steps": {step for template in library.values() for step in template.cq.steps},
        "themes": {theme for template in library.values() for theme in template.cq.themes},
    }
    for name, kind in arcs.choices.items():
        place = ("choices", name)
        if name in BUILT_IN:
            yield source.problem(place, f"{name!r} is a kind that every pack has", "give yours another name")
        named = {"cqs": kind.cqs, "steps": kind.steps, "themes": kind.themes}
        if not any(named.values()):
            yield source.problem(place, f"kind {name!r} has no question", "name some in `cqs`, `steps` or `themes`")
        for key, entries in named.items():
            for index, entry in enumerate(entries):
                if entry not in known[key] and not (broken and key != "cqs"):
                    cause = f"unknown question {entry!r}" if key == "cqs" else f"no question has {key[:-1]} {entry!r}"
                    yield source.problem((*place, key, index), cause, nearest(entry, known[key] or ["none"]))
