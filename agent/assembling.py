"""A beat put together from a model's sentences, as far as they are proved, and the museum's own for the rest."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from agent.generation import Message
from agent.links import LINK_ID
from agent.narrator import FRONTED, Telling, opening
from agent.story import Sentence
from agent.voice import StoryVoice
from graph_tools import speech
from graph_tools.entities import EntityIndex
from graph_tools.persona import Persona
from graph_tools.speech import Unspeakable

LEANING = frozenset([
    "he", "she", "it", "they", "him", "her", "them", "his", "its", "their", "this", "that", "these", "those", "there",
    "both", "one", "here", "himself", "herself", "itself", "themselves",
])  # fmt: skip
"""Words that mean what the sentence before named."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A model's sentence that the gate let through."""

    text: str
    evidence: tuple[str, ...]
    at: int
    """Its place in the answer."""


def assemble(
    telling: Telling, alone: Sequence[Telling | None], proved: Sequence[Proved], entities: EntityIndex, persona: Persona
) -> Telling | None:
    """The telling with the proved sentences in it: every message told, once, in the outline's order.

    `alone`: for each message after the first its telling by itself. None where nothing fits together: then the telling
    stays as it was. What is told does not change, only its words.
    """
    usable = fitting(telling, proved, entities)
    if not usable:
        return None
    beat = _Beat(telling, entities, persona)
    for number, message in enumerate(telling.messages):
        mine = [one for one in usable if _facts(message) & set(one.evidence)]
        if mine:
            for one in mine:
                beat.say(one)
        elif not beat.stand_in(number, alone[number]):
            return None
    return beat.whole()


def fitting(telling: Telling, proved: Sequence[Proved], entities: EntityIndex) -> list[Proved]:
    """The sentences that tell whole messages, in the outline's order, none leaning on a sentence that is left out."""
    usable = list(proved)
    while True:
        cited = {id_ for one in usable for id_ in one.evidence}
        untold = {id_ for message in telling.messages if not _facts(message) <= cited for id_ in _facts(message)}
        kept = [
            one
            for one in usable
            if not untold & set(one.evidence)
            and (
                not _leans(one.text)
                or any(other.at == one.at - 1 for other in usable)
                or (one.at == 0 and _introduced(telling, one, entities))
            )
            and all(_place(telling, other) <= _place(telling, one) for other in usable if other.at < one.at)
        ]
        if len(kept) == len(usable):
            return kept
        usable = kept


def left_out(telling: Telling, evidence: Collection[str]) -> list[str]:
    """Ids of the facts of the telling that are not among those, sorted."""
    return sorted({id_ for message in telling.messages for id_ in _facts(message)} - set(evidence))


class _Beat:
    """A beat as it grows."""

    def __init__(self, telling: Telling, entities: EntityIndex, persona: Persona) -> None:
        self._telling = telling
        self._entities = entities
        self._persona = persona
        self._sentences: list[Sentence] = []
        self._worded: list[str] = []
        self._named: list[str] = []
        self._said: set[int] = set()
        self._astray = False
        """True where the first sentence leans on a clause that does not go with it."""

    def say(self, one: Proved) -> None:
        """Adds a model's sentence, the first one after the clause that leads into the beat."""
        if one.at in self._said:
            return
        self._said.add(one.at)
        led = _led(self._telling.lead_in, one.text, self._entities, self._persona) if not self._sentences else ""
        self._astray |= not self._sentences and not led and _leans(one.text)
        linked = (LINK_ID,) if led and self._telling.link_factlet is not None else ()
        self._add(Sentence(text=led or one.text, evidence=(*one.evidence, *linked), worded_by="model"))

    def stand_in(self, number: int, alone: Telling | None) -> bool:
        """Adds a message in the museum's own wording; False where it has none that stands by itself."""
        if number == 0:
            self._add(self._telling.sentences[0])
            self._worded.append(self._telling.worded[0])
            return True
        if alone is None:
            return False
        for sentence in alone.sentences:
            self._add(sentence)
        self._worded += alone.worded
        return True

    def whole(self) -> Telling | None:
        """The telling; None where it has grown too long, or would say the same twice."""
        told = self._telling
        hook = [
            sentence.model_copy(update={"evidence": self._sentences[0].evidence})
            for sentence in told.sentences[len(told.messages) :]
        ]
        sentences = [*self._sentences, *hook]
        if self._astray or len(sentences) > 3:
            return None
        if len({sentence.text.casefold() for sentence in sentences}) < len(sentences):
            return None
        led_in = told.lead_in if sentences[0].text.casefold().startswith(told.lead_in.casefold()) else ""
        return replace(
            told,
            sentences=tuple(sentences),
            worded=tuple(self._worded),
            named=tuple(dict.fromkeys(self._named)),
            openings=tuple(opening(sentence.text) for sentence in sentences)[-2:],
            shape=told.shape if hook else f"model|{sentences[-1].text}",
            link=told.link if led_in else "",
            link_factlet=told.link_factlet if LINK_ID in sentences[0].evidence else None,
            lead_in=led_in,
        )

    def _add(self, sentence: Sentence) -> None:
        self._sentences.append(sentence)
        self._named += [iri.value for iri in self._entities.spoken_of(sentence.text)]


def _facts(message: Message) -> set[str]:
    return {factlet.id for factlet in message.saying.factlets}


def _place(telling: Telling, one: Proved) -> int:
    """The first message that a sentence tells."""
    return next(n for n, message in enumerate(telling.messages) if _facts(message) & set(one.evidence))


def _led(lead_in: str, text: str, entities: EntityIndex, persona: Persona) -> str:
    """The sentence after the clause that leads into it; "" where there is none, or where they do not go together."""
    if not lead_in:
        return ""
    colon = lead_in.rstrip().endswith(":")
    if (opening(text) in FRONTED and not colon) or (colon and ":" in text):
        return ""
    if set(entities.spoken_of(lead_in)) & set(entities.spoken_of(text)) or _repeats(lead_in, text):
        return ""
    try:
        body = speech.mid_sentence(text, entities.opens)
    except Unspeakable:
        return ""
    voice = StoryVoice(entities, persona.clock, frozenset(), named=[i.value for i in entities.spoken_of(text)])
    whole = voice.set_articles(speech.upper_first(lead_in + body))
    return whole if len(whole.split()) <= persona.max_words else ""


def _introduced(telling: Telling, one: Proved, entities: EntityIndex) -> bool:
    """True where the clause that leads in names only whom the sentence is about: "they" can mean nobody else."""
    named = entities.spoken_of(telling.lead_in)
    held = {
        value.value
        for message in telling.messages
        for factlet in message.saying.factlets
        if factlet.id in one.evidence
        for value in factlet.values.values()
    }
    return len(named) == 1 and named[0].value in held


def _repeats(lead_in: str, text: str) -> bool:
    return lead_in.strip(" ,:").casefold() in text.casefold()


def _leans(text: str) -> bool:
    return any(word in LEANING for word in re.findall(r"[a-z]+", text.casefold()))
