"""The description of the graph: it parses strictly, and every figure of it is what the graph itself gives."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

import pytest
from pyoxigraph import DefaultGraph, NamedNode, Quad, QuerySolutions, RdfFormat, Store

from graph_tools.build import build_files
from graph_tools.build.description import DATASET_FILE, PREFIXES
from graph_tools.errors import InvalidPack

ROOT = Path(__file__).parent.parent
PREFIXED = "".join(f"PREFIX {prefix}: <{base}>\n" for prefix, base in PREFIXES.items())

MAPPING = """\
output = "kg/wells.ttl"
namespace = "w"
name = "w:name"
[prefixes]
w = "https://wells.example/#"
owl = "http://www.w3.org/2002/07/owl#"
[tables.wells]
files = ["wells.csv"]
subject = ["w:{id}"]
classes = ["w:Well"]
columns.id = { kind = "id" }
columns.name = { kind = "string", predicate = "w:name", required = true }
columns.item = { kind = "iri", pattern = "https://things.example/{value}", predicate = "owl:sameAs" }
"""
DATASET = """\
file = "kg/about.ttl"
iri = "https://wells.example/#Wells"
title = "Wells"
description = "Wells of the \\"old\\" town."
language = "en"
licence = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = { iri = "https://wells.example/#Town", name = "The town" }
download = "https://wells.example/wells.ttl"
examples = ["North"]
[[targets]]
iri = "https://things.example/"
title = "Things"
space = "https://things.example/"
[[targets]]
iri = "https://nobody.example/"
title = "Nobody"
space = "https://nobody.example/"
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "kg" / "sources"
    folder.mkdir(parents=True)
    (folder / "mapping.toml").write_text(MAPPING, encoding="utf-8")
    (folder / "dataset.toml").write_text(DATASET, encoding="utf-8")
    (folder / "wells.csv").write_text("id,name,item\nNorth,North well,Q1\nSouth,South well,\n", encoding="utf-8")
    (tmp_path / "pack.toml").write_text('name = "wells"\nversion = "2.0.1"\n', encoding="utf-8")
    return tmp_path


def loaded(data: bytes) -> Store:
    store = Store()
    store.load(data, RdfFormat.TURTLE)
    return store


def answers(store: Store, query: str) -> list[tuple[str, ...]]:
    """The solutions as text, in order."""
    found = store.query(PREFIXED + query)
    assert isinstance(found, QuerySolutions)
    return sorted(tuple(getattr(term, "value", "") for term in solution) for solution in found)


def values(store: Store, pattern: str) -> list[str]:
    """What ?x is in the solutions of the pattern, in order."""
    return [x for (x,) in answers(store, f"SELECT ?x WHERE {{ {pattern} }}")]


def test_a_small_graph_is_described_whole(pack: Path) -> None:
    files = build_files(pack)
    digest = hashlib.sha256(files["kg/wells.ttl"]).hexdigest().upper()
    assert files["kg/about.ttl"].decode("utf-8") == (
        f"""\
@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix spdx: <http://spdx.org/rdf/terms#> .
@prefix void: <http://rdfs.org/ns/void#> .
@prefix w: <https://wells.example/#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<https://things.example/> a void:Dataset ;
    dct:title "Things"@en ;
    void:uriSpace "https://things.example/" .

w:Town a foaf:Agent ;
    foaf:name "The town" .

w:Wells a dcat:Dataset,
        void:Dataset ;
    dct:description "Wells of the \\"old\\" town."@en ;
    dct:license <https://creativecommons.org/publicdomain/zero/1.0/> ;
    dct:publisher w:Town ;
    dct:title "Wells"@en ;
    void:classPartition w:Wells_class_w_Well ;
    void:classes 1 ;
    void:dataDump <https://wells.example/wells.ttl> ;
    void:distinctObjects 4 ;
    void:distinctSubjects 2 ;
    void:entities 2 ;
    void:exampleResource w:North ;
    void:properties 3 ;
    void:propertyPartition w:Wells_property_http_www_w3_org_1999_02_22_rdf_syntax_ns_type,
        w:Wells_property_owl_sameAs,
        w:Wells_property_w_name ;
    void:subset w:Wells_links_owl_sameAs_Things ;
    void:triples 5 ;
    void:uriSpace "https://wells.example/#" ;
    void:vocabulary <http://www.w3.org/2002/07/owl>,
        <https://wells.example/> ;
    owl:versionInfo "2.0.1" ;
    dcat:distribution w:Wells_file ;
    dcat:version "2.0.1" .

w:Wells_class_w_Well a void:Dataset ;
    void:class w:Well ;
    void:entities 2 .

w:Wells_file a dcat:Distribution ;
    dct:license <https://creativecommons.org/publicdomain/zero/1.0/> ;
    dct:title "kg/wells.ttl" ;
    spdx:checksum w:Wells_file_checksum ;
    dcat:byteSize "{len(files["kg/wells.ttl"])}"^^xsd:nonNegativeInteger ;
    dcat:downloadURL <https://wells.example/wells.ttl> ;
    dcat:mediaType <https://www.iana.org/assignments/media-types/text/turtle> .

w:Wells_file_checksum a spdx:Checksum ;
    spdx:algorithm spdx:checksumAlgorithm_sha256 ;
    spdx:checksumValue "{digest}"^^xsd:hexBinary .

w:Wells_links_owl_sameAs_Things a void:Linkset ;
    void:linkPredicate owl:sameAs ;
    void:objectsTarget <https://things.example/> ;
    void:subjectsTarget w:Wells ;
    void:triples 1 .

w:Wells_property_http_www_w3_org_1999_02_22_rdf_syntax_ns_type a void:Dataset ;
    void:property <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> ;
    void:triples 2 .

w:Wells_property_owl_sameAs a void:Dataset ;
    void:property owl:sameAs ;
    void:triples 1 .

w:Wells_property_w_name a void:Dataset ;
    void:property w:name ;
    void:triples 2 .
"""
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        (DATASET_FILE, 'title = "Wells"', 'titel = "Wells"', "unknown key 'titel'; did you mean title?"),
        (DATASET_FILE, 'licence = "https', 'licence = "ttps', "'licence' is wrong"),
        (DATASET_FILE, '"North"', '"North", "West"', "'West' is no node of the graph"),
        (DATASET_FILE, "language = ", "language ", "not valid TOML"),
        ("pack.toml", "version", "edition", "there is no version"),
    ],
)
def test_a_fault_of_the_description_is_told_with_its_line(
    pack: Path, file: str, old: str, new: str, expected: str
) -> None:
    path = pack / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InvalidPack) as caught:
        build_files(pack)
    found = [str(problem) for problem in caught.value.problems if expected in str(problem)]
    assert found, caught.value
    assert found[0].startswith(file)


def test_a_pack_that_describes_nothing_builds_its_graph_only(pack: Path) -> None:
    (pack / DATASET_FILE).unlink()
    (pack / "pack.toml").unlink()
    assert list(build_files(pack)) == ["kg/wells.ttl"]


@pytest.fixture(scope="module")
def void() -> Store:
    return loaded((ROOT / "kg" / "void.ttl").read_bytes())


@pytest.fixture(scope="module")
def graph() -> Store:
    return loaded((ROOT / "kg" / "liveaid.ttl").read_bytes())


DATASET_NODE = "?d a dcat:Dataset ."


@pytest.mark.parametrize(
    ("figure", "count"),
    [
        ("triples", "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"),
        ("entities", "SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE { ?s a ?c }"),
        ("distinctSubjects", "SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE { ?s ?p ?o }"),
        ("distinctObjects", "SELECT (COUNT(DISTINCT ?o) AS ?n) WHERE { ?s ?p ?o }"),
        ("classes", "SELECT (COUNT(DISTINCT ?c) AS ?n) WHERE { ?s a ?c }"),
        ("properties", "SELECT (COUNT(DISTINCT ?p) AS ?n) WHERE { ?s ?p ?o }"),
    ],
)
def test_a_figure_is_what_the_graph_gives(void: Store, graph: Store, figure: str, count: str) -> None:
    assert [(x,) for x in values(void, f"{DATASET_NODE} ?d void:{figure} ?x")] == answers(graph, count)


@pytest.mark.parametrize(
    ("kind", "figure", "pattern"),
    [("class", "entities", "?s a ?t"), ("property", "triples", "?s ?t ?o")],
)
def test_every_class_and_property_has_its_partition(
    void: Store, graph: Store, kind: str, figure: str, pattern: str
) -> None:
    described = f"SELECT ?t ?n WHERE {{ ?d void:{kind}Partition ?part . ?part void:{kind} ?t ; void:{figure} ?n }}"
    counted = f"SELECT ?t (COUNT(*) AS ?n) WHERE {{ {pattern} }} GROUP BY ?t"
    assert answers(void, described) == answers(graph, counted)


def test_the_linksets_hold_every_link_to_the_other_datasets(void: Store, graph: Store) -> None:
    titles = values(void, "?l a void:Linkset ; void:objectsTarget/dct:title ?x")
    assert {"MusicBrainz", "Wikidata"} <= set(titles)
    linksets = answers(
        void,
        "SELECT ?p ?space ?n WHERE { ?l a void:Linkset ; void:linkPredicate ?p ; void:triples ?n ; "
        "void:objectsTarget/void:uriSpace ?space ; void:subjectsTarget ?d . ?d void:subset ?l }",
    )
    assert len(linksets) >= 2
    for predicate, space, count in linksets:
        objects = [quad.object for quad in graph.quads_for_pattern(None, NamedNode(predicate), None, DefaultGraph())]
        assert str(sum(isinstance(term, NamedNode) and term.value.startswith(space) for term in objects)) == count


def test_the_description_names_licence_version_publisher_and_the_very_file(void: Store, project: Path) -> None:
    pack = tomllib.loads((project / "pack.toml").read_text(encoding="utf-8"))
    data = (project / "kg" / "liveaid.ttl").read_bytes()
    assert values(void, f"{DATASET_NODE} ?d dcat:version ?x") == [pack["version"]]
    assert values(void, f"{DATASET_NODE} ?d dct:license ?x") == ["https://creativecommons.org/licenses/by-nc/4.0/"]
    assert "by-nc/4.0" in (project / "kg" / "LICENSE").read_text(encoding="utf-8")
    assert values(void, f"{DATASET_NODE} ?d dct:publisher/foaf:name ?x") == ["Cuestory contributors"]
    assert values(void, "?f spdx:checksum/spdx:checksumValue ?x") == [hashlib.sha256(data).hexdigest().upper()]
    assert values(void, "?f dcat:byteSize ?x") == [str(len(data))]
    assert values(void, "?f a dcat:Distribution ; dct:title ?x") == ["kg/liveaid.ttl"]


def test_both_parsers_read_the_same_and_no_node_is_blank(void: Store, project: Path) -> None:
    from rdflib import Graph
    from rdflib.term import BNode

    other = Graph().parse(project / "kg" / "void.ttl", format="turtle")
    assert len(other) == len(void)
    assert not any(isinstance(term, BNode) for triple in other for term in triple)
    assert all(isinstance(quad, Quad) for quad in void)
