"""One template: tokens, the strict language, the binder, proof and the record of strict parses."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_tools.eligibility import Answers
from graph_tools.errors import InvalidPack, MissingParameter, QueryFailed, UnknownEntity, WrongEntityType
from graph_tools.pack import StoryPack
from graph_tools.sparql_scope import Compiled
from graph_tools.sparql_tokens import UnreadableQuery, code, tokenize
from graph_tools.sparql_tree import Name, Pattern
from graph_tools.template import Template, load_template, tellable
from graph_tools.template_record import recall, remember
from graph_tools.terms import Blank, Iri, Literal, Triple

TINY = Path(__file__).parent / "packs" / "tiny-observatory"
ID = "http://observatory.example/id/"
V = "http://observatory.example/terms/"
HOUSE = Iri(ID + "fellside")
SOLHEIM = Iri(ID + "ingrid-solheim")

HEADER = """\
#+ id = "CQ-X1"
#+ question = "What of {astronomer}?"
#+ steps = ["The Work"]
#+ personas = ["nora"]
#+ factlet = "{astronomer} has {found}."
#+ [parameters.astronomer]
#+ class = "v:Astronomer"
#+ [results]
#+ found = "a find"
#+ [[telling]]
#+ aspect = "finds"
#+ role = "lead"
#+ say = ["{astronomer} has {found}.", "{found} is {astronomer|poss}."]
PREFIX v: <http://observatory.example/terms/>
PREFIX ob: <http://observatory.example/id/>
"""


@pytest.fixture(scope="module")
def pack() -> StoryPack:
    return StoryPack.open(TINY)


def template(query: str, tmp_path: Path) -> Template:
    """A template with that query below a valid header."""
    return load_template(tmp_path / "CQ-X1.rq", HEADER + query)


def refused(query: str, tmp_path: Path) -> str:
    """What the loader says of that query."""
    with pytest.raises(InvalidPack) as caught:
        template(query, tmp_path)
    return str(caught.value)


# Tokens


def kinds(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in code(tokenize(text))]


def test_a_parameter_is_not_found_in_strings_iris_comments_and_names() -> None:
    text = """
    # $comment
    <http://x.example/$iri> "$one" '$two' \"""$three "quoted" \""" '''$four''' ex:a\\$five $real ?var
    """
    parameters = [token.text for token in tokenize(text) if token.kind == "parameter"]
    assert parameters == ["$real"]


def test_less_than_is_told_from_an_iri() -> None:
    assert kinds("?a < ?b && ?c > 3") == [
        ("variable", "?a"), ("mark", "<"), ("variable", "?b"), ("mark", "&&"),
        ("variable", "?c"), ("mark", ">"), ("number", "3"),
    ]  # fmt: skip
    assert kinds("<http://a.example/#x>") == [("iri", "<http://a.example/#x>")]


def test_names_may_hold_dots_and_do_not_swallow_the_final_one() -> None:
    assert kinds("?s ex:a.b ex:c.") == [("variable", "?s"), ("name", "ex:a.b"), ("name", "ex:c"), ("mark", ".")]


def test_tokens_know_their_lines_also_behind_long_strings() -> None:
    tokens = {token.text: token.line for token in tokenize('?a\n"""x\n\ny""" ?b\n# c\n?d')}
    assert (tokens["?a"], tokens["?b"], tokens["?d"]) == (1, 4, 6)


def test_an_open_string_is_named_with_its_line() -> None:
    with pytest.raises(UnreadableQuery, match="not closed") as caught:
        tokenize('?a ?b\n"open\n')
    assert caught.value.line == 2


@given(st.text(alphabet="$?<>\"'#{}().;,:_@^&|!=abc \n\\0", max_size=40))
def test_tokens_joined_are_the_text(text: str) -> None:
    try:
        tokens = tokenize(text)
    except UnreadableQuery:
        return
    assert "".join(token.text for token in tokens) == text


# The strict language: one fault each is in tests/packs/broken; here is what needs several forms


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?found WHERE { ?found v:discoverer $astronomer } ORDER BY ?found",
        "select distinct ?found where { ?found v:discoverer $astronomer . } order by desc(?found)",
        "SELECT ?found ?by WHERE { ?found v:discoverer $astronomer ; ?by $astronomer } ORDER BY ?found ?by",
        "SELECT ?found ?year WHERE { ?found v:discoverer $astronomer OPTIONAL { ?found v:year ?year "
        "FILTER(?year > 1900 && ?year != -5 && ?year NOT IN (1, 2)) } } ORDER BY ?found",
        "SELECT ?found WHERE { { ?found v:discoverer $astronomer } UNION { ?found v:by $astronomer } } ORDER BY ?found",
        "SELECT ?found WHERE { ?found v:discoverer $astronomer FILTER NOT EXISTS { ?found v:l ?d } } ORDER BY ?found",
        "SELECT ?found WHERE { ?found v:discoverer $astronomer MINUS { ?found v:finder $astronomer } } ORDER BY ?found",
        "SELECT ?found ?n WHERE { ?found v:discoverer $astronomer ; v:name ?n "
        'FILTER(LANGMATCHES(LANG(?n), "en") || (CONTAINS(STR(?n), "a (b") && !BOUND(?n)) '
        "|| DATATYPE(?n) = v:x || STRSTARTS(?n, 'c') || YEAR(?n) = 1985) } ORDER BY ?found",
        'SELECT ?found WHERE { ?found v:discoverer $astronomer ; v:n 5, 1.5, true, "x"@en, "y"^^v:t } ORDER BY ?found',
        "SELECT ?found ?o ?e WHERE { ?found v:discoverer $astronomer OPTIONAL { ?found v:o ?o OPTIONAL { ?o v:e ?e } } "
        "} ORDER BY ?found",
    ],
)
def test_the_template_language_is_accepted(query: str, tmp_path: Path) -> None:
    assert template(query, tmp_path).cq.id == "CQ-X1"


@pytest.mark.parametrize(
    ("query", "cause"),
    [
        ("ASK { ?found v:discoverer $astronomer }", "ASK is not allowed"),
        ("DESCRIBE $astronomer", "DESCRIBE is not allowed"),
        ("SELECT REDUCED ?found WHERE { ?found v:discoverer $astronomer } ORDER BY ?found", "REDUCED is not allowed"),
        ("BASE <http://x.example/> SELECT ?found WHERE { ?found v:d $astronomer } ORDER BY ?found", "BASE"),
        ("SELECT ?found WHERE { ?found v:d* $astronomer } ORDER BY ?found", "not allowed"),
        ("SELECT ?found WHERE { ?found !v:d $astronomer } ORDER BY ?found", "not allowed"),
        ("SELECT ?found WHERE { ?found v:d|v:e $astronomer } ORDER BY ?found", "not allowed"),
        (
            "SELECT ?found WHERE { ?found v:d $astronomer FILTER(?found <$astronomer) } ORDER BY ?found",
            "stands after <",
        ),
        ("SELECT ?found WHERE { ?found v:d $astronomer FILTER(COALESCE(?found, 1)) } ORDER BY ?found", "COALESCE"),
        (
            "SELECT ?found WHERE { ?found v:d $astronomer FILTER(IF(?found, 1, 2)) } ORDER BY ?found",
            "IF is not allowed",
        ),
        ("SELECT ?found WHERE { ?found v:d $astronomer FILTER($astronomer(?found)) } ORDER BY ?found", "function"),
        (
            "SELECT ?found WHERE { ?found v:d $astronomer FILTER STRSTARTS(?found, v:f(?found)) } ORDER BY ?found",
            "function",
        ),
        ("SELECT ?found WHERE { ?found v:d $astronomer ; v:e 1, (1 2) } ORDER BY ?found", "list"),
        ("SELECT ?found WHERE { ?found v:d $astronomer } ORDER BY ?found VALUES ?found { v:x }", "VALUES"),
        ("SELECT ?found WHERE { << ?found v:d $astronomer >> v:e 1 } ORDER BY ?found", "does not parse"),
        ("SELECT ?found WHERE { ?found v:d $astronomer . v:a v:b v:c } ORDER BY ?found", "not joined"),
        (
            "SELECT ?found WHERE { ?found v:d $astronomer MINUS { ?found v:e ?x . ?y v:f ?z } } ORDER BY ?found",
            "in MINUS",
        ),
        (
            "SELECT ?found WHERE { { ?found v:d $astronomer } UNION { ?found v:e ob:x } } ORDER BY ?found",
            "limit every row",
        ),
        ("SELECT ?found WHERE { { } UNION { ?found v:e $astronomer } } ORDER BY ?found", "no required pattern"),
        (
            "SELECT ?found WHERE { ?found v:d $astronomer OPTIONAL { FILTER(?found = 1) } } ORDER BY ?found",
            "no pattern",
        ),
        ("SELECT (?a AS ?found) WHERE { ?a v:d $astronomer } ORDER BY ?found", "AS is not allowed"),
        ("SELECT ?found WHERE { ?found v:d $astronomer } ORDER BY ?found ; DROP ALL", "not allowed"),
        ("SELECT ?found WHERE { ?found !v:d $astronomer } ORDER BY ?found", "not allowed here"),
        ("SELECT ?found WHERE { ?found v:d <<( $astronomer v:e 1 )>> } ORDER BY ?found", "does not parse"),
    ],
)
def test_what_is_not_in_the_language_is_refused(query: str, cause: str, tmp_path: Path) -> None:
    said = refused(query, tmp_path)
    assert cause in said
    assert all(re.match(r"CQ-X1\.rq:\d+: .+; .+", line) for line in said.splitlines()), said


def test_a_word_in_a_string_or_a_comment_is_no_fault(tmp_path: Path) -> None:
    query = """# SERVICE and LIMIT are only spoken of here, and $nobody is bound
    SELECT ?found WHERE { ?found v:discoverer $astronomer ; v:note "SERVICE $x LIMIT {" } ORDER BY ?found"""
    assert "$nobody" in template(query, tmp_path).query


def test_a_query_near_the_depth_limit_parses_far_down_the_stack(tmp_path: Path) -> None:
    nested = "OPTIONAL { ?a0 v:x ?a1 OPTIONAL { ?a1 v:x ?a2 OPTIONAL { ?a2 v:x ?a3 OPTIONAL { ?a3 v:x ?a4 } } } }"
    query = f"SELECT ?a0 ?a1 ?a2 ?a3 ?a4 WHERE {{ ?a0 v:d $astronomer {nested} }} ORDER BY ?a0"
    text = (HEADER + query).replace("{found}", "{a0}").replace('found = "a find"', 'a0 = "a find"')

    def deep(levels: int) -> Template:
        return deep(levels - 1) if levels else load_template(tmp_path / "CQ-X1.rq", text)

    assert deep(200).variables == ("a0", "a1", "a2", "a3", "a4")


def test_the_blocks_of_a_query_are_its_optionals_and_branches(tmp_path: Path) -> None:
    query = """SELECT ?found ?a ?b ?c WHERE { ?found v:d $astronomer . { ?found v:a ?a } UNION { ?found v:b ?a }
      OPTIONAL { ?found v:b ?b OPTIONAL { ?b v:c ?c } } } ORDER BY ?found"""
    loaded = template(query, tmp_path)
    found, b = Name("?", "found"), Name("?", "b")
    outer = Pattern(found, Iri(V + "b"), b)
    assert loaded.required == (Pattern(found, Iri(V + "d"), Name("$", "astronomer")),)
    assert loaded.optional == (
        (Pattern(found, Iri(V + "a"), Name("?", "a")),),
        (Pattern(found, Iri(V + "b"), Name("?", "a")),),
        (outer,),
        (outer, Pattern(b, Iri(V + "c"), Name("?", "c"))),
    )


# The binder


def test_only_whole_parameter_tokens_are_replaced(pack: StoryPack, tmp_path: Path) -> None:
    query = """SELECT ?found WHERE { # by $astronomer
      ?found v:discoverer $astronomer ; v:note "$astronomer", '''$astronomer''' } ORDER BY ?found"""
    loaded = template(query, tmp_path)
    bound = loaded.bind({"astronomer": SOLHEIM}, pack.entities)
    assert bound == loaded.query.replace("r $astronomer ;", f"r <{SOLHEIM.value}> ;")


@pytest.mark.parametrize(
    ("bindings", "error", "said"),
    [
        ({"house": HOUSE}, MissingParameter, "CQ-T2 needs 'astronomer'"),
        ({"house": HOUSE, "astronomer": SOLHEIM, "town": HOUSE}, MissingParameter, "no parameter 'town'"),
        ({"house": HOUSE, "astronomer": HOUSE}, WrongEntityType, "'Fellside Observatory' is no http"),
        ({"house": HOUSE, "astronomer": Iri(ID + "ingrid-solheimer")}, UnknownEntity, "did you mean Ingrid Solheim?"),
        ({"house": HOUSE, "astronomer": Iri(V + "joined")}, UnknownEntity, "is not in pack 'fellside'"),
    ],
    ids=["missing", "extra", "class", "unknown", "property"],
)
def test_a_binding_is_an_entity_of_the_graph_with_the_class_asked_for(
    bindings: dict[str, Iri], error: type[Exception], said: str, pack: StoryPack
) -> None:
    with pytest.raises(error, match=said):
        pack.library["CQ-T2"].bind(bindings, pack.entities)


@pytest.mark.parametrize(
    "iri",
    [
        ID + "x> } UNION { ?s ?p ?o } #",
        f"{SOLHEIM.value}> AS ?z) ?a v:shortName ?n }} #",
        "http://x.example/a b",
        'http://x.example/"',
        "http://x.example/{id}",
        "http://x.example/\\u003e",
        "http://x.example/\n",
        "",
        "x\x00y",
    ],
)
def test_no_query_is_made_of_what_is_no_iri(iri: str, pack: StoryPack) -> None:
    class Everybody:
        """Lets every entity pass: the last lock has to hold alone."""

        def check(self, iri: Iri, class_iri: str) -> None: ...

    for entities in (pack.entities, Everybody()):
        with pytest.raises(UnknownEntity):
            pack.library["CQ-T2"].bind({"house": HOUSE, "astronomer": Iri(iri)}, entities)


# Proof


def test_a_row_is_proven_by_the_patterns_that_made_it(pack: StoryPack) -> None:
    bindings = {"astronomer": SOLHEIM, "house": HOUSE}
    answer = Answers(pack).rows("CQ-T2", bindings)
    proof = pack.library["CQ-T2"].prove(answer.rows[0], bindings, pack.graph)
    heron = Iri(ID + "heron-nebula")
    assert proof[:2] == (
        Triple(heron, Iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), Iri(V + "Discovery")),
        Triple(heron, Iri(V + "discoverer"), SOLHEIM),
    )
    assert len(proof) == len(set(proof)) == 6
    assert all(pack.graph.contains(triple) for triple in proof)


def test_an_optional_block_is_cited_only_where_it_matched(pack: StoryPack, tmp_path: Path) -> None:
    query = """SELECT ?found ?named WHERE { ?found v:discoverer $astronomer OPTIONAL { ?found v:namedAfter ?named } }
      ORDER BY ?found"""
    loaded = template(query, tmp_path)
    rows = pack.graph.select(loaded.bind({"astronomer": SOLHEIM}, pack.entities))
    sizes = {str(row["found"]): len(loaded.prove(row, {"astronomer": SOLHEIM}, pack.graph)) for row in rows}
    assert sorted(sizes.values()) == [1, 2]


def test_of_a_union_only_the_branch_that_matched_is_cited(pack: StoryPack, tmp_path: Path) -> None:
    query = """SELECT ?found WHERE { { ?found v:discoverer $astronomer } UNION { ?found v:namedAfter $astronomer } }
      ORDER BY ?found"""
    loaded = template(query, tmp_path)
    marlow = {"astronomer": Iri(ID + "edith-marlow")}
    rows = pack.graph.select(loaded.bind(marlow, pack.entities))
    proofs = {row["found"]: loaded.prove(row, marlow, pack.graph) for row in rows}
    assert [
        triple.predicate.value for triple in proofs[Iri(ID + "asteroid-edith")] if isinstance(triple.predicate, Iri)
    ] == [V + "namedAfter"]
    assert len(proofs[Iri(ID + "comet-marlow")]) == 2


def test_a_row_that_the_graph_does_not_hold_is_refused(pack: StoryPack) -> None:
    bindings = {"astronomer": SOLHEIM, "house": HOUSE}
    row = dict(Answers(pack).rows("CQ-T2", bindings).rows[0]) | {"date": Literal("1900-01-01", "http://x.example/d")}
    with pytest.raises(QueryFailed, match="not proven"):
        pack.library["CQ-T2"].prove(row, bindings, pack.graph)


def test_a_row_with_a_blank_node_is_not_told() -> None:
    assert not tellable({"a": Iri(ID + "x"), "b": Blank("n1")})
    assert tellable({"a": Iri(ID + "x"), "b": Literal("n1")})


# The record


QUERY = "SELECT ?found WHERE { ?found v:discoverer $astronomer } ORDER BY ?found"


def test_a_recorded_template_is_the_same_as_a_parsed_one(tmp_path: Path) -> None:
    for path in sorted((TINY / "cqs").glob("*.rq")):
        parsed = load_template(path, cache=tmp_path)
        assert load_template(path, cache=tmp_path) == parsed == load_template(path)
    assert len(list((tmp_path / "templates").iterdir())) == 5


def test_an_unchanged_pack_opens_without_the_parser(tmp_path: Path) -> None:
    StoryPack.open(TINY, cache=tmp_path)
    script = (
        "import sys; from pathlib import Path; from graph_tools.pack import StoryPack;"
        f"StoryPack.open({str(TINY)!r}, cache=Path({str(tmp_path)!r}));"
        "print([m for m in sys.modules if m.split('.')[0] in ('rdflib', 'pyparsing')])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_changed_text_has_no_record(tmp_path: Path) -> None:
    load_template(tmp_path / "CQ-X1.rq", HEADER + QUERY, cache=tmp_path)
    assert recall(tmp_path, HEADER + QUERY) is not None
    assert recall(tmp_path, HEADER + QUERY + " ") is None
    with pytest.raises(InvalidPack, match="LIMIT"):
        load_template(tmp_path / "CQ-X1.rq", HEADER + QUERY + " LIMIT 1", cache=tmp_path)


@pytest.mark.parametrize("damage", ["", "{", "null", "[]", '{"seal": 1}', "\x00", '{"seal": "x", "compiled": []}'])
def test_a_broken_record_is_ignored_and_written_anew(damage: str, tmp_path: Path) -> None:
    loaded = load_template(tmp_path / "CQ-X1.rq", HEADER + QUERY, cache=tmp_path)
    record = next((tmp_path / "templates").iterdir())
    good = record.read_bytes()
    record.write_text(damage, encoding="utf-8")
    assert load_template(tmp_path / "CQ-X1.rq", HEADER + QUERY, cache=tmp_path) == loaded
    assert record.read_bytes() == good


def test_a_record_that_was_tampered_with_is_ignored(tmp_path: Path) -> None:
    loaded = load_template(tmp_path / "CQ-X1.rq", HEADER + QUERY, cache=tmp_path)
    record = next((tmp_path / "templates").iterdir())
    content = json.loads(record.read_text(encoding="utf-8"))
    content["compiled"][0] = ["other"]
    record.write_text(json.dumps(content), encoding="utf-8")
    assert load_template(tmp_path / "CQ-X1.rq", HEADER + QUERY, cache=tmp_path) == loaded


def test_a_cache_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory", encoding="utf-8")
    loaded = load_template(tmp_path / "CQ-X1.rq", HEADER + QUERY, cache=blocked)
    remember(blocked, "x", loaded.compiled)
    assert recall(blocked, "x") is None


def test_records_of_old_texts_are_pruned(tmp_path: Path) -> None:
    compiled = Compiled(variables=("a",), required=(), optional=(), order=())
    for number in range(6):
        remember(tmp_path, f"text {number}", compiled, keep=3)
    assert len(list((tmp_path / "templates").glob("*.json"))) == 3
    assert recall(tmp_path, "text 5") == compiled
    assert recall(tmp_path, "text 0") is None
