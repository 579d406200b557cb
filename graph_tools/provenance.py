"""Recorded stories as RDF, to be loaded beside the graph: who told what, from which evidence, by which query.

Published terms only. PROV-O says what came of what; Web Annotation joins a sentence to its evidence, and gives pages
the days on which they were read; SHACL holds the query. Each statement of a proof is an rdf:Statement with its parts:
reification is plain RDF 1.1, so any SPARQL 1.1 engine finds the same statement in the graph by `?s ?p ?o`. A statement
has the same name in every story. The same log gives the same bytes. `graph_tools/shapes/story.ttl` says what has to
stand there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyoxigraph as ox

from graph_tools.build.canonical import turtle
from graph_tools.evidence import Asked, Factlet, Snippet, Source
from graph_tools.terms import RDF_TYPE, XSD, Iri, Literal, Term, Triple

_BASES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "oa": "http://www.w3.org/ns/oa#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "sh": "http://www.w3.org/ns/shacl#",
    "xsd": XSD,
}
NAMES = "urn:cuestory:"
"""Begins the names of what is made here; each ends in a hash, so that two stories never share one by accident."""
_PAGE = re.compile(r"https?://[^\x00-\x20<>\"{}|^`\\]+")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence and what it cites."""

    text: str
    factlets: tuple[Factlet, ...]
    snippets: tuple[Snippet, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """A beat."""

    place: int
    step: str
    suppressed_because: str
    asked: tuple[Asked, ...]
    said: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A story as it was recorded."""

    id: str
    """A hash that names this very recording."""
    began: str
    """xsd:dateTime; "" where it is not known."""
    language: str
    teller: str
    """The software and its version."""
    narrator: str
    """The language model, or what else found the words."""
    pack: str
    graph: str
    """Digest of the graph it was told from."""
    beats: tuple[Told, ...]


def story_turtle(record: Record) -> bytes:
    """The record as canonical Turtle. Raises ValueError where a proof is no N-Triples."""
    return turtle(_statements(record), _BASES)


def _term(name: str) -> Iri:
    prefix, _, local = name.partition(":")
    return Iri(_BASES[prefix] + local)


def _told(subject: Term, *said: tuple[str, Term]) -> Iterator[Triple]:
    for name, value in said:
        yield Triple(subject, RDF_TYPE if name == "a" else _term(name), value)


def _statements(record: Record) -> Iterator[Triple]:
    story, telling = Iri(f"{NAMES}story:{record.id}"), Iri(f"{NAMES}telling:{record.id}")
    graph, teller = Iri(f"{NAMES}graph:{record.graph}"), Iri(f"{NAMES}teller:{_hash(record.teller + record.narrator)}")
    yield from _told(
        story,
        ("a", _term("prov:Entity")),
        ("prov:wasGeneratedBy", telling),
        ("prov:wasAttributedTo", teller),
        ("prov:wasDerivedFrom", graph),
        ("dcterms:language", Literal(record.language)),
    )
    yield from _told(telling, ("a", _term("prov:Activity")), ("prov:used", graph), ("prov:wasAssociatedWith", teller))
    if record.began:
        yield from _told(telling, ("prov:startedAtTime", Literal(record.began, XSD + "dateTime")))
    name = f"{record.teller}, in the words of {record.narrator}"
    yield from _told(teller, ("a", _term("prov:SoftwareAgent")), ("dcterms:title", Literal(name)))
    yield from _told(graph, ("a", _term("prov:Entity")), ("dcterms:identifier", Literal(record.graph)))
    yield from _told(graph, ("dcterms:title", Literal(record.pack)))
    for beat in record.beats:
        yield from _beat(record, beat, story, telling, graph)


def _beat(record: Record, beat: Told, story: Iri, telling: Iri, graph: Iri) -> Iterator[Triple]:
    here = Iri(f"{NAMES}beat:{record.id}:{beat.place}")
    yield from _told(
        here,
        ("a", _term("prov:Entity")),
        ("dcterms:isPartOf", story),
        ("prov:wasGeneratedBy", telling),
        ("dcterms:title", Literal(beat.step)),
    )
    if beat.suppressed_because:
        yield from _told(here, ("dcterms:description", Literal(beat.suppressed_because)))
    queries = {asked.cq: Iri(f"{NAMES}answering:{record.id}:{beat.place}:{asked.cq}") for asked in beat.asked}
    for asked in beat.asked:
        query = Iri(f"{NAMES}query:{_hash(asked.query)}")
        use = Iri(f"{queries[asked.cq].value}:plan")
        yield from _told(
            queries[asked.cq],
            ("a", _term("prov:Activity")),
            ("prov:used", graph),
            ("prov:qualifiedAssociation", use),
            ("dcterms:isPartOf", telling),
        )
        yield from _told(use, ("a", _term("prov:Association")), ("prov:hadPlan", query))
        yield from _told(use, ("prov:agent", Iri(f"{NAMES}teller:{_hash(record.teller + record.narrator)}")))
        yield from _told(
            query,
            ("a", _term("prov:Plan")),
            ("a", _term("sh:SPARQLSelectExecutable")),
            ("dcterms:identifier", Literal(asked.cq)),
            ("dcterms:title", _in(record.language, asked.question)),
            ("sh:select", Literal(asked.query)),
        )
    for number, said in enumerate(beat.said):
        yield from _sentence(record, beat.place, number, said, here, queries)


def _sentence(
    record: Record, place: int, number: int, said: Said, beat: Iri, queries: dict[str, Iri]
) -> Iterator[Triple]:
    sentence, note = (Iri(f"{NAMES}{kind}:{record.id}:{place}:{number}") for kind in ("sentence", "annotation"))
    yield from _told(
        sentence,
        ("a", _term("prov:Entity")),
        ("dcterms:isPartOf", beat),
        ("rdf:value", _in(record.language, said.text)),
    )
    yield from _told(note, ("a", _term("oa:Annotation")), ("oa:motivatedBy", _term("oa:linking")))
    yield from _told(note, ("oa:hasTarget", sentence))
    evidence: tuple[Factlet | Snippet, ...] = (*said.factlets, *said.snippets)
    for cited in evidence:
        body = Iri(f"{NAMES}evidence:{record.id}:{place}:{cited.id}")
        yield from _told(note, ("oa:hasBody", body))
        yield from _told(sentence, ("prov:wasDerivedFrom", body))
        yield from _told(body, ("a", _term("prov:Entity")), ("a", _term("oa:TextualBody")))
        yield from _told(body, ("rdf:value", _in(record.language, cited.text)))
        if isinstance(cited, Factlet):
            yield from _fact(cited, body, queries)
        else:
            page = Source(
                url=cited.source_url, title=cited.source_title, publisher=cited.publisher, accessed=cited.accessed
            )
            yield from _read(page, body)


def _fact(factlet: Factlet, body: Iri, queries: dict[str, Iri]) -> Iterator[Triple]:
    if factlet.cq in queries:
        yield from _told(body, ("prov:wasGeneratedBy", queries[factlet.cq]))
    for line, triple in zip(factlet.triples, parsed(factlet.triples), strict=True):
        statement = Iri(f"{NAMES}statement:{_hash(line)}")
        yield from _told(body, ("prov:wasDerivedFrom", statement))
        yield from _told(
            statement,
            ("a", _term("rdf:Statement")),
            ("a", _term("prov:Entity")),
            ("rdf:subject", triple.subject),
            ("rdf:predicate", triple.predicate),
            ("rdf:object", triple.object),
        )
    for source in factlet.sources:
        yield from _read(source, body)


def _read(source: Source, body: Iri) -> Iterator[Triple]:
    """A page as it was read: on a day, so at some time of it."""
    if not _PAGE.fullmatch(source.url):
        return
    page = Iri(source.url)
    as_read = Iri(f"{NAMES}reading:{_hash(f'{source.url} {source.accessed}')}")
    yield from _told(body, ("prov:hadPrimarySource", as_read))
    yield from _told(as_read, ("a", _term("oa:SpecificResource")), ("a", _term("prov:Entity")))
    yield from _told(as_read, ("oa:hasSource", page))
    if source.title:
        yield from _told(as_read, ("dcterms:title", Literal(source.title)))
    if source.publisher:
        yield from _told(as_read, ("dc:publisher", Literal(source.publisher)))
    if re.fullmatch(r"\d{4}-\d\d-\d\d", source.accessed):
        state = Iri(f"{as_read.value}:state")
        yield from _told(as_read, ("oa:hasState", state))
        yield from _told(state, ("a", _term("oa:TimeState")))
        for name, at in (("oa:sourceDateStart", "00:00:00Z"), ("oa:sourceDateEnd", "23:59:59Z")):
            yield from _told(state, (name, Literal(f"{source.accessed}T{at}", XSD + "dateTime")))


def parsed(lines: Sequence[str]) -> tuple[Triple, ...]:
    """N-Triples statements as triples, in their order. Raises ValueError for anything else."""
    try:
        found = [quad.triple for quad in ox.parse("\n".join(lines).encode(), format=ox.RdfFormat.N_TRIPLES)]
    except SyntaxError as error:
        raise ValueError(f"a proof is no N-Triples: {error}") from None
    return tuple(Triple(_plain(t.subject), _plain(t.predicate), _plain(t.object)) for t in found)


def _plain(term: object) -> Term:
    if isinstance(term, ox.NamedNode):
        return Iri(term.value)
    if isinstance(term, ox.Literal):
        return Literal(term.value, term.datatype.value, term.language or "")
    raise ValueError(f"a proof holds {term}, which has no name of its own")


def _in(language: str, text: str) -> Literal:
    return Literal(text, _BASES["rdf"] + "langString", language)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
