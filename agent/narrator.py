"""The surface pass (the paper's 4.3): an outline becomes one to three sentences in the persona's voice.

`TemplateNarrator` is the offline default. It words messages only from the tellings in the content files, so each
sentence is proved by the factlets that its slots were filled from. Among the wordings it prefers those that come
near the beat's share of words, and refuses to let two sentences running open with the same word or have the same
shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol

from agent.generation import Message, Outline, digest
from agent.links import LINK_ID, Link
from agent.story import NarratorCard, Sentence
from agent.thread import Thread
from agent.voice import StoryVoice
from graph_tools import speech
from graph_tools.entities import EntityIndex
from graph_tools.evidence import EvidencePack, Factlet, Value
from graph_tools.persona import Persona
from graph_tools.plan import StoryRequest
from graph_tools.sayable import LIST_LIMITS
from graph_tools.speech import Unspeakable
from graph_tools.terms import XSD_STRING
from graph_tools.wording import Slot, Wording, wording

FRONTED = frozenset([
    "according", "after", "almost", "as", "at", "before", "behind", "by", "during", "first", "for", "from",
    "in", "late", "on", "once", "over", "to", "under", "when", "while", "with", "without",
])  # fmt: skip
"""First words of a sentence that puts a clause before its subject: another clause before that would be one too many."""
NO_SLOTS: frozenset[str] = frozenset()
UNLINKED = 5.0
"""What a beat that could be joined to the one before and is not costs, in words off the target."""
USED = 9.0
"""What a wording that the story has used before costs."""
SAME_SOURCE = 8.0
"""What a snippet costs whose source the sentences before it have named."""
SLACK = 4
"""Words that a beat may be off its target at no cost: the next beats make up for them."""
CHANCE = 5.0
"""How far the seed may lift one wording over another."""
STUTTER, OPENING_WORDS = 5, 4
"""Letters of a word that is heard as said twice, and how many words after a clause are listened to."""
UNBOUNDED = 10_000
"""More words than any beat has."""


@dataclass(frozen=True, slots=True)
class Scene:
    """All that bears on how a beat is worded."""

    persona: Persona
    entities: EntityIndex
    thread: Thread
    target: int
    """Words that the beat should have, its hook included."""
    rng: Random
    links: dict[tuple[int, int, int], list[Link]]
    """Message order -> the links that hold if it opens the beat."""
    focus: frozenset[str] = frozenset()
    """IRIs of the entities that the beat is about."""
    answer: tuple[str, ...] = ()
    """Clauses that lead into the answer, in the last beat."""
    hook: str = ""
    """The question that the beat raises at its end, in the first beat."""
    least: int = 0
    """Words that the beat has to have."""
    most: int = UNBOUNDED
    """Words that it must not exceed."""

    def afresh(self) -> Scene:
        """The scene as if no sentence had gone before whose opening or shape must not come again."""
        return replace(self, thread=self.thread.model_copy(update={"openings": (), "shape": ""}))


@dataclass(frozen=True, slots=True)
class Telling:
    """A worded beat, and what the thread has to remember of it."""

    sentences: tuple[Sentence, ...]
    named: tuple[str, ...]
    openings: tuple[str, ...]
    shape: str
    link: str
    link_factlet: Factlet | None
    worded: tuple[str, ...]
    """Digests of the wordings."""
    messages: tuple[Message, ...]
    """What each of the first sentences says; a hook that follows them says nothing of its own."""
    lead_in: str = ""
    """The clause before the first sentence, as it was worded there; "" where there is none."""


@dataclass(frozen=True, slots=True)
class Brief:
    """All that bears on wording a beat anew, once its facts are chosen."""

    request: StoryRequest
    evidence: EvidencePack
    scene: Scene
    pack: tuple[str, ...]
    """Digests of the pack's graph, questions and snippets."""
    visit: str = ""
    """Whose budget it takes from; a name for the visit that says nothing about the visitor."""


class Narrator(Protocol):
    """Words outlines."""

    @property
    def card(self) -> NarratorCard:
        """Who words the story."""

    def realise(self, outlines: Sequence[Outline], scene: Scene) -> Telling | None:
        """The best wording of the best outline that can be worded; None where none can."""

    def can_realise(self, outlines: Sequence[Outline], scene: Scene) -> bool:
        """Whether `realise` would find a wording; found out with the first one that will do."""

    def reword(self, telling: Telling, brief: Brief) -> Future[Telling]:
        """The same facts in words of its own, as far as these are proved; never raises, and always ends.

        It is what may take time: `realise` and `can_realise` word from the content files and ask nobody.
        """

    def close(self) -> None:
        """Gives back what it holds."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """Sentences so far, and what the next one depends on."""

    sentences: tuple[Sentence, ...] = ()
    named: tuple[str, ...] = ()
    """Named in this beat, in order."""
    last_named: tuple[str, ...] = ()
    """Named in the sentence before: by a slot, or in the words of the graph or of the wording."""
    subject: str = ""
    pronoun: bool = False
    openings: tuple[str, ...] = ()
    shape: str = ""
    cost: float = 0.0
    link: Link | None = None
    clause: str = ""
    lead_in: str = ""
    worded: tuple[str, ...] = ()
    """Wordings, in order."""

    @property
    def words(self) -> int:
        return sum(len(sentence.text.split()) for sentence in self.sentences)


class TemplateNarrator:
    """Words messages from the tellings kept in the content files."""

    card = NarratorCard(kind="template")

    def realise(self, outlines: Sequence[Outline], scene: Scene) -> Telling | None:
        """The best wording of the best outline that can be worded; None where none can."""
        # A beat that can only open like the sentence before is told so: silence would be worse.
        best = self._best(outlines, scene) or self._best(outlines, scene.afresh())
        if best is None:
            return None
        draft, outline = best
        return Telling(
            draft.sentences, draft.named, draft.openings, draft.shape, draft.clause,
            draft.link.factlet if draft.link else None, tuple(digest(text) for text in draft.worded), outline.messages,
            draft.lead_in,
        )  # fmt: skip

    def can_realise(self, outlines: Sequence[Outline], scene: Scene) -> bool:
        """Whether `realise` would find a wording; found out with the first one that will do."""
        return self._any(outlines, scene) or self._any(outlines, scene.afresh())

    def reword(self, telling: Telling, brief: Brief) -> Future[Telling]:  # noqa: ARG002
        """The telling as it is, at once."""
        return done(telling)

    def close(self) -> None:
        """Holds nothing."""

    def _any(self, outlines: Sequence[Outline], scene: Scene) -> bool:
        drafts = (draft for outline in outlines for draft in self._first_drafts(outline, scene))
        return any(scene.least <= draft.words <= scene.most for draft in drafts)

    def _first_drafts(self, outline: Outline, scene: Scene) -> Iterator[_Draft]:
        """The drafts of an outline; of a single message one at a time, as they are worded."""
        if len(outline.messages) > 1 or scene.hook:
            return self._drafts(outline, scene)
        start = _Draft(openings=scene.thread.openings, shape=scene.thread.shape)
        return self._continuations(start, outline.messages[0], scene, opens=True)

    def _best(self, outlines: Sequence[Outline], scene: Scene) -> tuple[_Draft, Outline] | None:
        best: tuple[float, _Draft, Outline] | None = None
        for rank, outline in enumerate(outlines):
            for draft in self._drafts(outline, scene):
                if not scene.least <= draft.words <= scene.most:
                    continue
                cost = draft.cost + 1.6 * max(0, abs(draft.words - scene.target) - SLACK) + 0.8 * rank
                if best is None or cost < best[0]:
                    best = (cost, draft, outline)
        return None if best is None else best[1:]

    def _drafts(self, outline: Outline, scene: Scene) -> Iterator[_Draft]:
        start = _Draft(openings=scene.thread.openings, shape=scene.thread.shape)
        drafts = [start]
        for number, message in enumerate(outline.messages):
            grown = [
                longer for draft in drafts for longer in self._continuations(draft, message, scene, opens=number == 0)
            ]
            drafts = sorted(grown, key=lambda draft: draft.cost)[:12]
        for draft in drafts:
            closed = self._with_hook(draft, scene)
            if closed is not None:
                yield closed

    def _continuations(self, draft: _Draft, message: Message, scene: Scene, *, opens: bool) -> Iterator[_Draft]:
        joins = self._joins(message, scene) if opens else [None]
        for join in joins:
            for text in message.saying.wordings:
                longer = self._say(draft, message, text, join, scene)
                if longer is not None:
                    missed = UNLINKED if opens and join is None and len(joins) > 1 else 0.0
                    yield replace(longer, cost=longer.cost + missed)

    def _joins(self, message: Message, scene: Scene) -> list[Link | None]:
        """The clauses that may go before the opening sentence: the answer's, or up to two kinds of link, and none."""
        if scene.answer:
            clauses = [wording(text, NO_SLOTS) for text in scene.answer]
            return [Link("answer", clause, {}, None) for clause in clauses] + [None]
        fresh = [link for link in scene.links.get(message.order, []) if link.clause.text not in scene.thread.links[-2:]]
        kinds = list(dict.fromkeys(link.kind for link in fresh))[:2]
        picked = [scene.rng.choice([link for link in fresh if link.kind == kind]) for kind in kinds]
        return [*picked, None]

    def _say(self, draft: _Draft, message: Message, text: Wording, join: Link | None, scene: Scene) -> _Draft | None:
        for most in LIST_LIMITS if text.lists else (None,):
            voice = StoryVoice(
                scene.entities,
                scene.persona.clock,
                frozenset(scene.thread.mentioned) | frozenset(draft.named),
                draft.last_named,
                draft.subject,
                scene.focus,
                draft.pronoun,
            )
            try:
                lead_in, said = self._sentence(message, text, join, voice, most)
            except Unspeakable:
                return None
            if len(said.split()) <= message.limit(scene.persona):
                longer = self._extended(draft, message, text, join, said, voice, scene)
                return longer and replace(longer, lead_in=lead_in or longer.lead_in)
        return None

    def _sentence(
        self, message: Message, text: Wording, join: Link | None, voice: StoryVoice, most: int | None
    ) -> tuple[str, str]:
        """The clause that leads in, and the whole sentence."""
        rows = [factlet.values for factlet in message.saying.factlets]
        if join is None:
            said = text.render(rows, voice, item=message.saying.item, most=most)
            return "", voice.set_articles(speech.upper_first(said))
        clause = join.clause.render([join.values], voice)
        if join.kind in ("same_place", "other_place") and _names(text, message.saying.cq.anchor.place):
            raise Unspeakable("the sentence names the place itself")
        first = text.parts[0]
        voice.subject = voice.subject if join.kind == "same_entity" else ""
        body = text.render(rows, voice, item=message.saying.item, most=most)
        if opening(body) in FRONTED and not clause.rstrip().endswith(":"):
            raise Unspeakable("the sentence opens with a clause of its own")
        if clause.rstrip().endswith(":") and ":" in body.partition(". ")[0]:
            raise Unspeakable("the sentence has a colon of its own")
        named = [iri for slot in join.clause.slots if (iri := join.values[slot.name].value) and slot.name == "entity"]
        if any(name in body for iri in named for name in voice.names_of(iri)):
            raise Unspeakable("the sentence names again whom the clause names")
        if join.kind in ("topic", "answer") and _stutters(clause, body):
            raise Unspeakable("the sentence opens with the word that the clause turns to")
        if isinstance(first, str):
            body = speech.lower_first(body)
        elif _is_prose(first, rows):
            body = speech.mid_sentence(body, voice.opens)
        return clause, voice.set_articles(speech.upper_first(clause + body))

    def _extended(
        self,
        draft: _Draft,
        message: Message,
        text: Wording,
        join: Link | None,
        said: str,
        voice: StoryVoice,
        scene: Scene,
    ) -> _Draft | None:
        first, shape = opening(said), _shape(text, join, said)
        if digest(said.casefold()) in scene.thread.said:
            return None
        if draft.openings[-1:] == (first,) or shape == draft.shape:
            return None
        evidence = [factlet.id for factlet in message.saying.factlets]
        if join is not None and join.factlet is not None:
            evidence.append(LINK_ID)
        kind = _opening_kind(text, join)
        repeated = 2.5 if kind == draft.shape.partition("|")[0] else 0.0
        often = 2.0 if first in draft.openings else 0.0
        used = USED if digest(text.text) in scene.thread.worded and shape != f"{kind}|{said}" else 0.0
        place = message.saying.telling.say.index(text.text)
        again = SAME_SOURCE if message.quotes and _names_source(message, draft.sentences) else 0.0
        return _Draft(
            sentences=(*draft.sentences, Sentence(text=said, evidence=tuple(evidence))),
            named=tuple(dict.fromkeys((*draft.named, *voice.named))),
            last_named=tuple(dict.fromkeys((*voice.named, *(iri.value for iri in scene.entities.spoken_of(said))))),
            subject=voice.subject,
            pronoun=voice.subject_is_pronoun,
            openings=(*draft.openings, first)[-2:],
            shape=shape,
            cost=draft.cost + repeated + often + used + again + 1.0 * place + scene.rng.random() * CHANCE,
            worded=(*draft.worded, text.text),
            link=join or draft.link,
            clause=join.clause.text if join else draft.clause,
            lead_in=draft.lead_in,
        )

    def _with_hook(self, draft: _Draft, scene: Scene) -> _Draft | None:
        if not scene.hook or not draft.sentences:
            return draft
        if len(draft.sentences) == 3 or opening(scene.hook) == draft.openings[-1]:
            return None
        raised = Sentence(text=scene.hook, evidence=draft.sentences[0].evidence)
        return replace(
            draft,
            sentences=(*draft.sentences, raised),
            openings=(*draft.openings, opening(scene.hook))[-2:],
            shape="question|" + scene.hook,
        )


def done(telling: Telling) -> Future[Telling]:
    """The telling as what has ended already."""
    future: Future[Telling] = Future()
    future.set_result(telling)
    return future


def _is_prose(slot: Slot, rows: Sequence[Mapping[str, Value]]) -> bool:
    value = rows[0].get(slot.name)
    return value is not None and value.kind == "literal" and value.datatype == XSD_STRING and slot.form in ("", "text")


def _names_source(message: Message, before: Sequence[Sentence]) -> bool:
    source = message.saying.factlets[0].values["source"].value.removeprefix("the ")
    return any(source in sentence.text for sentence in before)


def _names(text: Wording, variable: str) -> bool:
    return bool(variable) and any(slot.name == variable for slot in text.slots)


def opening(sentence: str) -> str:
    """The first word, folded."""
    return sentence.split(maxsplit=1)[0].strip("“”\"'.,:;").casefold()


def _stutters(clause: str, body: str) -> bool:
    """True where the clause and the words that follow it name the same: "then the sound: for the sound, ..."."""
    turned_to = {word for word in re.findall(r"\w+", clause.casefold()) if len(word) >= STUTTER}
    return not turned_to.isdisjoint(re.findall(r"\w+", body.casefold())[:OPENING_WORDS])


def _opening_kind(text: Wording, join: Link | None) -> str:
    if join is not None:
        return "clause"
    return "name" if text.opens_with_slot else "words"


def _shape(text: Wording, join: Link | None, said: str) -> str:
    """What a reader hears as the same turn of sentence: how it opens, and its wording with the slots left blank.

    A wording that is hardly more than a sentence of the graph has the shape of that sentence.
    """
    skeleton = "".join(part if isinstance(part, str) else "_" for part in text.parts)
    bare = len(skeleton.replace("_", "").split()) < 2
    return f"{_opening_kind(text, join)}|{said if bare else skeleton}"
