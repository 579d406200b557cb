"""A competency question as its file declares it: the typed, closed header of one `.rq` file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

FROZEN = ConfigDict(frozen=True, extra="forbid")


class Parameter(BaseModel):
    """A typed hole in a template."""

    model_config = FROZEN

    type: str = Field(alias="class", min_length=1)
    """The class that a binding must have, as an IRI once the file is loaded."""
    applies_to: str = ""
    """Name of a group of `pack.toml`: the members of the class that the question is for. Empty: all of them."""


class Anchor(BaseModel):
    """Which told variables say when and where: used to join one beat to the next."""

    model_config = FROZEN

    time: str = ""
    place: str = ""


class Telling(BaseModel):
    """One thing that can be said from the question's rows: a sentence, in several wordings."""

    model_config = FROZEN

    aspect: str = Field(min_length=1)
    """What it says; of tellings with one aspect at most one is used in a beat, of one told row by row several rows."""
    role: Literal["lead", "detail"] = "detail"
    """`lead` may open a beat: it stands alone."""
    personas: tuple[str, ...] = ()
    """Whose voice it is; empty: every persona of the question."""
    rows: Literal["all", "each"] = "all"
    """`all`: one sentence over all rows; `each`: one candidate sentence per row."""
    needs: tuple[str, ...] = ()
    """Told variables that every one of its rows must bind, said or not."""
    lacks: tuple[str, ...] = ()
    """Told variables that none of its rows may bind."""
    min_rows: int = Field(default=1, ge=1)
    max_rows: int | None = None
    item: str = ""
    """Wording of one row, joined in {items}."""
    say: tuple[str, ...] = Field(min_length=1)
    """Wordings of the same content that open and run differently."""


class CompetencyQuestion(BaseModel):
    """A question that the graph must be able to answer."""

    model_config = FROZEN

    id: str = Field(pattern=r"^CQ-[A-Z]+[0-9]+[a-z]?$")
    question: str
    steps: tuple[str, ...] = Field(min_length=1)
    personas: tuple[str, ...] = Field(min_length=1)
    paraphrases: tuple[str, ...] = ()
    """Other ways in which a visitor may ask it, with `{parameter}` slots: what the router matches words against."""
    stands_for: tuple[Annotated[str, Field(pattern=r"^CQ-[A-Za-z0-9-]+$")], ...] = ()
    """Ids of published questions that this one answers too: whoever asks for them gets this one."""
    stories: tuple[str, ...] = ()
    """Ids of the user stories that asked for it (`cqs/personas.toml`)."""
    needs: str = ""
    """The data that it requires, in words (the paper's 3.1)."""
    terms: tuple[str, ...] = ()
    """Classes and properties of its query, as prefixed names, sorted: the ontology fragments of the paper's 3.1."""
    sources: tuple[str, ...] = ()
    """Publishers whose pages its facts were read on, the most used first: the external sources of the paper's 3.1."""
    enrich: bool = False
    """True where strategy `hybrid` adds vetted snippets to its facts."""
    themes: tuple[str, ...] = ()
    """What it is about: labels of concepts in the graph's SKOS scheme."""
    companions: tuple[str, ...] = ()
    """Questions with a subset of these parameters that may share a beat with this one: same topic, other facts."""
    factlet: str | tuple[str, ...]
    """One row in plain words; several are tried in order, for rows in which an optional variable is unbound."""
    min_evidence: int = Field(default=1, ge=1)
    """Rows below which the question counts as unanswered."""
    cap: int = Field(default=100, ge=1, le=1000)
    """Rows passed on at most."""
    lead_in: dict[str, tuple[str, ...]] = {}
    """Persona -> clauses that turn to this question's topic, where the beat before was about the same whole."""
    parameters: dict[str, Parameter] = {}
    results: dict[str, str] = Field(min_length=1)
    """Told variable -> its meaning; every other variable of the query is a joint."""
    context: tuple[str, ...] = ()
    """Told variables that only say where, when or by whom: telling them again is no repetition."""
    anchor: Anchor = Anchor()
    hook: dict[str, tuple[str, ...]] = {}
    """Persona -> wordings of the question that a first beat may raise when this one ends the story."""
    answer: dict[str, tuple[str, ...]] = {}
    """Persona -> clauses that lead into the answer."""
    telling: tuple[Telling, ...] = Field(min_length=1)

    @property
    def factlet_wordings(self) -> tuple[str, ...]:
        """The wordings of one row, best first."""
        return (self.factlet,) if isinstance(self.factlet, str) else self.factlet

    @property
    def background(self) -> frozenset[str]:
        """Parameters, context and anchors that are not told: what a row has besides its news."""
        anchors = {self.anchor.time, self.anchor.place} - self.results.keys() - {""}
        return frozenset(self.parameters) | frozenset(self.context) | frozenset(anchors)

    @property
    def slots(self) -> frozenset[str]:
        """What a wording of this question may name."""
        return frozenset(self.parameters) | frozenset(self.results)

    def serves(self, persona: str, step: str = "") -> bool:
        """True where the question is for that persona and, if a step is named, may fill it."""
        return persona in self.personas and (not step or step in self.steps)

    def tellings_for(self, persona: str) -> tuple[Telling, ...]:
        """Its tellings in that persona's voice, in file order."""
        return tuple(telling for telling in self.telling if not telling.personas or persona in telling.personas)
