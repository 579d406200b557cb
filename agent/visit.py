"""A visit, step by step, without any framework: plan, ask, tell, offer.

`cuestory tell` calls these functions straight through; the machine's nodes are thin shells over the same ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agent.branches import Json, Tree, grown
from agent.context import StoryContext
from agent.errors import UnknownChoice
from agent.offer import Offer
from agent.offering import asked_for, offer_choices
from agent.retelling import retell, voice_of
from agent.story import PackCard, Story, StoryBeat
from agent.taking import questions_of, take
from agent.telling import generate
from agent.thread import Thread
from agent.wayback import again, back, from_here, spoken
from graph_tools.attestation import attestations
from graph_tools.evidence import EvidencePack
from graph_tools.plan import Beat, BeatPlan, Question, StoryRequest
from graph_tools.planner import plan_story

__all__ = [
    "ask", "attested", "generate", "offer", "offer_at", "opening", "plan", "retell_at", "retrieve", "story_of", "take",
    "tell_story", "told_beats",
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

    Raises UnknownChoice where it cannot be told so."""
    told = retell(spoken(tree, place), manner, thread, ctx)
    if told is None:
        raise UnknownChoice(f"this part cannot be told {manner!r}")
    voice = voice_of(manner, tree.node(place).voice)
    node = grown(at, told[0], thread, told[1], voice=voice, retells=tree.origin(place), manner=manner)
    return node, told[1]


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
    return Story(request=request, pack=card, narrator=ctx.narrator.card, beats=tuple(beats), attestations=stated)


def attested(beat: StoryBeat, ctx: StoryContext) -> tuple[str, ...]:
    """The statements that name the things of a beat's proofs, and say where these were read."""
    return attestations((triple for factlet in beat.evidence.factlets for triple in factlet.triples), ctx.pack)
