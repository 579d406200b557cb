"""A tour as its file declares it: stops that tell something, and the branches by which a visitor goes from one to the
next. Content, read from `cqs/tours/*.toml`."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

FROZEN = ConfigDict(frozen=True, extra="forbid")
ID = r"^[a-z][a-z0-9-]*$"

PACE = 120
"""Words a minute, read aloud in a room full of people."""
BETWEEN = 15
"""Seconds from one stop to the next: a few steps, and a look around."""
MOST_STEPS = 3
"""A walk has at most so many steps for each stop of its tour; after that it ends, whatever the file says."""


class AnyOf(BaseModel):
    """What a stop may tell where the seed chooses: any question that fits, of what can be told and was not heard."""

    model_config = FROZEN

    cqs: tuple[str, ...] = ()
    """Questions to choose from; empty: all that serve the persona."""
    step: str = ""
    """Only questions that serve this step."""
    themes: tuple[str, ...] = ()
    """Only questions with one of these themes."""
    class_: str = Field(default="", alias="class")
    """Only questions about an entity of this class (IRI)."""
    among: tuple[str, ...] = ()
    """The entities that it may be about; IRIs once the file is loaded. Empty: all of the class."""


class Branch(BaseModel):
    """A way on that the visitor may choose, and when it is open. Conditions of several kinds hold together."""

    model_config = FROZEN

    id: str = Field(default="", pattern=rf"^$|{ID}")
    """Unique within its stop; where it is left out, the stop that it leads to."""
    label: str = Field(min_length=1)
    to: str
    heard: tuple[str, ...] = ()
    """Stops that the visitor must have been at, all of them."""
    unheard: tuple[str, ...] = ()
    """Stops that the visitor must not have been at, none of them."""
    personas: tuple[str, ...] = ()
    """Whom it is for; empty: everybody."""
    chosen: tuple[str, ...] = ()
    """Choices that the visitor must have made, all of them, as `stop.branch`."""

    @property
    def key(self) -> str:
        """Its id, written or not."""
        return self.id or self.to


class Stop(BaseModel):
    """One stop: what is told there, and where it goes on. Without a question it is a crossing: nothing is told."""

    model_config = FROZEN

    id: str = Field(pattern=ID)
    """Stable: codes on the wall and links lead to it."""
    heading: str = Field(min_length=1)
    say: str = ""
    """Wayfinding for the room, before anything is told. Staging: no fact about the subject."""
    then: str = ""
    """Staging after what was told: the question above the branches, or the goodbye."""
    back: str = ""
    """Staging in place of `say` where the visitor comes back."""
    cq: str = ""
    bind: dict[str, str] = {}
    """Parameter -> name or IRI; IRIs once the file is loaded. What is left out gets the pack's default."""
    companions: tuple[str, ...] = Field(default=(), max_length=2)
    """Questions with some of the same parameters that are told with `cq`, as far as they add something."""
    any_: AnyOf | None = Field(default=None, alias="any")
    words: int = Field(default=0, ge=0, le=62)
    """About how many words are told; 0: as many as the length asks for."""
    branches: tuple[Branch, ...] = ()
    next: str = ""
    """Where it goes on for whoever takes no branch."""
    end: bool = False

    @model_validator(mode="after")
    def _one_kind(self) -> Stop:
        if self.cq and self.any_ is not None:
            raise ValueError("a stop has `cq` or `any`, not both")
        if self.companions and not self.cq:
            raise ValueError("`companions` go with a `cq`")
        if self.bind and not self.tells:
            raise ValueError("`bind` goes with a `cq` or with `any`")
        if self.end and (self.branches or self.next):
            raise ValueError("the last stop has no `next` and no branches")
        return self

    @property
    def tells(self) -> bool:
        """True where something of the subject is told; False at a crossing."""
        return bool(self.cq) or self.any_ is not None

    @property
    def ways(self) -> tuple[str, ...]:
        """The stops that it may lead to."""
        found = (*(branch.to for branch in self.branches), *((self.next,) if self.next else ()))
        return tuple(dict.fromkeys(found))


class Tour(BaseModel):
    """One file of `cqs/tours`."""

    model_config = FROZEN

    title: str = Field(min_length=1)
    tagline: str
    """One line for whoever chooses a tour."""
    personas: tuple[str, ...] = Field(min_length=1)
    """Whom it is for."""
    start: str
    pace: int = Field(default=PACE, ge=60, le=300)
    """Words a minute."""
    between: int = Field(default=BETWEEN, ge=0, le=600)
    """Seconds from one stop to the next."""
    stops: tuple[Stop, ...] = Field(min_length=1)

    @field_validator("start", mode="before")
    @classmethod
    def _one_start(cls, start: object) -> object:
        if isinstance(start, list):
            raise ValueError(f"a tour has one start, not {len(start)}; let it branch from there")
        return start

    @property
    def questions(self) -> frozenset[str]:
        """Ids of the questions that its stops name."""
        named = (stop.any_.cqs if stop.any_ is not None else () for stop in self.stops)
        told = {cq_id for stop in self.stops for cq_id in (stop.cq, *stop.companions)}
        return frozenset(told.union(*named)) - {""}

    def stop(self, stop_id: str) -> Stop:
        """The stop with that id, which is in the tour."""
        return next(stop for stop in self.stops if stop.id == stop_id)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its stops, in file order."""
        return tuple(stop.id for stop in self.stops)

    def choices(self) -> Iterator[str]:
        """Every choice that can be made on it, as `stop.branch`."""
        for stop in self.stops:
            yield from (f"{stop.id}.{branch.key}" for branch in stop.branches)
