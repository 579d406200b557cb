"""Packs that mean harm, or were spoiled beyond what an editor does: each is refused by name, at once, and calmly."""

from __future__ import annotations

import logging
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from graph_tools import speech
from graph_tools.checks import check_pack
from graph_tools.errors import InvalidPack, Problem
from graph_tools.pack import StoryPack
from graph_tools.template import load_template

TINY = Path(__file__).parent / "packs" / "tiny-observatory"
QUESTION = "cqs/CQ-T4.rq"
END = "}\nORDER BY ?year ?telescope\n"
LINE = 67
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
        (
            "\n".join(["{ ?telescope v:a ?dome } UNION { ?telescope v:b ?dome }"] * 30),
            "too many combinations",
            LINE - 6,
        ),
        (
            "FILTER EXISTS {" + "{ ?telescope v:a ?dome } UNION { ?telescope v:b ?dome }" * 30 + "}",
            "too many combinations",
            LINE - 6,
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


@pytest.mark.parametrize(
    ("file", "text", "cause", "line"),
    [
        ("pack.toml", "x = " + "[" * 5_000 + "]" * 5_000, "nested more than 20 levels deep", 1),
        ("pack.toml", ".".join("a" * 3_000) + " = 1", "nested more than 20 levels deep", 1),
        ("cqs/arcs.toml", "x = " + "{a=" * 5_000 + "1" + "}" * 5_000, "nested more than 20 levels deep", 1),
        ("cqs/personas.toml", "\nx = " + "9" * 5_000, "a number has too many digits", 2),
    ],
    ids=["arrays", "keys", "tables", "digits"],
)
def test_toml_that_overflows_its_reader_is_a_fault_with_a_line(
    pack: Path, file: str, text: str, cause: str, line: int
) -> None:
    (pack / file).write_text(text, encoding="utf-8")
    assert [(p.file, p.line) for p in faults(pack) if cause in p.cause] == [(file, line)]


@pytest.mark.parametrize("name", ["kg/s\\u0000ky.ttl", "kg/" + "x" * 300 + ".ttl"], ids=["null", "long"])
def test_a_file_name_that_no_file_has_is_named(pack: Path, name: str) -> None:
    replace(pack / "pack.toml", "kg/sky.ttl", name)
    assert ("pack.toml", "no file has such a name") in {(p.file, p.cause.rpartition(": ")[2]) for p in faults(pack)}


@pytest.mark.parametrize("name", ["cqs/arcs.toml", "cqs/personas.toml", "cqs/CQ-T4.rq"])
def test_what_could_be_read_for_ever_is_not_opened(pack: Path, name: str) -> None:
    def causes() -> set[str]:
        return {p.cause for p in faults(pack) if p.file == name}

    (pack / name).unlink()
    os.mkfifo(pack / name)
    assert causes() == {"is no plain file"}
    for target, cause in (("/dev/zero", "the path leads out of the pack"), (name.split("/")[1], "Too many levels")):
        (pack / name).unlink()
        (pack / name).symlink_to(target)
        assert any(cause in found for found in causes())
    (pack / name).unlink()
    (pack / name).write_bytes(b"# " + b"x" * 1_000_000)
    assert causes() == {"has more than 1,000,000 bytes"}


def test_a_file_name_of_another_encoding_is_no_fault(pack: Path) -> None:
    before = StoryPack.open(pack).digests.snippets
    (pack / "snippets").mkdir()
    Path(os.fsdecode(os.fsencode(pack / "snippets") + b"/caf\xe9.txt")).write_text("", encoding="utf-8")
    assert StoryPack.open(pack).digests.snippets != before


def test_statements_about_statements_do_not_overflow_the_parser(pack: Path) -> None:
    with (pack / "kg/sky.ttl").open("a", encoding="utf-8") as file:
        file.write(
            "\n<http://e/a> <http://e/b> " + "<<( <http://e/a> <http://e/b> " * 50_000 + "1" + " )>>" * 50_000 + " ."
        )
    (problem,) = faults(pack)
    assert problem.file == "kg/sky.ttl"
    assert problem.line == 172
    assert problem.cause == "has statements about statements (RDF 1.2)"


def test_angle_brackets_in_a_text_are_no_statements(pack: Path) -> None:
    replace(pack / "kg/sky.ttl", '"Comet Marlow"', '"<<Comet>> Marlow >> << <<"')
    StoryPack.open(pack)


def test_a_file_that_repeats_another_is_not_empty(pack: Path) -> None:
    shutil.copy(pack / "kg/sky.ttl", pack / "kg/again.ttl")
    replace(pack / "pack.toml", '"kg/sky.ttl"', '"kg/sky.ttl", "kg/again.ttl"')
    StoryPack.open(pack)
    replace(pack / "pack.toml", '"kg/again.ttl"', '"kg/sky.ttl"')
    assert [p.cause for p in faults(pack)] == ["'kg/sky.ttl': the file is named twice"]


def test_a_fault_of_the_pack_file_hides_none_of_the_graph(pack: Path) -> None:
    replace(pack / "pack.toml", "language", "langage")
    (pack / "kg/sky.ttl").write_text("", encoding="utf-8")
    assert [(p.file, p.line) for p in faults(pack)] == [("kg/sky.ttl", None), ("pack.toml", 5)]


@pytest.mark.parametrize("iri", ["not an iri", "", "label", "http://x.example/a>b"])
def test_a_property_that_is_no_iri_is_refused(pack: Path, iri: str) -> None:
    replace(pack / "pack.toml", "http://purl.org/dc/terms/source", iri)
    assert [(p.file, p.line) for p in faults(pack)] == [("pack.toml", 16)]


def test_whom_stories_follow_must_be_in_the_graph_and_in_a_question(pack: Path) -> None:
    replace(pack / "cqs/arcs.toml", "terms/Astronomer", "terms/Astronomr")
    replace(pack / "cqs/arcs.toml", '"astronomer"', '"astronome"')
    found = faults(pack)
    assert [(p.file, p.line) for p in found] == [("cqs/arcs.toml", 1), ("cqs/arcs.toml", 2)]
    assert "terms/Astronomer" in found[0].remedy
    assert found[1].remedy == "did you mean astronomer?"


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(pack: Path) -> None:
    (pack / "snippets").mkdir()
    for name in ("cqs/CQ-T4.rq", "cqs/arcs.toml", "kg/sky.ttl", "snippets/a.txt"):
        (pack / name).touch()
        (pack / name).chmod(0)
    assert {"cqs/CQ-T4.rq", "cqs/arcs.toml", "kg/sky.ttl"} <= {p.file for p in faults(pack)}


@pytest.mark.parametrize("say", [speech.figure, speech.number, speech.ordinal, speech.year])
def test_a_number_without_end_is_never_spoken(say: Callable[[str], str]) -> None:
    with pytest.raises(speech.Unspeakable):
        say("9" * 5_000)
