"""Personas and arcs: who listens, and the skeleton of beats that they prefer. Content, read from `cqs/*.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from graph_tools.errors import nearest
from graph_tools.scoring import Scoring

FROZEN = ConfigDict(frozen=True, extra="forbid")

LinkKind = Literal[
    "later", "earlier", "years_later", "years_earlier", "same_day", "same_place", "other_place", "same_entity", "wider"
]
"""How one beat joins another: by a gap of time, the same day, a place, somebody they share, or the whole of it."""


class UserStory(BaseModel):
    """One thing that a persona wants to know, in the words of requirement work."""

    model_config = FROZEN

    id: str
    wants: str


class Persona(BaseModel):
    """A visitor archetype."""

    model_config = FROZEN

    id: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")
    name: str
    tagline: str
    """One line for the choice of personas."""
    description: str
    max_words: int = Field(ge=6)
    """A sentence has at most so many words."""
    clock: Literal["clock", "time"] = "clock"
    """How a time of day is spoken where a wording does not say: 6:41 in the evening, or 18:41."""
    stories: tuple[UserStory, ...] = ()
    interests: dict[str, Annotated[float, Field(ge=0, le=1)]] = {}
    """Theme -> how much it draws this persona, from 0 to 1. Themes are labels of the graph's own scheme."""
    links: dict[LinkKind, tuple[str, ...]] = {}
    """Clauses that join a beat to the one before. Slots: {gap} (later, earlier, years_*), {place} (*_place), {entity}
    (same_entity, wider)."""


class ArcBeat(BaseModel):
    """One beat of a skeleton: which questions may fill it."""

    model_config = FROZEN

    step: str
    since: str = Field(default="", alias="from")
    """The length from which on it belongs to the story; empty: every length has it."""
    about: Literal["setting", "first", "second", "either"] = "setting"
    """Whom it follows: nobody (only the pack's defaults are bound), the first lead, the second, or whichever fits."""
    cqs: tuple[str, ...] = ()
    """Leading questions to choose from; empty: every question that serves the step."""
    otherwise: tuple[str, ...] = ()
    """Questions to fall back on where none of `cqs` can lead the beat."""
    questions: int = Field(default=2, ge=1, le=3)
    """Questions at most: the leading one and its companions."""

    @property
    def named(self) -> tuple[str, ...]:
        """All questions that it names, those to fall back on last."""
        return (*self.cqs, *self.otherwise)


class Span(BaseModel):
    """How long a story of one length is."""

    model_config = FROZEN

    words: tuple[int, int]
    """The story's words: at least, at most."""
    minutes: int = Field(default=1, ge=1)
    """Roughly how long it takes to read aloud."""

    @model_validator(mode="after")
    def _words_in_order(self) -> Span:
        if not 0 < self.words[0] < self.words[1]:
            raise ValueError(f"words must be two rising numbers, not {list(self.words)}")
        return self


class ChoiceKind(BaseModel):
    """`[choices.NAME]`: a way on that the pack names itself, and the questions that are such a way on."""

    model_config = FROZEN

    name: str = Field(min_length=1, max_length=30)
    """What a visitor reads above the question."""
    cqs: tuple[str, ...] = ()
    """Questions that belong to it, whatever their steps and themes."""
    steps: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arc:
    """The skeleton of a story for one persona and length."""

    words: tuple[int, int]
    minutes: int
    beats: tuple[ArcBeat, ...]

    @property
    def share(self) -> float:
        """Words that each beat should have room for."""
        return sum(self.words) / 2 / len(self.beats)


class Skeleton(BaseModel):
    """The beats of a persona's stories, one list for all lengths: a longer story has all that a shorter one has."""

    model_config = FROZEN

    lengths: dict[str, Span] = Field(min_length=1)
    """From the shortest to the longest."""
    beats: tuple[ArcBeat, ...] = Field(min_length=2)
    """In the order of telling."""

    @model_validator(mode="after")
    def _lengths_grow(self) -> Skeleton:
        for (shorter, one), (longer, other) in pairwise(self.lengths.items()):
            if not (one.words[0] < other.words[0] and one.words[1] < other.words[1]):
                raise ValueError(f"lengths must stand from short to long, but {longer!r} is no longer than {shorter!r}")
        for beat in self.beats:
            if beat.since and beat.since not in self.lengths:
                raise ValueError(
                    f"step {beat.step!r} is from an unknown length {beat.since!r}; {nearest(beat.since, self.lengths)}"
                )
        if any(self.since(beat) != next(iter(self.lengths)) for beat in (self.beats[0], self.beats[-1])):
            raise ValueError("the first and the last beat must belong to every length")
        return self

    def since(self, beat: ArcBeat) -> str:
        """The shortest length that has the beat."""
        return beat.since or next(iter(self.lengths))

    def arc(self, length: str) -> Arc:
        """What a story of that length has. Raises KeyError."""
        span, known = self.lengths[length], list(self.lengths)
        upto = known[: known.index(length) + 1]
        return Arc(span.words, span.minutes, tuple(beat for beat in self.beats if self.since(beat) in upto))


class Arcs(BaseModel):
    """`cqs/arcs.toml`: how each persona's stories run, and how their questions and entities are chosen."""

    model_config = FROZEN

    lead_class: str
    """Class (IRI) of the entities that a story may follow."""
    lead_parameter: str
    """Name of the parameter that a lead entity fills."""
    lead_answers: int = Field(default=1, ge=1)
    """Questions that must be tellable about an entity before a story follows it."""
    scoring: Scoring = Scoring()
    step_names: dict[str, str] = {}
    """Step -> what a visitor reads above its beats; a step without one is shown by its own name."""
    choices: dict[str, ChoiceKind] = {}
    """Kinds of choices besides those that every pack has, in the order in which a question is looked for in them."""
    skeletons: dict[str, Skeleton] = Field(alias="arcs")

    @cached_property
    def arcs(self) -> dict[str, dict[str, Arc]]:
        """Persona -> length -> arc, the shortest first."""
        return {
            persona: {length: skeleton.arc(length) for length in skeleton.lengths}
            for persona, skeleton in self.skeletons.items()
        }
