"""Personas and arcs: who listens, and the skeleton of beats that they prefer. Content, read from `cqs/*.toml`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

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
    links: dict[LinkKind, tuple[str, ...]] = {}
    """Clauses that join a beat to the one before. Slots: {gap} (later, earlier, years_*), {place} (*_place), {entity}
    (same_entity, wider)."""


class ArcBeat(BaseModel):
    """One beat of a skeleton: which questions may fill it."""

    model_config = FROZEN

    step: str
    about: Literal["setting", "first", "second", "either"] = "setting"
    """Whom it follows: nobody (only the pack's defaults are bound), the first lead, the second, or whichever fits."""
    cqs: tuple[str, ...] = ()
    """Leading questions to choose from; empty: every question that serves the step."""
    questions: int = Field(default=2, ge=1, le=3)
    """Questions at most: the leading one and its companions."""


class Arc(BaseModel):
    """The skeleton of a story for one persona and length."""

    model_config = FROZEN

    words: tuple[int, int]
    """The story's words: at least, at most."""
    minutes: int = Field(default=1, ge=1)
    """Roughly how long it takes to read aloud."""
    beats: tuple[ArcBeat, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _words_in_order(self) -> Arc:
        if not 0 < self.words[0] < self.words[1]:
            raise ValueError(f"words must be two rising numbers, not {list(self.words)}")
        return self


class Arcs(BaseModel):
    """`cqs/arcs.toml`: persona -> length -> arc."""

    model_config = FROZEN

    lead_class: str
    """Class (IRI) of the entities that a story may follow."""
    lead_parameter: str
    """Name of the parameter that a lead entity fills."""
    lead_answers: int = Field(default=1, ge=1)
    """Questions that must be tellable about an entity before a story follows it."""
    step_names: dict[str, str] = {}
    """Step -> what a visitor reads above its beats; a step without one is shown by its own name."""
    arcs: dict[str, dict[str, Arc]]
