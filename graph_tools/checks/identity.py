"""Links to the same thing elsewhere: one target for one thing, one thing for one target, one spelling of a scheme."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from graph_tools.checks.conventions import Scheme
from graph_tools.checks.examined import Examined
from graph_tools.errors import Problem
from graph_tools.terms import Iri

HUB = 3
"""Things that one identifier may join before it is a hub."""


@dataclass(slots=True)
class _Links:
    """Every link of the graph to the same thing elsewhere."""

    by_key: dict[tuple[str, str], set[Iri]] = field(default_factory=lambda: defaultdict(set))
    """(kind of identifier, key) -> what is said to be that."""
    by_subject: dict[Iri, dict[str, set[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    """Thing -> kind of identifier -> keys."""
    spelled: dict[Scheme, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Scheme -> way of writing it -> how often."""
    first: dict[tuple[str, str], Iri] = field(default_factory=dict)
    pages: list[tuple[Iri, Iri]] = field(default_factory=list)


def identity_problems(graph: Examined) -> Iterator[Problem]:
    """Shared and doubled identifiers, hubs, pages taken for things, and identifiers spelled in several ways."""
    links = _collect(graph)
    yield from _shared(graph, links)
    yield from _doubled(graph, links)
    yield from _spellings(graph, links)
    for subject, page in links.pages:
        cause = f"is said to be the page {page.n3()} itself"
        yield graph.problem(subject, "id-page", cause, "link the page with a property for pages about a thing")


def external_ids(graph: Examined) -> dict[Iri, dict[str, frozenset[str]]]:
    """Thing -> kind of identifier -> the keys that it has."""
    kinds = _collect(graph).by_subject
    return {thing: {kind: frozenset(keys) for kind, keys in found.items()} for thing, found in kinds.items()}


def _collect(graph: Examined) -> _Links:
    links = _Links()
    for subject, predicate, target in graph.triples:
        if not (isinstance(subject, Iri) and isinstance(predicate, Iri) and isinstance(target, Iri)):
            continue
        if predicate.value not in graph.conventions.same_as:
            continue
        known = graph.conventions.identify(target.value)
        if known is None:
            links.by_key["", target.value].add(subject)
            continue
        scheme, key = known
        if scheme.page:
            if predicate.value == graph.conventions.merges:
                links.pages.append((subject, target))
            continue
        links.by_key[scheme.kind, key].add(subject)
        links.by_subject[subject][scheme.kind].add(key)
        way = target.value.replace(key, "{id}")
        links.spelled[scheme][way] += 1
        links.first.setdefault((scheme.kind, way), subject)
    return links


def _shared(graph: Examined, links: _Links) -> Iterator[Problem]:
    for (kind, key), subjects in sorted(links.by_key.items()):
        if len(subjects) < 2:
            continue
        first, *others = sorted(subjects)
        shown = ", ".join(iri.n3() for iri in others)
        what = f"{kind} {key}" if kind else f"<{key}>"
        if len(subjects) < HUB:
            cause = f"is the same {what} as {shown}"
            yield graph.problem(first, "id-shared", cause, "merge them, or correct one of the links")
        else:
            cause = f"and {shown} are all the same {what}: whoever reasons over it takes them for one thing"
            yield graph.problem(first, "id-hub", cause, "keep the link of the one that it is, and take out the others")


def _doubled(graph: Examined, links: _Links) -> Iterator[Problem]:
    for subject, kinds in sorted(links.by_subject.items()):
        for kind, keys in sorted(kinds.items()):
            if len(keys) > 1:
                cause = f"is {len(keys)} different {kind}s: {', '.join(sorted(keys))}"
                yield graph.problem(subject, "id-two", cause, "keep the right one")


def _spellings(graph: Examined, links: _Links) -> Iterator[Problem]:
    for scheme, ways in sorted(links.spelled.items(), key=lambda item: item[0].kind):
        for way, count in sorted(ways.items()):
            if way != scheme.canonical:
                cause = f"writes a {scheme.kind} as {way} ({count} time{'s' if count > 1 else ''})"
                subject = links.first[scheme.kind, way]
                yield graph.problem(subject, "id-spelling", cause, f"write it as {scheme.canonical}")
