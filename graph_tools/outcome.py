"""What becomes of a visitor's words: a question, a few to choose from, or an honest refusal; none of their text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graph_tools.plan import Question

Kind = Literal["unrelated", "near", "unknown", "abuse", "personal", "command", "risk", "too-long", "empty"]
"""Why a question is refused: of something else; of this, but not in the records; of somebody whom they do not know;
rude; with data about somebody; an order to the machine; a sign of distress; longer than is read; without a word."""

Case = Literal["nothing", "foreign", "outside", "unknown", "doubted", "strange", "named", "unsure"]
"""What decides how like a question has to be to be offered: that only vague words stand there; a word of another
subject that the records do not use, or do; an unknown name; another unknown word, beside a name of the records and
without one; such a name; nothing of all that."""


@dataclass(frozen=True, slots=True)
class Routed:
    """The question that was meant, every parameter bound."""

    question: Question
    confidence: float
    """0 to 1."""
    others: tuple[Question, ...] = ()
    """What else may have been meant, best first, at most two."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """One to three questions, best first, one of which was probably meant."""

    nearest: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing is told; up to three questions that come closest and can be answered."""

    kind: Kind
    nearest: tuple[Question, ...] = ()


Outcome = Routed | Unsure | Refused
