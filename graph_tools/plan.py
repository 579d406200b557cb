"""A story's plan: an ordered list of beats, each one to three competency questions with their parameters bound."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

FROZEN = ConfigDict(frozen=True, extra="forbid")

Length = Literal["small", "medium", "long"]
Strategy = Literal["kg"]


class StoryRequest(BaseModel):
    """What a visitor asked for. The same request, pack and version give the same plan bytes in any process."""

    model_config = FROZEN

    persona: str = "emma"
    length: str = "medium"
    strategy: Strategy = "kg"
    seed: int = Field(default=0, ge=0)
    """Fixes every random choice."""
    lang: Literal["en"] = "en"


class Question(BaseModel):
    """A competency question with every parameter bound."""

    model_config = FROZEN

    cq: str
    question: str
    """In words, names in place of the slots."""
    bindings: dict[str, str]
    """Parameter name -> entity IRI, sorted by name."""

    @property
    def key(self) -> str:
        """Identifies the bound question, whatever its wording."""
        return " ".join([self.cq, *(f"{name}={iri}" for name, iri in sorted(self.bindings.items()))])


class Beat(BaseModel):
    """One planned step: one to three questions on one topic; the first leads."""

    model_config = FROZEN

    step: str
    questions: tuple[Question, ...] = Field(min_length=1, max_length=3)
    reason: str = ""
    """Why this beat stands here, for curators."""

    @property
    def key(self) -> str:
        """Identifies what the beat tells: its leading question and bindings."""
        return self.questions[0].key


class BeatPlan(BaseModel):
    """The ordered beats of one story."""

    model_config = FROZEN

    request: StoryRequest
    leads: tuple[str, ...] = Field(max_length=2)
    """IRIs of the entities that the story follows."""
    hook: str = ""
    """The question that the first beat raises, in the persona's words; the last beat answers it."""
    hook_cq: str = ""
    beats: tuple[Beat, ...] = Field(min_length=1)
