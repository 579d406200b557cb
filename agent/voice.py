"""How a story refers to whom: full name first, then the short name, a pronoun where nobody else can be meant."""

from __future__ import annotations

from dataclasses import dataclass, field

from graph_tools import speech
from graph_tools.entities import EntityIndex
from graph_tools.speech import Unspeakable
from graph_tools.terms import Iri

_POSSESSIVES = {"he": "his", "she": "her", "it": "its", "they": "their"}
_OBJECTS = {"he": "him", "she": "her", "it": "it", "they": "them"}


@dataclass(slots=True)
class StoryVoice:
    """The voice of one sentence. It remembers whom the sentence names, in order, and who its subject is."""

    entities: EntityIndex
    clock_style: str
    mentioned: frozenset[str]
    """Named earlier in the story."""
    before: tuple[str, ...] = ()
    """Named in the sentence before, in the same beat."""
    subject_before: str = ""
    """Whom the sentence before was about; empty at the start of a beat."""
    focus: frozenset[str] = frozenset()
    """Whom the beat is about: they are a sentence's subject wherever they stand in it."""
    pronoun_before: bool = False
    """True where the sentence before opened with a pronoun: the next one takes a name again."""
    named: list[str] = field(default_factory=list)
    subject: str = ""
    subject_is_pronoun: bool = False

    def refer(self, iri: str, form: str) -> str:
        """The entity in a form: "" and "poss" and "obj" as the context allows, "name" in full, "short", "they"."""
        pronoun = self.entities.pronoun(Iri(iri))
        if form == "they":
            return pronoun or "it"
        in_its_place = form in ("", "poss", "obj") and self._clear(iri, pronoun)
        self._note(iri, is_pronoun=in_its_place)
        if in_its_place:
            return {"poss": _POSSESSIVES, "obj": _OBJECTS}.get(form, {}).get(pronoun, pronoun)
        full = form == "name" or (form != "short" and iri not in self.mentioned and self.named.count(iri) < 2)
        name = self._name(iri) if full else self.entities.short(Iri(iri)) or self._name(iri)
        return speech.possessive(name) if form == "poss" else name

    def opens(self, text: str) -> bool:
        """True where a name that the graph knows opens the text."""
        return self.entities.opens(text)

    def title(self, iri: str) -> str:
        """The full name, of something listed or quoted."""
        if iri not in self.named:
            self.named.append(iri)
        return self._name(iri)

    def names_of(self, iri: str) -> tuple[str, ...]:
        """What the entity is called: full name and short name."""
        return tuple(name for name in (self.entities.name(Iri(iri)), self.entities.short(Iri(iri))) if name)

    def set_articles(self, sentence: str) -> str:
        """The sentence with "the" for the "The" of a group's name inside it: "next came the Who"."""
        for iri in self.named:
            name = self.entities.name(Iri(iri))
            if name.startswith("The ") and self.entities.pronoun(Iri(iri)) == "they":
                sentence = sentence.replace(f" {name}", f" the{name[3:]}")
        return sentence

    def _clear(self, iri: str, pronoun: str) -> bool:
        """True where the pronoun can only mean this entity."""
        if pronoun not in _POSSESSIVES:
            return False
        here = iri in self.named
        if not here and (iri != self.subject_before or self.pronoun_before):
            return False
        around = {*self.named, *(() if here else self.before)} - {iri}
        return all(self.entities.pronoun(Iri(other)) != pronoun for other in around)

    def _note(self, iri: str, *, is_pronoun: bool) -> None:
        if not self.subject or (iri in self.focus and self.subject not in self.focus):
            self.subject, self.subject_is_pronoun = iri, is_pronoun
        self.named.append(iri)

    def _name(self, iri: str) -> str:
        name = self.entities.name(Iri(iri))
        if not name:
            raise Unspeakable(f"{iri} has no name")
        return name
