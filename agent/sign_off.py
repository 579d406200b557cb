"""Every sentence that can be told to a persona, in every wording: what a curator reads through before an opening.

Each stands as it would alone: with full names, before any clause that joins it to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agent.context import StoryContext
from agent.voice import StoryVoice
from graph_tools import speech
from graph_tools.persona import Persona
from graph_tools.plan import Question
from graph_tools.sayable import LIST_LIMITS, Saying
from graph_tools.speech import Unspeakable
from graph_tools.terms import Iri
from graph_tools.wording import Wording


class Sayable(NamedTuple):
    """A question, and every sentence that can be told of its answer, each once."""

    question: Question
    sentences: tuple[str, ...]


def every_sentence(persona: str, ctx: StoryContext) -> Iterator[Sayable]:
    """By the questions' ids, then by whom they are about; what has nothing to tell is left out. Raises QueryFailed."""
    composer = ctx.composer(persona)
    for question in _questions(persona, ctx):
        told = [
            sentence
            for saying in composer.sayings(question)
            for text in saying.wordings
            if (sentence := _worded(saying, text, ctx.pack.personas[persona], question, ctx))
        ]
        if told:
            yield Sayable(question, tuple(dict.fromkeys(told)))


def _questions(persona: str, ctx: StoryContext) -> Iterator[Question]:
    composer = ctx.composer(persona)
    for template in ctx.pack.library.values():
        cq = template.cq
        open_ = composer.open_parameters(cq) if cq.serves(persona) else ("", "")
        if len(open_) > 1:
            continue
        about: tuple[Iri | None, ...] = ctx.pack.meant(cq.parameters[open_[0]]) if open_ else (None,)
        yield from (question for entity in about if (question := composer.question(cq, entity)) is not None)


def _worded(saying: Saying, text: Wording, persona: Persona, question: Question, ctx: StoryContext) -> str:
    """The sentence, its lists shortened to fit; "" where it cannot be said in that wording."""
    rows = [factlet.values for factlet in saying.factlets]
    defaults = {iri.value for iri in ctx.pack.defaults.values()}
    for most in LIST_LIMITS if text.lists else (None,):
        voice = StoryVoice(
            ctx.pack.entities, persona.clock, frozenset(), focus=frozenset(question.bindings.values()) - defaults
        )
        try:
            said = voice.set_articles(speech.upper_first(text.render(rows, voice, item=saying.item, most=most)))
        except Unspeakable:
            return ""
        if len(said.split()) <= persona.max_words:
            return said
    return ""
