"""One beat in words: what is new of its evidence, worded so that it joins what the visitor has heard."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, replace
from random import Random

from agent.context import StoryContext
from agent.generation import digest, openers, ranked
from agent.links import Link, links, stand
from agent.narrator import Brief, Scene, Telling
from agent.quoting import everything
from agent.story import StoryBeat
from agent.thread import Thread
from agent.walking import Around
from graph_tools.cq import CompetencyQuestion
from graph_tools.evidence import EvidencePack
from graph_tools.plan import Beat, BeatPlan
from graph_tools.planner import arc_for
from graph_tools.terms import XSD

FEWEST, MOST_WORDS = 16, 62
"""Bounds of a beat's share of words."""
OVER = 14
"""Words above its share that a beat may have for a snippet's sake."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """A beat in the wording of the content files, not yet handed over."""

    beat: Beat
    index: int
    evidence: EvidencePack
    plan: BeatPlan
    thread: Thread
    telling: Telling | None
    """None where it is suppressed."""
    brief: Brief | None


def generate(
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
    """The beat in words, or suppressed with its reason; and the thread with it. It waits for the narrator.

    `words`: about how many; 0: the beat's share of those that the plan has left.
    `again`: a visitor asked for just this, so what was heard before is told anew where there is nothing else to tell.
    `visit`: whose budget a narrator that costs something takes from.
    """
    drafted = draft(beat, index, evidence, plan, thread, ctx, words=words, again=again, visit=visit)
    worded = reworded(drafted, ctx)
    return finished(drafted, worded.result() if worded else None, ctx)


def draft(
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
) -> Drafted:
    """What `generate` tells, before a narrator words it anew: takes milliseconds, asks nobody."""
    target = words or _target(beat, plan, thread, ctx)
    found = _telling(beat, index, evidence, plan, thread, ctx, target)
    if found is None and again:
        afresh = thread.model_copy(update={"heard": (), "said": ()})
        found = _telling(beat, index, evidence, plan, afresh, ctx, target)
    if found is None:
        return Drafted(beat, index, evidence, plan, thread, None, None)
    telling, scene = found
    digests = ctx.pack.digests
    brief = Brief(plan.request, evidence, scene, (digests.kg, digests.cqs, digests.snippets), visit)
    return Drafted(beat, index, evidence, plan, thread, telling, brief)


def reworded(drafted: Drafted, ctx: StoryContext) -> Future[Telling] | None:
    """The telling in the narrator's own words, under way; None where there is nothing to tell."""
    if drafted.telling is None or drafted.brief is None:
        return None
    return ctx.narrator.reword(drafted.telling, drafted.brief)


def finished(drafted: Drafted, telling: Telling | None, ctx: StoryContext) -> tuple[StoryBeat, Thread]:
    """The beat as it is told, or suppressed with its reason; and the thread with it."""
    beat, index, evidence, plan, thread = (
        drafted.beat, drafted.index, drafted.evidence, drafted.plan, drafted.thread,
    )  # fmt: skip
    if telling is None:
        silent = StoryBeat(
            index=index,
            step=beat.step,
            status="suppressed",
            suppressed_because=_reason(beat, evidence),
            evidence=evidence,
        )
        return silent, _counted(thread, beat, 0, plan)
    if telling.link_factlet is not None:
        evidence = evidence.model_copy(update={"factlets": (*evidence.factlets, telling.link_factlet)})
    told = StoryBeat(index=index, step=beat.step, status="told", sentences=telling.sentences, evidence=evidence)
    bound = frozenset(iri for question in beat.questions for iri in question.bindings.values())
    return told, _counted(followed(thread, bound, told, telling, ctx), beat, told.words, plan)


def about(bound: frozenset[str], ctx: StoryContext) -> frozenset[str]:
    """Whom a beat is about: what its questions are bound to besides the pack's defaults."""
    return bound - {iri.value for iri in ctx.pack.defaults.values()}


def _telling(
    beat: Beat, index: int, evidence: EvidencePack, plan: BeatPlan, thread: Thread, ctx: StoryContext, target: int
) -> tuple[Telling, Scene] | None:
    if not evidence.factlets:
        return None
    pack, request = ctx.pack, plan.request
    persona = pack.personas[request.persona]
    hook = plan.hook if index == 0 else ""
    rng = Random(f"{request.seed}|{index}|{beat.key}")
    heard = frozenset(thread.heard)
    found = everything(evidence, pack, persona, ctx.plain_voice)
    room, most = target - len(hook.split()), 2 if hook else 3
    quoting = ranked(found, heard=heard, target=room, most=most, rng=rng, quoting=True) if evidence.snippets else []
    candidates = ranked(found, heard=heard, target=room, most=most, rng=rng, around=_around(beat, plan, thread, ctx))
    focus = about(frozenset(iri for q in beat.questions for iri in q.bindings.values()), ctx)
    whole = next((iri.value for iri in pack.defaults.values() if iri.value in thread.mentioned), "")
    joins: dict[tuple[int, int, int], list[Link]] = {}
    for outline in (*quoting, *candidates):
        first = outline.messages[0]
        if first.order not in joins:
            joins[first.order] = links(first.saying, thread, focus, whole, persona, pack.entities)
    closing = pack.library[beat.questions[0].cq].cq
    answers = plan.hook_cq == closing.id and index > 0
    scene = Scene(
        persona=persona,
        entities=pack.entities,
        thread=thread,
        target=target,
        rng=rng,
        links=joins,
        focus=focus,
        answer=_answer(closing, plan) if answers else (),
        hook=hook,
    )
    # A choice is offered once the last of these can be worded, so it is told even if no richer outline can be.
    short = replace(scene, most=target + OVER)
    tries = ((quoting, short), (candidates, scene), (openers(found[0], heard), scene))
    return next(((told, scene) for lines, within in tries if (told := ctx.narrator.realise(lines, within))), None)


def _around(beat: Beat, plan: BeatPlan, thread: Thread, ctx: StoryContext) -> Around:
    """What a walk through this beat comes from and leads to."""
    places = [at for at, other in enumerate(plan.beats) if other.key == beat.key]
    following = plan.beats[places[0] + 1 : places[0] + 2] if places else ()
    bound = frozenset(iri for one in following for question in one.questions for iri in question.bindings.values())
    return Around(hubs=ctx.pack.hubs, near=frozenset(thread.stops), ahead=about(bound, ctx))


def _answer(closing: CompetencyQuestion, plan: BeatPlan) -> tuple[str, ...]:
    """The clauses that lead into the answer: where there is one for each wording of the hook, the one that fits."""
    persona = plan.request.persona
    hooks, answers = closing.hook.get(persona, ()), closing.answer.get(persona, ())
    if len(hooks) == len(answers) and plan.hook in hooks:
        return (answers[hooks.index(plan.hook)],)
    return answers


def _target(beat: Beat, plan: BeatPlan, thread: Thread, ctx: StoryContext) -> int:
    """The beat's share of words: on the plan, of those left to the middle of the story's range; off it, a mean one."""
    least, most = arc_for(plan.request, ctx.pack).words
    middle, heard = (least + most) / 2, thread.words - thread.aside_words
    left = max(1, len(plan.beats) - thread.beats + thread.aside_beats)
    share = (middle - heard) / left if _planned(beat, plan) else middle / len(plan.beats)
    return min(MOST_WORDS, max(FEWEST, round(share)))


def _planned(beat: Beat, plan: BeatPlan) -> bool:
    return any(beat.key == other.key for other in plan.beats)


def _counted(thread: Thread, beat: Beat, words: int, plan: BeatPlan) -> Thread:
    """The thread with the beat counted: a beat off the plan takes nothing of the plan's words."""
    aside = not _planned(beat, plan)
    return thread.model_copy(
        update={
            "words": thread.words + words,
            "beats": thread.beats + 1,
            "aside_words": thread.aside_words + words * aside,
            "aside_beats": thread.aside_beats + aside,
            "asked": (*thread.asked, *(question.key for question in beat.questions)),
        }
    )


def _reason(beat: Beat, evidence: EvidencePack) -> str:
    asked = ", ".join(question.cq for question in beat.questions)
    if not evidence.factlets:
        return f"the graph has no answer to {asked} for these entities"
    return f"nothing new can be said in answer to {asked}: its facts were told before, or too few of them are known"


def followed(thread: Thread, bound: frozenset[str], told: StoryBeat, telling: Telling, ctx: StoryContext) -> Thread:
    """The thread after a telling, before the beat is counted. `bound`: what its questions are bound to."""
    heard = [*thread.heard]
    subjects = sorted(about(bound, ctx))
    stands = [stand(message.saying) for message in telling.messages]
    for message in telling.messages:
        heard += sorted(message.news)
    # A beat about somebody stands where and when it says so anywhere, one about the whole only where it ends so.
    lasting = stands if subjects else stands[-1:]
    time = next((s.time for s in reversed(lasting) if s.time is not None), None)
    place = next((s.place for s in reversed(lasting) if s.place is not None), None)
    leg = telling.messages[-1].leg
    dated = [s.time for s in stands if s.time is not None and s.time.datatype == XSD + "date"]
    return thread.model_copy(
        update={
            "named": telling.named,
            "mentioned": tuple(dict.fromkeys((*thread.mentioned, *telling.named))),
            "heard": tuple(dict.fromkeys(heard)),
            "openings": telling.openings,
            "shape": telling.shape,
            "said": (*thread.said, *(digest(sentence.text.casefold()) for sentence in told.sentences)),
            "worded": tuple(dict.fromkeys((*thread.worded, *telling.worded))),
            "links": (*thread.links, telling.link)[-3:] if telling.link else thread.links,
            "about": tuple(subjects),
            "place": place,
            "time": time if time is not None and time.datatype == XSD + "dateTime" else None,
            "day": time,
            "stops": tuple(sorted(leg.stops)) if leg is not None else (),
            "arrived": thread.arrived or any(s.time.datatype == XSD + "dateTime" for s in stands if s.time is not None),
            "first_day": next(iter(dated), None) if thread.beats == 0 else thread.first_day,
        }
    )
