"""How far a visit has come, in a visitor's words. Everything in it is counted or computed by whoever makes it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from agent.thread import Thread
from graph_tools.persona import Arc


class Progress(NamedTuple):
    """Where a visitor is, and what is left."""

    noun: Literal["Part", "Stop"]
    here: int
    """Parts or stops heard, this one counted."""
    least: int
    """All of them, where the visitor goes the shortest way."""
    most: int
    minutes: float
    """What is left after this one, on a mean way."""

    @property
    def words(self) -> str:
        """As in "Stop 3 of 8 to 10, about 4 minutes left"."""
        if self.here >= self.most:
            return f"{self.noun} {self.here} of {self.most}"
        least = max(self.least, self.here)
        whole = f"{self.most}" if least == self.most else f"{least} to {self.most}"
        return f"{self.noun} {self.here} of {whole}, {self._left} left"

    @property
    def _left(self) -> str:
        minutes = round(self.minutes)
        if minutes < 1:
            return "less than a minute"
        return f"about {minutes} minute{'' if minutes == 1 else 's'}"


def of_story(thread: Thread, ahead: int, arc: Arc) -> Progress | None:
    """How far a planned story has come; None once the plan is told and the visitor goes on asking.

    `ahead`: beats of the plan that are still to be told. What the visitor asked besides counts as a part. The arc says
    how many words its minutes are for; what was told off the plan takes none of them.
    """
    if ahead == 0 and thread.aside_beats and thread.beats:
        return None
    middle = sum(arc.words) / 2
    left = max(0.0, middle - (thread.words - thread.aside_words))
    return Progress("Part", thread.beats, thread.beats + ahead, thread.beats + ahead, arc.minutes * left / middle)
