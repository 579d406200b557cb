"""A visit, step by step, without any framework: plan, ask, tell, offer.

`cuestory tell` calls these functions straight through; the machine's nodes are thin shells over the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from agent.context import StoryContext
from agent.generation import digest, outlines
from agent.links import Link, links, stand
from agent.narrator import Scene, Telling
from agent.offer import Offer
from agent.offering import offer_choices
from agent.story import PackCard, Story, StoryBeat
from agent.thread import Thread
from graph_tools.attestation import attestations
from graph_tools.cq import CompetencyQuestion
from graph_tools.evidence import EvidencePack
from graph_tools.plan import Beat, BeatPlan, Question, StoryRequest
from graph_tools.planner import arc_for, plan_story
from graph_tools.terms import XSD

FEWEST, MOST_WORDS = 16, 62
"""Bounds of a beat's share of words."""


def plan(request: StoryRequest, ctx: StoryContext) -> BeatPlan:
    """The plan of a story. Raises PlanError."""
    return plan_story(request, ctx.pack, ctx.composer(request.persona))


def opening(plan: BeatPlan) -> Beat:
    """The first beat."""
    return plan.beats[0]


def ask(question: Question, ctx: StoryContext) -> EvidencePack:
    """The evidence for one question."""
    return ctx.retriever.ask(question)


def retrieve(beat: Beat, ctx: StoryContext) -> EvidencePack:
    """The evidence for a beat: its questions' packs, merged."""
    return ctx.retriever.retrieve(beat)


def generate(
    beat: Beat,
    index: int,
    evidence: EvidencePack,
    plan: BeatPlan,
    thread: Thread,
    ctx: StoryContext,
    *,
    words: int = 0,
) -> tuple[StoryBeat, Thread]:
    """The beat in words, or suppressed with its reason; and the thread with it.

    `words`: about how many; 0: the beat's share of those that the plan has left.
    """
    asked = (*thread.asked, *(question.key for question in beat.questions))
    target = words or _target(plan, thread, ctx)
    telling = _telling(beat, index, evidence, plan, thread, ctx, target)
    if telling is None:
        reason = _reason(beat, evidence)
        silent = StoryBeat(
            index=index, step=beat.step, status="suppressed", suppressed_because=reason, evidence=evidence
        )
        return silent, thread.model_copy(update={"beats": thread.beats + 1, "asked": asked})
    if telling.link_factlet is not None:
        evidence = evidence.model_copy(update={"factlets": (*evidence.factlets, telling.link_factlet)})
    told = StoryBeat(index=index, step=beat.step, status="told", sentences=telling.sentences, evidence=evidence)
    return told, _followed(thread, beat, told, telling, ctx).model_copy(update={"asked": asked})


def offer(plan: BeatPlan, thread: Thread, ctx: StoryContext) -> Offer:
    """What may come next: three choices, the rest, a surprise and the end. The same arguments give the same offer."""
    return offer_choices(plan, thread, ctx)


def tell_story(request: StoryRequest, ctx: StoryContext) -> Story:
    """The planned story, beat after beat."""
    planned = plan(request, ctx)
    thread = Thread()
    beats: list[StoryBeat] = []
    for index, beat in enumerate(planned.beats):
        told, thread = generate(beat, index, retrieve(beat, ctx), planned, thread, ctx)
        beats.append(told)
    return story_of(request, beats, ctx)


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


def _telling(
    beat: Beat, index: int, evidence: EvidencePack, plan: BeatPlan, thread: Thread, ctx: StoryContext, target: int
) -> Telling | None:
    if not evidence.factlets:
        return None
    pack, request = ctx.pack, plan.request
    persona = pack.personas[request.persona]
    hook = plan.hook if index == 0 else ""
    rng = Random(f"{request.seed}|{index}|{beat.key}")
    candidates = outlines(
        evidence,
        pack.library,
        persona,
        ctx.plain_voice,
        heard=frozenset(thread.heard),
        target=target - len(hook.split()),
        most=2 if hook else 3,
        rng=rng,
    )
    about = frozenset(iri for q in beat.questions for iri in q.bindings.values()) - {
        d.value for d in pack.defaults.values()
    }
    whole = next((iri.value for iri in pack.defaults.values() if iri.value in thread.mentioned), "")
    joins: dict[tuple[int, int, int], list[Link]] = {}
    for outline in candidates:
        first = outline.messages[0]
        if first.order not in joins:
            joins[first.order] = links(first.saying, thread, about, whole, persona, pack.entities)
    closing = pack.library[beat.questions[0].cq].cq
    answers = plan.hook_cq == closing.id and index > 0
    scene = Scene(
        persona=persona,
        entities=pack.entities,
        thread=thread,
        target=target,
        rng=rng,
        links=joins,
        focus=about,
        answer=_answer(closing, plan) if answers else (),
        hook=hook,
    )
    return ctx.narrator.realise(candidates, scene)


def _answer(closing: CompetencyQuestion, plan: BeatPlan) -> tuple[str, ...]:
    """The clauses that lead into the answer: where there is one for each wording of the hook, the one that fits."""
    persona = plan.request.persona
    hooks, answers = closing.hook.get(persona, ()), closing.answer.get(persona, ())
    if len(hooks) == len(answers) and plan.hook in hooks:
        return (answers[hooks.index(plan.hook)],)
    return answers


def _target(plan: BeatPlan, thread: Thread, ctx: StoryContext) -> int:
    """The beat's share of the words that are left to the middle of the story's range."""
    least, most = arc_for(plan.request, ctx.pack).words
    left = max(1, len(plan.beats) - thread.beats)
    return min(MOST_WORDS, max(FEWEST, round(((least + most) / 2 - thread.words) / left)))


def _reason(beat: Beat, evidence: EvidencePack) -> str:
    asked = ", ".join(question.cq for question in beat.questions)
    if not evidence.factlets:
        return f"the graph has no answer to {asked} for these entities"
    return f"nothing new can be said in answer to {asked}: its facts were told before, or too few of them are known"


def _followed(thread: Thread, beat: Beat, told: StoryBeat, telling: Telling, ctx: StoryContext) -> Thread:
    heard = [*thread.heard]
    defaults = {iri.value for iri in ctx.pack.defaults.values()}
    about = sorted({iri for question in beat.questions for iri in question.bindings.values()} - defaults)
    stands = [stand(message.saying) for message in telling.messages]
    for message in telling.messages:
        heard += sorted(message.news)
    # A beat about somebody stands where and when it says so anywhere, one about the whole only where it ends so.
    lasting = stands if about else stands[-1:]
    time = next((s.time for s in reversed(lasting) if s.time is not None), None)
    place = next((s.place for s in reversed(lasting) if s.place is not None), None)
    dated = [s.time for s in stands if s.time is not None and s.time.datatype == XSD + "date"]
    return thread.model_copy(
        update={
            "words": thread.words + told.words,
            "beats": thread.beats + 1,
            "mentioned": tuple(dict.fromkeys((*thread.mentioned, *telling.named))),
            "heard": tuple(dict.fromkeys(heard)),
            "openings": telling.openings,
            "shape": telling.shape,
            "said": (*thread.said, *(digest(sentence.text.casefold()) for sentence in told.sentences)),
            "worded": tuple(dict.fromkeys((*thread.worded, *telling.worded))),
            "links": (*thread.links, telling.link)[-3:] if telling.link else thread.links,
            "about": tuple(about),
            "place": place,
            "time": time if time is not None and time.datatype == XSD + "dateTime" else None,
            "day": time,
            "arrived": thread.arrived or any(s.time.datatype == XSD + "dateTime" for s in stands if s.time is not None),
            "first_day": next(iter(dated), None) if thread.beats == 0 else thread.first_day,
        }
    )
