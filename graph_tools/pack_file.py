"""pack.toml: what a pack is called, where its graph is, and what the gate asks of it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from graph_tools.entities import Vocabulary
from graph_tools.groups import Group
from graph_tools.relations import Walk
from graph_tools.sense_tables import Bounds, Iris, Offsets, Order, Rising


class Accepted(BaseModel):
    """`[[checks.accept]]`: one finding that is right as it stands."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str = Field(min_length=1)
    iri: str = Field(min_length=1)
    because: str = Field(min_length=10)
    """Why, for the next curator."""


class Coverage(BaseModel):
    """`[checks.coverage]`: for how many of the entities that it applies to a question has to be answered, of 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    least: float = Field(default=0.0, ge=0, le=1)
    """For every question that is not named below."""
    questions: dict[str, float] = {}
    """Question -> its own share."""
    every: tuple[str, ...] = ()
    """Ids of questions, or of those that they stand for, that have to be answered for everything they apply to."""


class Checks(BaseModel):
    """`[checks]`: what the gate asks of the graph beside its own rules, and what it lets pass."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    unnamed: tuple[str, ...] = ()
    """Classes whose members need no name."""
    unspoken: tuple[str, ...] = ()
    """Classes whose names are labels for curators: no visitor hears them."""
    written_so: tuple[str, ...] = ()
    """Words that people do write with a capital inside."""
    iri_pattern: str = ""
    """Regular expression for the last part of every own IRI; empty: the gate's own."""
    vocabulary: tuple[str, ...] = ()
    """Turtle files that declare the pack's own classes and properties."""
    order: tuple[Order, ...] = ()
    rising: tuple[Rising, ...] = ()
    offsets: tuple[Offsets, ...] = ()
    bounds: tuple[Bounds, ...] = ()
    acyclic: Iris = ()
    """Properties that never lead back to where they began."""
    coverage: Coverage = Coverage()
    accept: tuple[Accepted, ...] = ()


class Export(BaseModel):
    """`[export]`: how the pack's own things are named when they are published."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    namespace: str = Field(default="", pattern=r"^$|^[a-z][a-z0-9+.-]*:[^\s<>\"{}|^`\\]+$")
    """What the IRIs of its questions begin with; empty: one that only this pack's name tells apart."""


class PackFile(BaseModel):
    """pack.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    version: str
    title: str
    language: str = "en"
    graph: tuple[str, ...] = Field(min_length=1)
    """Turtle or N-Triples files, relative to the pack."""
    defaults: dict[str, str] = {}
    """Parameter -> IRI of the entity that is bound when nothing else is asked."""
    vocabulary: Vocabulary
    checks: Checks = Checks()
    groups: dict[str, Group] = {}
    """Name -> entities of one natural kind: what `applies_to` of a parameter may name."""
    export: Export = Export()
    strategies: dict[str, str] = {}
    """Strategy -> what a visitor reads on the button that chooses it; the first is where a visit begins."""
    walk: Walk = Walk()
