"""With what a question could still open a beat: whether its button may be shown.

What can be said of an answer is found out once a process, and so once for each graph; what is new of it, and whether it
can be worded so that nothing is said twice, depends on what the visitor has heard.
"""

from __future__ import annotations

from random import Random

from agent.generation import Message, Outline, digest, news, openers
from agent.narrator import Narrator, Scene
from agent.thread import Thread
from graph_tools.composer import BeatComposer
from graph_tools.novelty import repeats
from graph_tools.plan import Question


class Openings:
    """What could open beats for one persona."""

    def __init__(self, composer: BeatComposer, narrator: Narrator) -> None:
        self._composer = composer
        self._narrator = narrator
        self._pack = composer.pack
        self._persona = composer.pack.personas[composer.persona]
        self._defaults = {iri.value for iri in composer.pack.defaults.values()}
        self._messages: dict[str, tuple[Message, ...]] = {}
        self._statements: dict[str, frozenset[str]] = {}

    def news(self, question: Question) -> frozenset[str]:
        """Digests of all that the answer tells."""
        known = self._statements.get(question.key)
        if known is None:
            statements = self._composer.statements(question)
            known = self._statements[question.key] = frozenset(map(digest, statements))
        return known

    def fresh(self, question: Question, heard: frozenset[str]) -> bool:
        """True where the answer is mostly new, and something new could open a beat."""
        return not repeats(self.news(question), heard) and any(self._new(question, heard))

    def can_open(self, question: Question, thread: Thread, heard: frozenset[str]) -> bool:
        """True where a sentence remains that the visitor has not heard: it was worded."""
        scene = Scene(
            persona=self._persona,
            entities=self._pack.entities,
            thread=thread,
            target=0,
            rng=Random(question.key),
            links={},
            focus=frozenset(question.bindings.values()) - self._defaults,
        )
        return self._narrator.can_realise(self._new(question, heard), scene)

    def _new(self, question: Question, heard: frozenset[str]) -> list[Outline]:
        known = self._messages.get(question.key)
        if known is None:
            said = self._composer.sayings(question)
            known = self._messages[question.key] = tuple(Message(one, 0, news(one.factlets)) for one in said)
        return openers(known, heard)
