"""A recorded story as RDF: it fits its shapes, loads beside the graph in any engine, and leads to the source pages."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pyoxigraph as ox
import pyshacl
import pytest
import rdflib
from click.testing import CliRunner, Result

from agent.audit_file import AuditFile
from agent.audit_log import AuditLog, open_log
from agent.audit_seal import OperatorKey
from agent.cli import cli
from agent.context import StoryContext
from agent.errors import NotALog
from agent.recorded import record_of
from agent.replay import tell_straight
from graph_tools.evidence import Snippet
from graph_tools.pack import StoryPack
from graph_tools.plan import StoryRequest
from graph_tools.provenance import Record, Said, parsed, story_turtle

ROOT = Path(__file__).resolve().parent.parent
TINY = ROOT / "tests" / "packs" / "tiny-observatory"
SHAPES = ROOT / "graph_tools" / "shapes" / "story.ttl"


@pytest.fixture(scope="module")
def path(ctx: StoryContext, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("log")
    file = AuditFile.create(directory / "a.jsonl", OperatorKey.open(directory), lambda: 1_800_000_000.0)
    tell_straight(StoryRequest(persona="luca", seed=7), ctx, lambda told, seconds: file.add([told], seconds))
    file.seal()
    return directory / "a.jsonl"


@pytest.fixture(scope="module")
def log(path: Path) -> AuditLog:
    return open_log(path)


@pytest.fixture(scope="module")
def record(log: AuditLog) -> Record:
    return record_of(log)


def conforms(turtle: bytes) -> tuple[bool, str]:
    graph = rdflib.Graph().parse(data=turtle, format="turtle")
    found, _, report = pyshacl.validate(graph, shacl_graph=rdflib.Graph().parse(SHAPES), inference="none")
    return found, report


def test_the_export_fits_its_shapes_and_has_the_same_bytes_each_time(record: Record) -> None:
    turtle = story_turtle(record)
    assert turtle == story_turtle(record)
    found, report = conforms(turtle)
    assert found, report


def test_the_shapes_find_a_sentence_without_evidence_and_evidence_without_a_proof(record: Record) -> None:
    beat = next(beat for beat in record.beats if beat.said)
    bare = replace(record, beats=(replace(beat, said=(Said("Nobody proves this.", ()),)),))
    found, report = conforms(story_turtle(bare))
    assert not found
    assert "a sentence needs evidence" in report
    snippet = Snippet(id="s1", text="It rained.", source_url="no page", source_title="", publisher="", accessed="",
                      snippet="b-1", cq="CQ-X1", tier=1, spoken="B", entities=())  # fmt: skip
    unread = replace(record, beats=(replace(beat, said=(Said("It rained.", (), (snippet,)),)),))
    found, report = conforms(story_turtle(unread))
    assert not found
    assert "needs statements that prove it, or a page" in report
    read = replace(record, beats=(replace(beat, said=(Said("It rained.", (), (
        snippet.model_copy(update={"source_url": "https://b.example/", "accessed": "2026-12-01"}),)),)),))  # fmt: skip
    assert conforms(story_turtle(read))[0]


def documented_query() -> str:
    found = re.search(r"```sparql\n(.*?)```", (ROOT / "docs" / "audit.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def test_the_documented_query_walks_from_every_sentence_to_its_source_page(record: Record, log: AuditLog) -> None:
    beside = ox.Store()
    beside.load(story_turtle(record), format=ox.RdfFormat.TURTLE)
    beside.load(path=str(ROOT / "kg" / "liveaid.ttl"))
    rows = list(beside.query(documented_query()))  # type: ignore[arg-type]
    said = {row["said"].value for row in rows}
    assert said == {s["text"] for line in log.of("beat") for s in line.told["sentences"]}
    pages = {row["url"].value for row in rows}
    recorded = {
        source["url"]
        for line in log.of("beat")
        for factlet in line.told["evidence"]["factlets"]
        for source in factlet["sources"]
    }
    assert pages
    assert pages <= recorded


def test_another_engine_finds_the_same(record: Record) -> None:
    graph = rdflib.Graph().parse(data=story_turtle(record), format="turtle")
    held = {triple for beat in record.beats for said in beat.said for f in said.factlets for triple in f.triples}
    source = ox.Store()
    source.load(path=str(ROOT / "kg" / "liveaid.ttl"))
    for line in held:
        subject, predicate, _ = line.split(" ", 2)
        for quad in source.quads_for_pattern(ox.NamedNode(subject[1:-1]), ox.NamedNode(predicate[1:-1]), None):
            graph.parse(data=f"{quad.triple} .", format="nt")
    standing = "SELECT (COUNT(*) AS ?n) WHERE { ?x a rdf:Statement ; rdf:subject ?s ; rdf:predicate ?p ; rdf:object ?o"
    (all_,) = graph.query(standing + " }")
    (still,) = graph.query(standing + " . ?s ?p ?o }")
    assert str(all_[0]) == str(still[0]) == str(len(held))  # type: ignore[index]


def test_what_is_no_statement_is_refused() -> None:
    for line in ("no triple", "<a:b> <c:d> _:e .", "<a:b> <c:d> <e:f>"):
        with pytest.raises(ValueError, match="a proof"):
            parsed([line])


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def test_the_command_exports_a_log_and_refuses_one_that_was_changed(path: Path, tmp_path: Path) -> None:
    assert run("audit", "export", str(path)).stdout_bytes == story_turtle(record_of(open_log(path)))
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes(path.read_bytes().replace(b"Live Aid", b"Dead Aid", 1))
    rows = changed.read_bytes().splitlines(keepends=True)
    if rows[0] != path.read_bytes().splitlines(keepends=True)[0]:
        pytest.fail("the change must come after the first line")
    done = run("audit", "export", str(changed))
    assert done.exit_code == 1
    assert "was tampered with: line" in done.stderr


def test_a_change_of_the_graph_names_the_recorded_sentences_before_and_after(tmp_path: Path) -> None:
    log, story, old, new = (tmp_path / name for name in ("a.jsonl", "a.json", "old.nt", "new.nt"))
    request = ("--pack", str(TINY), "--persona", "nora", "--length", "small")
    story.write_text(run("tell", *request, "--json", "--audit", str(log)).stdout, encoding="utf-8")
    beats = record_of(open_log(log)).beats
    lost = next(beat for beat in beats if beat.said).said[0].factlets[0].triples[-1]
    graph = StoryPack.open(TINY).graph
    lines = {triple.n3() for triple in graph.match()}
    subject, predicate, _ = lost.split(" ", 2)
    come = f'{subject} {predicate} "what we know now" .'
    assert lost in lines
    for path, held in ((old, lines), (new, lines - {lost} | {come})):
        path.write_text("\n".join(sorted(held)) + "\n", encoding="utf-8")
    change = ("kg", "diff", str(old), str(new), "--pack", str(TINY), "--stories", str(log), str(story))
    rows = json.loads(run(*change, "--json").stdout)["sentences"]
    assert all({"before": lost, "after": [come]} in row["proof"] for row in rows)
    said = [one for beat in beats for one in beat.said if any(lost in factlet.triples for factlet in one.factlets)]
    for path in (log, story):
        assert [row["text"] for row in rows if row["file"] == str(path)] == [one.text for one in said]
    told = run(*change).stdout
    assert f"  before: {lost}\n  after:  {come}\n" in told


def test_stories_are_named_after_their_option_alone(path: Path) -> None:
    old = str(ROOT / "kg" / "liveaid.ttl")
    assert run("kg", "diff", old, old, str(path)).exit_code == 2
    assert run("kg", "diff", old, old, "--stories").exit_code == 2
    with pytest.raises(NotALog, match="neither an audit log nor a story file"):
        cli.main(["kg", "diff", old, old, "--stories", old], standalone_mode=False)
