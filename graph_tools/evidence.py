"""Evidence: what the graph answered, in words and in triples, with where it comes from."""

from __future__ import annotations

import operator

from pydantic import BaseModel, ConfigDict, Field

from graph_tools.terms import Iri, Literal

FROZEN = ConfigDict(frozen=True, extra="forbid")


class Source(BaseModel):
    """Where a statement of the graph was read."""

    model_config = FROZEN

    url: str
    title: str = ""
    publisher: str = ""
    accessed: str = ""
    """ISO date on which the page was read."""


class Value(BaseModel):
    """One term of a row, as plain JSON: an entity or a literal."""

    model_config = FROZEN

    kind: str
    """"iri" or "literal"."""
    value: str
    """The IRI, or the literal's lexical form."""
    datatype: str = ""
    language: str = ""

    @classmethod
    def of(cls, term: Iri | Literal) -> Value:
        """A term as plain JSON."""
        if isinstance(term, Literal):
            return cls(kind="literal", value=term.lexical, datatype=term.datatype, language=term.language)
        return cls(kind="iri", value=term.value)


class Step(BaseModel):
    """One step of a walk through the graph: from an entity along a relation to the next."""

    model_config = FROZEN

    start: str
    """IRI of the entity from which it goes."""
    relation: str
    """Id of the relation (`cqs/relations.toml`)."""
    end: str
    """IRI of the entity at which it arrives; "" where it arrives at words or figures."""
    words: str
    """What the step says, in plain words."""
    triples: tuple[str, ...] = Field(min_length=1)
    """N-Triples statements that prove it."""


class Factlet(BaseModel):
    """One result row in plain words, with the exact triples that prove it."""

    model_config = FROZEN

    id: str
    """`f1`, `f2`, ... in the order of the pack's questions and rows; stable for the same beat, pack and graph."""
    cq: str
    text: str
    values: dict[str, Value]
    """The told variables and the parameters of the row."""
    triples: tuple[str, ...] = Field(min_length=1)
    """N-Triples statements: the template's patterns with this row's values in them."""
    news: tuple[int, ...] = ()
    """Which of the triples hold a told value; the others only lead there from the question."""
    sources: tuple[Source, ...] = ()
    path: tuple[Step, ...] = Field(default=(), exclude_if=operator.not_)
    """Strategy `graph`: the walk from an entity of the question to this fact, which is its last step; else empty."""
    way: str = Field(default="", exclude_if=operator.not_)
    """Strategy `graph`: the relation of that last step and the slot it starts from, as "member.band"; else ""."""
    out_of: int = Field(default=0, exclude_if=operator.not_)
    """Strategy `graph`: how many facts the graph has along this way from there; else 0."""

    @property
    def told_statements(self) -> frozenset[str]:
        """The triples that hold a told value; all where none does."""
        return frozenset(self.triples[n] for n in self.news) or frozenset(self.triples)


class Snippet(BaseModel):
    """Vetted text about an entity, with the page it was read on."""

    model_config = FROZEN

    id: str
    text: str
    source_url: str
    source_title: str
    publisher: str
    accessed: str


class Asked(BaseModel):
    """One question of a beat as it was put to the graph."""

    model_config = FROZEN

    cq: str
    question: str
    bindings: dict[str, str]
    query: str
    """The SPARQL that ran, parameters bound."""
    total_rows: int
    truncated: bool
    """True where the graph has more rows than there are factlets: over the cap, or not citable."""


class EvidencePack(BaseModel):
    """All that may be said in one beat."""

    model_config = FROZEN

    questions: tuple[Asked, ...]
    factlets: tuple[Factlet, ...]
    snippets: tuple[Snippet, ...] = ()
    kg_digest: str

    def of(self, cq: str) -> tuple[Factlet, ...]:
        """The factlets of one question, in its row order."""
        return tuple(factlet for factlet in self.factlets if factlet.cq == cq)
