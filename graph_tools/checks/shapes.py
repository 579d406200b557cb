"""The shapes of a pack (SHACL, `kg/shapes/*.ttl`) and what they find in its graph.

Only the core of SHACL is used: a shape that carries a query is refused, since queries can fetch. The graph is handed to
pySHACL without the statements that no shape looks at, which makes it several times faster.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from graph_tools.checks.examined import Examined
from graph_tools.checks.shape_faults import look_at_all, shape_faults, targeted
from graph_tools.checks.vocabulary import Terms
from graph_tools.errors import Problem
from graph_tools.graph_files import read_graph_files
from graph_tools.knowledge_graph import EmbeddedGraph, to_rdflib
from graph_tools.pack import Checks
from graph_tools.terms import RDF_TYPE, Iri, Triple

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

    quiet = logging.getLogger("cuestory.shapes")
    quiet.addHandler(logging.NullHandler())
    quiet.propagate = False
    named = {value for _, _, value in shapes.triples if isinstance(value, Iri)} | {RDF_TYPE}
    whole = look_at_all(shapes)
    seen = _as_rdflib(triple for triple in graph.triples if whole or triple.predicate in named)
    rules = _as_rdflib(shapes.triples)
    _, report, _ = pyshacl.validate(seen, shacl_graph=rules, inference="none", logger=quiet)
    yield from _reported(report, graph)


def _as_rdflib(triples: Iterable[Triple]) -> rdflib.Graph:
    import rdflib

    graph = rdflib.Graph()
    for triple in triples:
        subject, predicate, value = (to_rdflib(term) for term in triple)
        graph.add((subject, predicate, value))
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
            said.append(f"(<{path}>{'' if value is None else f' is {value.n3()}'})")
        cause = " ".join(said)
        if isinstance(focus, rdflib.URIRef):
            yield graph.problem(Iri(str(focus)), "shape-violation", cause, "correct the statement, or the shape")
        else:
            yield Problem(graph.files[0].name, None, f"{focus} {cause}", "correct the statement", "shape-violation")
