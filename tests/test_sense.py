"""What makes sense: spans of time, and the rules about order, place and reach. Broken packs hold one fault each."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_tools.checks.examined import Examined
from graph_tools.checks.sense import sense_problems
from graph_tools.checks.spans import offset, read, span
from graph_tools.errors import Problem
from graph_tools.graph_files import GraphFile
from graph_tools.knowledge_graph import EmbeddedGraph
from graph_tools.pack_file import Checks
from graph_tools.terms import XSD, Literal

HEAD = """@prefix x: <http://x.example/> .
@prefix schema: <http://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
X = "http://x.example/"


def dated(text: str, kind: str) -> Literal:
    return Literal(text, XSD + kind)


def found(turtle: str, **checks: object) -> list[Problem]:
    file = GraphFile("kg.ttl", (HEAD + turtle).encode())
    graph, problems = EmbeddedGraph.load([file])
    assert graph is not None, problems
    return list(sense_problems(Examined(graph, (file,), (), Checks.model_validate(checks), Path())))


@pytest.mark.parametrize(
    ("later", "earlier", "beyond"),
    [
        (("1985", "gYear"), ("1984", "gYear"), True),
        (("1985", "gYear"), ("1985-03", "gYearMonth"), False),
        (("1985-03", "gYearMonth"), ("1985", "gYear"), False),
        (("1985-07-14", "date"), ("1985-07-13T23:59:00-04:00", "dateTime"), True),
        (("1985-07-13", "date"), ("1985-07-13T00:30:00+01:00", "dateTime"), False),
        (("1985-07-13T12:30:00-04:00", "dateTime"), ("1985-07-13T17:00:00+01:00", "dateTime"), True),
        (("1985-07-13T12:30:00-04:00", "dateTime"), ("1985-07-13T17:45:00+01:00", "dateTime"), False),
        (("1985-07-13T12:00:01Z", "dateTime"), ("1985-07-13T12:00:00+00:00", "dateTime"), True),
        (("PT61M", "duration"), ("PT1H", "duration"), True),
        (("PT60M", "duration"), ("PT1H", "duration"), False),
        (("P1D", "duration"), ("PT23H", "duration"), True),
        (("-PT1H", "duration"), ("PT0S", "duration"), False),
        (("10", "integer"), ("9.5", "decimal"), True),
        (("1985", "integer"), ("1984", "gYear"), False),
    ],
    ids=str,
)
def test_what_is_wholly_after_another_is_beyond_it(
    later: tuple[str, str], earlier: tuple[str, str], beyond: bool
) -> None:
    one, other = span(dated(*later)), span(dated(*earlier))
    assert one is not None
    assert other is not None
    assert one.beyond(other) is beyond
    assert not other.beyond(one) or not beyond


def test_what_no_calendar_has_is_no_span_and_text_is_none_either() -> None:
    assert span(dated("1985-02-30", "date")) is None
    assert span(dated("1985", "date")) is not None  # as precise as it says, and a fault of its own
    assert span(dated("-0044", "gYear")) is None
    assert span(Literal("1985")) is None
    assert read("long", "length") is None


def test_the_offset_is_the_stated_one() -> None:
    assert offset(dated("1985-07-13T12:00:00Z", "dateTime")) == "+00:00"
    assert offset(dated("1985-07-13T12:00:00-04:00", "dateTime")) == "-04:00"
    assert offset(dated("1985-07-13T12:00:00", "dateTime")) == ""


def test_an_end_before_the_beginning_is_found_in_any_graph() -> None:
    (problem,) = found('x:stay schema:startDate "1985"^^xsd:gYear ; schema:endDate "1984-05-01"^^xsd:date .')
    assert (problem.rule, problem.iri, problem.line) == ("time-order", X + "stay", 4)
    assert found('x:stay schema:startDate "1985"^^xsd:gYear ; schema:endDate "1985-05-01"^^xsd:date .') == []


def test_a_path_is_followed_both_ways() -> None:
    order = {"earlier": X + "read", "later": ["^" + X + "cites", X + "written"]}
    turtle = 'x:page x:read "2026"^^xsd:gYear . x:book x:cites x:page ; x:written "%s"^^xsd:gYear .'
    assert [problem.iri for problem in found(turtle % "2025", order=[order])] == [X + "page"]
    assert found(turtle % "2026", order=[order]) == []


def sequence(*times: str) -> str:
    return "\n".join(
        f'x:set{n} x:number {n} ; x:begins "1985-07-13T{time}:00+01:00"^^xsd:dateTime ; x:stage x:main .'
        for n, time in enumerate(times, start=1)
    )


RISING = {"along": X + "number", "by": X + "begins", "within": X + "stage"}


@pytest.mark.parametrize(
    ("times", "wrong"),
    [
        (("12:00", "12:20", "12:20", "13:00"), []),
        (("12:00", "12:20", "11:50", "13:00"), ["set3"]),
        (("18:00", "12:20", "12:40", "13:00"), ["set1"]),
        (("12:00", "19:00", "12:40", "13:00", "13:20"), ["set2"]),
    ],
    ids=str,
)
def test_the_fewest_that_are_out_of_order_are_named(times: tuple[str, ...], wrong: list[str]) -> None:
    problems = found(sequence(*times), rising=[RISING])
    assert [problem.iri.removeprefix(X) for problem in problems] == wrong
    assert {problem.rule for problem in problems} <= {"time-rising"}


def test_another_stage_has_an_order_of_its_own() -> None:
    turtle = sequence("12:00", "11:00").replace("x:number 2", "x:number 2 ; x:note 1", 1)
    assert len(found(turtle, rising=[RISING])) == 1
    elsewhere = turtle[::-1].replace("niam:x", "rehto:x", 1)[::-1]
    assert found(elsewhere, rising=[RISING]) == []


def test_a_bound_is_one_of_the_values_kind_and_may_be_for_a_class() -> None:
    turtle = 'x:set a x:Set ; x:took "PT%s"^^xsd:duration . x:day a x:Day ; x:took "PT16H"^^xsd:duration .'
    bounds = [{"value": X + "took", "of": X + "Set", "most": "PT1H"}]
    assert [problem.iri for problem in found(turtle % "21H", bounds=bounds)] == [X + "set"]
    assert found(turtle % "60M", bounds=bounds) == []
    assert {problem.iri for problem in found(turtle % "60M", bounds=[{"value": X + "took", "most": "PT1H"}])} == {
        X + "day"
    }


def test_a_round_is_named_once_and_a_diamond_is_none() -> None:
    part = "schema:isPartOf"
    (problem,) = found(f"x:c {part} x:a . x:a {part} x:b . x:b {part} x:c .")
    assert (problem.rule, problem.iri) == ("link-cycle", X + "a")
    assert problem.cause.endswith(f"<{X}b> -> <{X}c> -> <{X}a>")
    assert found(f"x:a {part} x:b, x:c . x:b {part} x:d . x:c {part} x:d .") == []
    (itself,) = found(f"x:a {part} x:a .")
    assert itself.rule == "link-self"


def test_a_table_that_meets_nothing_is_found_itself() -> None:
    tables = {
        "acyclic": [X + "after"],
        "bounds": [{"value": X + "height", "of": X + "Tower", "least": 1}],
        "offsets": [{"time": X + "begins", "place": X + "stage", "allowed": {X + "wing": ["+01:00"]}}],
    }
    causes = [problem.cause for problem in found(sequence("12:00"), **tables)]
    for name in ("after", "height", "Tower", "wing"):
        assert any(f"<{X}{name}>" in cause for cause in causes), name
    assert len(causes) == 4
