"""A told beat told in another way: shorter, longer or in another persona's voice, from the evidence it was told from.

No question is put to the graph. No sentence that the visitor has heard comes again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from agent.context import StoryContext
from agent.generation import Outline, openers, ranked
from agent.links import LINK_ID
from agent.narrator import UNBOUNDED, Brief, Scene, Telling
from agent.quoting import Material, everything, unheard
from agent.story import StoryBeat
from agent.telling import FEWEST, MOST_WORDS, about, followed
from agent.thread import Thread
from graph_tools.plan import StoryRequest

SHORTER, LONGER = "shorter", "longer"
LESS, MORE = 0.75, 1.15
"""A shorter telling has at most, a longer one at least so many times the words."""
TRIED = 4
"""Outlines of a kind that are worded before a manner is left out."""
AIM = {SHORTER: 0.55, LONGER: 1.6}
"""How many times the words are aimed at."""


@dataclass(frozen=True)
class Spoken:
    """A told beat as it was heard last."""

    beat: StoryBeat
    voice: str
    """Persona in whose voice it was."""
    before: Thread
    """What had been heard before the beat was told for the first time."""


@dataclass(frozen=True, slots=True)
class Retold:
    """A beat worded again from the content files, not yet handed over."""

    spoken: Spoken
    now: Thread
    telling: Telling
    brief: Brief


def manners(spoken: Spoken, now: Thread, ctx: StoryContext) -> tuple[str, ...]:
    """The ways in which the beat can be told anew, each worded: shorter, longer, other personas of the pack."""
    others = [persona for persona in ctx.pack.personas if persona != spoken.voice]
    material: dict[str, Material] = {}
    return tuple(m for m in (SHORTER, LONGER, *others) if _can(spoken, m, now, ctx, material))


def retell(
    spoken: Spoken, manner: str, now: Thread, ctx: StoryContext, *, request: StoryRequest | None = None, visit: str = ""
) -> Retold | None:
    """The beat in that manner in the wording of the content files; None where it cannot be told so.

    `request`, `visit`: what the story was asked for, and whose budget a narrator that costs something takes from."""
    scene = _scene(spoken, manner, now, ctx)
    voice = voice_of(manner, spoken.voice)
    found = _material(spoken, voice, ctx)
    telling = next(
        (t for outlines in _tries(spoken, manner, found, scene) if (t := ctx.narrator.realise(outlines, scene))), None
    )
    if telling is None:
        return None
    digests = ctx.pack.digests
    asked = request or StoryRequest(persona=voice)
    pack = (digests.kg, digests.cqs, digests.snippets)
    return Retold(spoken, now, telling, Brief(asked, spoken.beat.evidence, scene, pack, visit))


def retold(again: Retold, telling: Telling, ctx: StoryContext) -> tuple[StoryBeat, Thread]:
    """The beat as it is told again, and the thread with it.

    What was heard stays heard, once; the plan, its words and the questions asked are as they were."""
    spoken, now = again.spoken, again.now
    told = spoken.beat.model_copy(update={"sentences": telling.sentences})
    kept = {"links": now.links, "first_day": now.first_day}
    return told, followed(now, _bound(spoken.beat), told, telling, ctx).model_copy(update=kept)


def voice_of(manner: str, voice: str) -> str:
    """In whose voice a beat is after it was retold in that manner."""
    return voice if manner in (SHORTER, LONGER) else manner


def _can(spoken: Spoken, manner: str, now: Thread, ctx: StoryContext, material: dict[str, Material]) -> bool:
    """Whether `retell` would find a wording. `material`: what was found out for other manners."""
    voice = voice_of(manner, spoken.voice)
    if voice not in material:
        material[voice] = _material(spoken, voice, ctx)
    scene = _scene(spoken, manner, now, ctx)
    tries = list(_tries(spoken, manner, material[voice], scene))
    # What opens alone is worded at once; the richer outlines are needed only for a longer telling.
    ordered = tries if manner == LONGER else list(reversed(tries))
    return any(ctx.narrator.can_realise(outlines[:TRIED], scene) for outlines in ordered)


def _material(spoken: Spoken, voice: str, ctx: StoryContext) -> Material:
    """All that can be said of the evidence in that voice; nothing where the question is not for that persona."""
    # A clause that joined the beat to the one before has a proof of its own, which is no row of an answer.
    rows = tuple(factlet for factlet in spoken.beat.evidence.factlets if factlet.id != LINK_ID)
    evidence = spoken.beat.evidence.model_copy(update={"factlets": rows})
    leading = ctx.pack.library[evidence.questions[0].cq].cq
    if spoken.beat.status != "told" or not leading.serves(voice):
        return ((),)
    return everything(evidence, ctx.pack, ctx.pack.personas[voice], ctx.plain_voice)


def _tries(spoken: Spoken, manner: str, found: Material, scene: Scene) -> Iterator[list[Outline]]:
    """Outlines to be worded, the best kind first: of what was told, then of all that the evidence holds."""
    heard = frozenset(spoken.before.heard)
    most = max(1, len(spoken.beat.sentences) - 1) if manner == SHORTER else 3
    cited = {id_ for sentence in spoken.beat.sentences for id_ in sentence.evidence}
    found = unheard(found, scene.thread.heard, cited)
    told = [[m for m in part if cited.issuperset(factlet.id for factlet in m.saying.factlets)] for part in found]
    for part in (found,) if manner == LONGER else (told, found):
        rng = Random(f"{manner}|{spoken.voice}|{len(scene.thread.said)}")
        outlines = ranked(part, heard=heard, target=scene.target, most=most, rng=rng)
        yield [outline for outline in outlines if _longest(outline) >= scene.least]
    yield openers(found[0], heard)


def _scene(spoken: Spoken, manner: str, now: Thread, ctx: StoryContext) -> Scene:
    words = spoken.beat.words
    return Scene(
        persona=ctx.pack.personas[voice_of(manner, spoken.voice)],
        entities=ctx.pack.entities,
        thread=now,
        target=min(2 * MOST_WORDS, max(FEWEST // 2, round(words * AIM.get(manner, 1.0)))),
        rng=Random(f"{manner}|{spoken.voice}|{len(now.said)}"),
        links={},
        focus=about(_bound(spoken.beat), ctx),
        least=int(words * MORE) + 1 if manner == LONGER else 0,
        most=int(words * LESS) if manner == SHORTER else UNBOUNDED,
    )


def _bound(beat: StoryBeat) -> frozenset[str]:
    return frozenset(iri for asked in beat.evidence.questions for iri in asked.bindings.values())


def _longest(outline: Outline) -> int:
    return sum(message.saying.longest for message in outline.messages)
