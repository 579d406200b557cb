"""`cuestory evaluate`: a small grid, kept and told anew; its report to the byte; the stories and ratings of others."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agent.cli import cli
from agent.lies import HONEST
from evaluation import grid, published, tables
from evaluation.adapter import read_stories
from evaluation.errors import UnreadableStory
from evaluation.frame import Frame
from evaluation.importers.rated import read_rated
from evaluation.importers.webnlg import read_webnlg
from evaluation.measures import MEASURES, measure
from evaluation.ratings import agreement
from evaluation.results import Row, in_order
from evaluation.scores import Score, Unscored
from evaluation.told import Key, read_story
from graph_tools.retrieval import strategies

PACK = "tests/packs/tiny-observatory"


def cuestory(*words: str) -> Result:
    return CliRunner().invoke(cli, ["evaluate", *words])


def digests(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Path:
    """Two seeds of every configuration of a small pack, in this process."""
    os.chdir(project)
    folder = tmp_path_factory.mktemp("grid")
    done = cuestory("--runs", "2", "--out", str(folder), "--jobs", "1", "--pack", PACK)
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{folder / 'REPORT.md'}\n"
    return folder


def test_a_grid_tells_every_configuration_with_every_strategy_and_seed(out: Path) -> None:
    manifest = grid.read_manifest(out)
    wanted = {
        f"{strategy}/{persona}-{length}-{seed:04}.json"
        for strategy in strategies()
        for persona in ("nora", "piet")
        for length in ("small", "medium")
        for seed in (0, 1)
    }
    assert set(manifest["stories"]) == wanted
    folder = out / "stories" / "template"
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.json")} == wanted


def test_every_story_and_every_baseline_has_a_row_and_every_gap_a_reason(out: Path) -> None:
    with (out / "scores.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with (out / "unscored.csv").open(encoding="utf-8") as file:
        gaps = list(csv.DictReader(file))
    assert len(rows) == 4 * len(grid.read_manifest(out)["stories"])
    assert {row["system"] for row in rows} == {"cuestory", "copier", "shuffled", "exchanged"}
    assert set(rows[0]) == {"system", "persona", "length", "strategy", "seed", *(one.key for one in MEASURES)}
    empty = sum(value == "" for row in rows for value in row.values())
    assert len(gaps) == empty
    assert all(gap["reason"] for gap in gaps)


def test_the_report_has_the_papers_tables_our_own_and_the_way_to_make_it_again(out: Path) -> None:
    text = (out / "REPORT.md").read_text(encoding="utf-8")
    for heading in ("## Table 2", "## Table 3", "## Our own measures: kg", "## What could not be scored"):
        assert heading in text
    manifest = grid.read_manifest(out)
    assert manifest["pack"]["kg_digest"] in text
    assert str(out) not in text
    assert (out / "plots" / "told-apart-kg.png").stat().st_size > 1000


@pytest.mark.slow
def test_story_files_that_still_fit_are_kept_and_others_told_again(out: Path) -> None:
    before = digests(out)
    changed, broken, gone = sorted((out / "stories").rglob("*.json"))[:3]
    document = json.loads(changed.read_text(encoding="utf-8"))
    document["pack"]["kg_digest"] = "sha256:another"
    changed.write_text(json.dumps(document), encoding="utf-8")
    broken.write_text('{"format": "cue', encoding="utf-8")
    gone.unlink()
    kept = sorted((out / "stories").rglob("*.json"))[-1]
    stamp = kept.stat().st_mtime_ns
    done = cuestory("--runs", "2", "--out", str(out), "--jobs", "1", "--pack", PACK)
    assert done.exit_code == 0, done.output
    total = len(grid.read_manifest(out)["stories"])
    assert f"kept {total - 3} of {total} story files" in done.stderr
    assert kept.stat().st_mtime_ns == stamp
    assert digests(out) == before


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    asked = grid.Grid(("nora",), ("small",), ("kg",), {"nora": 7}, pack_dir=Path(PACK))
    parts = grid.run(asked, tmp_path, jobs=1)
    next(parts)
    parts.close()  # type: ignore[attr-defined]
    assert "was broken off" in str(cuestory("report", str(tmp_path), "--pack", PACK).exception)
    assert [done.kept for done in grid.run(asked, tmp_path, jobs=1)] == [grid.CHUNK, 0]
    assert len(grid.read_manifest(tmp_path)["stories"]) == 7


@pytest.mark.slow
def test_the_report_is_rebuilt_to_the_byte_without_telling_a_story(out: Path) -> None:
    before = digests(out)
    for name in ("REPORT.md", "scores.csv", "unscored.csv"):
        (out / name).unlink()
    done = cuestory("report", str(out), "--jobs", "1", "--pack", PACK)
    assert done.exit_code == 0, done.output
    assert digests(out) == before


@pytest.mark.slow
def test_two_processes_find_what_one_finds(out: Path, tmp_path: Path) -> None:
    done = cuestory("--runs", "2", "--out", str(tmp_path), "--jobs", "2", "--pack", PACK)
    assert done.exit_code == 0, done.output
    assert digests(tmp_path) == digests(out)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "say where to write: --out DIR"),
        (("--out", "x", "--personas", "nor"), "unknown persona 'nor'; did you mean nora?"),
        (("--out", "x", "--lengths", "tiny"), "unknown length 'tiny'"),
        (("--out", "x", "--strategies", "kgg"), "unknown strategy 'kgg'; did you mean kg?"),
        (("--out", "x", "--narrator", "modle"), "unknown narrator 'modle'"),
        (("report", "nowhere"), "'nowhere' holds no run.json"),
    ],
)
def test_a_wrong_use_names_what_is_wrong_and_the_remedy(words: tuple[str, ...], complaint: str) -> None:
    done = cuestory(*words, "--pack", PACK)
    assert done.exit_code != 0
    assert complaint in (done.stderr or str(done.exception))
    assert not Path("x").exists()


def test_an_installed_command_is_listed_and_suggested_beside_our_own() -> None:
    listed = CliRunner().invoke(cli, ["--help"]).stdout
    assert "\n  evaluate " in listed
    assert "\n  tell " in listed
    assert "did you mean evaluate" in CliRunner().invoke(cli, ["evaluat"]).output


def test_the_protocol_of_the_paper_asks_for_its_numbers_of_runs() -> None:
    from evaluation.commands import _grid

    planned = _grid(None, "", "", "kg", narrator="template", protocol="paper", runs=3)
    assert planned.runs == {"emma": 20, "luca": 5}
    assert len(list(planned.requests())) == (20 + 5) * 3


HONEST_MODEL = {
    "CUESTORY_MODEL": "agent.adversary.AdversaryChatModel:honest",
    "CUESTORY_MODEL_OPTIONS": json.dumps({"model": HONEST[1]}),
}


def test_a_configured_model_does_not_slip_in_under_the_name_of_the_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUESTORY_NARRATOR", "model")
    for name, value in HONEST_MODEL.items():
        monkeypatch.setenv(name, value)
    grid._context.cache_clear()  # what was opened before these settings
    asked = grid.Grid(("nora",), ("small",), ("kg",), {"nora": 1}, pack_dir=Path(PACK))
    (done,) = grid.run(asked, tmp_path, jobs=1)
    assert grid.read_manifest(tmp_path)["narrator"] == {"kind": "template", "model": None}
    assert done.rows[0].scores["own_wording"] == 100.0


@pytest.mark.slow
def test_the_configured_model_words_a_grid_and_the_report_says_where_it_was_not_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in HONEST_MODEL.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CUESTORY_VISIT_CALLS", "0")  # a limit for visitors, not for a measurement
    words = ("--narrator", "model", "--runs", "1", "--personas", "luca", "--lengths", "small", "--strategies", "kg")
    done = cuestory(*words, "--out", str(tmp_path), "--jobs", "1")
    assert done.exit_code == 0, done.output
    assert grid.read_manifest(tmp_path)["narrator"]["kind"] == "model"
    with (tmp_path / "scores.csv").open(encoding="utf-8") as file:
        own = [float(row["own_wording"]) for row in csv.DictReader(file) if row["system"] == "cuestory"]
    assert 0 <= min(own) < 100
    told = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((tmp_path / "stories").rglob("*.json"))]
    by = [said.get("worded_by", "template") for one in told for beat in one["beats"] for said in beat["sentences"]]
    assert "model" in by
    before = (tmp_path / "REPORT.md").read_text(encoding="utf-8")
    assert f"where the model was not heard: {sum(own) / len(own):.1f} %" in before
    monkeypatch.delenv("CUESTORY_MODEL")  # scoring again needs no model
    again = cuestory("report", str(tmp_path), "--jobs", "1")
    assert again.exit_code == 0, again.output
    assert (tmp_path / "REPORT.md").read_text(encoding="utf-8") == before


def test_without_a_configured_model_there_is_no_story_by_a_model(tmp_path: Path) -> None:
    done = cuestory("--narrator", "model", "--out", str(tmp_path / "x"), "--pack", PACK)
    assert "no language model is configured" in (done.stderr + str(done.exception))
    assert not (tmp_path / "x").exists()


def row(system: str, strategy: str, seed: int, support: Score, length: str = "small") -> Row:
    scores: dict[str, Score] = {one.key: Unscored("not taken") for one in MEASURES}
    return Row(Key(system, "emma", length, strategy, seed), scores | {"tabulated_support": support})


ROWS = in_order(
    [
        row("copier", "kg", 0, 90.0),
        row("cuestory", "vector", 0, 50.0),
        row("cuestory", "kg", 1, 80.0),
        row("cuestory", "kg", 0, 70.0),
        row("cuestory", "vector", 1, 55.0),
    ]
)


def test_the_papers_table_stands_ours_beside_published_and_difference_for_any_strategy() -> None:
    lines = [line.strip("| ").split(" | ") for line in tables.paper_table(published.tables()[0], ROWS).splitlines()]
    assert lines[0][:5] == ["Persona", "Length", "", "KG Support%", "KG Coverage%"]
    assert lines[0][-2:] == ["vector Support%", "vector Coverage%"]
    body = {line[-9]: line[-8:] for line in lines[2:]}
    assert body["ours"][0] == "75.00"
    assert body["published"][0] == "71.95"
    assert body["difference"][0] == "+3.05"
    assert body["copier"][0] == "90.00"
    assert body["published"][-2:] == ["–", "–"]
    assert body["ours"][-2:] == ["52.50", "–"]


def test_strategies_are_compared_in_pairs_of_the_same_plan() -> None:
    (line,) = tables.strategy_table(ROWS).splitlines()[2:]
    cells = line.strip("| ").split(" | ")
    assert cells[:2] == ["kg - vector", "Support (tabulated)"]
    assert cells[2].startswith("+22.50 [")
    assert cells[3:] == ["6.36", "100 %", "2"]
    assert tables.strategy_table(ROWS[:2]) == ""


def test_rows_stand_in_one_order_however_they_were_made() -> None:
    assert in_order(reversed(ROWS)) == ROWS
    assert [one.key.system for one in ROWS] == ["cuestory"] * 4 + ["copier"]


STORY = {
    "system": "other",
    "persona": "emma",
    "length": "small",
    "sections": [
        {
            "step": "Introduction",
            "sentences": [{"text": "Queen played in London.", "evidence": ["e1"]}, "It rained."],
            "evidence": [{"triples": [["Queen", "playedIn", "London"]]}, "The sky was grey."],
        },
        {"text": "They left. Nobody stayed.", "evidence": ["Queen left."]},
    ],
}


def test_stories_of_other_systems_are_scored_by_the_same_measures(tmp_path: Path) -> None:
    path = tmp_path / "stories.jsonl"
    path.write_text(json.dumps(STORY) + "\n\n" + json.dumps(STORY | {"system": "third"}) + "\n", encoding="utf-8")
    first, second = read_stories(path, "stories")
    assert (first.key.system, second.key.system) == ("other", "third")
    assert [item.text for item in first.sections[0].evidence] == ["Queen played in London.", "The sky was grey."]
    assert [said.text for said in first.sections[1].sentences] == ["They left.", "Nobody stayed."]
    assert measure(first, Frame())["citation_recall"] == 25.0
    done = cuestory("score", str(path))
    assert done.exit_code == 0, done.output
    assert "other (1) | third (1)" in done.stdout


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", ":1: "),
        ('{"system": "x", "sections": []}', "sections"),
        ('{"system": "x", "sections": [{"evidence": []}]}', "either text or sentences"),
        ('{"system": "x", "sections": [{"text": "A.", "evidence": [{"id": "e"}]}]}', "needs text or triples"),
        ("", "holds no story"),
    ],
)
def test_a_line_that_is_no_story_is_refused_with_its_place(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "stories.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(UnreadableStory, match=complaint):
        read_stories(path, "stories")


def test_a_file_that_is_no_story_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "story.json"
    path.write_text('{"format": "other"}', encoding="utf-8")
    with pytest.raises(UnreadableStory, match=r"story\.json"):
        read_story(path)


WEBNLG_XML = """<benchmark><entries><entry category="Airport" eid="1" size="1">
 <originaltripleset><otriple>Aarhus_Airport | cityServed | Aarhus</otriple></originaltripleset>
 <modifiedtripleset><mtriple>Aarhus_Airport | cityServed | "Aarhus, Denmark"</mtriple></modifiedtripleset>
 <lex comment="good" lid="Id1">Aarhus Airport serves Aarhus, Denmark. It is small.</lex>
 <lex comment="bad" lid="Id2">Aarhus.</lex></entry></entries></benchmark>"""
WEBNLG_JSON = {
    "entries": [
        {
            "1": {
                "category": "Airport",
                "modifiedtripleset": [
                    {"subject": "Aarhus_Airport", "property": "cityServed", "object": '"Aarhus, Denmark"'}
                ],
                "lexicalisations": [
                    {"comment": "good", "lang": "", "lex": "Aarhus Airport serves Aarhus, Denmark. It is small."},
                    {"comment": "good", "lang": "ru", "lex": "…"},
                ],
            }
        }
    ]
}


def test_webnlg_is_read_alike_from_xml_and_json(tmp_path: Path) -> None:
    xml, js = tmp_path / "corpus.xml", tmp_path / "corpus.json"
    xml.write_text(WEBNLG_XML, encoding="utf-8")
    js.write_text(json.dumps(WEBNLG_JSON), encoding="utf-8")
    (story,) = read_webnlg(xml)
    assert read_webnlg(js) == [story]
    (section,) = story.sections
    assert section.evidence[0].text == "Aarhus Airport city served Aarhus, Denmark."
    assert [said.cites for said in section.sentences] == [("e1",), ("e1",)]
    assert cuestory("score", str(xml), "--as", "webnlg").exit_code == 0


@pytest.mark.parametrize("text", ["<entries>", '{"entries": [{"1": {}}]}', '{"entries": 1}'])
def test_a_broken_corpus_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / ("corpus.xml" if text.startswith("<") else "corpus.json")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableStory, match="corpus"):
        read_webnlg(path)


def rated(text: str, correct: float) -> dict[str, object]:
    return {"triples": [["Queen", "playedIn", "London"]], "text": text, "ratings": {"correct": correct}}


def test_measures_are_held_to_what_people_thought(tmp_path: Path) -> None:
    items = [
        rated("Queen played in London.", 5),
        rated("In London, Queen played.", 4),
        rated("Madonna played in Moscow.", 1),
        rated("Then Madonna played in London.", 2),
    ]
    path, listed = tmp_path / "rated.jsonl", tmp_path / "rated.json"
    path.write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    listed.write_text(json.dumps(items), encoding="utf-8")
    assert read_rated(path) == read_rated(listed)
    table = agreement(read_rated(path), Frame())
    (line,) = [line for line in table.splitlines() if line.startswith("| Citation recall")]
    assert line.split(" | ")[2:] == ["4", "0.89", "1.00 |"]
    assert cuestory("ratings", str(path), "--good", "4").stdout == agreement(read_rated(path), Frame(), 4)


@pytest.mark.parametrize("text", ["", "{", '{"text": "x", "triples": [], "ratings": {"a": 1}}', "[1]"])
def test_a_rated_text_that_lacks_something_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rated.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableStory, match=r"rated\.json"):
        read_rated(path)
