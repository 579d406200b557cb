"""IRIs of the graph's own things: described, typed, well formed, and each thing under one of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from graph_tools.checks.examined import Examined, local, namespace
from graph_tools.errors import Problem
from graph_tools.terms import RDF_TYPE, Iri

LOCAL_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_NUMBERED = re.compile(r"(.+?)[_-][0-9]{1,2}")


def identifier_problems(graph: Examined) -> Iterator[Problem]:
    """Dangling and untyped IRIs, odd local names, spellings that differ in case only, numbered twins, blank nodes."""
    yield from _dangling(graph)
    yield from _untyped(graph)
    yield from _patterns(graph)
    yield from _spellings(graph)
    yield from _numbered(graph)
    yield from _blank(graph)


def _own(graph: Examined) -> tuple[Iri, ...]:
    """Every IRI in the graph's own namespaces that it speaks of as a thing, sorted."""
    objects = {t.object for t in graph.triples if t.predicate != RDF_TYPE and isinstance(t.object, Iri)}
    known = {*graph.subjects, *(iri for iri in objects if namespace(iri.value) in graph.namespaces)}
    return tuple(sorted(known))


def _dangling(graph: Examined) -> Iterator[Problem]:
    for iri in _own(graph):
        if iri not in graph.about:
            cause, remedy = "is named, but nothing is said about it", "describe it, or correct the name"
            yield graph.problem(iri, "iri-dangling", cause, remedy)


def _untyped(graph: Examined) -> Iterator[Problem]:
    for iri in graph.subjects:
        if not graph.classes(iri):
            said = sorted(predicate.value for predicate in graph.about[iri])
            cause = f"has no class ({', '.join(said[:3])}{', ...' if said[3:] else ''} is all that is said of it)"
            yield graph.problem(iri, "iri-untyped", cause, "state its class, or correct the name")


def _patterns(graph: Examined) -> Iterator[Problem]:
    wanted = graph.checks.iri_pattern or LOCAL_NAME
    for iri in _own(graph):
        if not re.fullmatch(wanted, local(iri.value)):
            yield graph.problem(
                iri, "iri-pattern", f"does not end in {wanted}", "rename it, or correct [checks] iri_pattern"
            )


def _spellings(graph: Examined) -> Iterator[Problem]:
    spelled: dict[str, list[Iri]] = defaultdict(list)
    for iri in _own(graph):
        spelled[iri.value.casefold()].append(iri)
    for iris in spelled.values():
        for other in iris[1:]:
            cause = f"differs from {iris[0].n3()} in upper and lower case only"
            yield graph.problem(other, "iri-case", cause, "use one spelling")


def _numbered(graph: Examined) -> Iterator[Problem]:
    spelled: dict[str, list[Iri]] = defaultdict(list)
    for iri in graph.subjects:
        spelled[iri.value.casefold()].append(iri)
    for iri in graph.subjects:
        found = _NUMBERED.fullmatch(iri.value.casefold())
        for other in spelled.get(found.group(1), ()) if found else ():
            if graph.classes(iri) & graph.classes(other):
                cause = f"is a numbered twin of {other.n3()}"
                yield graph.problem(iri, "iri-numbered", cause, "merge them, or name them for what tells them apart")
                break


def _blank(graph: Examined) -> Iterator[Problem]:
    for predicate, count in sorted(graph.blanks.items()):
        cause = f"leads to {count} blank node{'s' if count > 1 else ''}, which no evidence can cite"
        yield graph.problem(predicate, "blank-node", cause, "give each an IRI of its own")
