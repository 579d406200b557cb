"""What is wrong with shapes themselves: unknown words, targets that meet nothing, nothing asked for."""

from __future__ import annotations

from collections.abc import Iterator

from graph_tools.checks.examined import Examined
from graph_tools.checks.vocabulary import Terms
from graph_tools.errors import Problem
from graph_tools.terms import RDF_TYPE, XSD, XSD_STRING, Blank, Iri, Literal, Term

_SH = "http://www.w3.org/ns/shacl#"
_QUERIES = ("sparql", "js", "target", "rule")
TARGETS = ("targetClass", "targetNode", "targetSubjectsOf", "targetObjectsOf")
"""How a shape says what it is for."""
_PARAMETERS = frozenset(
    (
        *("and", "class", "datatype", "disjoint", "equals", "hasValue", "in", "languageIn", "lessThan"),
        *("lessThanOrEquals", "maxCount", "maxExclusive", "maxInclusive", "maxLength", "minCount", "minExclusive"),
        *("minInclusive", "minLength", "node", "nodeKind", "not", "or", "pattern", "property", "qualifiedValueShape"),
        *("uniqueLang", "xone", "closed"),
    )
)
_BOOLEAN = XSD + "boolean"
_INTEGER = XSD + "integer"
_VOID: dict[str, tuple[Literal, ...]] = {
    "minCount": (Literal("0", _INTEGER),),
    "minLength": (Literal("0", _INTEGER),),
    "pattern": (Literal("", XSD_STRING), Literal(".*", XSD_STRING)),
    "closed": (Literal("false", _BOOLEAN),),
    "uniqueLang": (Literal("false", _BOOLEAN),),
}
"""Constraints that nothing can break."""


def shape_faults(shapes: Examined, graph: Examined, terms: Terms) -> Iterator[Problem]:
    """Every fault of the shapes, seen beside the graph that they are for."""
    yield from _unsafe(shapes)
    yield from _unknown(shapes, terms)
    yield from _idle(shapes, graph)
    yield from _empty_files(shapes)


def targeted(shapes: Examined) -> frozenset[str]:
    """The classes that have a shape."""
    found = (target for subject in shapes.subjects for target in _of(shapes, subject, "targetClass"))
    return frozenset(target.value for target in found if isinstance(target, Iri))


def look_at_all(shapes: Examined) -> bool:
    """True where a closed shape has to see every statement about its nodes."""
    return any(_of(shapes, subject, "closed") for subject in shapes.about)


def _sh(name: str) -> Iri:
    return Iri(_SH + name)


def _of(shapes: Examined, subject: Term, name: str) -> tuple[Term, ...]:
    return shapes.about.get(subject, {}).get(_sh(name), ())


def _unsafe(shapes: Examined) -> Iterator[Problem]:
    for subject in shapes.about:
        for name in _QUERIES:
            if _of(shapes, subject, name):
                cause = f"uses sh:{name}: a query or program in a shape could fetch from elsewhere"
                yield _at(shapes, subject, "shape-query", cause, "say it with the core of SHACL")


def _unknown(shapes: Examined, terms: Terms) -> Iterator[Problem]:
    """Misspelt words of SHACL, and classes and properties that no vocabulary declares: they would never fire."""
    for subject, predicate, value in shapes.triples:
        words = [predicate, *([value] if isinstance(value, Iri) else [])]
        looked_at = predicate in (_sh("path"), _sh("class"), _sh("datatype"), *map(_sh, TARGETS))
        for word in words:
            if not isinstance(word, Iri) or word.value in terms.known:
                continue
            if word.value.startswith(_SH) or (looked_at and word == value and predicate != _sh("targetNode")):
                cause = f"names {word.n3()}, which no vocabulary declares"
                yield _at(shapes, subject, "shape-unknown", cause, "correct it: such a constraint would never fire")


def _idle(shapes: Examined, graph: Examined) -> Iterator[Problem]:
    """Shapes that meet nothing, or that ask for nothing."""
    for shape in shapes.subjects:
        targets = [(name, target) for name in TARGETS for target in _of(shapes, shape, name)]
        if not targets:
            continue
        for name, target in targets:
            if not _meets(graph, name, target):
                cause = f"is for {target.n3()} (sh:{name}), of which the graph has none"
                yield _at(shapes, shape, "shape-idle", cause, "correct the target, or take the shape out")
        silent = [
            property_ for property_ in _of(shapes, shape, "property") if not _asks(shapes, property_, frozenset())
        ]
        for property_ in silent:
            shown = " ".join(path.n3() for path in _of(shapes, property_, "path")) or "a property without sh:path"
            cause = f"asks for nothing of {shown}, so nothing can break it"
            yield _at(shapes, shape, "shape-idle", cause, "give it a constraint, or take it out")
        if not silent and not _asks(shapes, shape, frozenset()):
            cause = "asks for nothing, so nothing can break it"
            yield _at(shapes, shape, "shape-idle", cause, "give it a constraint, or take it out")


def _asks(shapes: Examined, shape: Term, seen: frozenset[Term]) -> bool:
    """True where some constraint of the shape could fail."""
    if any(value == Literal("true", _BOOLEAN) for value in _of(shapes, shape, "deactivated")) or shape in seen:
        return False
    for name in _PARAMETERS - {"property", "node"}:
        values = _of(shapes, shape, name)
        if any(value not in _VOID.get(name, ()) for value in values):
            return True
    inner = (*_of(shapes, shape, "property"), *_of(shapes, shape, "node"))
    return any(_asks(shapes, part, seen | {shape}) for part in inner)


def _meets(graph: Examined, name: str, target: Term) -> bool:
    if name == "targetClass":
        return any(graph.graph.match(None, RDF_TYPE, target))
    if name == "targetNode":
        return target in graph.about
    return any(graph.graph.match(None, target))


def _empty_files(shapes: Examined) -> Iterator[Problem]:
    """Files in which no shape has a target."""
    with_target = {
        found.file
        for subject in shapes.subjects
        if any(_of(shapes, subject, name) for name in TARGETS)
        for found in [shapes.places.problem(subject.value, "", "", "")]
    }
    for file in shapes.files:
        if file.name not in with_target:
            cause = "has no shape with a target, so nothing in it can fire"
            yield Problem(file.name, None, cause, "give a shape a target, or take the file out", "shape-idle")


def _at(shapes: Examined, subject: Term, rule: str, cause: str, remedy: str) -> Problem:
    while isinstance(subject, Blank):
        holders = (triple.subject for triple in shapes.graph.match(None, None, subject))
        subject = next(holders, Iri(""))
    if isinstance(subject, Iri) and subject.value:
        return shapes.problem(subject, rule, cause, remedy)
    return Problem(shapes.files[0].name, None, cause, remedy, rule)
