"""Another strategy in mid-story: the plan stays, and what comes next is told from other evidence."""

from dataclasses import replace

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.context import StoryContext
from agent.errors import UnknownChoice
from agent.guide import Guide
from agent.settings import Settings
from agent.wiring import story_context
from graph_tools.errors import UnknownStrategy
from graph_tools.evidence import EvidencePack
from graph_tools.plan import Question, StoryRequest
from graph_tools.retrieval import KgRetriever

VISIT = "a-visit"


class Listening(KgRetriever):
    """Strategy `kg` under another name, which remembers what it was asked."""

    def __init__(self, ctx: StoryContext) -> None:
        super().__init__(ctx.pack, ctx.answers)
        self.heard: list[str] = []

    def ask(self, question: Question, *, seed: int = 0) -> EvidencePack:
        self.heard.append(question.key)
        return super().ask(question, seed=seed)


async def test_after_a_switch_the_same_plan_is_told_from_the_other_strategy(ctx: StoryContext) -> None:
    other = Listening(ctx)
    two = replace(ctx, strategies={"kg": "The record", "other": "Other pages"}, retrievers={"other": other})
    guide = Guide(two, InMemorySaver())
    begun = await guide.begin(VISIT, StoryRequest(seed=3))
    assert begun.offer is not None
    assert [(choice.id, choice.label) for choice in begun.offer.from_here] == [("by-other", "Other pages")]
    assert other.heard == []

    switched = await guide.choose(VISIT, begun.interrupt, "by-other")
    assert switched.offer is not None
    assert switched.request == begun.request.model_copy(update={"strategy": "other"})
    assert switched.told == begun.told
    assert switched.offer.choices == begun.offer.choices
    assert [choice.id for choice in switched.offer.from_here] == ["by-kg"]

    told = await guide.choose(VISIT, switched.interrupt, switched.offer.choices[0].id)
    beat = switched.offer.choices[0].beat
    assert beat is not None
    assert other.heard == [question.key for question in beat.questions]
    assert told.newest.status == "told"

    with pytest.raises(UnknownChoice):
        await guide.choose(VISIT, told.interrupt, "by-other")


def test_an_operator_may_settle_the_strategy_for_every_visit() -> None:
    assert [*story_context(Settings(strategy="kg")).strategies] == ["kg"]
    with pytest.raises(UnknownStrategy, match="did you mean kg"):
        story_context(Settings(strategy="kgg"))
