"""A story's plan: an ordered list of beats, each one to three competency questions with their parameters bound."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

FROZEN = ConfigDict(frozen=True, extra="forbid")

Length = Literal["small", "medium", "long"]


class StoryRequest(BaseModel):
    """What a visitor asked for. The same request, pack and version give the same plan bytes in any process."""

    model_config = FROZEN

    persona: str = "emma"
    length: str = "medium"
    strategy: str = "kg"
    """Where the evidence comes from (`graph_tools.retrieval.strategies`); it changes nothing in the plan."""
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

    @field_validator("bindings")
    @classmethod
    def _by_name(cls, bindings: dict[str, str]) -> dict[str, str]:
        return dict(sorted(bindings.items()))

    @property
    def key(self) -> str:
        """Identifies the bound question, whatever its wording."""
        return " ".join([self.cq, *(f"{name}={iri}" for name, iri in sorted(self.bindings.items()))])


class Reason(BaseModel):
    """Why a choice was made, for curators."""

    model_config = FROZEN

    words: str = ""
    """In words: what spoke for it most, each with its value."""
    story: str = ""
    """Id of the persona's user story that it serves; empty where none asked for it."""
    wants: str = ""
    """What that story wants."""
    scores: dict[str, float] = {}
    """Part -> value from 0 to 1, before it is weighed (docs/planning.md)."""
    total: float = 0.0
    """The weighted sum, the seed's draw in it."""


class Alternative(BaseModel):
    """A question that could have led the beat, and was not taken."""

    model_config = FROZEN

    question: Question
    total: float
    because: str
    """Why not."""


class Other(BaseModel):
    """An entity that the story could have followed, and does not."""

    model_config = FROZEN

    iri: str
    name: str
    total: float
    because: str
    """Why not."""


class Followed(BaseModel):
    """An entity that the story follows, and why."""

    model_config = FROZEN

    iri: str
    name: str
    reason: Reason
    alternatives: tuple[Other, ...] = Field(default=(), max_length=3)


class Beat(BaseModel):
    """One planned step: one to three questions on one topic; the first leads."""

    model_config = FROZEN

    step: str
    questions: tuple[Question, ...] = Field(min_length=1, max_length=3)
    reason: Reason = Reason()
    """Why this beat stands here; empty where the visitor chose it."""
    alternatives: tuple[Alternative, ...] = Field(default=(), max_length=3)
    """Other questions that could have led it, the best first."""

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
    followed: tuple[Followed, ...] = Field(default=(), max_length=2)
    """The same entities, with the reason for each."""
    hook: str = ""
    """The question that the first beat raises, in the persona's words; the last beat answers it."""
    hook_cq: str = ""
    beats: tuple[Beat, ...] = Field(min_length=1)
