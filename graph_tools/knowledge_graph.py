"""The knowledge graph port and its adapters: Oxigraph in memory, and rdflib with its own query engine.

Both load the same strict reading of the files and give the same normal form: our own terms, unbound variables absent,
rows in which nothing is bound left out. Query text comes from the binder only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pyoxigraph as ox

from graph_tools.errors import InvalidPack, Problem, QueryFailed
from graph_tools.graph_files import GraphFile, digest, named_graph, read_graph_files
from graph_tools.rdflib_log import quieten
from graph_tools.terms import XSD_STRING, Blank, Iri, Literal, Row, Term, Triple

if TYPE_CHECKING:
    import rdflib
    from rdflib.term import Node


class KnowledgeGraph(Protocol):
    """A graph that can be asked. Rows of `select` are in the query's own order, ties in any order."""

    @property
    def digest(self) -> str:
        """ "sha256:..." over the bytes of its files."""

    def select(self, query: str) -> list[Row]:
        """The rows of a SELECT query. Raises QueryFailed."""

    def contains(self, triple: Triple) -> bool:
        """True where the statement is in the graph."""

    def match(
        self, subject: Term | None = None, predicate: Term | None = None, object_: Term | None = None
    ) -> Iterator[Triple]:
        """Statements with these terms, None standing for any; in no particular order."""

    def __len__(self) -> int:
        """The number of statements."""


def open_graph(root: Path, names: Sequence[str]) -> EmbeddedGraph:
    """The graph in these files below `root`, in memory. Raises InvalidPack with every file's problem."""
    files, problems = read_graph_files(root, names)
    graph, more = EmbeddedGraph.load(files)
    if graph is None or problems or more:
        raise InvalidPack([*problems, *more])
    return graph


class EmbeddedGraph:
    """Oxigraph in memory: a query takes well under a millisecond, so it may run on an event loop."""

    def __init__(self, store: ox.Store, digest: str) -> None:
        self._store = store
        self._digest = digest

    @classmethod
    def load(cls, files: Sequence[GraphFile]) -> tuple[EmbeddedGraph | None, tuple[Problem, ...]]:
        """The graph of all files, or None and what is wrong: never a graph that is half loaded."""
        store = ox.Store()
        problems = [problem for file in files if (problem := _load(store, file)) is not None]
        return (None if problems else cls(store, digest(files))), tuple(problems)

    @classmethod
    def renamed(cls, graph: KnowledgeGraph, names: Mapping[Iri, Iri]) -> EmbeddedGraph:
        """The same statements, with each of these IRIs written as the other one."""
        store = ox.Store()
        for triple in graph.match():
            subject, predicate, value = (
                _native(names.get(term, term) if isinstance(term, Iri) else term) for term in triple
            )
            if isinstance(predicate, ox.NamedNode) and not isinstance(subject, ox.Literal):
                store.add(ox.Quad(subject, predicate, value))
        return cls(store, graph.digest)

    @property
    def digest(self) -> str:
        """ "sha256:..." over the bytes of its files."""
        return self._digest

    @cached_property
    def blank_nodes(self) -> int:
        """How many blank nodes it has: rows that need one as proof are not told."""
        rows = self.select("SELECT DISTINCT ?n WHERE { { ?n ?p ?o } UNION { ?s ?p ?n } FILTER(isBLANK(?n)) }")
        return len(rows)

    def select(self, query: str) -> list[Row]:
        """The rows of a SELECT query. Raises QueryFailed."""
        try:
            solutions = self._store.query(query)
            if not isinstance(solutions, ox.QuerySolutions):
                raise QueryFailed("only SELECT queries are asked here")
            names = [variable.value for variable in solutions.variables]
            rows = [
                {name: _term(term) for name, term in zip(names, solution, strict=True) if term is not None}
                for solution in solutions
            ]
        except (SyntaxError, ValueError, RuntimeError, OSError) as error:
            raise QueryFailed(f"the graph refused a query: {_first_line(error)}") from error
        return [row for row in rows if row]

    def contains(self, triple: Triple) -> bool:
        """True where the statement is in the graph."""
        subject, predicate = _native(triple.subject), _native(triple.predicate)
        if isinstance(subject, ox.Literal) or not isinstance(predicate, ox.NamedNode):
            return False  # no graph holds a statement about a literal
        return ox.Quad(subject, predicate, _native(triple.object)) in self._store

    def match(
        self, subject: Term | None = None, predicate: Term | None = None, object_: Term | None = None
    ) -> Iterator[Triple]:
        """Statements with these terms, None standing for any; in no particular order."""
        about = None if subject is None else _native(subject)
        property_ = None if predicate is None else _native(predicate)
        if isinstance(about, ox.Literal) or not isinstance(property_, ox.NamedNode | None):
            return
        quads = self._store.quads_for_pattern(about, property_, None if object_ is None else _native(object_))
        for quad in quads:
            yield Triple(_term(quad.subject), _term(quad.predicate), _term(quad.object))

    def __len__(self) -> int:
        return len(self._store)


class RdflibGraph:
    """rdflib with its own engine: slow, but a second opinion on every query."""

    def __init__(self, files: Sequence[GraphFile]) -> None:
        """Loads the files as the strict parser reads them. Raises InvalidPack."""
        import rdflib
        import rdflib.plugins.sparql

        quieten()
        rdflib.plugins.sparql.SPARQL_LOAD_GRAPHS = False
        problems = [problem for file in files if (problem := _load(ox.Store(), file)) is not None]
        if problems:
            raise InvalidPack(problems)
        self._graph = rdflib.Graph()
        self._digest = digest(files)
        for file in files:
            for quad in ox.parse(file.turtle, ox.RdfFormat.TURTLE):
                self._graph.add((to_rdflib(quad.subject), to_rdflib(quad.predicate), to_rdflib(quad.object)))

    @property
    def digest(self) -> str:
        """ "sha256:..." over the bytes of its files."""
        return self._digest

    def select(self, query: str) -> list[Row]:
        """The rows of a SELECT query. Raises QueryFailed."""
        try:
            result = self._graph.query(query)
            if result.type != "SELECT":
                raise QueryFailed("only SELECT queries are asked here")
            rows = [{str(name): _from_rdflib(term) for name, term in binding.items()} for binding in result.bindings]
        except QueryFailed:
            raise
        except Exception as error:  # rdflib raises bare Exceptions and pyparsing's own
            raise QueryFailed(f"the graph refused a query: {_first_line(error)}") from error
        return [row for row in rows if row]

    def contains(self, triple: Triple) -> bool:
        """True where the statement is in the graph."""
        return tuple(to_rdflib(term) for term in triple) in self._graph

    def match(
        self, subject: Term | None = None, predicate: Term | None = None, object_: Term | None = None
    ) -> Iterator[Triple]:
        """Statements with these terms, None standing for any; in no particular order."""
        pattern: Any = tuple(None if term is None else to_rdflib(term) for term in (subject, predicate, object_))
        for s, p, o in self._graph.triples(pattern):
            yield Triple(_from_rdflib(s), _from_rdflib(p), _from_rdflib(o))

    def __len__(self) -> int:
        return len(self._graph)


def _load(store: ox.Store, file: GraphFile) -> Problem | None:
    before = len(store)
    try:
        store.bulk_load(file.turtle, ox.RdfFormat.TURTLE)
    except (SyntaxError, ValueError, RuntimeError, OSError) as error:
        cause = re.sub(r"^Parser error.*?: |\s*\(line \d+\)$", "", _first_line(error))
        if "followed by a dot" in cause:
            cause = "a statement does not end with a dot"
        elif "Unexpected end of file" in cause:
            cause = "the file ends in the middle of a statement"
        elif "IRI" in cause and (iri := _illegal_iri(file, getattr(error, "lineno", None))):
            why = re.sub("^Invalid IRI code point", "it holds", cause)
            cause = f"{iri} is no IRI: {'it does not begin with http: or the like' if 'scheme' in why else why}"
        elif named_graph(file):
            cause = "it has a named graph (TriG), and a pack has one graph without a name"
        return Problem(
            file.name, getattr(error, "lineno", None), f"not valid Turtle: {cause}", "correct it there", "file"
        )
    if store.query("ASK { ?s ?p ?o FILTER(isTRIPLE(?o)) }"):
        return Problem(
            file.name, None, "has a statement about a statement (RDF 1.2)", "use a node of its own for it", "file"
        )
    # A file may say only what another one has said.
    if len(store) == before and next(iter(ox.parse(file.turtle, ox.RdfFormat.TURTLE)), None) is None:
        return Problem(
            file.name, None, "holds no statement", "put the graph in it, or take it out of pack.toml", "file"
        )
    return None


def _illegal_iri(file: GraphFile, line: int | None) -> str:
    """The first thing in angle brackets on that line that is relative or has a character which no IRI has, or ""."""
    lines = file.turtle.decode("utf-8", errors="replace").split("\n")
    text = lines[line - 1] if line and line <= len(lines) else ""
    found = re.search(r"<[^<>\"]*[\x00-\x20{}|^`\\][^<>\"]*>|<[^<>\":]*>", text)
    return found[0] if found else ""


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _term(term: object) -> Term:
    match term:
        case ox.NamedNode():
            return Iri(term.value)
        case ox.Literal():
            return Literal(term.value, term.datatype.value, term.language or "")
        case ox.BlankNode():
            return Blank(term.value)
    raise QueryFailed("the graph answered with a statement in place of a term")


def _native(term: Term) -> ox.NamedNode | ox.BlankNode | ox.Literal:
    match term:
        case Iri():
            return ox.NamedNode(term.value)
        case Blank():
            return ox.BlankNode(term.label)
        case Literal():
            if term.language:
                return ox.Literal(term.lexical, language=term.language)
            return ox.Literal(term.lexical, datatype=ox.NamedNode(term.datatype))


def to_rdflib(term: object) -> Any:
    """The term as rdflib has it."""
    import rdflib

    match term:
        case Iri() | ox.NamedNode():
            return rdflib.URIRef(term.value)
        case Blank():
            return rdflib.BNode(term.label)
        case ox.BlankNode():
            return rdflib.BNode(term.value)
        case Literal(lexical, datatype, language):
            pass
        case ox.Literal():
            lexical, datatype, language = term.value, term.datatype.value, term.language or ""
        case _:
            raise TypeError(f"no RDF term: {term!r}")
    if language:
        return rdflib.Literal(lexical, lang=language)
    return rdflib.Literal(lexical, datatype=None if datatype == XSD_STRING else rdflib.URIRef(datatype))


def _from_rdflib(term: Node | rdflib.term.Identifier) -> Term:
    import rdflib

    match term:
        case rdflib.URIRef():
            return Iri(str(term))
        case rdflib.BNode():
            return Blank(str(term))
        case rdflib.Literal():
            if term.language:
                return Literal(str(term), "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", term.language)
            return Literal(str(term), str(term.datatype or XSD_STRING))
    raise QueryFailed(f"the graph answered with a term of an unknown kind: {type(term).__name__}")
