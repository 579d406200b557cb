"""The library as a whole: whom questions are for, which ids they answer to, its picture, what is given to others."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from agent.cli import cli
from agent.context import StoryContext
from graph_tools.checks import check_graph, check_pack, coverage
from graph_tools.errors import CannotDraw, UnknownQuestion
from graph_tools.export import library_turtle, write_library
from graph_tools.knowledge_graph import open_graph
from graph_tools.library import Library
from graph_tools.matrix_drawing import ANSWERED, OUTSIDE, UNANSWERED, draw_matrix
from graph_tools.pack import StoryPack
from graph_tools.terms import Iri, Literal

ROOT = Path(__file__).resolve().parent.parent
TINY = ROOT / "tests" / "packs" / "tiny-observatory"
SKOS = "http://www.w3.org/2004/02/skos/core#"
ID = "http://observatory.example/id/"


def ask(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A copy of the tiny pack, with an astronomer who found nothing."""
    copy = tmp_path / "pack"
    shutil.copytree(TINY, copy)
    with (copy / "kg" / "sky.ttl").open("a", encoding="utf-8") as graph:
        graph.write('\nob:new-one a v:Astronomer ; rdfs:label "New One" ; v:pronoun "they" ; v:birthTown ob:leeds .\n')
    return copy


# Whom a question is for


def test_a_question_counts_only_those_that_it_is_for(pack: Path) -> None:
    found = {covered.id: covered for covered in coverage(StoryPack.open(pack))}
    assert (found["CQ-T2"].answered, found["CQ-T2"].applicable, len(found["CQ-T2"].cells)) == (8, 8, 9)
    assert (found["CQ-T3"].answered, found["CQ-T3"].applicable, found["CQ-T3"].share) == (8, 9, 8 / 9)
    assert found["CQ-T2"].beyond == ()


def test_who_is_answered_beyond_the_group_is_listed_and_no_fault(pack: Path) -> None:
    path = pack / "pack.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("v:discoverer ?it }", f"v:discoverer ?it FILTER (?it = <{ID}jan-verbeke>) }}"))
    assert check_pack(pack) == ()
    rows = {row["id"]: row for row in json.loads(ask("cqs", "coverage", "--pack", str(pack), "--json").stdout)}
    assert (rows["CQ-T2"]["answered"], rows["CQ-T2"]["applicable"], rows["CQ-T2"]["of"]) == (1, 1, 9)
    assert len(rows["CQ-T2"]["beyond"]) == 7
    assert {"astronomer": f"{ID}edith-marlow", "house": f"{ID}fellside"} in rows["CQ-T2"]["beyond"]


def test_a_group_follows_the_graph_that_it_is_asked_of(pack: Path) -> None:
    opened, other = StoryPack.open(pack), open_graph(TINY, ["kg/people.ttl"])
    assert len(opened.groups.members("finders")) == 8
    assert opened.with_graph(other).groups.members("finders") == ()


def test_every_group_of_our_pack_has_members_and_questions(ctx: StoryContext) -> None:
    ours = ctx.pack
    asked = {p.applies_to for template in ours.library.values() for p in template.cq.parameters.values()}
    assert set(ours.groups.names) <= asked
    assert all(ours.groups.members(name) for name in ours.groups.names)


# The ids that a question answers to


def test_a_published_id_leads_to_the_question_that_stands_for_it(pack: Path) -> None:
    path = pack / "cqs" / "CQ-T4.rq"
    path.write_text(path.read_text(encoding="utf-8").replace("#+ steps", '#+ stands_for = ["CQ-H-9"]\n#+ steps', 1))
    assert ask("cqs", "show", "CQ-H-9", "--pack", str(pack)).stdout == path.read_text(encoding="utf-8")
    ran, same = (ask("cqs", "run", cq_id, "--pack", str(pack)).stdout for cq_id in ("CQ-H-9", "CQ-T4"))
    assert ran == same != ""
    library = StoryPack.open(pack).library
    assert "CQ-H-9" not in library
    with pytest.raises(UnknownQuestion, match=r"did you mean CQ-H-9"):
        library.find("CQ-H9")


# What can be recomputed


def test_the_remedy_for_a_wrong_header_is_the_line_that_is_right(pack: Path) -> None:
    path = pack / "cqs" / "CQ-T2.rq"
    text = path.read_text(encoding="utf-8")
    terms, sources = (next(line for line in text.split("\n") if f"#+ {key} = " in line) for key in ("terms", "sources"))
    path.write_text(text.replace(terms, "#+ terms = []").replace(sources, '#+ sources = ["a diary"]'))
    told = {problem.rule: problem.remedy for problem in check_pack(pack)}
    assert told == {"question-terms": f"write: {terms}", "question-sources": f"write: {sources}"}


def test_a_finding_about_a_question_may_be_accepted_by_its_iri(pack: Path) -> None:
    path = pack / "cqs" / "CQ-T2.rq"
    path.write_text(path.read_text(encoding="utf-8").replace("#+ sources", "#+ # sources"))
    (problem,) = check_pack(pack)
    assert (problem.rule, problem.iri) == ("question-sources", "urn:cuestory:fellside:CQ-T2")
    with (pack / "pack.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[[checks.accept]]\nrule = "{problem.rule}"\niri = "{problem.iri}"\nbecause = "Not yet known."\n')
    assert check_pack(pack) == ()


# The picture


def test_the_matrix_is_drawn_with_a_box_for_every_cell_that_somebody_is_asked_about(pack: Path) -> None:
    opened = StoryPack.open(pack)
    found = coverage(opened)
    drawing = draw_matrix(found, opened)
    root = ElementTree.fromstring(drawing.svg())
    fills = [box.get("fill") for box in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert fills.count(ANSWERED) == 1 + sum(covered.answered for covered in found)
    assert fills.count(UNANSWERED) == 1 + sum(covered.applicable - covered.answered for covered in found) == 2
    assert fills.count(OUTSIDE) == 1 + 1
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"New One", "Edith Marlow", "8 of 9", "answered"} <= set(words)
    assert "CQ-T2  What did the astronomer find at the house?" in words
    assert drawing.svg() == draw_matrix(coverage(StoryPack.open(pack)), StoryPack.open(pack)).svg()


def test_the_three_fills_differ_in_grey() -> None:
    greys = [
        sum(weight * int(fill[at : at + 2], 16) for weight, at in ((0.299, 1), (0.587, 3), (0.114, 5)))
        for fill in (ANSWERED, UNANSWERED, OUTSIDE)
    ]
    assert greys == sorted(greys)
    assert min(greys[1] - greys[0], greys[2] - greys[1]) > 40


def test_a_picture_is_a_png_or_an_svg_and_nothing_else(tmp_path: Path) -> None:
    for name, head in (("m.png", b"\x89PNG"), ("m.svg", b"<svg")):
        assert ask("cqs", "coverage", "--pack", str(TINY), "--draw", str(tmp_path / name)).exit_code == 0
        assert (tmp_path / name).read_bytes().startswith(head)
    told = ask("cqs", "coverage", "--pack", str(TINY), "--draw", str(tmp_path / "m.gif"))
    assert isinstance(told.exception, CannotDraw)
    assert str(told.exception) == "'m.gif' is no picture that can be drawn; name it *.svg or *.png"


# What is given to others


def test_the_library_survives_the_way_to_rdf_and_back(ctx: StoryContext, tmp_path: Path) -> None:
    ours = ctx.pack
    write_library(ours, tmp_path)
    graph = open_graph(tmp_path, ["library.ttl"])
    for cq_id, template in ours.library.items():
        about = ours.iri(cq_id)
        said = {triple.predicate: triple.object for triple in graph.match(about)}
        query = said[Iri("http://www.w3.org/ns/shacl#select")]
        label = said[Iri(SKOS + "prefLabel")]
        assert isinstance(query, Literal)
        assert isinstance(label, Literal)
        assert (query.lexical, label.lexical) == (template.query, template.cq.question)
        required = {t.object for t in graph.match(about, Iri("http://purl.org/dc/terms/requires"))}
        assert required == set(map(Iri, template.compiled.terms))
        assert len(list(graph.match(about, Iri("http://purl.org/dc/terms/subject")))) == len(template.cq.themes)
        assert len(list(graph.match(about, Iri("http://www.w3.org/ns/shacl#parameter")))) == len(template.cq.parameters)
        plain = (tmp_path / "queries" / f"{cq_id}.rq").read_text(encoding="utf-8")
        assert plain.split("\n", 1)[1] == template.query
    assert {problem.rule for problem in check_graph(tmp_path / "library.ttl")} == {"name-missing"}


def test_the_table_has_a_row_for_each_question_and_gives_its_header_back(ctx: StoryContext, tmp_path: Path) -> None:
    ours = ctx.pack
    write_library(ours, tmp_path)
    with (tmp_path / "library.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert list(rows) == list(ours.library)
    for cq_id, template in ours.library.items():
        assert rows[cq_id]["query"] == template.query
        assert tuple(json.loads(rows[cq_id]["terms"])) == template.cq.terms
        parameters = {name: p["class"] for name, p in json.loads(rows[cq_id]["parameters"]).items()}
        assert parameters == {name: p.type for name, p in template.cq.parameters.items()}


def test_what_a_question_stands_for_and_how_else_it_is_asked_is_exported(pack: Path, tmp_path: Path) -> None:
    opened = StoryPack.open(pack)
    cq = opened.library["CQ-T4"].cq.model_copy(update={"stands_for": ("CQ-H-9",), "paraphrases": ("What was there?",)})
    changed = replace(opened, library=Library([replace(opened.library["CQ-T4"], cq=cq)]))
    text = library_turtle(changed).decode()
    assert 'skos:hiddenLabel "CQ-H-9"' in text
    assert 'skos:altLabel "What was there?"@en' in text
    assert "@prefix cq: <urn:cuestory:fellside:>" in text


def test_an_export_is_the_same_bytes_every_time_and_leaves_other_files_alone(pack: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    first = json.loads(ask("cqs", "export", str(folder), "--pack", str(pack), "--json").stdout)["files"]
    held = {name: Path(name).read_bytes() for name in first}
    assert ask("cqs", "export", str(folder), "--pack", str(pack)).stdout.split() == first
    assert {name: Path(name).read_bytes() for name in first} == held
    assert len(first) == 2 + 5
    assert (folder / "notes.txt").read_text(encoding="utf-8") == "mine"


# The published questions


def test_every_published_question_that_is_here_is_among_those_that_are_watched(ctx: StoryContext, shared: Path) -> None:
    file = shared / "data" / "published" / "WembleyRewindCQs_with_beats_trimmed.json"
    published = {row["CQ_ID"] for row in json.loads(file.read_text(encoding="utf-8"))}
    ours = ctx.pack
    watched = {*ours.checks.coverage.every, *ours.checks.coverage.questions}
    here = published & {*ours.library, *ours.library.stands_for}
    assert {ours.library.find(cq_id).cq.id for cq_id in here} <= watched
