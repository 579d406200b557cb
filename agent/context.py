"""The run-time context of a story: what nodes and tools work with. Never checkpointed."""

from __future__ import annotations

from dataclasses import dataclass

from graph_tools.eligibility import Answers
from graph_tools.pack import StoryPack

from agent.narrator import Narrator, TemplateNarrator
from graph_tools.retrieval.kg import KgRetriever, PlainVoice


@dataclass(frozen=True, slots=True)
class StoryContext:
    """One pack, one way to ask it and one voice to tell it in; shared by all visits of a process."""

    pack: StoryPack
    answers: Answers
    """The graph's answers, remembered per question and bindings."""
    retriever: KgRetriever
    narrator: Narrator
    plain_voice: PlainVoice

    @classmethod
    def of(cls, pack: StoryPack, narrator: Narrator | None = None) -> StoryContext:
        """The context of a pack: strategy `kg`, and the template narrator unless another one is given."""
        answers = Answers(pack)
        return cls(pack, answers, KgRetriever(pack, answers), narrator or TemplateNarrator(), PlainVoice(pack))
