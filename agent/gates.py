"""The gate between a model's sentence and a visitor: does the cited evidence prove it?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from graph_tools.evidence import Factlet


class Finding(Protocol):
    """What a gate finds of one sentence."""

    @property
    def proved(self) -> bool:
        """True where it may be shown."""

    @property
    def words(self) -> tuple[str, ...]:
        """The offending words, as they stand in the sentence; none where something is missing."""


class Grounding(Protocol):
    """A gate. Pure: it may be asked from any thread."""

    def check(self, text: str, cited: Sequence[Factlet], *, complete: Collection[str] = ()) -> Finding:
        """What it finds of a sentence that cites these factlets.

        `complete`: the questions all of whose rows are among them; only of those may be said how many there are.
        """


@dataclass(frozen=True, slots=True)
class Found:
    """A finding as a plain value."""

    proved: bool
    words: tuple[str, ...] = ()


class WordForWord:
    """The strictest gate: a sentence is proved where it is, word for word, what a cited factlet says."""

    def check(self, text: str, cited: Sequence[Factlet], *, complete: Collection[str] = ()) -> Finding:  # noqa: ARG002
        """What it finds."""
        said = _folded(text)
        if any(said == _folded(factlet.text) for factlet in cited):
            return Found(proved=True)
        known = {word for factlet in cited for word in _folded(factlet.text).split()}
        return Found(proved=False, words=tuple(dict.fromkeys(w for w in text.split() if _folded(w) not in known)))


def _folded(text: str) -> str:
    return " ".join(text.split()).rstrip(".").casefold()
