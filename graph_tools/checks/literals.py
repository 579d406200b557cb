"""Literals: spelled as the engine keeps them, well-typed, and free of what no page may show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime

import pyoxigraph as ox

from graph_tools.checks.references import find_references
from graph_tools.errors import Problem
from graph_tools.graph_files import GraphFile
from graph_tools.knowledge_graph import KnowledgeGraph
from graph_tools.terms import XSD, Iri, Literal

_UNSPEAKABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_ZONE = r"(Z|[+-]\d\d:\d\d)?"
_FORMS = {
    XSD + "gYear": rf"-?\d{{4,}}{_ZONE}",
    XSD + "gYearMonth": rf"-?\d{{4,}}-(0[1-9]|1[0-2]){_ZONE}",
    XSD + "date": rf"-?\d{{4,}}-\d\d-\d\d{_ZONE}",
    XSD + "dateTime": rf"-?\d{{4,}}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?{_ZONE}",
    XSD + "integer": r"[+-]?\d+",
    XSD + "decimal": r"[+-]?(\d+(\.\d*)?|\.\d+)",
    XSD + "boolean": "true|false|0|1",
}


def literal_problems(graph: KnowledgeGraph, files: tuple[GraphFile, ...]) -> Iterator[Problem]:
    """Every literal of the files that could not be told or cited as it stands."""
    for file in files:
        for quad in ox.parse(file.turtle, ox.RdfFormat.TURTLE):
            if not isinstance(quad.object, ox.Literal) or not isinstance(quad.subject, ox.NamedNode):
                continue
            literal = Literal(quad.object.value, quad.object.datatype.value, quad.object.language or "")
            for cause, remedy in _faults(graph, Iri(quad.subject.value), Iri(quad.predicate.value), literal):
                line = next((found.line for found in find_references([file], quad.subject.value)), None)
                yield Problem(file.name, line, f"{cause} (of <{quad.subject.value}>)", remedy)


def _faults(graph: KnowledgeGraph, subject: Iri, predicate: Iri, literal: Literal) -> Iterator[tuple[str, str]]:
    if _UNSPEAKABLE.search(literal.lexical):
        yield f"{literal.lexical!a} holds control or direction characters", "take them out"
    if not well_typed(literal):
        yield f"{literal.n3()} is no value of its datatype", "correct the value, or choose the datatype that it fits"
    elif literal not in {triple.object for triple in graph.match(subject, predicate)}:
        yield f"{literal.n3()} is not in canonical form", "write it so: it is cited as the engine spells it"


def well_typed(literal: Literal) -> bool:
    """True where the spelling is one of the datatype's; datatypes that are not known here pass."""
    form = _FORMS.get(literal.datatype)
    if form is None:
        return True
    if not re.fullmatch(form, literal.lexical):
        return False
    try:
        if literal.datatype == XSD + "date" and re.match(r"\d{4}-", literal.lexical):
            date.fromisoformat(literal.lexical[:10])
        if literal.datatype == XSD + "dateTime" and re.match(r"\d{4}-", literal.lexical):
            datetime.fromisoformat(literal.lexical[:19])
    except ValueError:
        return False
    return True
