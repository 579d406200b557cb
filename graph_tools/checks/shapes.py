"""The shapes of a pack (SHACL, `kg/shapes/*.ttl`) and what they find in its graph.

Only the core of SHACL is used: a shape that carries a query is refused, since queries can fetch. pySHACL is several
times faster where it gets no statements that no shape looks at, and where what a shape asks of its properties has the
targets of the shape itself: then all nodes are looked at together, and not one by one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from graph_tools.checks.examined import Examined
from graph_tools.checks.shape_faults import TARGETS, look_at_all, shape_faults, targeted
from graph_tools.checks.vocabulary import Terms
from graph_tools.errors import Problem
from graph_tools.graph_files import read_graph_files
from graph_tools.knowledge_graph import EmbeddedGraph, to_rdflib
from graph_tools.pack_file import Checks
from graph_tools.rdflib_log import quieten
from graph_tools.terms import RDF_TYPE, Blank, Iri, Term, Triple

if TYPE_CHECKING:
    import rdflib

FOLDER = "kg/shapes"
_SH = "http://www.w3.org/ns/shacl#"


def shape_problems(graph: Examined, terms: Terms, told: frozenset[str]) -> Iterator[Problem]:
    """What is wrong with the shapes, and with the graph by them; `told`: classes that must have a shape."""
    names = sorted(f"{FOLDER}/{path.name}" for path in (graph.root / FOLDER).glob("*.ttl"))
    if not names:
        return
    files, problems = read_graph_files(graph.root, names)
    store, more = EmbeddedGraph.load(files)
    yield from (*problems, *more)
    if store is None or not files:
        return
    shapes = Examined(store, files, (), Checks(), graph.root)
    faults = list(shape_faults(shapes, graph, terms))
    for class_ in sorted(told - targeted(shapes)):
        cause, remedy = (
            f"no shape is for <{class_}>, which a question asks about",
            "write one: what must be found there?",
        )
        faults.append(Problem(names[0], None, cause, remedy, "shape-missing", class_))
    yield from faults
    if not any(fault.rule in ("shape-query", "shape-unknown") for fault in faults):
        yield from _violations(shapes, graph)


def _violations(shapes: Examined, graph: Examined) -> Iterator[Problem]:
    import pyshacl

    quieten()
    quiet = logging.getLogger("cuestory.shapes")
    quiet.addHandler(logging.NullHandler())
    quiet.propagate = False
    named = {value for _, _, value in shapes.triples if isinstance(value, Iri)} | {RDF_TYPE}
    whole = look_at_all(shapes)
    seen = _as_rdflib(triple for triple in graph.triples if whole or triple.predicate in named)
    rules = _as_rdflib(_spread(shapes))
    _, report, _ = pyshacl.validate(seen, shacl_graph=rules, inference="none", logger=quiet)
    yield from _reported(report, graph)


def _spread(shapes: Examined) -> Iterator[Triple]:
    """The same shapes; what one asks of properties has its targets, where nothing but targets leads to that shape."""
    targets = {Iri(f"{_SH}{name}") for name in TARGETS}
    asks, bound = Iri(f"{_SH}property"), {Iri(f"{_SH}deactivated"), Iri(f"{_SH}closed")}
    inner = {triple.object for triple in shapes.triples}
    spread: dict[Term, list[Triple]] = {}
    for subject, said in shapes.about.items():
        aimed = [(predicate, value) for predicate in targets & said.keys() for value in said[predicate]]
        if aimed and not bound & said.keys() and subject not in inner:
            spread[subject] = [Triple(part, *aim) for part in said.get(asks, ()) for aim in aimed]
    yield from (t for t in shapes.triples if t.predicate != asks or t.subject not in spread)
    yield from (triple for triples in spread.values() for triple in triples)


def _as_rdflib(triples: Iterable[Triple]) -> rdflib.Graph:
    import rdflib

    graph = rdflib.Graph()
    known: dict[Term, Any] = {}
    for triple in triples:
        for term in triple:
            if term not in known:
                known[term] = to_rdflib(term)
        graph.add((known[triple.subject], known[triple.predicate], known[triple.object]))
    return graph


def _reported(report: object, graph: Examined) -> Iterator[Problem]:
    import rdflib

    assert isinstance(report, rdflib.Graph)
    sh = rdflib.Namespace(_SH)
    for result in report.subjects(rdflib.RDF.type, sh.ValidationResult):
        focus, path, value = (report.value(result, sh[name]) for name in ("focusNode", "resultPath", "value"))
        message = " ".join(sorted(str(said) for said in report.objects(result, sh.resultMessage)))
        said = [f"breaks its shape: {message}"]
        if isinstance(path, rdflib.URIRef):
            shown = (
                ""
                if value is None
                else " is a thing without an IRI"
                if isinstance(value, rdflib.BNode)
                else f" is {value.n3()}"
            )
            said.append(f"(<{path}>{shown})")
        cause = " ".join(said)
        if isinstance(focus, rdflib.URIRef):
            yield graph.problem(Iri(str(focus)), "shape-violation", cause, "correct the statement, or the shape")
        elif isinstance(focus, rdflib.BNode):
            holder = _holder(graph, Blank(str(focus)))
            if holder is None:
                told = f"a thing without an IRI {cause}"
                yield Problem(graph.files[0].name, None, told, "correct the statement", "shape-violation")
            else:
                told = f"has a thing without an IRI, which {cause}"
                yield graph.problem(holder, "shape-violation", told, "correct the statement, or the shape")
        else:
            yield Problem(graph.files[0].name, None, f"{focus} {cause}", "correct the statement", "shape-violation")


def _holder(graph: Examined, blank: Blank) -> Iri | None:
    """The thing with an IRI that leads to the blank node."""
    seen, near = {blank}, [blank]
    while near:
        holders = [triple.subject for at in near for triple in graph.graph.match(None, None, at)]
        named = sorted(holder for holder in holders if isinstance(holder, Iri))
        if named:
            return named[0]
        near = [holder for holder in holders if isinstance(holder, Blank) and holder not in seen]
        seen.update(near)
    return None
