"""A story as it is told: sentences with the evidence that proves them, beats told or suppressed, and the story file."""

from __future__ import annotations

import json
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from graph_tools.evidence import EvidencePack
from graph_tools.plan import StoryRequest

FROZEN = ConfigDict(frozen=True, extra="forbid")


class Sentence(BaseModel):
    """One sentence and the ids of the evidence that proves it; there is no sentence without."""

    model_config = FROZEN

    text: str = Field(min_length=1)
    evidence: tuple[str, ...] = Field(min_length=1)
    worded_by: Literal["template", "model"] = "template"
    """Who put it into words: a content file, or a language model whose sentence was then proved."""

    def form(self) -> dict[str, object]:
        """The sentence as the story file has it: `worded_by` stands there only where a model worded it."""
        return self.model_dump(exclude={"worded_by"} if self.worded_by == "template" else None)


class StoryBeat(BaseModel):
    """One beat of a story: told with 1-3 sentences, or suppressed with a reason."""

    model_config = FROZEN

    index: int = Field(ge=0)
    step: str
    status: Literal["told", "suppressed"]
    suppressed_because: str | None = None
    sentences: tuple[Sentence, ...] = Field(default=(), max_length=3)
    evidence: EvidencePack

    @model_validator(mode="after")
    def _told_or_suppressed(self) -> StoryBeat:
        told = self.status == "told"
        if told != bool(self.sentences) or told == bool(self.suppressed_because):
            raise ValueError("a told beat has sentences and no reason, a suppressed one a reason and no sentences")
        known = {factlet.id for factlet in self.evidence.factlets} | {snippet.id for snippet in self.evidence.snippets}
        cited = {id_ for sentence in self.sentences for id_ in sentence.evidence}
        if not cited <= known:
            raise ValueError(f"sentences cite {sorted(cited - known)}, which the beat does not hold")
        return self

    @property
    def words(self) -> int:
        """Words of all its sentences."""
        return sum(len(sentence.text.split()) for sentence in self.sentences)

    @property
    def by_model(self) -> bool:
        """True where a language model worded one of its sentences."""
        return any(sentence.worded_by == "model" for sentence in self.sentences)


class NarratorCard(BaseModel):
    """Who worded the story: `model` only where at least one of its sentences is a model's."""

    model_config = FROZEN

    kind: str
    model: str | None = None


class PackCard(BaseModel):
    """Which pack the story was told from."""

    model_config = FROZEN

    name: str
    version: str
    kg_digest: str
    cqs_digest: str
    snippets_digest: str


class Story(BaseModel):
    """A whole story with its evidence."""

    model_config = FROZEN

    request: StoryRequest
    pack: PackCard
    narrator: NarratorCard
    beats: tuple[StoryBeat, ...]
    attestations: tuple[tuple[str, ...], ...]
    """For each beat the N-Triples statements that name the things of its proofs, and say where these were read."""

    @property
    def text(self) -> str:
        """The told beats as paragraphs."""
        return "\n\n".join(
            " ".join(sentence.text for sentence in beat.sentences) for beat in self.beats if beat.status == "told"
        )

    def to_json(self) -> str:
        """The story file, format `cuestory.story/1`: the same bytes for the same request, pack and version."""
        document = {
            "format": "cuestory.story/1",
            "request": self.request.model_dump(),
            "pack": self.pack.model_dump(),
            "narrator": self.narrator.model_dump(),
            "beats": [beat_form(*beat) for beat in zip(self.beats, self.attestations, strict=True)],
        }
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def beat_form(beat: StoryBeat, attestations: tuple[str, ...]) -> dict[str, object]:
    """A beat as the story file has it."""
    evidence = beat.evidence
    return {
        "index": beat.index,
        "step": beat.step,
        "questions": [question.model_dump() for question in evidence.questions],
        "status": beat.status,
        "suppressed_because": beat.suppressed_because,
        "sentences": [sentence.form() for sentence in beat.sentences],
        "factlets": [factlet.model_dump(exclude={"values"}) for factlet in evidence.factlets],
        "snippets": [snippet.model_dump() for snippet in evidence.snippets],
        "attestations": attestations,
        "media": [],
    }
