"""Packs that mean harm, or were spoiled beyond what an editor does: each is refused by name, at once, and calmly."""

from __future__ import annotations

import logging
import shutil
import socket
from pathlib import Path

import pytest

from graph_tools.checks import check_pack
from graph_tools.errors import InvalidPack, Problem
from graph_tools.pack import StoryPack
from graph_tools.template import load_template

TINY = Path(__file__).parent / "packs" / "tiny-observatory"
QUESTION = "cqs/CQ-T4.rq"
END = "}\nORDER BY ?year ?telescope\n"
LINE = 65
"""Where END begins."""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    root = tmp_path / "pack"
    shutil.copytree(TINY, root)
    return root


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="")


def faults(pack: Path) -> list[Problem]:
    with pytest.raises(InvalidPack) as caught:
        StoryPack.open(pack)
    return list(caught.value.problems)


def test_a_header_line_inside_the_query_cannot_hide_what_will_run(pack: Path) -> None:
    """Such a line once was part of the string that was checked, and was missing in the query that ran."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        outside = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        replace(
            pack / QUESTION,
            END,
            'FILTER(STR(?telescope) != """\n#+ max_rows = 99 # """)\n'
            f'FILTER(STR(?telescope) != """) SERVICE SILENT <{outside}> {{ ?telescope ?leak ?gone }}'
            ' FILTER(STR(?telescope) != """)\n}\nORDER BY ?year ?telescope\n# """) } ORDER BY ?year ?telescope\n',
        )
        problems = check_pack(pack)
        assert [(p.file, p.line) for p in problems] == [(QUESTION, LINE + 1)]
        assert problems[0].cause == "a header line stands below the query's first line"
        with pytest.raises(TimeoutError):
            listener.accept()


@pytest.mark.parametrize("form", ["{}", "# a note\n\n{}"], ids=["plain", "under a note"])
def test_what_runs_is_what_stands_below_the_header(pack: Path, form: str) -> None:
    path = pack / QUESTION
    path.write_text(form.format(path.read_text(encoding="utf-8")), encoding="utf-8")
    template = load_template(path)
    assert "#+" not in template.query
    assert template.cq.parameters["house"].type == "http://observatory.example/terms/Observatory"


@pytest.mark.parametrize(
    ("inserted", "cause", "line"),
    [
        ("FILTER(" + "!" * 30_000 + "BOUND(?year))", "more than 400 words and marks", LINE),
        ("FILTER(" + " && ".join(["BOUND(?year)"] * 3_000) + ")", "more than 400 words and marks", LINE),
        ("?telescope v:year ?year .\n" * 2_000, "more than 400 words and marks", None),
        ("\n".join(["{ ?telescope v:a ?dome } UNION { ?telescope v:b ?dome }"] * 30), "too many combinations", 59),
        (
            "FILTER EXISTS {" + "{ ?telescope v:a ?dome } UNION { ?telescope v:b ?dome }" * 30 + "}",
            "too many combinations",
            59,
        ),
        ("#" + "x" * 70_000, "more than 65,536 characters", None),
        ("FILTER(?year = " + "a." * 30_000 + ")", "more than 400 words and marks", LINE),
        ("?telescope v:z " + "9" * 60_000 + "e .", "E is not allowed", LINE),
        ("# a comment\r SERVICE <http://x.example/> { ?a ?b ?c }", "a carriage return stands inside the line", LINE),
    ],
    ids=["not", "and", "join", "unions", "unions inside", "comment", "dots", "digits", "return"],
)
def test_a_query_made_to_exhaust_or_deceive_is_refused_at_once(
    pack: Path, inserted: str, cause: str, line: int | None
) -> None:
    replace(pack / QUESTION, END, inserted + "\n" + END)
    (problem, *_) = faults(pack)
    assert cause in problem.cause
    assert len(problem.cause) < 200
    if line is not None:
        assert problem.line == line


def test_the_class_of_a_parameter_has_the_prefix_that_the_query_declares(pack: Path) -> None:
    declared = "PREFIX v: <http://observatory.example/terms/>"
    replace(
        pack / QUESTION, declared, f"PREFIX w: <http://w.example/> prefix #\n v:\n# PREFIX x: <y:z>\n{declared[10:]}"
    )
    replace(pack / QUESTION, END, f'FILTER(STR(?telescope) != """\nPREFIX v: <http://elsewhere.example/>\n""")\n{END}')
    template = load_template(pack / QUESTION)
    assert template.cq.parameters["house"].type == "http://observatory.example/terms/Observatory"


def test_a_literal_without_a_value_logs_no_traceback(pack: Path, caplog: pytest.LogCaptureFixture) -> None:
    replace(pack / QUESTION, "PREFIX v:", "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\nPREFIX v:")
    replace(pack / QUESTION, END, f'FILTER(?year != "1985-02-30"^^xsd:date)\n{END}')
    with caplog.at_level(logging.DEBUG):
        load_template(pack / QUESTION)
    assert caplog.records == []
