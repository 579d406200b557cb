"""The closed vocabulary: every class and property of the graph is declared somewhere, with what it means.

Two places count: the term lists that ship with the project (vocabularies/*.txt), and the Turtle files that the pack
names in `[checks] vocabulary`. A graph file that is checked alone may declare its terms itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from graph_tools.checks.examined import Examined, local, namespace
from graph_tools.errors import Problem
from graph_tools.graph_files import read_graph_files
from graph_tools.knowledge_graph import EmbeddedGraph, KnowledgeGraph
from graph_tools.pack_file import Checks
from graph_tools.terms import RDF_TYPE, RDF_TYPE_IRI, Blank, Iri, Literal, Term

_LISTS = Path(__file__).with_name("vocabularies")
_RDF = RDF_TYPE_IRI.removesuffix("type")
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL = "http://www.w3.org/2002/07/owl#"
_CLASSES = {_RDFS + "Class", _OWL + "Class"}
_PROPERTIES = {_RDF + "Property", _OWL + "ObjectProperty", _OWL + "DatatypeProperty", _OWL + "AnnotationProperty"}
_LABEL, _COMMENT = Iri(_RDFS + "label"), Iri(_RDFS + "comment")
_DOMAIN, _RANGE = Iri(_RDFS + "domain"), Iri(_RDFS + "range")
_UNION, _FIRST, _REST = Iri(_OWL + "unionOf"), Iri(_RDF + "first"), Iri(_RDF + "rest")
_ANYTHING = {_RDFS + "Resource", _OWL + "Thing", _RDFS + "Literal"}


@dataclass(frozen=True)
class Terms:
    """Every declared term, and for those of the pack's own files the classes that they join."""

    known: frozenset[str]
    domains: Mapping[Iri, frozenset[str]]
    """Property -> classes of which its subjects have one; left out where it says nothing."""
    ranges: Mapping[Iri, frozenset[str]]
    """Property -> classes or datatypes of which its values have one."""

    @property
    def namespaces(self) -> frozenset[str]:
        """The namespaces in which something is declared."""
        return frozenset(namespace(term) for term in self.known)


@cache
def shipped_terms() -> frozenset[str]:
    """Every term of the lists that ship with the project."""
    found = set()
    for path in sorted(_LISTS.glob("*.txt")):
        base, *names = (line for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
        found |= {base + name for name in names}
    return frozenset(found)


def load_terms(root: Path, files: Iterable[str]) -> tuple[Terms | None, tuple[Problem, ...]]:
    """The shipped terms and those of the pack's vocabulary files (None where one cannot be read), and their faults."""
    names = sorted(files)
    read, problems = read_graph_files(root, names)
    graph, more = EmbeddedGraph.load(read)
    found = [*problems, *more]
    if graph is None or found:
        return None, tuple(found)
    examined = Examined(graph, read, (_LABEL.value,), Checks(), root)
    known = set(shipped_terms())
    domains: dict[Iri, frozenset[str]] = {}
    ranges: dict[Iri, frozenset[str]] = {}
    for subject in examined.subjects:
        classes = examined.classes(subject)
        if not classes & (_CLASSES | _PROPERTIES):
            continue
        known.add(subject.value)
        said = examined.about[subject]
        wanted = [_LABEL, _COMMENT] + ([_DOMAIN, _RANGE] if classes & _PROPERTIES else [])
        missing = [property_.value.rsplit("#", 1)[1] for property_ in wanted if property_ not in said]
        if missing:
            cause = f"is declared without {' and '.join(missing)}"
            found.append(examined.problem(subject, "term-undocumented", cause, "say what it means and what it joins"))
        for property_, table in ((_DOMAIN, domains), (_RANGE, ranges)):
            union = {name for value in said.get(property_, ()) for name in _members(graph, value)}
            if union and not union & _ANYTHING:
                table[subject] = frozenset(union)
    return Terms(frozenset(known), domains, ranges), tuple(found)


def term_problems(graph: Examined, terms: Terms) -> Iterator[Problem]:
    """Every class and property that is declared nowhere."""
    for (kind, term), count in sorted(_undeclared_terms(graph, terms).items()):
        yield from _undeclared(graph, terms, kind, term, count)


def scheme_twins(graph: Examined, terms: Terms) -> Mapping[Iri, Iri]:
    """Terms that are written with http where https is declared, or the reverse, and the declared ones."""
    undeclared = {term for _, term in _undeclared_terms(graph, terms)}
    return {term: Iri(twin) for term in sorted(undeclared) if (twin := _twin(term)) in terms.known}


def _undeclared_terms(graph: Examined, terms: Terms) -> Counter[tuple[str, Iri]]:
    """(class or property, term) -> how often it is used."""
    known = terms.known | _declared_here(graph)
    used: Counter[tuple[str, Iri]] = Counter()
    for _, predicate, value in graph.triples:
        if isinstance(predicate, Iri):
            used["property", predicate] += 1
            if predicate == RDF_TYPE and isinstance(value, Iri):
                used["class", value] += 1
    return Counter({named: count for named, count in used.items() if named[1].value not in known})


def _twin(term: Iri) -> str:
    scheme, _, rest = term.value.partition("://")
    return {"http": "https", "https": "http"}.get(scheme, scheme) + "://" + rest


def _undeclared(graph: Examined, terms: Terms, kind: str, term: Iri, count: int) -> Iterator[Problem]:
    twin = _twin(term)
    times = f"{count} time{'s' if count > 1 else ''}"
    if twin in terms.known:
        cause = (
            f"is used as a {kind} ({times}), but it is <{twin}> that is declared: http and https are different terms"
        )
        yield graph.problem(term, "term-twin", cause, "write all of them in the declared form")
        return
    siblings = {local(known): known for known in sorted(terms.known) if namespace(known) == namespace(term.value)}
    near = [f"<{siblings[name]}>" for name in get_close_matches(local(term.value), siblings, n=2, cutoff=0.7)]
    hint = f"write {' or '.join(near)}" if near else "correct it"
    cause = f"is used as a {kind} ({times}), but no vocabulary declares it"
    remedy = f"{hint}, or declare it in a file of [checks] vocabulary"
    yield graph.problem(term, "term-undeclared", cause, remedy)


def join_problems(graph: Examined, terms: Terms) -> Iterator[Problem]:
    """Every use of an own property that its domain or range does not allow."""
    for subject, predicate, value in graph.triples:
        if not isinstance(predicate, Iri) or not isinstance(subject, Iri):
            continue
        domain, range_ = terms.domains.get(predicate), terms.ranges.get(predicate)
        classes = graph.classes(subject)
        if domain and classes and not classes & domain:
            cause = f"has a {predicate.n3()}, but is none of {_listed(domain)}"
            yield graph.problem(subject, "term-domain", cause, "correct the statement, or the domain in the vocabulary")
        if range_ and not _fits(graph, value, range_):
            cause = f"has {value.n3()} for {predicate.n3()}, which is none of {_listed(range_)}"
            yield graph.problem(subject, "term-range", cause, "correct the statement, or the range in the vocabulary")


def _fits(graph: Examined, value: Term, allowed: frozenset[str]) -> bool:
    if isinstance(value, Literal):
        return value.datatype in allowed
    classes = graph.classes(value)
    return bool(classes & allowed) or not classes  # what has no class is a fault of its own


def _listed(classes: frozenset[str]) -> str:
    return ", ".join(f"<{class_}>" for class_ in sorted(classes))


def _declared_here(graph: Examined) -> frozenset[str]:
    return frozenset(s.value for s in graph.subjects if graph.classes(s) & (_CLASSES | _PROPERTIES))


def _members(graph: KnowledgeGraph, value: Term) -> Iterator[str]:
    """The class itself, or those of its owl:unionOf list."""
    if isinstance(value, Iri):
        yield value.value
    elif isinstance(value, Blank):
        for _, _, rest in graph.match(value, _UNION):
            while isinstance(rest, Blank):
                yield from (first.value for _, _, first in graph.match(rest, _FIRST) if isinstance(first, Iri))
                rest = next((after for _, _, after in graph.match(rest, _REST)), Iri(_RDF + "nil"))
