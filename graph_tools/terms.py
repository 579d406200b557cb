"""RDF terms as this project speaks of them: plain, frozen, ordered, engine-neutral.

No term of an RDF library leaves `graph_tools`; adapters translate at their edge. `n3()` gives the N-Triples form
(https://www.w3.org/TR/n-triples/#canonical-ntriples): the one spelling that goes into queries, evidence and story
files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

XSD = "http://www.w3.org/2001/XMLSchema#"
XSD_STRING = XSD + "string"
RDF_TYPE_IRI = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"})


@dataclass(frozen=True, slots=True, order=True)
class Iri:
    """An absolute IRI."""

    value: str

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        return other.__class__ is Iri and self.value == other.value

    def n3(self) -> str:
        """The IRI in angle brackets."""
        return f"<{self.value}>"


@dataclass(frozen=True, slots=True, order=True)
class Literal:
    """A literal as the graph spells it: no value is computed from it here."""

    lexical: str
    datatype: str = XSD_STRING
    language: str = ""
    """Language tag, empty where there is none."""

    def n3(self) -> str:
        """Quoted and escaped, with its tag or datatype (xsd:string is left out, as N-Triples does)."""
        text = f'"{self.lexical.translate(_ESCAPES)}"'
        if self.language:
            return f"{text}@{self.language}"
        return text if self.datatype == XSD_STRING else f"{text}^^<{self.datatype}>"


@dataclass(frozen=True, slots=True, order=True)
class Blank:
    """A blank node: it has no name to cite, so a row that needs one as proof is not told."""

    label: str

    def n3(self) -> str:
        """The label with its prefix; valid inside one file only."""
        return f"_:{self.label}"


Term = Iri | Literal | Blank
Row = dict[str, Term]
"""One solution: variable name -> term; an unbound variable is absent."""


class Triple(NamedTuple):
    """A statement of the graph."""

    subject: Term
    predicate: Term
    object: Term

    def n3(self) -> str:
        """One N-Triples statement, with its dot."""
        return f"{self.subject.n3()} {self.predicate.n3()} {self.object.n3()} ."


RDF_TYPE = Iri(RDF_TYPE_IRI)
