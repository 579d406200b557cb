"""The voice of what stands alone: factlets and questions name everybody in full."""

from __future__ import annotations

from graph_tools import speech
from graph_tools.pack import StoryPack
from graph_tools.speech import Unspeakable
from graph_tools.terms import Iri


class PlainVoice:
    """Full names everywhere: the voice of factlets and questions, which stand alone."""

    clock_style = "time"

    def __init__(self, pack: StoryPack) -> None:
        self._entities = pack.entities

    def refer(self, iri: str, form: str) -> str:
        """The full name, unless the short one is asked for."""
        if form == "they":
            return self._entities.pronoun(Iri(iri)) or "it"
        name = (self._entities.short(Iri(iri)) if form == "short" else "") or self.title(iri)
        return speech.possessive(name) if form == "poss" else name

    def opens(self, text: str) -> bool:
        """True where a name that the graph knows opens the text."""
        return self._entities.opens(text)

    def title(self, iri: str) -> str:
        """The full name. Raises Unspeakable where the graph has none."""
        name = self._entities.name(Iri(iri))
        if not name:
            raise Unspeakable(f"{iri} has no name")
        return name
