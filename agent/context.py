"""The run-time context of a story: what nodes and tools work with. Never checkpointed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent.narrator import Narrator, TemplateNarrator
from agent.openings import Openings
from agent.recorder import Recorder, Unrecorded
from agent.ways import Ways
from graph_tools.composer import BeatComposer
from graph_tools.eligibility import Answers
from graph_tools.pack import StoryPack
from graph_tools.plain_voice import PlainVoice
from graph_tools.retrieval import KgRetriever, Retriever, retriever, strategies
from graph_tools.router import Router
from graph_tools.tour_beats import StopBeats


@dataclass(frozen=True, slots=True)
class StoryContext:
    """One pack, one way to ask it and one voice to tell it in; shared by all visits of a process."""

    pack: StoryPack
    answers: Answers
    """The graph's answers, remembered per question and bindings."""
    retriever: KgRetriever
    """Strategy `kg`, on which plans and offers rest."""
    narrator: Narrator
    plain_voice: PlainVoice
    composers: dict[str, BeatComposer] = field(default_factory=dict)
    """Per persona, made when first asked for."""
    openings: dict[str, Openings] = field(default_factory=dict)
    """Likewise."""
    ways: dict[str, Ways] = field(default_factory=dict)
    """Likewise."""
    routers: list[Router] = field(default_factory=list)
    """None or one."""
    stops: dict[tuple[str, str], StopBeats] = field(default_factory=dict)
    """Per tour and persona, likewise."""
    retrievers: dict[str, Retriever] = field(default_factory=dict)
    """The other strategies, made when first asked for."""

    recorder: Recorder = field(default_factory=Unrecorded)
    """Who is told of each beat as it is worded; a turn that is recorded has one of its own."""

    strategies: Mapping[str, str] = field(default_factory=dict)
    """Strategy -> its name for visitors: those that a visitor may choose, the first where a visit begins."""

    def retriever_for(self, strategy: str) -> Retriever:
        """Who gathers the evidence of a beat. Raises UnknownStrategy."""
        if strategy == "kg":
            return self.retriever
        if strategy not in self.retrievers:
            self.retrievers[strategy] = retriever(strategy, self.pack, self.answers)
        return self.retrievers[strategy]

    def composer(self, persona: str) -> BeatComposer:
        """Who composes that persona's beats; shared, so that what can be told is found out once a process."""
        if persona not in self.composers:
            self.composers[persona] = BeatComposer(self.pack, self.retriever, persona)
        return self.composers[persona]

    def opening(self, persona: str) -> Openings:
        """What could open that persona's beats; shared likewise."""
        if persona not in self.openings:
            self.openings[persona] = Openings(self.composer(persona), self.narrator)
        return self.openings[persona]

    def ways_for(self, persona: str) -> Ways:
        """The ways on that a persona may be offered; shared likewise."""
        if persona not in self.ways:
            self.ways[persona] = Ways(self.composer(persona))
        return self.ways[persona]

    def stop_beats(self, tour: str, persona: str) -> StopBeats:
        """What the stops of a tour tell that persona; shared likewise. Raises UnknownTour."""
        if (tour, persona) not in self.stops:
            self.stops[tour, persona] = StopBeats(self.pack.tours[tour], self.composer(persona))
        return self.stops[tour, persona]

    def router(self) -> Router:
        """Who reads visitors' words; made when first asked for, and shared."""
        if not self.routers:
            self.routers.append(Router(self.pack, self.composer))
        return self.routers[0]

    @classmethod
    def of(cls, pack: StoryPack, narrator: Narrator | None = None) -> StoryContext:
        """The context of a pack, told by the template narrator unless another one is given."""
        answers = Answers(pack)
        return cls(
            pack,
            answers,
            KgRetriever(pack, answers),
            narrator or TemplateNarrator(),
            PlainVoice(pack),
            strategies={name: label for name, label in pack.strategies.items() if name in strategies()},
        )
