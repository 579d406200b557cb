"""Whether a question can be told at a moment of a visit, and if not, why not."""

from __future__ import annotations

from agent.context import StoryContext
from agent.thread import Thread
from graph_tools.cq import CompetencyQuestion
from graph_tools.joins import Joins
from graph_tools.plan import Beat, BeatPlan, Question
from graph_tools.terms import Iri

TOLD = "told already"
NOTHING_NEW = "nothing new to say"
PLANNED = "kept for the plan"


class Standing:
    """What stands at one moment: what was heard, and what the plan still has to tell."""

    def __init__(self, plan: BeatPlan, thread: Thread, ctx: StoryContext) -> None:
        self._thread = thread
        self._ctx = ctx
        self._persona = plan.request.persona
        self._openings = ctx.opening(plan.request.persona)
        self._heard = frozenset(thread.heard)
        self._joins = Joins(ctx.pack.graph)
        self.ahead = tuple(beat for beat in plan.beats if self.tellable(beat.questions[0]))
        """The plan's beats that were not told and can be, in its order."""
        self._ahead = frozenset[str]().union(*(self._openings.news(beat.questions[0]) for beat in self.ahead))

    def tellable(self, question: Question) -> bool:
        """True where a sentence remains to be told."""
        return (
            question.key not in self._thread.asked
            and self._openings.fresh(question, self._heard)
            and self._openings.can_open(question, self._thread, self._heard)
        )

    def spares(self, beat: Beat) -> bool:
        """True where every beat that the plan has ahead could still be told after this one."""
        asked = {question.key for question in beat.questions}
        news = frozenset[str]().union(*(self._openings.news(question) for question in beat.questions))
        if asked.isdisjoint(ahead.key for ahead in self.ahead) and self._ahead.isdisjoint(news):
            return True
        heard = self._heard | news
        leading = (ahead.questions[0] for ahead in self.ahead)
        return all(one.key not in asked and self._openings.fresh(one, heard) for one in leading)

    def why_not(self, question: Question) -> str:
        """Why the question is not told now, in a curator's words; "" where it can be."""
        cq = self._ctx.pack.library[question.cq].cq
        composer = self._ctx.composer(self._persona)
        if not cq.serves(self._persona) or not composer.opens(cq):
            return "not for this persona"
        if not self._ctx.answers.answered(cq.id, {name: Iri(iri) for name, iri in question.bindings.items()}):
            return f"no answer in the graph: {self._failing(cq, question)}"
        if question.key in self._thread.asked:
            return TOLD
        if not self.tellable(question):
            return NOTHING_NEW
        return "" if self.spares(Beat(step=cq.steps[0], questions=(question,))) else PLANNED

    def _failing(self, cq: CompetencyQuestion, question: Question) -> str:
        bindings = {name: Iri(iri) for name, iri in question.bindings.items()}
        pattern = self._joins.first_failing(self._ctx.pack.library[cq.id], bindings)
        return f"nothing matches {pattern}" if pattern else f"fewer than {cq.min_evidence} rows"
