"""Which choices a visitor gets next: the plan's own next beat, and two others of different kinds; the rest in a menu.

Each one was worded before it is offered, tells something new, and leaves the plan whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from agent.context import StoryContext
from agent.offer import Choice, Offer
from agent.standing import Standing
from agent.thread import Thread
from agent.ways import Way, label
from graph_tools.novelty import shares
from graph_tools.plan import Beat, BeatPlan, Question, Reason
from graph_tools.terms import Iri

SHOWN = 3
REST = 12
"""Questions in the menu at most."""
PLAN_TAG = "Go on with the story"
END = Choice(id="end", label="End the tour", kind="end")


def offer_choices(plan: BeatPlan, thread: Thread, ctx: StoryContext, *, author: bool = False) -> Offer:
    """The offer after the beats of `thread`: the same arguments give the same offer.

    `author`: also what is left out, each with its reason."""
    rng = Random(f"{plan.request.seed}|offer|{thread.beats}|{'|'.join(thread.asked)}")
    desk = _Desk(plan, thread, ctx)
    for beat in desk.standing.ahead[:1]:
        desk.put(_planned(beat))
    ways = ctx.ways_for(plan.request.persona)
    found = ways.at(plan, thread, rng)
    kinds = ["more", *rng.sample(sorted(found.keys() - {"more"}), len(found) - 1)]
    desk.deal([iter(found[kind]) for kind in kinds], most=SHOWN + REST)
    for beat in desk.standing.ahead[1:]:
        if len(desk.on_offer) < SHOWN:
            desk.put(_planned(beat))
    on_offer = tuple(choice.model_copy(update={"id": f"c{n}"}) for n, choice in enumerate(desk.on_offer, start=1))
    return Offer(
        choices=on_offer[:SHOWN],
        rest=on_offer[SHOWN:],
        surprise=desk.surprise(ways.surprising(plan, thread, rng)),
        end=END,
        ahead=len(desk.standing.ahead),
        left_out=tuple(desk.left_out(ways.recent(plan, thread))) if author else (),
    )


class _Desk:
    """The choices of one moment as they are laid out."""

    def __init__(self, plan: BeatPlan, thread: Thread, ctx: StoryContext) -> None:
        self.standing = Standing(plan, thread, ctx)
        self.on_offer: list[Choice] = []
        self._ctx = ctx
        self._composer = ctx.composer(plan.request.persona)
        self._used = frozenset(thread.asked) | {q.key for beat in self.standing.ahead for q in beat.questions}

    def put(self, choice: Choice | None) -> bool:
        """Adds the choice, unless it reads or mostly tells like one that lies there; whether it was added."""
        fits = choice is not None and choice.beat is not None and not self._like(choice.label, choice.beat.questions[0])
        if choice is not None and fits:
            self.on_offer.append(choice)
        return fits

    def deal(self, kinds: list[Iterator[Way]], *, most: int) -> None:
        """Adds the best way of each kind in turn, round after round, until there are `most` choices or no ways left."""
        while kinds and len(self.on_offer) < most:
            kind = kinds.pop(0)
            if any(self.put(self.choice(way)) for way in kind):
                kinds.append(kind)

    def choice(self, way: Way) -> Choice | None:
        """The way as a choice; None where it cannot be told now, or would tell what the plan has ahead."""
        if not self.standing.tellable(way.question):
            return None
        step = way.cq.steps[0]
        beat = self._composer.compose(step, way.question, way.entity, most=2, heard=frozenset(), used=self._used)
        if not self.standing.spares(beat):
            beat = Beat(step=step, questions=(way.question,))
        if not self.standing.spares(beat):
            return None
        return Choice(id="c0", label=way.label, kind=way.kind, tag=way.tag, beat=beat)

    def surprise(self, found: Iterable[Way]) -> Choice | None:
        """A beat about an entity that nobody has named yet; where there is none, one of those on offer."""
        first = next((choice for way in found if (choice := self.choice(way)) is not None), None)
        first = first or next(iter(self.on_offer[-1:]), None)
        return Choice(id="surprise", label="Surprise me", kind="surprise", beat=first.beat) if first else None

    def left_out(self, recent: Sequence[Iri]) -> Iterator[Choice]:
        """Every other question about whom was just named or about the whole, with the reason why it is not on offer."""
        here = {choice.beat.key for choice in self.on_offer if choice.beat is not None}
        number = 0
        for template in self._ctx.pack.library.values():
            for entity in (None, *recent):
                cq = template.cq
                question = self._composer.question(cq, None) if entity is None else self._composer.about(cq, entity)
                if question is None or question.key in here:
                    continue
                number += 1
                text = label(question, entity, self._ctx.pack)
                why = self.standing.why_not(question) or self._like(text, question) or "no room in the menu"
                yield Choice(id=f"x{number}", label=text, kind="author", available=False, why_not=why)

    def _like(self, text: str, question: Question) -> str:
        """Which choice reads or mostly tells the same, in a curator's words; "" where none does."""
        statements = self._composer.statements(question)
        for other in self.on_offer:
            assert other.beat is not None
            if other.label.casefold() == text.casefold():
                return f"reads like {other.beat.questions[0].cq}"
            if shares(statements, self._composer.statements(other.beat.questions[0])):
                return f"tells much of what {other.beat.questions[0].cq} tells"
        return ""


def asked_for(questions: Iterable[Question], ctx: StoryContext) -> tuple[Choice, ...]:
    """Questions that come near what a visitor typed, as choices; each is told even if it was heard before."""
    return tuple(
        Choice(id=f"q{number}", label=question.question, kind="ask", beat=asked_beat(question, ctx))
        for number, question in enumerate(list(questions)[:SHOWN], start=1)
    )


def asked_beat(question: Question, ctx: StoryContext) -> Beat:
    """The beat that answers just this question."""
    return Beat(
        step=ctx.pack.library[question.cq].cq.steps[0], questions=(question,), reason=Reason(words="asked in words")
    )


def _planned(beat: Beat) -> Choice:
    return Choice(id="c0", label=beat.questions[0].question, kind="plan", tag=PLAN_TAG, beat=beat)
