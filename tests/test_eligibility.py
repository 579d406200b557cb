"""What the graph answers now."""

import shutil
from pathlib import Path

import pytest

from graph_tools.eligibility import Answers
from graph_tools.errors import UnknownEntity, UnknownQuestion
from graph_tools.pack import StoryPack
from graph_tools.row_order import in_order, sort_key
from graph_tools.terms import XSD, Blank, Iri, Literal, Row, Term

TINY = Path(__file__).parent / "packs" / "tiny-observatory"
ID = "http://observatory.example/id/"
HOUSE = Iri(ID + "fellside")


def pack_with(tmp_path: Path, **edits: tuple[str, str]) -> StoryPack:
    """A copy of the tiny pack; each edit replaces text in cqs/<key>.rq."""
    root = tmp_path / "pack"
    shutil.copytree(TINY, root)
    for name, (old, new) in edits.items():
        path = root / "cqs" / f"CQ-{name}.rq"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
    return StoryPack.open(root)


def test_rows_come_in_order_with_the_query_that_ran() -> None:
    answer = Answers(StoryPack.open(TINY)).rows("CQ-T4", {"house": HOUSE})
    assert [str(row["year"].n3())[1:5] for row in answer.rows] == ["1904", "1911", "1927", "1938"]
    assert f"v:house <{HOUSE.value}>" in answer.query
    assert "#+" not in answer.query
    assert (answer.total, answer.truncated) == (4, False)


def test_an_answer_over_its_cap_is_cut_and_says_so(tmp_path: Path) -> None:
    answer = Answers(pack_with(tmp_path, T4=("cap = 20", "cap = 3"))).rows("CQ-T4", {"house": HOUSE})
    assert (len(answer.rows), answer.total, answer.truncated) == (3, 4, True)


def test_an_answer_as_big_as_its_cap_is_whole(tmp_path: Path) -> None:
    answer = Answers(pack_with(tmp_path, T4=("cap = 20", "cap = 4"))).rows("CQ-T4", {"house": HOUSE})
    assert (len(answer.rows), answer.truncated) == (4, False)


def test_a_question_is_run_once() -> None:
    answers = Answers(StoryPack.open(TINY))
    assert answers.rows("CQ-T4", {"house": HOUSE}) is answers.rows("CQ-T4", {"house": HOUSE})


def test_too_little_evidence_is_no_answer(tmp_path: Path) -> None:
    pack = pack_with(tmp_path, T2=('#+ companions = ["CQ-T3"]', '#+ companions = ["CQ-T3"]\n#+ min_evidence = 2'))
    found = Answers(pack).entities_for("CQ-T2", "astronomer", {"house": HOUSE})
    assert len(found) == 6
    assert Iri(ID + "jan-verbeke") not in found
    assert list(found) == sorted(found)


def test_an_unknown_question_or_entity_is_named() -> None:
    answers = Answers(StoryPack.open(TINY))
    with pytest.raises(UnknownQuestion, match="unknown question 'CQ-T22'; did you mean CQ-T2"):
        answers.rows("CQ-T22", {})
    with pytest.raises(UnknownEntity):
        answers.rows("CQ-T4", {"house": Iri(ID + "nowhere")})


def test_rows_that_need_a_blank_node_are_left_out_and_said_to_be(tmp_path: Path) -> None:
    root = tmp_path / "pack"
    shutil.copytree(TINY, root)
    path = root / "kg" / "sky.ttl"
    text = path.read_text(encoding="utf-8")
    text += '\n[] a v:Discovery ; rdfs:label "x" ; v:house ob:fellside ; v:discoverer ob:jan-verbeke ;\n'
    text += '  v:foundWith ob:tower-reflector ; v:foundOn "1941-01-01"^^xsd:date .\n'
    path.write_text(text, encoding="utf-8")
    pack = StoryPack.open(root)
    bindings = {"astronomer": Iri(ID + "jan-verbeke"), "house": HOUSE}
    assert len(pack.graph.select(pack.library["CQ-T2"].bind(bindings, pack.entities))) == 2
    answer = Answers(pack).rows("CQ-T2", bindings)
    assert (len(answer.rows), answer.total, answer.truncated) == (1, 2, True)


def _row(**terms: str | int) -> Row:
    return {
        name: Literal(str(value), XSD + "integer") if isinstance(value, int) else Literal(value)
        for name, value in terms.items()
    }


def test_numbers_are_in_numeric_order_and_ties_in_that_of_all_values() -> None:
    rows = [_row(n=10, s="b"), _row(n=9, s="z"), _row(n=10, s="a"), _row(n=2, s="z")]
    assert in_order(rows, [("n", False)]) == [rows[3], rows[1], rows[2], rows[0]]
    assert in_order(rows, [("n", True)]) == [rows[2], rows[0], rows[1], rows[3]]


def test_the_order_does_not_depend_on_that_of_the_engine() -> None:
    rows = [_row(n=1, s=s) for s in "dcba"]
    assert in_order(rows, [("n", False)]) == in_order(rows[::-1], [("n", False)])


def test_dates_of_unlike_precision_are_on_one_line_of_time() -> None:
    dates = [
        Literal("1985-07-13T20:00:00+01:00", XSD + "dateTime"),
        Literal("1985-07-13T15:30:00-04:00", XSD + "dateTime"),
        Literal("1985", XSD + "gYear"),
        Literal("1985-07", XSD + "gYearMonth"),
        Literal("-0044", XSD + "gYear"),
        Literal("1984-12-31", XSD + "date"),
    ]
    ordered = sorted(dates, key=sort_key)
    assert [date.lexical[:10] for date in ordered] == [
        "-0044", "1984-12-31", "1985", "1985-07", "1985-07-13", "1985-07-13",
    ]  # fmt: skip
    assert ordered[-1].lexical.endswith("-04:00")


def test_unlike_terms_have_an_order_and_ill_typed_ones_are_text() -> None:
    terms: list[Term | None] = [
        Literal("1985-02-30", XSD + "date"),
        Literal("x1", XSD + "integer"),
        Iri("http://x/"),
        Blank("b"),
        None,
    ]
    assert sorted(range(5), key=lambda at: sort_key(terms[at])) == [4, 3, 2, 0, 1]
