"""The graph itself: no dangling IRI, every typed thing has a name, every literal is spelled as the engine keeps it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyoxigraph as ox

from graph_tools.checks.references import find_references
from graph_tools.errors import Problem
from graph_tools.graph_files import GraphFile, read_graph_files
from graph_tools.pack import StoryPack
from graph_tools.terms import RDF_TYPE, Iri, Literal

_UNSPEAKABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


def graph_problems(pack: StoryPack) -> Iterator[Problem]:
    """Every fault of the graph that can be found without a question."""
    files, _ = read_graph_files(pack.root, pack.graph_files)
    yield from _dangling(pack, files)
    yield from _unnamed(pack, files)
    yield from _literals(pack, files)


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


def _literals(pack: StoryPack, files: tuple[GraphFile, ...]) -> Iterator[Problem]:
    """Literals that would be cited in another spelling than the file's, or that hold what no page may show."""
    for file in files:
        for quad in ox.parse(file.turtle, ox.RdfFormat.TURTLE):
            if not isinstance(quad.object, ox.Literal):
                continue
            where = str(quad.subject)
            if _UNSPEAKABLE.search(quad.object.value):
                cause = f"a literal of {where} holds control or direction characters"
                yield Problem(file.name, _line(file, quad), cause, "take them out")
            if quad.object.datatype.value.startswith("http://www.w3.org/2001/XMLSchema#") and isinstance(
                quad.subject, ox.NamedNode
            ):
                wanted = Literal(quad.object.value, quad.object.datatype.value, quad.object.language or "")
                kept = {t.object for t in pack.graph.match(Iri(quad.subject.value), Iri(quad.predicate.value))}
                if wanted not in kept:
                    cause = f"{wanted.n3()} of {where} is not in canonical form"
                    yield Problem(file.name, _line(file, quad), cause, "write the number or duration canonically")


def _line(file: GraphFile, quad: ox.Quad) -> int | None:
    if not isinstance(quad.subject, ox.NamedNode):
        return None
    return next((reference.line for reference in find_references([file], quad.subject.value)), None)


def _at(files: tuple[GraphFile, ...], iri: Iri, cause: str, remedy: str) -> Problem:
    for reference in find_references(files, iri.value):
        return Problem(reference.file, reference.line, f"{iri.n3()} {cause}", remedy)
    return Problem(files[0].name if files else "pack.toml", None, f"{iri.n3()} {cause}", remedy)


def _namespace(iri: str) -> str:
    return iri[: max(iri.rfind("#"), iri.rfind("/")) + 1]
