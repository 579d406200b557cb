"""What a language model answered while a beat was worded, and what the gate found of it: for the audit log alone."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

FROZEN = ConfigDict(frozen=True, extra="forbid")


class Verdict(BaseModel):
    """What the gate found of one sentence of an answer."""

    model_config = FROZEN

    text: str
    evidence: tuple[str, ...]
    """Ids of the factlets that it cites."""
    proved: bool
    words: tuple[str, ...] = ()
    """The offending words."""


class Answered(BaseModel):
    """One answer of a model."""

    model_config = FROZEN

    prompt: str
    """Digest of what was asked, as `sha256:...`."""
    settings: dict[str, Any] = {}
    """Model parameters that it was asked with; no key."""
    answer: str
    """As it came."""
    verdicts: tuple[Verdict, ...] = ()
    """In the order of its sentences."""
