"""The description of a built graph: VoID (https://www.w3.org/TR/void/) and DCAT (https://www.w3.org/TR/vocab-dcat-3/).

What people say of the graph stands in `kg/sources/dataset.toml`, its version in `pack.toml`; every figure is counted.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from graph_tools.build.canonical import turtle
from graph_tools.build.mapping import Mapping
from graph_tools.build.names import Names
from graph_tools.errors import InvalidPack, Problem
from graph_tools.terms import RDF_TYPE, XSD, Iri, Literal, Term, Triple
from graph_tools.toml_source import TomlSource, read_toml, validate

DATASET_FILE = "kg/sources/dataset.toml"
PREFIXES = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "spdx": "http://spdx.org/rdf/terms#",
    "void": "http://rdfs.org/ns/void#",
    "xsd": XSD,
}
_TURTLE = Iri("https://www.iana.org/assignments/media-types/text/turtle")
_WEB = r"^https?://[^\s<>\"{}|\\^`]+$"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Agent(_Strict):
    """Who publishes it."""

    iri: str = Field(pattern=_WEB)
    name: str = Field(min_length=1)


class Target(_Strict):
    """Another dataset that the graph links to: every object that begins with `space` is a link."""

    iri: str = Field(pattern=_WEB)
    title: str = Field(min_length=1)
    space: str = Field(pattern=_WEB)


class Dataset(_Strict):
    """The whole file."""

    file: str = Field(pattern=r"^[\w./-]+\.ttl$")
    """Where the description goes, relative to the pack."""
    iri: str = Field(pattern=_WEB)
    title: str = Field(min_length=1)
    description: str = Field(min_length=1)
    language: str = Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")
    """Of title, description and keywords."""
    licence: str = Field(pattern=_WEB)
    publisher: Agent
    keywords: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    """Addresses of what it was made from."""
    download: str | None = Field(default=None, pattern=_WEB)
    """Where the graph file can be fetched."""
    examples: tuple[str, ...] = ()
    """Ids of a few nodes that show what it is about."""
    targets: tuple[Target, ...] = ()


def describe(pack_dir: Path, mapping: Mapping, triples: Collection[Triple], graph: bytes) -> tuple[str, bytes] | None:
    """(file, Turtle) about these triples and the graph file they make; None where the pack describes nothing.

    Raises InvalidPack.
    """
    if not (pack_dir / DATASET_FILE).is_file():
        return None
    source = _read(pack_dir, DATASET_FILE)
    dataset = validate(Dataset, source)
    if not isinstance(dataset, Dataset):
        raise InvalidPack(dataset)
    names = Names(mapping, pack_dir)
    subjects = {triple.subject for triple in triples}
    problems = [
        source.problem(("examples", number), f"{example!r} is no node of the graph", "name the id of one that is")
        for number, example in enumerate(dataset.examples)
        if names.named(names.base + example) not in subjects
    ]
    version = _read(pack_dir, "pack.toml").data.get("version")
    if not isinstance(version, str):
        problems.append(Problem("pack.toml", None, "there is no version", 'add version = "1.0.0"'))
    if problems:
        raise InvalidPack(problems)
    said = _Description(dataset, mapping, names)
    facts = [*said.about(str(version)), *said.file(graph), *said.figures(triples), *said.links(triples)]
    return dataset.file, turtle(facts, {**mapping.prefixes, **PREFIXES})


def _read(pack_dir: Path, name: str) -> TomlSource:
    path = pack_dir / name
    if not path.is_file():
        raise InvalidPack([Problem(name, None, f"is missing, and {DATASET_FILE} needs it", "add it")])
    source = read_toml(path.read_text(encoding="utf-8"), name)
    if isinstance(source, Problem):
        raise InvalidPack([source])
    return source


def _term(curie: str) -> Iri:
    prefix, _, local = curie.partition(":")
    return Iri(PREFIXES[prefix] + local)


def _whole(number: int) -> Literal:
    return Literal(str(number), XSD + "integer")


class _Description:
    def __init__(self, dataset: Dataset, mapping: Mapping, names: Names) -> None:
        self._dataset = dataset
        self._mapping = mapping
        self._names = names
        self._node = Iri(dataset.iri)

    def about(self, version: str) -> Iterator[Triple]:
        """What people say of it."""
        dataset, node = self._dataset, self._node
        publisher = Iri(dataset.publisher.iri)
        for kind in ("void:Dataset", "dcat:Dataset"):
            yield Triple(node, RDF_TYPE, _term(kind))
        yield Triple(node, _term("dct:title"), self._text(dataset.title))
        yield Triple(node, _term("dct:description"), self._text(dataset.description))
        yield Triple(node, _term("dct:license"), Iri(dataset.licence))
        yield Triple(node, _term("dct:publisher"), publisher)
        yield Triple(publisher, RDF_TYPE, _term("foaf:Agent"))
        yield Triple(publisher, _term("foaf:name"), Literal(dataset.publisher.name))
        yield Triple(node, _term("dcat:version"), Literal(version))
        yield Triple(node, _term("owl:versionInfo"), Literal(version))
        for base in self._names.bases:
            yield Triple(node, _term("void:uriSpace"), Literal(base))
        for keyword in dataset.keywords:
            yield Triple(node, _term("dcat:keyword"), self._text(keyword))
        for address in dataset.derived_from:
            yield Triple(node, _term("dct:source"), Iri(address))
        for example in dataset.examples:
            yield Triple(node, _term("void:exampleResource"), self._names.named(self._names.base + example))

    def file(self, graph: bytes) -> Iterator[Triple]:
        """The graph file, so that a copy of it can be told from another."""
        file, checksum = self._part("file"), self._part("file_checksum")
        yield Triple(self._node, _term("dcat:distribution"), file)
        yield Triple(file, RDF_TYPE, _term("dcat:Distribution"))
        yield Triple(file, _term("dct:title"), Literal(self._mapping.output))
        yield Triple(file, _term("dct:license"), Iri(self._dataset.licence))
        yield Triple(file, _term("dcat:mediaType"), _TURTLE)
        yield Triple(file, _term("dcat:byteSize"), Literal(str(len(graph)), XSD + "nonNegativeInteger"))
        yield Triple(file, _term("spdx:checksum"), checksum)
        yield Triple(checksum, RDF_TYPE, _term("spdx:Checksum"))
        yield Triple(checksum, _term("spdx:algorithm"), _term("spdx:checksumAlgorithm_sha256"))
        digest = Literal(hashlib.sha256(graph).hexdigest().upper(), XSD + "hexBinary")
        yield Triple(checksum, _term("spdx:checksumValue"), digest)
        if self._dataset.download:
            yield Triple(file, _term("dcat:downloadURL"), Iri(self._dataset.download))
            yield Triple(self._node, _term("void:dataDump"), Iri(self._dataset.download))

    def figures(self, triples: Collection[Triple]) -> Iterator[Triple]:
        """What is counted: the whole, then each class and each property."""
        classes = Counter(t.object for t in triples if t.predicate == RDF_TYPE)
        properties = Counter(t.predicate for t in triples)
        counts = {
            "triples": len(triples),
            "entities": len({t.subject for t in triples if t.predicate == RDF_TYPE}),
            "distinctSubjects": len({t.subject for t in triples}),
            "distinctObjects": len({t.object for t in triples}),
            "classes": len(classes),
            "properties": len(properties),
        }
        for name, count in counts.items():
            yield Triple(self._node, _term(f"void:{name}"), _whole(count))
        used = {term for term in (*classes, *properties) if isinstance(term, Iri)}
        for base in self._mapping.prefixes.values():
            if any(term.value.startswith(base) for term in used):
                yield Triple(self._node, _term("void:vocabulary"), Iri(base.removesuffix("#")))
        for kind, figure, found in (("class", "entities", classes), ("property", "triples", properties)):
            for term, count in found.items():
                part = self._part(f"{kind}_{self._spelled(term)}")
                yield Triple(self._node, _term(f"void:{kind}Partition"), part)
                yield Triple(part, RDF_TYPE, _term("void:Dataset"))
                yield Triple(part, _term(f"void:{kind}"), term)
                yield Triple(part, _term(f"void:{figure}"), _whole(count))

    def links(self, triples: Collection[Triple]) -> Iterator[Triple]:
        """A linkset for each property by which nodes of the graph are linked to each other dataset."""
        for target in self._dataset.targets:
            there = Iri(target.iri)
            links = Counter(
                t.predicate for t in triples if isinstance(t.object, Iri) and t.object.value.startswith(target.space)
            )
            if not links:
                continue
            yield Triple(there, RDF_TYPE, _term("void:Dataset"))
            yield Triple(there, _term("dct:title"), self._text(target.title))
            yield Triple(there, _term("void:uriSpace"), Literal(target.space))
            for predicate, count in links.items():
                linkset = self._part(f"links_{self._spelled(predicate)}_{re.sub(r'[^A-Za-z0-9]', '', target.title)}")
                yield Triple(self._node, _term("void:subset"), linkset)
                yield Triple(linkset, RDF_TYPE, _term("void:Linkset"))
                yield Triple(linkset, _term("void:subjectsTarget"), self._node)
                yield Triple(linkset, _term("void:objectsTarget"), there)
                yield Triple(linkset, _term("void:linkPredicate"), predicate)
                yield Triple(linkset, _term("void:triples"), _whole(count))

    def _text(self, text: str) -> Literal:
        return Literal(text, language=self._dataset.language)

    def _part(self, name: str) -> Iri:
        return Iri(f"{self._dataset.iri}_{name}")

    def _spelled(self, term: Term) -> str:
        """The term as part of a name, by its prefix where it has one."""
        text = term.value if isinstance(term, Iri) else term.n3()
        for prefix, base in self._mapping.prefixes.items():
            if text.startswith(base):
                text = f"{prefix}_{text.removeprefix(base)}"
                break
        return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
