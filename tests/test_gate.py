"""The gate on whole graphs: what it finds in the published one, what it prints, and what profile and diff count."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agent.cli import cli
from agent.context import StoryContext
from graph_tools.checks import check_graph, coverage
from graph_tools.checks.rules import RULES
from graph_tools.checks.sources import source_problems
from graph_tools.errors import Problem
from graph_tools.graph_change import compare
from graph_tools.graph_profile import profile
from graph_tools.knowledge_graph import open_graph
from graph_tools.pack import StoryPack

ROOT = Path(__file__).resolve().parent.parent
TINY = ROOT / "tests" / "packs" / "tiny-observatory"
EX = "http://wembrewind.live/ex#"
SKY = "kg/sky.ttl"


def ask(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


# The published graph


@pytest.fixture(scope="module")
def published(shared: Path) -> Path:
    return shared / "data" / "published" / "liveaid_instances_master.ttl"


@pytest.fixture(scope="module")
def faults(published: Path) -> tuple[Problem, ...]:
    return check_graph(published)


Found = Callable[[str], set[str]]


@pytest.fixture(scope="module")
def found(faults: tuple[Problem, ...]) -> Found:
    """`found(rule)`: of what the rule speaks, own IRIs without their namespace."""
    return lambda rule: {problem.iri.removeprefix(EX) for problem in faults if problem.rule == rule}


def test_every_finding_has_a_place_a_rule_an_iri_and_a_remedy(faults: tuple[Problem, ...], published: Path) -> None:
    assert len(faults) > 2000
    for problem in faults:
        assert problem.file == published.name
        assert problem.line
        assert problem.rule in RULES
        assert problem.iri.startswith("http")
        assert problem.remedy


def test_the_414_dangling_iris_are_found(found: Found) -> None:
    dangling = found("iri-dangling")
    assert sum(name.endswith("_Song") for name in dangling) == 405
    assert {"ConcertPhiladelphia1985", "HammerToFall", "JohnFKennedyStadium", "LiveAid1985_Audience"} <= dangling
    assert {"LiveAid1985_Philadelphia_Broadcast", "LiveAid1985_Wembley_Broadcast"} <= dangling
    assert "Recording_DoTheyKnowItsChristmas_d64306b1" in dangling
    classes = found("term-undeclared") & {
        "MusicInstrument",
        "MedicalEvent",
    }  # named as classes and not described either
    assert len(dangling | classes) == 414


def test_the_17_subjects_without_a_class_and_the_unnamed_things_are_found(found: Found) -> None:
    untyped = found("iri-untyped")
    assert len(untyped) == 17
    assert {"BandAid", "UsaForAfrica", "JimmyPage", "DavidGilmour", "PaulMcCartney_LiveAid1985_Performance"} <= untyped
    assert len(found("name-missing")) > 900
    assert "MusicCriticsGroup" in found("name-missing")
    assert found("iri-case") == {"PaulMccartney_LiveAid1985_Performance"}


def test_the_names_that_are_identifiers_are_found(found: Found) -> None:
    glued = found("name-camel")
    assert {"BobGeldof", "JohnDeacon", "RogerTaylor2", "TinaTurner_LiveAid1985_Performance"} <= glued
    assert sum("_" not in name for name in glued) >= 320
    assert {"NoArtist_LiveAid1985_Set", "Unknown_LiveAid1985_Set"} <= found("name-placeholder")
    assert len(found("name-two")) == 90
    assert {"DarylHallJohnOates_2", "Work_DoTheyKnowItSChristmas_d64306b1_2"} <= found("iri-numbered")


def test_the_conflicting_links_are_found(faults: tuple[Problem, ...], found: Found) -> None:
    causes = {(p.rule, p.iri.removeprefix(EX)): p.cause for p in faults if p.rule.startswith("id-")}
    assert "Q18058, Q193740" in causes["id-two", "LiveAid1985"]
    hub = causes["id-hub", "LiveAid1985"]
    assert "LiveAid1985_Philadelphia" in hub
    assert "LiveAid1985_Wembley" in hub
    assert "LiveAid1985" in found("id-page")
    assert "08657c50" in causes["id-shared", "LiveAid1985_Philadelphia"]
    spellings = {p.cause.split(" as ")[1].split(" ")[0] for p in faults if p.rule == "id-spelling"}
    assert spellings == {"https://www.wikidata.org/wiki/{id}", "https://www.wikidata.org/entity/{id}"}


def test_the_dates_of_several_kinds_are_found(faults: tuple[Problem, ...], found: Found) -> None:
    mixed = next(problem for problem in faults if problem.rule == "date-kinds")
    assert "foundingDate" in mixed.cause
    assert "text in 29 places, beside 2 xsd:date" in mixed.cause
    assert sum("startTime" in problem.cause for problem in faults if problem.rule == "date-padded") == 1
    assert {"David_Ruffin_My_Whole_World_Ended_Album", "Sire_Records"} <= found("date-padded")
    assert len(found("date-offset")) == 22
    assert {"DavidBowie_LiveAid1985_Performance", "ElvisCostello_LiveAid1985_Performance"} <= found("date-offset")


def test_the_undefined_terms_are_found(found: Found) -> None:
    mm = "https://w3id.org/polifonia/ontology/music-meta/"
    undefined = {mm + "MusicEnsemble", mm + "onRelease", mm + "hasISRC", "isIconic", "hasChallenge", "inspiredEvent"}
    assert undefined <= found("term-undeclared")
    assert mm + "LivePerformance" not in found("term-undeclared")


def test_the_two_broadcast_and_three_concert_nodes_are_found(faults: tuple[Problem, ...], found: Found) -> None:
    causes = {problem.cause for problem in faults if problem.rule.startswith("twin-")}
    assert any(f"<{EX}LiveAid1985Broadcast>" in cause and f"<{EX}LiveAidBroadcast>" in cause for cause in causes)
    assert any(f"<{EX}LiveAid1985JFK>" in cause and f"<{EX}LiveAid1985_Philadelphia>" in cause for cause in causes)
    assert "ConcertPhiladelphia1985" in found("iri-dangling")
    assert found("class-conflict") == {"LiveAid1985JFK"}


def test_the_duplicates_and_the_blank_nodes_are_found(faults: tuple[Problem, ...], found: Found) -> None:
    shared = " ".join(problem.cause for problem in faults if problem.rule in ("id-shared", "id-hub", "twin-name"))
    for name in ("Paul_Martinez_", "Recording_LivinAfterMidnight", "Work_DancingInTheStreet"):
        assert name in shared
    counted = Counter(
        problem.cause.split("leads to ")[1].split()[0] for problem in faults if problem.rule == "blank-node"
    )
    assert set(counted) == {"239", "2"}


def test_a_pack_lends_a_graph_file_its_vocabulary_and_its_shapes(published: Path, ctx: StoryContext) -> None:
    rules = Counter(problem.rule for problem in check_graph(published, ctx.pack))
    assert rules["shape-violation"] > 100
    assert rules["shape-query"] == rules["accept-unused"] == 0


# The profile


def test_the_profile_of_the_published_graph_is_the_one_of_its_table(published: Path) -> None:
    figures = profile(open_graph(published.parent, [published.name]))
    assert (figures.triples, figures.classes, figures.predicates) == (20_344, 40, 109)
    assert (figures.typed_subjects, figures.dual_typed) == (3_547, 398)
    assert (figures.untyped_subjects, figures.blank_nodes) == (17, 243)
    assert figures.told is None


def test_the_profile_of_a_pack_says_how_much_of_it_is_told() -> None:
    pack = StoryPack.open(TINY)
    figures = profile(pack.graph, pack)
    assert figures.told is not None
    assert figures.attested is not None
    assert 0 < figures.told < figures.attested <= figures.triples
    assert figures.told_share == figures.told / figures.triples
    assert figures.by_class["http://observatory.example/terms/Dome"] == 3
    assert json.loads(ask("kg", "profile", "--pack", str(TINY), "--json").stdout)["told"] == figures.told
    shown = ask("kg", "profile", str(TINY / SKY)).stdout
    assert "typed subjects" in shown
    assert "prove an answer" not in shown


# The difference


def test_a_change_names_the_questions_and_the_beats_that_it_touches(tmp_path: Path) -> None:
    pack = StoryPack.open(TINY)
    text = "\n".join((TINY / name).read_text(encoding="utf-8") for name in pack.graph_files)
    (tmp_path / "old.ttl").write_text(text, encoding="utf-8")
    (tmp_path / "new.ttl").write_text(text.replace("v:aperture 61", "v:aperture 62"), encoding="utf-8")
    old, new = (open_graph(tmp_path, [name]) for name in ("old.ttl", "new.ttl"))
    change = compare(old, new, pack)
    assert [triple.object for triple in change.lost] != [triple.object for triple in change.gained]
    assert [question.id for question in change.questions] == ["CQ-T4"]
    assert not change.questions[0].silenced
    assert {beat.step for beat in change.beats} == {"Arrival", "The Work"}
    assert [(stop.tour, stop.stop) for stop in change.tours] == [("first-night", "glass")]
    assert compare(old, old, pack).questions == ()


def test_a_question_that_loses_its_last_answer_is_said_to_be_silenced(tmp_path: Path) -> None:
    pack = StoryPack.open(TINY)
    text = "\n".join((TINY / name).read_text(encoding="utf-8") for name in pack.graph_files)
    (tmp_path / "old.ttl").write_text(text, encoding="utf-8")
    (tmp_path / "new.ttl").write_text(text.replace("v:inUseFrom", "v:usedFrom"), encoding="utf-8")
    words = ("kg", "diff", str(tmp_path / "old.ttl"), str(tmp_path / "new.ttl"), "--pack", str(TINY))
    assert "CQ-T4     4 lost, 0 gained in its proofs, which is answered for nobody now" in ask(*words).stdout
    told = json.loads(ask(*words, "--json").stdout)
    assert [question["id"] for question in told["questions"] if question["silenced"]] == ["CQ-T4"]
    assert len(told["lost"]) == len(told["gained"]) == 4


# The matrix and the command


def test_the_matrix_counts_the_rows_and_names_what_an_empty_cell_lacks(ctx: StoryContext) -> None:
    for covered in coverage(ctx.pack):
        assert covered.answered, covered.id
        for cell in covered.cells:
            assert bool(cell.rows) or cell.missing
    rows = json.loads(ask("cqs", "coverage", "--pack", str(TINY), "--json").stdout)
    assert [(row["id"], row["answered"], row["of"]) for row in rows][:2] == [("CQ-T1", 1, 1), ("CQ-T2", 8, 8)]
    told = ask("cqs", "coverage", "--pack", str(TINY)).stdout
    assert "CQ-T3         8 of 8      100%  (8 of the class)  astronomer, house" in told


def test_the_findings_are_printed_for_people_and_for_machines(tmp_path: Path) -> None:
    (tmp_path / "one.ttl").write_text("@prefix x: <http://x.example/> .\nx:a x:b x:c .\n", encoding="utf-8")
    told = ask("check", "--kg", str(tmp_path / "one.ttl"))
    assert told.exit_code == 1
    assert "one.ttl:2: <http://x.example/c> is named, but nothing is said about it" in told.stdout
    assert "[iri-dangling]" in told.stdout
    problems = json.loads(ask("check", "--kg", str(tmp_path / "one.ttl"), "--json").stdout)["problems"]
    assert {problem["rule"] for problem in problems} == {"iri-dangling", "iri-untyped", "term-undeclared"}
    assert problems[0].keys() == {"rule", "file", "line", "iri", "cause", "remedy"}


def test_a_graph_file_that_declares_its_own_terms_and_says_all_passes(tmp_path: Path) -> None:
    text = """@prefix x: <http://x.example/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
x:Comet a owl:Class ; rdfs:label "comet" .
x:near a owl:ObjectProperty ; rdfs:label "near" .
x:one a x:Comet ; rdfs:label "the first comet" ; x:near x:two .
x:two a x:Comet ; rdfs:label "the second comet" .
"""
    (tmp_path / "own.ttl").write_text(text, encoding="utf-8")
    told = ask("check", "--kg", str(tmp_path / "own.ttl"))
    assert (told.exit_code, told.stdout) == (0, "")


@pytest.mark.parametrize(
    ("name", "text", "cause"),
    [
        ("kg.jsonld", '{"@context": "http://127.0.0.1:9/c.json"}', "JSON-LD can fetch its context from elsewhere"),
        ("kg.ttl", '{"@context": "http://127.0.0.1:9/c.json"}', "it would fetch http://127.0.0.1:9/c.json"),
        ("kg.ttl", '<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY a "aa">]><rdf:RDF/>', "entities that can grow"),
        (
            "kg.trig",
            "<http://x.example/g> { <http://x.example/a> a <http://x.example/B> }",
            "named graphs would vanish",
        ),
        ("kg.ttl", "<http://x.example/g> { <http://x.example/a> a <http://x.example/B> }", "a named graph (TriG)"),
    ],
)
def test_other_formats_are_refused_by_name_and_nothing_is_fetched(
    name: str, text: str, cause: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (problem,) = check_graph(tmp_path / name)
    assert cause in problem.cause
    assert problem.rule == "file"


def test_the_page_for_curators_explains_every_rule() -> None:
    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    assert sorted(rule for rule in RULES if f"`{rule}`" not in page) == []


def test_every_shape_of_our_pack_can_fail(tmp_path: Path, project: Path, ctx: StoryContext) -> None:
    # A graph with one member of each class and nothing said of it: whatever has a shape must break it.
    pack = ctx.pack
    named = "\n".join(path.read_text(encoding="utf-8") for path in (project / "kg" / "shapes").glob("*.ttl"))
    classes = sorted({class_ for found in pack.entities.typed.values() for class_ in found})
    told = [class_ for class_ in classes if re.search(rf"targetClass \w+:{re.escape(tail(class_.value))}\b", named)]
    lines = [f"<{EX}One{number}> a {class_.n3()} .\n" for number, class_ in enumerate(told)]
    (tmp_path / "bare.ttl").write_text("".join(lines), encoding="utf-8")
    broken = {p.iri for p in check_graph(tmp_path / "bare.ttl", pack) if p.rule == "shape-violation"}
    assert len(told) == named.count("sh:targetClass")
    lenient = {"http://schema.org/Person"}  # nothing has to be known of a person but what other shapes ask for
    assert {class_.value for number, class_ in enumerate(told) if f"{EX}One{number}" not in broken} <= lenient


def tail(iri: str) -> str:
    return re.split(r"[#/]", iri)[-1]


# What is told first, and what is not told twice


@pytest.mark.parametrize("date", ["1985-02-30", "1985"])
def test_a_date_that_is_none_is_told_in_lines_and_in_no_traceback(date: str, tmp_path: Path) -> None:
    text = (TINY / "kg" / "people.ttl").read_text(encoding="utf-8") + (TINY / SKY).read_text(encoding="utf-8")
    (tmp_path / "kg.ttl").write_text(text.replace("1906-10-02", date), encoding="utf-8")
    command = [sys.executable, "-c", "from agent.cli import main; main()", "check"]
    told = subprocess.run(
        [*command, "--kg", str(tmp_path / "kg.ttl"), "--pack", str(TINY)], capture_output=True, text=True, check=False
    )
    assert told.returncode == 1
    assert f'"{date}"^^<http://www.w3.org/2001/XMLSchema#date> is no value of its datatype' in told.stdout
    assert {line.split()[-1] for line in told.stderr.splitlines()} <= {"problem", "problems", *RULES}
    assert "Traceback" not in told.stderr + told.stdout


def test_a_graph_in_the_other_scheme_is_told_by_its_terms_alone(
    tmp_path: Path, project: Path, ctx: StoryContext
) -> None:
    text = (project / "kg" / "liveaid.ttl").read_text(encoding="utf-8")
    (tmp_path / "kg.ttl").write_text(text.replace("http://schema.org/", "https://schema.org/"), encoding="utf-8")
    problems = check_graph(tmp_path / "kg.ttl", ctx.pack)
    assert {problem.rule for problem in problems} == {"term-twin"}
    assert "https://schema.org/name" in {problem.iri for problem in problems}


def test_a_cause_that_repeats_is_shown_ten_times_and_counted(published: Path) -> None:
    few, whole = ask("check", "--kg", str(published)), ask("check", "--kg", str(published), "--all")
    assert len(whole.stdout.splitlines()) > 2000
    shown = few.stdout.splitlines()
    assert len(shown) < 200
    assert sum("is named, but nothing is said about it" in line for line in shown) == 10
    left = sum(int(line.split()[2].replace(",", "")) for line in shown if line.startswith("... and"))
    assert sum(not line.startswith("... and") for line in shown) + left == len(whole.stdout.splitlines())
    assert re.search(r"^ *412  iri-dangling$", few.stderr, re.MULTILINE)
    assert few.stderr.endswith(" problems\n")
    assert len(json.loads(ask("check", "--kg", str(published), "--json").stdout)["problems"]) > 2000


def test_a_shape_speaks_of_what_has_no_iri_by_what_leads_to_it(published: Path, ctx: StoryContext) -> None:
    problems = [p for p in check_graph(published, ctx.pack) if p.rule == "shape-violation"]
    nameless = [problem for problem in problems if "has a thing without an IRI" in problem.cause]
    assert nameless
    assert all(problem.iri.startswith(EX) and problem.line for problem in nameless)


# The tables behind the graph


@pytest.fixture
def built(project: Path, tmp_path: Path) -> Path:
    """A copy of our graph with its tables."""
    shutil.copytree(project / "kg", tmp_path / "kg")
    shutil.copy(project / "pack.toml", tmp_path)
    return tmp_path


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_our_graph_and_its_description_are_what_the_tables_give(built: Path) -> None:
    assert list(source_problems(built)) == []
    path = built / "kg" / "liveaid.ttl"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert list(source_problems(built)) == []


def test_a_graph_that_was_edited_by_hand_is_stale(built: Path) -> None:
    edited(built / "kg" / "liveaid.ttl", '"1985-07-13T18:41:00+01:00"', '"1985-07-13T18:45:00+01:00"')
    (problem,) = source_problems(built)
    assert (problem.file, problem.rule) == ("kg/liveaid.ttl", "build-stale")
    assert "18:45" in problem.cause
    assert "18:41" in problem.cause
    assert problem.line
    assert "cuestory kg build" in problem.remedy


def test_a_description_with_another_figure_or_none_at_all_is_stale(built: Path) -> None:
    path = built / "kg" / "void.ttl"
    path.write_text(re.sub(r"void:triples \d+", "void:triples 1", path.read_text(encoding="utf-8")), encoding="utf-8")
    assert [problem.file for problem in source_problems(built)] == ["kg/void.ttl"]
    path.unlink()
    assert "is missing" in next(source_problems(built)).cause


def test_a_table_with_a_fault_is_told_as_the_build_tells_it(built: Path) -> None:
    edited(built / "kg" / "sources" / "performances.csv", "at Live Aid,Queen,", "at Live Aid,Quen,")
    (problem,) = source_problems(built)
    assert problem.file == "kg/sources/performances.csv"
    assert problem.remedy.startswith("did you mean Queen")


@pytest.mark.parametrize(
    ("name", "spoil", "cause"),
    [
        ("semicolons", lambda data: data.replace(b",", b";"), "semicolons between its cells"),
        ("utf-16", lambda data: data.decode().encode("utf-16"), "is UTF-16"),
        ("header", lambda data: data.replace(b"short_name", b"shortname", 1), 'unknown column "shortname"'),
        ("row", lambda data: data.replace(b"\n", b"\nX,", 1), "the row has"),
        ("gone", lambda data: b"", "the file is empty"),
    ],
)
def test_a_table_that_cannot_be_read_is_told_and_not_what_it_hides(
    name: str, spoil: Callable[[bytes], bytes], cause: str, built: Path
) -> None:
    path = built / "kg" / "sources" / "venues.csv"
    path.write_bytes(spoil(path.read_bytes()))
    (problem,) = source_problems(built)
    assert problem.file == "kg/sources/venues.csv"
    assert cause in problem.cause


# What no graph is


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (gzip.compress(b"<http://x.example/a> a <http://x.example/B> ."), "is a gzip file"),
        (bytes(range(256)) * 8, "bytes that no text has"),
        ("<http://x.example/a> a <http://x.example/B> .".encode("utf-16-le"), "is UTF-16"),
        (
            b"<http://x.example/Bob Dylan> a <http://x.example/B> .",
            "<http://x.example/Bob Dylan> is no IRI: it holds ' '",
        ),
        (b"<bob> a <http://x.example/B> .", "<bob> is no IRI"),
    ],
    ids=["gzip", "bytes", "utf-16", "space", "relative"],
)
def test_a_file_is_named_for_what_it_is(data: bytes, cause: str, tmp_path: Path) -> None:
    (tmp_path / "kg.ttl").write_bytes(data)
    (problem,) = check_graph(tmp_path / "kg.ttl")
    assert cause in problem.cause
    assert problem.rule == "file"
