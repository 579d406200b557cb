"""The port of retrieval: the same input and output, whatever the strategy."""

from __future__ import annotations

from typing import Protocol

from graph_tools.evidence import EvidencePack
from graph_tools.plan import Beat, Question


class Retriever(Protocol):
    """Gathers the evidence for a beat.

    `seed` is the run's: it may settle what a strategy leaves to chance, and nothing else may."""

    def ask(self, question: Question, *, seed: int = 0) -> EvidencePack:
        """The evidence for one question. No answer is an empty pack; an outage raises RetrievalError."""

    def retrieve(self, beat: Beat, *, seed: int = 0) -> EvidencePack:
        """The evidence for all questions of a beat, merged."""
