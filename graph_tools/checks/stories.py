"""User stories: each one is what some question is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graph_tools.errors import Problem
from graph_tools.pack import StoryPack
from graph_tools.template import read_text
from graph_tools.toml_source import TomlSource, read_toml

_FILE = "cqs/personas.toml"


def story_problems(pack: StoryPack) -> Iterator[Problem]:
    """User stories that no question serves, or whose id is given twice.

    A pack whose questions name no story at all does not trace them, and is not asked to."""
    source = read_toml(read_text(pack.root / _FILE, _FILE), _FILE)
    served = {story for template in pack.library.values() for story in template.cq.stories}
    if not isinstance(source, TomlSource):
        return
    places = {persona["id"]: index for index, persona in enumerate(source.data["personas"])}
    seen: set[str] = set()
    for persona in pack.personas.values():
        for index, story in enumerate(persona.stories):
            place = ("personas", places[persona.id], "stories", index)
            if story.id in seen:
                found = source.problem(place, f"there are two user stories {story.id!r}", "give one another id")
                yield replace(found, rule="story-twice")
            elif served and story.id not in served:
                cause = f"no question serves user story {story.id!r}"
                remedy = "name it in `stories` of those that do, or write one"
                yield replace(source.problem(place, cause, remedy), rule="story-unserved")
            seen.add(story.id)
