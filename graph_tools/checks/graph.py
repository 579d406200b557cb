"""The graph itself: no dangling IRI, every typed thing has a name, every literal can be told and cited."""

from __future__ import annotations

from collections.abc import Iterator

from graph_tools.checks.literals import literal_problems
from graph_tools.checks.references import find_references
from graph_tools.errors import Problem
from graph_tools.graph_files import GraphFile, read_graph_files
from graph_tools.pack import StoryPack
from graph_tools.terms import RDF_TYPE, Iri


def graph_problems(pack: StoryPack) -> Iterator[Problem]:
    """Every fault of the graph that can be found without a question."""
    files, _ = read_graph_files(pack.root, pack.graph_files)
    yield from _dangling(pack, files)
    yield from _unnamed(pack, files)
    yield from literal_problems(pack.graph, files)


def _dangling(pack: StoryPack, files: tuple[GraphFile, ...]) -> Iterator[Problem]:
    """IRIs in the pack's own namespaces, those in which it describes something, of which it says nothing."""
    subjects = {triple.subject for triple in pack.graph.match()}
    own = {_namespace(subject.value) for subject in subjects if isinstance(subject, Iri)}
    objects = {
        triple.object
        for triple in pack.graph.match()
        if isinstance(triple.object, Iri) and triple.predicate != RDF_TYPE
    }
    for iri in sorted(objects - subjects):
        if _namespace(iri.value) in own:
            yield _at(files, iri, "is named, but nothing is said about it", "describe it, or correct the name")


def _unnamed(pack: StoryPack, files: tuple[GraphFile, ...]) -> Iterator[Problem]:
    exempt = {Iri(class_) for class_ in pack.checks.unnamed}
    for iri, classes in pack.entities.typed.items():
        if iri not in pack.entities.named and not exempt & set(classes):
            shown = ", ".join(class_.value for class_ in classes)
            remedy = "name it, or exempt its class in pack.toml [checks] unnamed"
            yield _at(files, iri, f"has no name ({shown})", remedy)


def _at(files: tuple[GraphFile, ...], iri: Iri, cause: str, remedy: str) -> Problem:
    for reference in find_references(files, iri.value):
        return Problem(reference.file, reference.line, f"{iri.n3()} {cause}", remedy)
    return Problem(files[0].name if files else "pack.toml", None, f"{iri.n3()} {cause}", remedy)


def _namespace(iri: str) -> str:
    return iri[: max(iri.rfind("#"), iri.rfind("/")) + 1]
