"""A visit, step by step, without any framework: plan, ask, tell, offer.

`cuestory tell` calls these functions straight through; the machine's nodes are thin shells over the same ones.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from agent.branches import Json, Tree, grown
from agent.context import StoryContext
from agent.errors import UnknownChoice
from agent.narrator import Telling, TemplateNarrator
from agent.offer import Offer
from agent.offering import asked_for, offer_choices
from agent.retelling import Retold, retell, retold, voice_of
from agent.story import PackCard, Story, StoryBeat
from agent.taking import questions_of, take
from agent.telling import draft, finished, generate, reworded
from agent.thread import Thread
from agent.wayback import again, back, from_here, spoken
from graph_tools.attestation import attestations
from graph_tools.evidence import EvidencePack
from graph_tools.plan import Beat, BeatPlan, Question, StoryRequest
from graph_tools.planner import plan_story

__all__ = [
    "ask", "attested", "draft", "finished", "generate", "generate_meanwhile", "offer", "offer_at", "opening", "plan",
    "retell_at", "retell_meanwhile", "retrieve", "reworded", "story_of", "take", "tell_story",
    "told_beats",
]  # fmt: skip


def plan(request: StoryRequest, ctx: StoryContext) -> BeatPlan:
    """The plan of a story. Raises PlanError."""
    return plan_story(request, ctx.pack, ctx.composer(request.persona))


def opening(plan: BeatPlan) -> Beat:
    """The first beat."""
    return plan.beats[0]


def ask(question: Question, ctx: StoryContext, strategy: str = "kg", seed: int = 0) -> EvidencePack:
    """The evidence for one question."""
    return ctx.retriever_for(strategy).ask(question, seed=seed)


def retrieve(beat: Beat, ctx: StoryContext, strategy: str = "kg", seed: int = 0) -> EvidencePack:
    """The evidence for a beat: its questions' packs, merged."""
    return ctx.retriever_for(strategy).retrieve(beat, seed=seed)


async def generate_meanwhile(
    beat: Beat,
    index: int,
    evidence: EvidencePack,
    plan: BeatPlan,
    thread: Thread,
    ctx: StoryContext,
    *,
    words: int = 0,
    again: bool = False,
    visit: str = "",
) -> tuple[StoryBeat, Thread]:
    """`generate`, where other visits go on while a narrator takes its time."""
    drafted = draft(beat, index, evidence, plan, thread, ctx, words=words, again=again, visit=visit)
    worded = reworded(drafted, ctx)
    if worded is None:
        return finished(drafted, None, ctx)
    telling: Telling = await asyncio.wrap_future(worded)
    return finished(drafted, telling, ctx)


def offer(plan: BeatPlan, thread: Thread, ctx: StoryContext, *, author: bool = False) -> Offer:
    """What may come next: three choices, the rest, a surprise and the end. The same arguments give the same offer.

    `author`: also what is left out, each with its reason."""
    return offer_choices(plan, thread, ctx, author=author)


def offer_at(tree: Tree, at: int, asked: Sequence[str], plan: BeatPlan, thread: Thread, ctx: StoryContext) -> Offer:
    """The offer at a place of the visit: also the questions near what was asked in words, other ways to tell the beat
    told last, the way back, and other strategies."""
    near = asked_for(questions_of(asked, plan.request, ctx), ctx)
    here = {
        "asked": near,
        "again": again(tree, at, thread, ctx),
        "back": back(tree, at),
        "from_here": from_here(plan.request, ctx),
    }
    return offer(plan, thread, ctx).model_copy(update=here)


def retell_at(tree: Tree, at: int, place: int, manner: str, thread: Thread, ctx: StoryContext) -> tuple[Json, Thread]:
    """The beat at that place told in another way, as a node that follows `at`; and the thread with it.

    It waits for the narrator. Raises UnknownChoice where it cannot be told so."""
    again = _retell(tree, place, manner, thread, ctx)
    return _regrown(tree, at, place, manner, again, ctx.narrator.reword(again.telling, again.brief).result(), ctx)


async def retell_meanwhile(
    tree: Tree,
    at: int,
    place: int,
    manner: str,
    thread: Thread,
    ctx: StoryContext,
    *,
    request: StoryRequest | None = None,
    visit: str = "",
) -> tuple[Json, Thread]:
    """`retell_at`, where other visits go on while a narrator takes its time."""
    again = _retell(tree, place, manner, thread, ctx, request=request, visit=visit)
    telling: Telling = await asyncio.wrap_future(ctx.narrator.reword(again.telling, again.brief))
    return _regrown(tree, at, place, manner, again, telling, ctx)


def _retell(
    tree: Tree,
    place: int,
    manner: str,
    thread: Thread,
    ctx: StoryContext,
    *,
    request: StoryRequest | None = None,
    visit: str = "",
) -> Retold:
    again = retell(spoken(tree, place), manner, thread, ctx, request=request, visit=visit)
    if again is None:
        raise UnknownChoice(f"this part cannot be told {manner!r}")
    return again


def _regrown(
    tree: Tree, at: int, place: int, manner: str, again: Retold, telling: Telling, ctx: StoryContext
) -> tuple[Json, Thread]:
    told, after = retold(again, telling, ctx)
    voice = voice_of(manner, tree.node(place).voice)
    return grown(at, told, again.now, after, voice=voice, retells=tree.origin(place), manner=manner), after


def tell_story(request: StoryRequest, ctx: StoryContext) -> Story:
    """The planned story, beat after beat."""
    return story_of(request, tuple(told_beats(plan(request, ctx), ctx)), ctx)


def told_beats(planned: BeatPlan, ctx: StoryContext) -> Iterator[StoryBeat]:
    """The beats of a plan, one after the other, each as soon as it is worded."""
    thread = Thread()
    for index, beat in enumerate(planned.beats):
        evidence = retrieve(beat, ctx, planned.request.strategy, planned.request.seed)
        told, thread = generate(beat, index, evidence, planned, thread, ctx)
        yield told


def story_of(request: StoryRequest, beats: Sequence[StoryBeat], ctx: StoryContext) -> Story:
    """Told beats as a story."""
    pack = ctx.pack
    card = PackCard(
        name=pack.name,
        version=pack.version,
        kg_digest=pack.digests.kg,
        cqs_digest=pack.digests.cqs,
        snippets_digest=pack.digests.snippets,
    )
    stated = tuple(attested(beat, ctx) for beat in beats)
    # A story without a sentence of the model's own is a story in the wording of the content files.
    narrator = ctx.narrator.card if any(beat.by_model for beat in beats) else TemplateNarrator.card
    return Story(request=request, pack=card, narrator=narrator, beats=tuple(beats), attestations=stated)


def attested(beat: StoryBeat, ctx: StoryContext) -> tuple[str, ...]:
    """The statements that name the things of a beat's proofs, and say where these were read."""
    return attestations((triple for factlet in beat.evidence.factlets for triple in factlet.triples), ctx.pack)
