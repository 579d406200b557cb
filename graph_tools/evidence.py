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


class SnippetClaim(BaseModel):
    """One thing that a snippet lets be told, as a clause that can follow "that"."""

    model_config = FROZEN

    says: str
    year: int | None = None
    """When it was said, where the page's date or the snippet's text proves it."""
    about: tuple[str, ...]
    """IRIs of whom it is about."""
    same: tuple[str, ...] = ()
    """N-Triples statements of the graph that tell the same: of the two only one is told in a story."""
    against: tuple[str, ...] = ()
    """IRIs of what the graph tells otherwise."""
    score: float = 0.0
    """How well its words fit the question; less where the graph tells the same."""


class Snippet(BaseModel):
    """Vetted text about an entity, with the page it was read on, and what of it may be told here."""

    model_config = FROZEN

    id: str
    """`s1`, `s2`, ... in the order of their scores."""
    text: str
    source_url: str
    source_title: str
    publisher: str
    accessed: str
    """ISO date on which the page was read."""
    published: str = ""
    """ISO date, or only its year or month; empty: unknown."""
    snippet: str
    """Its id in the pack's files: the same in every beat."""
    cq: str
    """The question that it was found for."""
    tier: int
    """1: press, broadcasters, those who were there; 2: fans, blogs, shops."""
    spoken: str
    """The source as a sentence names it."""
    entities: tuple[str, ...]
    claims: tuple[SnippetClaim, ...] = ()
    """Those that may be told in answer to that question, the most fitting first; there is one."""
    score: float = 0.0
    """How well it serves the question (`snippet_ranking`): only the order means anything."""
    why: str = ""
    """Where that score comes from, in words."""


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
