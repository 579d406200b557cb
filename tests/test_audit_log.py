"""A log of what was told: chained, sealed, and told again byte for byte; any change of it is found and named."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from agent import visit
from agent.answered import Answered, Verdict
from agent.audit_check import Report, verify
from agent.audit_file import AuditFile
from agent.audit_line import BrokenLine, Json, chained, read_line, spelled
from agent.audit_log import open_log, read_log
from agent.audit_seal import KEY_FILE, OperatorKey, public_key
from agent.audit_show import page, text
from agent.cli import cli
from agent.context import StoryContext
from agent.defects import Spoken, counts
from agent.errors import NoKey, NotALog
from agent.narrator import TemplateNarrator
from agent.recorded import reading, record_of, told_beats
from agent.replay import tell_straight
from agent.story import NarratorCard
from graph_tools.evidence import Factlet
from graph_tools.knowledge_graph import open_graph
from graph_tools.pack import StoryPack
from graph_tools.plan import Question, StoryRequest
from graph_tools.provenance import story_turtle
from graph_tools.staleness import Standing

NOON = 1_800_000_000.0
SMALL = StoryRequest(length="small", seed=7)


def recorded(request: StoryRequest, ctx: StoryContext, path: Path, key: OperatorKey, *, sealed: bool = True) -> bytes:
    """The bytes of a story's log."""
    log = AuditFile.create(path, key, lambda: NOON)
    tell_straight(request, ctx, lambda told, seconds: log.add([told], seconds))
    if sealed:
        log.seal()
    return path.read_bytes()


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> OperatorKey:
    return OperatorKey.open(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def log(ctx: StoryContext, key: OperatorKey, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return recorded(SMALL, ctx, tmp_path_factory.mktemp("logs") / "a.jsonl", key)


@pytest.fixture(scope="module")
def check(ctx: StoryContext, key: OperatorKey) -> Callable[[bytes], Report]:
    standing = Standing(ctx.pack.graph)
    return lambda written: verify(read_log(written), ctx, key.public, None, standing)


def rechained(rows: list[Json]) -> bytes:
    """The rows with hashes that fit, as a forger without the key would write them."""
    written, previous = b"", "0" * 64
    for number, row in enumerate(rows):
        line, spelt = chained(row, number, previous)
        written, previous = written + spelt, line.hash
    return written


def test_a_fresh_log_holds_and_is_told_again_to_the_last_byte(log: bytes, check: Callable[[bytes], Report]) -> None:
    report = check(log)
    assert report.holds
    assert report.log.state == "sealed"
    assert report.replayed == len(report.log.lines) == log.count(b"\n") - 1
    assert report.sentences > 8


def test_the_same_story_gives_the_same_lines_but_for_their_timings(
    log: bytes, ctx: StoryContext, key: OperatorKey, tmp_path: Path
) -> None:
    again = recorded(SMALL, ctx, tmp_path / "b.jsonl", key)
    first, second = ([line.replayable for line in read_log(written).lines] for written in (log, again))
    assert [spelled(line) for line in first] == [spelled(line) for line in second]
    assert all("timings" in line.told for line in read_log(log).lines)


def test_a_log_says_what_was_told_from_which_facts_by_which_query(log: bytes) -> None:
    lines = read_log(log).lines
    assert [line.kind for line in lines[:2]] == ["visit", "plan"]
    assert lines[-1].kind == "end"
    head = lines[0].told
    assert head["pack"]["kg_digest"].startswith("sha256:")
    assert head["narrator"] == {"kind": "template", "model": None}
    for line in lines[2:-1]:
        assert line.kind == "beat"
        known = {factlet["id"]: factlet for factlet in line.told["evidence"]["factlets"]}
        assert all(known[id_]["triples"] for said in line.told["sentences"] for id_ in said["evidence"])
        assert all(asked["query"].startswith(("PREFIX", "SELECT")) for asked in line.told["evidence"]["questions"])
        chosen = {id_ for message in line.told["outline"] for id_ in message["factlets"]}
        assert chosen <= {*known}
        assert line.told["shown"] == [said["text"] for said in line.told["sentences"]]
        assert line.told["timings"]["ms"] >= 0


@settings(max_examples=300)
@given(data=st.data())
def test_any_one_changed_byte_is_found(log: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(log) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != log[at]))
    assert read_log(log[:at] + bytes([byte]) + log[at + 1 :]).state != "sealed"


@settings(max_examples=100)
@given(data=st.data())
def test_a_byte_that_is_put_in_or_taken_out_is_found(log: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(log) - 1))
    assert read_log(log[:at] + log[at + 1 :]).state != "sealed"
    assert read_log(log[:at] + bytes([data.draw(st.integers(0, 255))]) + log[at:]).state != "sealed"


@pytest.mark.parametrize("at", range(9))
def test_a_changed_character_is_tampering_also_in_a_log_without_a_seal(log: bytes, at: int) -> None:
    rows = log.splitlines(keepends=True)[:-1]
    row = min(at, len(rows) - 1)
    assert read_log(b"".join(rows)).state == "incomplete"
    middle = len(rows[row]) // 2
    rows[row] = rows[row][:middle] + bytes([rows[row][middle] ^ 1]) + rows[row][middle + 1 :]
    found = read_log(b"".join(rows))
    assert found.state == "tampered"
    assert f"line {row + 1} " in found.fault


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize(
    ("meddle", "line"),
    [
        (lambda rows: rows[:2] + rows[3:], "line 3"),
        (lambda rows: rows[1:], "line 1"),
        (lambda rows: [*rows[:2], rows[3], rows[2], *rows[4:]], "line 3"),
        (lambda rows: [*rows[:3], rows[2], *rows[3:]], "line 4"),
        (lambda rows: [*rows[:3], b"\n", *rows[3:]], "line 4"),
        (lambda rows: [rows[0].replace(b'"seed":7', b'"seed":8'), *rows[1:]], "line 1"),
        (lambda rows: [rows[0].replace(b'"seed":7', b'"seed": 7'), *rows[1:]], "line 1"),
        (lambda rows: [b"\xef\xbb\xbf" + rows[0], *rows[1:]], "line 1"),
    ],
    ids=["removed", "the first removed", "swapped", "repeated", "an empty one", "changed", "respelled", "BOM"],
)
def test_lines_that_were_removed_swapped_repeated_or_changed_are_named(
    log: bytes, meddle: Callable[[list[bytes]], list[bytes]], line: str, sealed: bool
) -> None:
    rows = log.splitlines(keepends=True)
    found = read_log(b"".join(meddle(rows if sealed else rows[:-1])))
    assert found.state == "tampered"
    assert line in found.fault


def test_lines_taken_from_the_end_are_missed_by_the_seal(log: bytes, check: Callable[[bytes], Report]) -> None:
    rows = log.splitlines(keepends=True)
    report = check(b"".join([*rows[:-3], rows[-1]]))
    assert not report.holds
    assert report.log.state == "tampered"


def test_nothing_may_follow_a_seal(log: bytes) -> None:
    seal = log.splitlines(keepends=True)[-1]
    for more in (b"x", b"\n", seal, b"{}\n"):
        assert read_log(log + more).state == "tampered"


def test_a_forged_log_with_fitting_hashes_is_told_otherwise_when_it_is_told_again(
    log: bytes, check: Callable[[bytes], Report]
) -> None:
    rows = [dict(line.told) for line in read_log(log).lines]
    beat = next(row for row in rows if row["kind"] == "beat")
    beat["sentences"][0]["text"] = "Live Aid took place on the Moon."
    report = check(rechained(rows))
    assert report.log.state == "incomplete"
    assert any("line 3 (beat) is told otherwise now: sentences" in fault for fault in report.faults)


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of everything in a JSON value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, part in parts for found in places(part, (*path, key)))]


@settings(max_examples=80)
@given(data=st.data())
def test_a_forger_who_writes_anything_gets_a_verdict_and_no_traceback(
    log: bytes, check: Callable[[bytes], Report], data: st.DataObject
) -> None:
    rows = [json.loads(json.dumps(line.told)) for line in read_log(log).lines]
    path = data.draw(st.sampled_from([path for path in places(rows) if len(path) > 1]))
    junk: Any = data.draw(st.sampled_from([None, 0, -1, 2.5, "", "x", [], {}, [None], {"a": {}}, True]))
    inside: Any = rows
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = junk
    written = rechained(rows)
    for use in (check, lambda _: text(read_log(written)), lambda _: page(read_log(written)), exported):
        with suppress(NotALog), reading(Path("forged")):
            report = use(written)
            assert not isinstance(report, Report) or not report.holds


def exported(written: bytes) -> bytes:
    return story_turtle(record_of(read_log(written)))


def test_a_log_sealed_with_another_key_is_not_the_operators(
    log: bytes, ctx: StoryContext, key: OperatorKey, tmp_path: Path
) -> None:
    other = OperatorKey.open(tmp_path)
    lines = read_log(log).lines
    forged = rechained([line.told for line in lines]) + chained(other.seal(lines[-1]), len(lines), lines[-1].hash)[1]
    standing = Standing(ctx.pack.graph)
    assert read_log(forged).state == "sealed"
    assert "not the operator's" in verify(read_log(forged), ctx, key.public, None, standing).faults[0]
    assert "no key is known here" in verify(read_log(forged), ctx, "", None, standing).faults[0]
    assert verify(read_log(forged), ctx, other.public, None, standing).holds


def test_a_seal_of_another_log_does_not_fit(log: bytes, key: OperatorKey) -> None:
    lines = read_log(log).lines
    wrong = key.seal(replace(lines[-1], number=lines[-1].number + 1))
    assert (
        read_log(log[: log[:-1].rindex(b"\n") + 1] + chained(wrong, len(lines), lines[-1].hash)[1]).state == "tampered"
    )


@settings(max_examples=60)
@given(data=st.data())
def test_a_log_that_was_cut_off_is_incomplete_and_not_tampered_with(log: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(log.index(b"\n") + 1, len(log) - 1))
    found = read_log(log[:at])
    assert found.state == "incomplete"
    assert len(found.lines) == log[:at].count(b"\n")
    assert found.whole_bytes == log[:at].rindex(b"\n") + 1


def test_a_cut_off_log_is_told_again_as_far_as_it_goes(log: bytes, check: Callable[[bytes], Report]) -> None:
    report = check(log[: len(log) // 2])
    assert not report.holds
    assert [fault.split(":")[0] for fault in report.faults] == ["incomplete"]
    assert report.replayed == len(report.log.lines) > 2


@pytest.mark.parametrize("written", [b"", b"{}", b"[]\n", b"\x00\xff\n", b'{"a":1}\n', b"[" * 100_000 + b"\n"])
def test_what_is_no_log_is_refused(written: bytes, tmp_path: Path) -> None:
    path = tmp_path / "no.jsonl"
    path.write_bytes(written)
    with pytest.raises(NotALog):
        open_log(path)


@pytest.mark.parametrize("half", [b"\\ud800", b"\\udfff"])
def test_half_a_character_is_no_line(half: bytes) -> None:
    with pytest.raises(BrokenLine):
        read_line(b'{"hash":"","kind":"' + half + b'","line":0,"previous":""}')


def test_a_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    assert public_key(tmp_path) == ""
    first = OperatorKey.open(tmp_path / "data")
    assert OperatorKey.open(tmp_path / "data").public == first.public == public_key(tmp_path / "data")
    assert (tmp_path / "data" / KEY_FILE).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == [KEY_FILE]


def test_a_key_that_is_broken_or_open_to_others_is_refused(tmp_path: Path) -> None:
    OperatorKey.open(tmp_path)
    (tmp_path / KEY_FILE).chmod(0o644)
    with pytest.raises(NoKey, match="chmod 600"):
        OperatorKey.open(tmp_path)
    (tmp_path / KEY_FILE).write_bytes(b"short")
    with pytest.raises(NoKey, match="is no key"):
        OperatorKey.open(tmp_path)


def test_against_a_newer_graph_the_sentences_that_it_no_longer_proves_are_listed(
    log: bytes, ctx: StoryContext, key: OperatorKey, tmp_path: Path
) -> None:
    beat = read_log(log).lines[2].told
    gone = beat["evidence"]["factlets"][0]["triples"][1]
    subject, predicate = gone.split(" ")[:2]
    old = {triple.n3() for triple in ctx.pack.graph.match()}
    changed = old - {gone} | {f'{subject} {predicate} "something else" .'}
    (tmp_path / "new.nt").write_text("\n".join(sorted(changed)), encoding="utf-8")
    newer = ctx.pack.with_graph(open_graph(tmp_path, ["new.nt"]))
    digests = replace(newer.digests, kg="sha256:new")
    report = verify(
        read_log(log), StoryContext.of(replace(newer, digests=digests)), key.public, None, Standing(newer.graph)
    )
    assert not report.holds
    assert report.faults == ()
    assert "graph" in report.notes[0]
    citing = [s["text"] for s in beat["sentences"] if "f1" in s["evidence"]]
    assert [found.text for found in report.unproved if found.place == 0] == citing
    assert all(gone in found.gone for found in report.unproved)
    assert f'{subject} {predicate} "something else" .' in report.unproved[0].instead


def with_twin(pack: StoryPack, iri: str, directory: Path) -> StoryPack:
    """The pack with a second thing of which the same is said."""
    statements = {triple.n3() for triple in pack.graph.match()}
    more = {line.replace(f"<{iri}>", f"<{iri}-again>") for line in statements if f"<{iri}>" in line}
    (directory / "more.nt").write_text("\n".join(sorted(statements | more)), encoding="utf-8")
    return pack.with_graph(open_graph(directory, ["more.nt"]))


def test_a_sentence_that_ranges_over_all_rows_is_named_when_a_row_comes_and_no_statement_goes(
    key: OperatorKey, tmp_path: Path, project: Path
) -> None:
    tiny = StoryPack.open(project / "tests" / "packs" / "tiny-observatory")
    ctx = StoryContext.of(tiny)
    found = []
    for seed in range(12):
        request = StoryRequest(persona="nora", length="medium", seed=seed)
        log = read_log(recorded(request, ctx, tmp_path / f"{seed}.jsonl", key))
        found += [
            (log, beat, asked)
            for beat in told_beats([line.told for line in log.lines])
            for asked in beat.evidence.questions
            if any(2 <= asked.total_rows == len({*said.evidence}) for said in beat.sentences)
        ]
    assert found, "no story of the tiny pack counts"
    log, beat, asked = found[0]
    values = beat.evidence.of(asked.cq)[0].values
    question = Question(cq=asked.cq, question=asked.question, bindings=asked.bindings)
    newer = next(
        again
        for value in values.values()
        if value.kind == "iri" and value.value not in asked.bindings.values()
        for again in [with_twin(tiny, value.value, tmp_path)]
        if visit.ask(question, StoryContext.of(again)).questions[0].total_rows == asked.total_rows + 1
    )
    newer = replace(newer, digests=replace(newer.digests, kg="sha256:new"))
    report = verify(log, StoryContext.of(newer), key.public, None, Standing(newer.graph))
    assert report.unproved == ()
    assert not report.holds
    assert (asked.cq, asked.total_rows, asked.total_rows + 1) in [(r.cq, r.before, r.now) for r in report.recounted]


class Rewording(TemplateNarrator):
    """Words as the content files do, and says that a model did."""

    card = NarratorCard(kind="model", model="fake:one")

    def realise(self, outlines, scene):  # type: ignore[no-untyped-def]
        telling = super().realise(outlines, scene)
        if telling is None:
            return None
        said = telling.sentences[0]
        verdicts = (Verdict(text=said.text, evidence=said.evidence, proved=True),)
        answer = Answered(prompt="sha256:00", settings={"temperature": 0.5}, answer=f"* {said.text}", verdicts=verdicts)
        return replace(telling, answers=(answer,))


class Only:
    """A gate that proves what does not hold a word."""

    def __init__(self, word: str) -> None:
        self._word = word

    def check(self, text: str, cited: object, *, complete: object = ()) -> Only.Finding:
        assert cited
        return Only.Finding(self._word not in text)

    class Finding:
        words = ()

        def __init__(self, proved: bool) -> None:
            self.proved = proved


def test_a_models_answers_are_recorded_as_they_came_and_put_to_the_gate_again(
    ctx: StoryContext, key: OperatorKey, tmp_path: Path
) -> None:
    told = recorded(SMALL, StoryContext.of(ctx.pack, Rewording()), tmp_path / "m.jsonl", key)
    log, standing = read_log(told), Standing(ctx.pack.graph)
    answers = [answer for line in log.of("beat") for answer in line.told["answers"]]
    assert answers
    assert answers[0]["answer"].startswith("* ")
    assert answers[0]["settings"] == {"temperature": 0.5}
    without = verify(log, ctx, key.public, None, standing)
    assert without.holds
    assert f"{len(answers)} answers of the model were not proved again: no gate is installed" in without.notes
    assert verify(log, ctx, key.public, Only("Nowhere"), standing).holds
    word = answers[0]["verdicts"][0]["text"].split()[0]
    assert "and now does not prove" in verify(log, ctx, key.public, Only(word), standing).faults[0]


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def test_tell_writes_a_log_that_verifies_and_never_writes_over_one(tmp_path: Path) -> None:
    path = tmp_path / "story.jsonl"
    plain = run("tell", "--length", "small")
    told = run("tell", "--length", "small", "--audit", str(path))
    assert told.exit_code == 0
    assert told.stdout == plain.stdout
    done = run("audit", "verify", str(path))
    assert done.exit_code == 0
    assert "holds; sealed" in done.stdout
    again = run("tell", "--length", "small", "--audit", str(path))
    assert again.exit_code == 2
    assert "never written over" in again.stderr


def test_verify_exits_1_for_what_does_not_hold_and_says_so_for_each_file(log: bytes, tmp_path: Path) -> None:
    whole, cut, none = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl", tmp_path / "none.jsonl"
    assert run("tell", "--length", "small", "--audit", str(whole)).exit_code == 0
    cut.write_bytes(whole.read_bytes()[:-200])
    none.write_bytes(b"{}")
    done = run("audit", "verify", str(whole), str(cut), str(none), "--json")
    assert done.exit_code == 1
    rows = json.loads(done.stdout)
    assert [row["holds"] for row in rows] == [True, False, False]
    assert rows[1]["state"] == "incomplete"
    told = run("audit", "verify", str(cut))
    assert re.search(r"does not hold; INCOMPLETE; .*\n  incomplete: its last line was cut off", told.stdout)


def test_lint_counts_the_same_defects_in_a_log_as_in_its_story(log: bytes, ctx: StoryContext, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(log)
    done = run("audit", "lint", str(path))
    beats = visit.tell_story(SMALL, ctx).beats
    wanted = counts(Spoken.of(beat) for beat in beats if beat.sentences)
    assert done.stdout.splitlines()[: len(wanted)] == [f"{count:>4}  {kind}" for kind, count in wanted.items()]
    assert done.exit_code == (1 if sum(wanted.values()) else 0)


KILLED = """
import os, signal, sys
from agent.cli import main
from agent.audit_file import AuditFile
add = AuditFile.add
def dying(self, told, seconds=None):
    add(self, told, seconds)
    if not self.is_new and self._last.number == 4:
        os.kill(os.getpid(), signal.SIGKILL)
AuditFile.add = dying
main()
"""


def test_a_killed_process_leaves_a_log_that_is_incomplete_and_whole_up_to_its_last_line(
    project: Path, tmp_path: Path
) -> None:
    path = tmp_path / "killed.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, "tell", "--audit", str(path)], cwd=project, capture_output=True, check=False
    )
    assert done.returncode == -9
    found = open_log(path)
    assert found.state == "incomplete"
    assert len(found.lines) == 5
    assert found.fault.endswith("it is whole up to line 5")


def test_a_log_that_is_written_on_takes_back_what_was_cut_off(log: bytes, key: OperatorKey, tmp_path: Path) -> None:
    path = tmp_path / "on.jsonl"
    rows = log.splitlines(keepends=True)
    path.write_bytes(b"".join(rows[:4]) + rows[4][:50])
    file = AuditFile.resume(path, key, lambda: NOON)
    assert file is not None
    file.add([{"kind": "end", "because": "left"}])
    file.seal()
    found = read_log(path.read_bytes())
    assert found.state == "sealed"
    assert [line.kind for line in found.lines] == ["visit", "plan", "beat", "beat", "end"]
    assert AuditFile.resume(path, key, lambda: NOON) is None


def test_nothing_is_added_to_a_log_that_somebody_changed(log: bytes, key: OperatorKey, tmp_path: Path) -> None:
    path = tmp_path / "changed.jsonl"
    path.write_bytes(b"".join(log.splitlines(keepends=True)[:4]))
    file = AuditFile.resume(path, key, lambda: NOON)
    assert file is not None
    with path.open("ab") as other:
        other.write(b"{}\n")
    before = path.read_bytes()
    with pytest.raises(NotALog, match="somebody else"):
        file.add([{"kind": "end"}])
    with pytest.raises(NotALog, match="tampered"):
        AuditFile.resume(path, key, lambda: NOON)
    assert path.read_bytes() == before


@pytest.mark.slow
def test_a_hundred_fresh_stories_verify(ctx: StoryContext, key: OperatorKey, tmp_path: Path) -> None:
    standing = Standing(ctx.pack.graph)
    for seed in range(100):
        request = StoryRequest(
            persona=("emma", "luca")[seed % 2], length=("small", "medium", "long")[seed % 3], seed=seed
        )
        written = recorded(request, ctx, tmp_path / f"{seed}.jsonl", key)
        assert verify(read_log(written), ctx, key.public, None, standing).holds, request


def test_evidence_is_recorded_so_that_a_gate_can_read_it_back(log: bytes) -> None:
    beat = read_log(log).lines[2].told
    for factlet in beat["evidence"]["factlets"]:
        assert Factlet.model_validate(factlet).values
