"""A graph under examination: its files, its statements as tables, and what its pack says about checking it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from graph_tools.checks.conventions import Conventions, conventions
from graph_tools.checks.references import Places
from graph_tools.errors import Problem
from graph_tools.graph_files import GraphFile
from graph_tools.knowledge_graph import EmbeddedGraph, KnowledgeGraph
from graph_tools.pack_file import Checks
from graph_tools.terms import RDF_TYPE, Blank, Iri, Literal, Term, Triple


@dataclass(frozen=True)
class Examined:
    """What every check of the graph is given; it asks the same questions of a pack's graph and of a file alone."""

    graph: KnowledgeGraph
    files: tuple[GraphFile, ...] = field(repr=False)
    names: tuple[str, ...]
    """Properties that name a thing."""
    checks: Checks
    root: Path
    """What the paths in `checks` are relative to."""

    def renamed(self, names: Mapping[Iri, Iri]) -> Examined:
        """The same, with each of these IRIs read as the other one."""
        return replace(self, graph=EmbeddedGraph.renamed(self.graph, names)) if names else self

    @property
    def conventions(self) -> Conventions:
        """What is known of common vocabularies."""
        return conventions()

    @cached_property
    def places(self) -> Places:
        """Where the files speak of an IRI."""
        return Places(self.files)

    @cached_property
    def triples(self) -> tuple[Triple, ...]:
        """All statements, in one fixed order."""
        return tuple(sorted(self.graph.match(), key=lambda triple: triple.n3()))

    @cached_property
    def about(self) -> Mapping[Term, Mapping[Iri, tuple[Term, ...]]]:
        """Subject -> property -> values."""
        found: dict[Term, dict[Iri, list[Term]]] = defaultdict(lambda: defaultdict(list))
        for subject, predicate, value in self.triples:
            if isinstance(predicate, Iri):
                found[subject][predicate].append(value)
        return {s: {p: tuple(values) for p, values in rows.items()} for s, rows in found.items()}

    @cached_property
    def subjects(self) -> tuple[Iri, ...]:
        """Every IRI of which something is said, sorted."""
        return tuple(sorted(subject for subject in self.about if isinstance(subject, Iri)))

    @cached_property
    def namespaces(self) -> frozenset[str]:
        """The namespaces in which this graph describes something: its own."""
        return frozenset(namespace(subject.value) for subject in self.subjects)

    def classes(self, subject: Term) -> frozenset[str]:
        """The classes that are stated for it."""
        stated = self.about.get(subject, {}).get(RDF_TYPE, ())
        return frozenset(class_.value for class_ in stated if isinstance(class_, Iri))

    def called(self, subject: Term) -> tuple[Literal, ...]:
        """Its names: the values of the first naming property that it has."""
        said = self.about.get(subject, {})
        for property_ in self.names:
            found = tuple(name for name in said.get(Iri(property_), ()) if isinstance(name, Literal))
            if found:
                return found
        return ()

    def problem(self, about: Iri, rule: str, cause: str, remedy: str) -> Problem:
        """A problem about that IRI, at the line that describes it."""
        return self.places.problem(about.value, rule, f"{about.n3()} {cause}", remedy)

    @cached_property
    def says_who(self) -> frozenset[Iri]:
        """Properties that say which thing it is, and nothing about it: its class, names and links to itself."""
        return frozenset(map(Iri, (*self.names, *self.conventions.same_as))) | {RDF_TYPE}

    @cached_property
    def blanks(self) -> Mapping[Iri, int]:
        """Property -> how many of its values are blank nodes."""
        found: dict[Iri, int] = defaultdict(int)
        for _, predicate, value in self.triples:
            if isinstance(value, Blank) and isinstance(predicate, Iri):
                found[predicate] += 1
        return dict(found)


def namespace(iri: str) -> str:
    """The IRI up to its last # or /."""
    return iri[: max(iri.rfind("#"), iri.rfind("/")) + 1]


def local(iri: str) -> str:
    """The IRI after its last # or /."""
    return iri[len(namespace(iri)) :]
