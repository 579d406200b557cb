"""What the visitor may pick next."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from agent.errors import UnknownChoice
from graph_tools.plan import Beat

FROZEN = ConfigDict(frozen=True, extra="forbid")


class Choice(BaseModel):
    """One item of an offer."""

    model_config = FROZEN

    id: str
    """Unique within its offer; all that a client sends back."""
    label: str
    """The question that it will answer, or what it does."""
    kind: str
    """`plan`: the plan's own next beat; `more`: about somebody or something just named; `theme`: a theme that was
    little heard; a kind of the pack's own; `ask`: near what the visitor typed; `surprise`, `retell`, `rewind`,
    `strategy`, `way`, `end`.
    """
    tag: str = ""
    """What kind of way on it is, in a visitor's words."""
    beat: Beat | None = None
    """What will be told; None where nothing new is."""
    to: int | None = None
    """`rewind`: the place in the visit to go back to."""
    manner: str = ""
    """`retell`: "shorter", "longer", or the id of the persona whose voice it is; `strategy`: its name; `way`: the id of
    the way on from the stop of a tour."""
    available: bool = True
    why_not: str = ""
    """Why it is not on offer: for authors, never for visitors."""


class Offer(BaseModel):
    """All choices of one moment. Only what the graph can answer now is in it."""

    model_config = FROZEN

    choices: tuple[Choice, ...]
    """At most three, of different kinds as far as there are any; the plan's next first."""
    rest: tuple[Choice, ...]
    """The other questions, for the menu."""
    surprise: Choice | None
    end: Choice
    ways: tuple[Choice, ...] = ()
    """On a tour: the ways on from its stop. They stand in the place of `choices`."""
    ahead: int = 0
    """How many beats the plan still has to tell."""
    asked: tuple[Choice, ...] = ()
    """At most three, near what the visitor asked in words."""
    again: tuple[Choice, ...] = ()
    """Other ways to tell the beat told last."""
    back: tuple[Choice, ...] = ()
    """Earlier beats to go back to."""
    from_here: tuple[Choice, ...] = ()
    """Other strategies for what is told from here on."""
    left_out: tuple[Choice, ...] = ()
    """What is not on offer, each with the reason: made for authors only."""

    def pick(self, choice_id: str) -> Choice:
        """The choice with that id; raises UnknownChoice for anything that is not on offer."""
        for choice in self.all:
            if choice.id == choice_id and choice.available:
                return choice
        raise UnknownChoice(f"{choice_id!r} is not on offer now; pick one of the choices below the last beat")

    @property
    def all(self) -> Iterator[Choice]:
        """Every choice that may be picked."""
        surprise = (self.surprise,) if self.surprise else ()
        yield from (
            *self.ways,
            *self.choices,
            *self.rest,
            *surprise,
            *self.asked,
            *self.again,
            *self.back,
            *self.from_here,
            self.end,
        )
