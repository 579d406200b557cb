"""The contract of a knowledge graph, the same for every adapter, and the parity of the engines on every question."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path

import pytest

from graph_tools.eligibility import Answers
from graph_tools.errors import InvalidPack, QueryFailed
from graph_tools.graph_files import GraphFile, read_graph_files
from graph_tools.joins import Joins
from graph_tools.knowledge_graph import EmbeddedGraph, KnowledgeGraph, RdflibGraph, open_graph
from graph_tools.pack import StoryPack
from graph_tools.proofs import answered_bindings
from graph_tools.terms import XSD, Blank, Iri, Literal, Row, Triple

TINY = Path(__file__).parent / "packs" / "tiny-observatory"
X = "http://x.example/"
LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"

TURTLE = f"""@prefix x: <{X}> .
@prefix xsd: <{XSD}> .
x:a x:name "Ann", "Anne"@fr ; x:age 40 ; x:knows x:b, x:c ; x:since "1985-07"^^xsd:gYearMonth .
x:b x:name "Bo\\"b\\n" ; x:at "1985-07-13T18:41:00+01:00"^^xsd:dateTime .
x:c x:part [ x:name "inner" ] .
"""

Open = Callable[[str], KnowledgeGraph]


def embedded(turtle: str) -> KnowledgeGraph:
    graph, problems = EmbeddedGraph.load([GraphFile("kg.ttl", turtle.encode())])
    if graph is None:
        raise InvalidPack(problems)
    return graph


def rdflib(turtle: str) -> KnowledgeGraph:
    return RdflibGraph([GraphFile("kg.ttl", turtle.encode())])


@pytest.fixture(params=[embedded, rdflib], ids=["oxigraph", "rdflib"])
def load(request: pytest.FixtureRequest) -> Open:
    """Opens a graph from Turtle in one of the adapters."""
    opener: Open = request.param
    return opener


def rows(found: list[Row]) -> list[list[tuple[str, str]]]:
    return sorted(sorted((name, term.n3()) for name, term in row.items()) for row in found)


def test_rows_hold_our_own_terms(load: Open) -> None:
    found = load(TURTLE).select(f"SELECT ?p ?o WHERE {{ <{X}a> ?p ?o }} ORDER BY ?p ?o")
    terms = {(str(row["p"].n3()), row["o"]) for row in found}
    assert (f"<{X}name>", Literal("Ann", XSD + "string")) in terms
    assert (f"<{X}name>", Literal("Anne", LANG_STRING, "fr")) in terms
    assert (f"<{X}age>", Literal("40", XSD + "integer")) in terms
    assert (f"<{X}knows>", Iri(X + "b")) in terms
    assert (f"<{X}since>", Literal("1985-07", XSD + "gYearMonth")) in terms


def test_the_spelling_of_a_literal_is_kept(load: Open) -> None:
    found = load(TURTLE).select(f"SELECT ?name ?at WHERE {{ <{X}b> <{X}name> ?name ; <{X}at> ?at }} ORDER BY ?name")
    assert found == [
        {"name": Literal('Bo"b\n'), "at": Literal("1985-07-13T18:41:00+01:00", XSD + "dateTime")},
    ]


def test_an_unbound_variable_is_absent(load: Open) -> None:
    query = (
        f"SELECT ?s ?age WHERE {{ ?s <{X}name> ?n OPTIONAL {{ ?s <{X}age> ?age }} FILTER(isIRI(?s)) }} ORDER BY ?s ?n"
    )
    found = load(TURTLE).select(query)
    assert {tuple(sorted(row)) for row in found} == {("age", "s"), ("s",)}


def test_rows_in_which_nothing_is_bound_are_left_out(load: Open) -> None:
    query = f"SELECT ?age WHERE {{ ?s <{X}name> ?n OPTIONAL {{ ?s <{X}age> ?age }} }} ORDER BY ?age"
    assert load(TURTLE).select(query) == [{"age": Literal("40", XSD + "integer")}] * 2


def test_a_blank_node_is_told_from_a_name(load: Open) -> None:
    (row,) = load(TURTLE).select(f"SELECT ?part WHERE {{ <{X}c> <{X}part> ?part }} ORDER BY ?part")
    assert isinstance(row["part"], Blank)


def test_what_is_in_the_graph_is_contained(load: Open) -> None:
    graph = load(TURTLE)
    everything = list(graph.match())
    assert len(everything) == len(graph) == 10
    assert all(graph.contains(triple) for triple in everything)
    assert not graph.contains(
        Triple(Iri(X + "a"), Iri(X + "name"), Literal("Ann", language="en", datatype=LANG_STRING))
    )
    assert not graph.contains(Triple(Iri(X + "a"), Iri(X + "age"), Literal("40")))


def test_a_pattern_matches_by_every_place(load: Open) -> None:
    graph = load(TURTLE)
    assert {triple.object for triple in graph.match(Iri(X + "a"), Iri(X + "knows"))} == {Iri(X + "b"), Iri(X + "c")}
    assert [triple.subject for triple in graph.match(None, None, Literal("Ann"))] == [Iri(X + "a")]
    assert not list(graph.match(Iri(X + "nobody")))


def test_nothing_is_said_about_a_literal(load: Open) -> None:
    graph = load(TURTLE)
    name, ann = Iri(X + "name"), Literal("Ann")
    assert not graph.contains(Triple(ann, name, ann))
    assert not graph.contains(Triple(Iri(X + "a"), ann, ann))
    assert not list(graph.match(ann))
    assert not list(graph.match(None, ann))


@pytest.mark.parametrize("query", ["SELECT ?s WHERE {", "ASK { ?s ?p ?o }", "nonsense"])
def test_a_query_that_cannot_run_is_an_error_and_no_empty_answer(query: str, load: Open) -> None:
    with pytest.raises(QueryFailed):
        load(TURTLE).select(query)


@pytest.mark.parametrize(
    "iri", ["http://x.example/Bob Dylan", 'http://x.example/"', "http://x.example/{id}", "http://x.example/a|b"]
)
def test_an_illegal_iri_is_refused_whichever_engine_asks(iri: str, load: Open) -> None:
    with pytest.raises(InvalidPack, match=r"kg\.ttl:2: not valid Turtle"):
        load(f'@prefix x: <{X}> .\n<{iri}> x:name "Bob" .\n')


@pytest.mark.parametrize("turtle", ['@prefix x: <http://x/> .\nx:a x:b "B"', "x:a x:b x:c .", "<a> <b> <c> ."])
def test_a_bad_file_is_a_problem_and_never_another_exception(turtle: str, load: Open) -> None:
    with pytest.raises(InvalidPack):
        load(turtle)


def test_a_statement_about_a_statement_is_refused(load: Open) -> None:
    with pytest.raises(InvalidPack, match="statement about a statement"):
        load("@prefix x: <http://x/> .\nx:a x:b <<( x:c x:d x:e )>> .")


def test_the_digest_is_that_of_the_bytes(load: Open) -> None:
    assert load(TURTLE).digest == load(TURTLE).digest
    assert load(TURTLE).digest != load(TURTLE + "# one more comment\n").digest
    assert load(TURTLE).digest.startswith("sha256:")


def test_blank_nodes_are_counted() -> None:
    graph = embedded(TURTLE)
    assert isinstance(graph, EmbeddedGraph)
    assert graph.blank_nodes == 1


def test_rdflib_is_imported_only_for_its_own_adapter() -> None:
    script = (
        "import sys; from pathlib import Path; from graph_tools.knowledge_graph import open_graph;"
        f"open_graph(Path({str(TINY)!r}), ['kg/sky.ttl', 'kg/people.ttl']); print('rdflib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_files_are_one_graph_in_any_order() -> None:
    names = ["kg/sky.ttl", "kg/people.ttl"]
    one, other = open_graph(TINY, names), open_graph(TINY, names[::-1])
    assert len(one) == len(other)
    assert one.digest == other.digest


# Parity


@pytest.mark.parametrize("which", ["tiny", pytest.param("own", marks=pytest.mark.slow)])
def test_every_question_gives_the_same_rows_on_both_engines(which: str, project: Path) -> None:
    pack = StoryPack.open(TINY if which == "tiny" else project)
    files, problems = read_graph_files(pack.root, pack.graph_files)
    assert not problems
    other = RdflibGraph(files)
    assert len(other) == len(pack.graph)
    answers, joins = Answers(pack), Joins(pack.graph)
    asked = 0
    for cq_id, template in pack.library.items():
        for bindings in _a_few(list(islice(answered_bindings(cq_id, pack, answers, joins), 40))):
            query = template.bind(bindings, pack.entities)
            ours, theirs = pack.graph.select(query), other.select(query)
            assert rows(ours) == rows(theirs), f"{cq_id} {bindings}"
            for row in ours:
                for triple in template.prove(row, bindings, other):
                    assert pack.graph.contains(triple)
            asked += 1
    assert asked >= len(pack.library)


def _a_few(found: list[Mapping[str, Iri]]) -> list[Mapping[str, Iri]]:
    """The first, the last and one from the middle."""
    return [found[at] for at in sorted({0, len(found) // 2, len(found) - 1})] if found else []
