"""Which choices a visitor gets next: the plan's own next beat, more about whom the last beat named, something else.

Only beats that the graph can answer now, and that mostly tell something new, are offered.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from agent.context import StoryContext
from agent.generation import digest, news
from agent.offer import Choice, Kind, Offer
from agent.thread import Thread
from graph_tools.cq import CompetencyQuestion
from graph_tools.novelty import repeats, shares
from graph_tools.plan import Beat, BeatPlan, Question
from graph_tools.terms import Iri

SHOWN = 3
REST = 12
"""Questions in the menu at most."""
RECENT = 4
"""Entities named last that further questions are tried for."""


def offer_choices(plan: BeatPlan, thread: Thread, ctx: StoryContext) -> Offer:
    """The offer after the beats of `thread`: the same arguments give the same offer."""
    rng = Random(f"{plan.request.seed}|offer|{thread.beats}|{'|'.join(thread.asked)}")
    maker = _Maker(plan, thread, ctx)
    planned = list(maker.planned())
    more = list(maker.about(maker.recent(), "more"))
    elsewhere = [*maker.about([None], "elsewhere"), *planned[1:]]
    rng.shuffle(more)
    rng.shuffle(elsewhere)
    ordered = maker.unlike([*planned[:1], *_interleaved(more, elsewhere)])
    numbered = [choice.model_copy(update={"id": f"c{n}"}) for n, choice in enumerate(ordered, start=1)]
    surprise = maker.surprise(rng, ordered)
    return Offer(
        choices=tuple(numbered[:SHOWN]),
        rest=tuple(numbered[SHOWN:]),
        surprise=surprise,
        end=Choice(id="end", label="End the tour", kind="end"),
    )


class _Maker:
    def __init__(self, plan: BeatPlan, thread: Thread, ctx: StoryContext) -> None:
        self._plan = plan
        self._thread = thread
        self._ctx = ctx
        self._composer = ctx.composer(plan.request.persona)
        self._heard = frozenset(thread.heard)

    def planned(self) -> Iterator[Choice]:
        """The plan's beats that were not told, in its order."""
        for beat in self._plan.beats:
            if self._new(beat.questions[0]):
                yield self._choice(beat, "plan")

    def recent(self) -> list[Iri | None]:
        """Entities a story may follow: those of the last beat, those named last, the plan's leads."""
        entities = self._ctx.pack.entities
        lead_class = self._ctx.pack.arcs.lead_class
        named = [*self._thread.about, *reversed(self._thread.mentioned), *self._plan.leads]
        fitting = [iri for iri in dict.fromkeys(named) if Iri(lead_class) in entities.types(Iri(iri))]
        return [Iri(iri) for iri in fitting[:RECENT]]

    def about(self, leads: list[Iri | None], kind: Kind) -> Iterator[Choice]:
        """Every question that is answered and new, about these entities."""
        for lead in leads:
            for cq in self._composer.leading():
                if self._composer.follows(cq) != (lead is not None):
                    continue
                question = self._composer.question(cq, lead)
                if question is not None and self._new(question):
                    yield self._choice(self._beat(cq, question, lead), kind)

    def surprise(self, rng: Random, offered: list[Choice]) -> Choice | None:
        """A beat about an entity that nobody has named yet; where there is none, one of those on offer."""
        pool: list[Iri | None] = [*self._ctx.pack.entities.of_class(Iri(self._ctx.pack.arcs.lead_class))]
        unnamed = [iri for iri in pool if iri is not None and iri.value not in self._thread.mentioned]
        rng.shuffle(unnamed)
        for lead in unnamed[:RECENT]:
            found = list(self.about([lead], "surprise"))
            if found:
                return rng.choice(found).model_copy(update={"id": "surprise", "label": "Surprise me"})
        beat = offered[-1].beat if offered else None
        return Choice(id="surprise", label="Surprise me", kind="surprise", beat=beat) if beat else None

    def unlike(self, choices: list[Choice]) -> list[Choice]:
        """The choices without those that would mostly tell what one before them tells."""
        kept: list[Choice] = []
        told: list[frozenset[str]] = []
        for choice in choices:
            if choice.beat is None or len(kept) == SHOWN + REST:
                continue
            statements = self._composer.statements(choice.beat.questions[0])
            if not any(shares(statements, other) for other in told):
                kept.append(choice)
                told.append(statements)
        return kept

    def _new(self, question: Question) -> bool:
        if question.key in self._thread.asked:
            return False
        statements = {digest(statement) for statement in self._composer.statements(question)}
        if repeats(statements, self._heard):
            return False
        openings = (saying for saying in self._composer.sayings(question) if saying.leads)
        return any(not repeats(news(saying.factlets), self._heard) for saying in openings)

    def _beat(self, cq: CompetencyQuestion, question: Question, lead: Iri | None) -> Beat:
        return self._composer.compose(cq.steps[0], question, lead, most=2, heard=frozenset(), used=self._thread.asked)

    def _choice(self, beat: Beat, kind: Kind) -> Choice:
        return Choice(id="c0", label=beat.questions[0].question, kind=kind, beat=beat)


def _interleaved(more: list[Choice], elsewhere: list[Choice]) -> Iterator[Choice]:
    for n in range(max(len(more), len(elsewhere))):
        yield from (*more[n : n + 1], *elsewhere[n : n + 1])
