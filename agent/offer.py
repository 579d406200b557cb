"""What the visitor may pick next."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from agent.errors import UnknownChoice
from graph_tools.plan import Beat

FROZEN = ConfigDict(frozen=True, extra="forbid")

Kind = Literal["plan", "more", "elsewhere", "surprise", "end"]


class Choice(BaseModel):
    """One item of an offer."""

    model_config = FROZEN

    id: str
    """Unique within its offer; all that a client sends back."""
    label: str
    """The question that it will answer, or what it does."""
    kind: Kind
    """`plan`: the plan's own next beat; `more`: about somebody just named; `elsewhere`: another topic."""
    beat: Beat | None = None
    """What will be told; None for the end of the tour."""


class Offer(BaseModel):
    """All choices of one moment. Only what the graph can answer now is in it."""

    model_config = FROZEN

    choices: tuple[Choice, ...]
    """At most three, the plan's next first."""
    rest: tuple[Choice, ...]
    """The other questions, for the menu."""
    surprise: Choice | None
    end: Choice

    def pick(self, choice_id: str) -> Choice:
        """The choice with that id; raises UnknownChoice for anything that is not on offer."""
        for choice in (*self.choices, *self.rest, self.surprise, self.end):
            if choice is not None and choice.id == choice_id:
                return choice
        raise UnknownChoice(f"{choice_id!r} is not on offer now; pick one of the choices below the last beat")
