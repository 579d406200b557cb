"""What the gate finds of a sentence: proved, unproved or contradicted, why, and along which evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["proved", "unproved", "contradicted"]

Code = Literal[
    "form", "evidence", "name", "number", "binding", "role", "negation", "quantity", "cause", "modal", "order",
    "hedge", "needs", "clause", "word", "conflict",
]  # fmt: skip
"""What is at fault.

form: no sentence for a visitor (empty, too long, markup, a link, an id). evidence: nothing is cited. name, number: not
in what is cited. binding: no row holds these together. role: who did what to whom is not as in the evidence.
negation, quantity, cause, modal, order, hedge: such a word is added, or one that has to stand is dropped. needs: a
value without what it must be told with. clause: a quoted clause is bent. word: nothing licenses it. conflict: the
evidence says another value in this place.
"""


@dataclass(frozen=True, slots=True)
class Reason:
    """One fault."""

    code: Code
    words: str
    """The offending words, as they stand in the sentence; "" where something is missing."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Bond:
    """A step of the proof: words of the sentence, and the value of the factlet that they say."""

    words: str
    factlet: str
    """Its id."""
    variable: str
    triples: tuple[str, ...] = ()
    """Statements of the factlet that hold the value."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the cited evidence proves a sentence."""

    status: Status
    reasons: tuple[Reason, ...] = ()
    """Empty where it is proved."""
    path: tuple[Bond, ...] = ()
    """What binds its names and values, in the order of the sentence."""

    @property
    def proved(self) -> bool:
        """True where it may be shown."""
        return self.status == "proved"

    @property
    def words(self) -> tuple[str, ...]:
        """The offending words, each once: what a second try has to do without."""
        return tuple(dict.fromkeys(reason.words for reason in self.reasons if reason.words))
