"""Literals: spelled as the engine keeps them, well-typed, and free of what no page may show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime

import pyoxigraph as ox

from graph_tools.checks.examined import Examined
from graph_tools.errors import Problem
from graph_tools.terms import XSD, Iri, Literal

_UNSPEAKABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_MARKUP = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(\s[^<>]*)?/?>|&(#\d+|#x[0-9a-fA-F]+|[a-z]{2,8});")
_MISREAD = re.compile("\ufffd|Ã[\u0080-\u00bf]|â€[\u0080-\u2122]|Â[\u00a0-\u00bf]")
_LOOKALIKES = re.compile("[\u00a0\u00ad\u2010\u2011\u202f\u2212]")
_HTML = "http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML"
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


def literal_problems(graph: Examined) -> Iterator[Problem]:
    """Every literal of the files that could not be told or cited as it stands."""
    kept = {(triple.subject, triple.object) for triple in graph.triples if isinstance(triple.object, Literal)}
    for file in graph.files:
        for quad in ox.parse(file.turtle, ox.RdfFormat.TURTLE):
            if not isinstance(quad.object, ox.Literal) or not isinstance(quad.subject, ox.NamedNode):
                continue
            literal = Literal(quad.object.value, quad.object.datatype.value, quad.object.language or "")
            about = Iri(quad.subject.value)
            canonical = (about, literal) in kept
            for rule, cause, remedy in _faults(literal, canonical=canonical):
                yield graph.places.problem(about.value, rule, f"{cause} (of {about.n3()})", remedy)


def _faults(literal: Literal, *, canonical: bool) -> Iterator[tuple[str, str, str]]:
    if _UNSPEAKABLE.search(literal.lexical):
        yield "text-control", f"{literal.lexical!a} holds control or direction characters", "take them out"
    if literal.datatype == _HTML or _MARKUP.search(literal.lexical):
        yield "text-markup", f"{_short(literal)} holds markup, which is shown as it stands", "write it as plain text"
    if _MISREAD.search(literal.lexical):
        yield "text-encoding", f"{_short(literal)} was read in a wrong encoding", "write the characters that were meant"
    if _LOOKALIKES.search(literal.lexical):
        cause = f"{literal.lexical!a} holds a hyphen or space that no keyboard types, so no search finds it"
        yield "text-lookalike", cause, "use a plain hyphen or space"
    if not well_typed(literal):
        remedy = "correct the value, or choose the datatype that it fits"
        yield "literal-datatype", f"{literal.n3()} is no value of its datatype", remedy
    elif not canonical:
        remedy = "write it so: it is cited as the engine spells it"
        yield "literal-canonical", f"{literal.n3()} is not in canonical form", remedy


def _short(literal: Literal) -> str:
    text = literal.lexical
    return repr(text if len(text) <= 60 else text[:57] + "...")


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
