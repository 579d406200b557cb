"""Visits written down turn by turn: the same again from their log, whatever the disk does; wiped, nothing remains."""

from __future__ import annotations

import errno
import logging
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from langgraph.checkpoint.memory import InMemorySaver

from agent.audit import DirectoryTrail
from agent.audit_check import Report, verify
from agent.audit_file import AuditFile
from agent.audit_line import Json
from agent.audit_log import open_log
from agent.audit_seal import OperatorKey
from agent.checkpoints import open_checkpoints
from agent.cli import cli
from agent.context import StoryContext
from agent.errors import NotRecorded, NotWiped, UnknownChoice
from agent.guide import Guide, Moment
from agent.settings import InvalidSettings, Settings
from agent.wiring import audit_trail, forget_old, open_house, wiped
from graph_tools.plan import Question, StoryRequest
from graph_tools.staleness import Standing

VISIT = "0f" * 16
NOON = 1_800_000_000.0


class FullDisk(AuditFile):
    """A file on a disk that is full while `full` says so."""

    full = False

    def _write(self, written: bytes, *, sync: bool) -> None:
        if FullDisk.full:
            raise OSError(errno.ENOSPC, "No space left on device", str(self.path))
        super()._write(written, sync=sync)


@pytest.fixture
def key(tmp_path: Path) -> OperatorKey:
    return OperatorKey.open(tmp_path / "data")


@pytest.fixture
def trail(key: OperatorKey, tmp_path: Path) -> DirectoryTrail:
    return DirectoryTrail(tmp_path / "logs", key, lambda: NOON)


@pytest.fixture
def guide(ctx: StoryContext, trail: DirectoryTrail) -> Guide:
    return Guide(ctx, InMemorySaver(), trail)


@pytest.fixture
def check(ctx: StoryContext, key: OperatorKey) -> Callable[[Path], Report]:
    standing = Standing(ctx.pack.graph)
    return lambda path: verify(open_log(path), ctx, key.public, None, standing)


async def wander(guide: Guide, visit: str, seed: int, choices: int) -> Moment:
    """A visit that takes whatever the seed picks, of any kind."""
    rng = Random(seed)
    moment = await guide.begin(visit, StoryRequest(persona=rng.choice(["emma", "luca"]), length="small", seed=seed))
    for _ in range(choices):
        assert moment.offer is not None
        kinds: dict[str, list[str]] = {}
        for choice in moment.offer.all:
            kinds.setdefault(choice.kind, []).append(choice.id)
        kinds.pop("end")
        moment = await guide.choose(visit, moment.interrupt, rng.choice(kinds[rng.choice(sorted(kinds))]))
    return moment


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_a_visit_with_every_kind_of_choice_is_told_again_to_the_last_byte(
    guide: Guide, trail: DirectoryTrail, check: Callable[[Path], Report], seed: int
) -> None:
    moment = await wander(guide, VISIT, seed, 8)
    assert moment.offer is not None
    report = check(trail.logs(VISIT)[0])
    assert [fault.split(":")[0] for fault in report.faults] == ["incomplete"]
    await guide.choose(VISIT, moment.interrupt, moment.offer.end.id)
    report = check(trail.logs(VISIT)[0])
    assert report.holds, report.faults
    assert report.replayed == len(report.log.lines)
    assert len(report.log.of("choice")) == 9
    assert [line.told["place"] for line in report.log.of("beat")] == list(range(len(moment.stored)))


async def test_a_visit_that_begins_with_a_question_is_told_again_too(
    guide: Guide, trail: DirectoryTrail, check: Callable[[Path], Report]
) -> None:
    plan = (await guide.begin("another", StoryRequest(length="small", seed=4))).plan
    question = Question.model_validate(plan["beats"][1]["questions"][0])
    moment = await guide.begin(VISIT, StoryRequest(length="small", seed=4), question=question.key)
    assert moment.offer is not None
    moment = await guide.choose(VISIT, moment.interrupt, moment.offer.choices[0].id)
    assert moment.offer is not None
    await guide.choose(VISIT, moment.interrupt, moment.offer.end.id)
    report = check(trail.logs(VISIT)[0])
    assert report.holds, report.faults
    assert report.replayed == len(report.log.lines)
    assert report.log.head["asked"] == question.key


async def test_a_tour_is_written_down_and_said_to_be_none_that_is_told_again(
    guide: Guide, trail: DirectoryTrail, check: Callable[[Path], Report]
) -> None:
    moment = await guide.begin(VISIT, StoryRequest(persona="emma", seed=2), tour="ten-minutes")
    for _ in range(3):
        assert moment.offer is not None
        moment = await guide.choose(VISIT, moment.interrupt, next(moment.offer.all).id)
    assert moment.offer is not None
    await guide.choose(VISIT, moment.interrupt, moment.offer.end.id)
    report = check(trail.logs(VISIT)[0])
    assert report.holds, report.faults
    assert report.notes == ("not told again: it is a walk through the tour 'ten-minutes'",)
    assert [line.told["place"] for line in report.log.of("beat")] == list(range(len(moment.stored)))
    assert report.sentences > 2


async def test_each_beat_stands_in_the_log_once_though_the_node_that_waits_runs_twice(
    guide: Guide, trail: DirectoryTrail
) -> None:
    await wander(guide, VISIT, 5, 6)
    lines = open_log(trail.logs(VISIT)[0]).lines
    places = [line.told["place"] for line in lines if line.kind == "beat"]
    assert places == sorted(set(places))
    assert sum(line.kind == "offer" for line in lines) == 7


async def test_a_choice_that_is_refused_leaves_no_line(guide: Guide, trail: DirectoryTrail) -> None:
    moment = await guide.begin(VISIT, StoryRequest(length="small"))
    before = trail.logs(VISIT)[0].read_bytes()
    with pytest.raises(UnknownChoice):
        await guide.choose(VISIT, moment.interrupt, "forged")
    assert trail.logs(VISIT)[0].read_bytes() == before


async def test_a_visit_that_is_begun_anew_has_a_log_of_its_own_and_the_earlier_one_is_sealed(
    guide: Guide, trail: DirectoryTrail, check: Callable[[Path], Report]
) -> None:
    await wander(guide, VISIT, 1, 2)
    await wander(guide, VISIT, 2, 1)
    first, second = trail.logs(VISIT)
    assert check(first).holds
    assert open_log(first).last.told == {**open_log(first).last.told, "kind": "end", "because": "begun anew"}
    assert open_log(second).state == "incomplete"


async def test_another_process_writes_the_log_on(
    ctx: StoryContext, key: OperatorKey, tmp_path: Path, check: Callable[[Path], Report]
) -> None:
    saver, logs = InMemorySaver(), tmp_path / "logs"
    moment = await Guide(ctx, saver, DirectoryTrail(logs, key, lambda: NOON)).begin(VISIT, StoryRequest(length="small"))
    assert moment.offer is not None
    trail = DirectoryTrail(logs, key, lambda: NOON)
    moment = await Guide(ctx, saver, trail).choose(VISIT, moment.interrupt, moment.offer.choices[0].id)
    assert moment.offer is not None
    await Guide(ctx, saver, trail).choose(VISIT, moment.interrupt, moment.offer.end.id)
    assert check(trail.logs(VISIT)[0]).holds


async def test_a_log_that_begins_in_the_middle_of_a_visit_says_so(
    ctx: StoryContext, trail: DirectoryTrail, check: Callable[[Path], Report]
) -> None:
    saver = InMemorySaver()
    moment = await Guide(ctx, saver).begin(VISIT, StoryRequest(length="small"))
    assert moment.offer is not None
    await Guide(ctx, saver, trail).choose(VISIT, moment.interrupt, moment.offer.choices[0].id)
    report = check(trail.logs(VISIT)[0])
    assert "not told again: it begins in the middle of a visit" in report.notes
    assert report.replayed == 0


async def test_what_a_visitor_typed_stands_in_no_log_unless_the_operator_keeps_it(
    ctx: StoryContext, key: OperatorKey, tmp_path: Path, check: Callable[[Path], Report]
) -> None:
    words = "my name is Zebedee, who opened?"
    for name, keeps in (("without", False), ("with", True)):
        trail = DirectoryTrail(tmp_path / name, key, lambda: NOON, keeps_words=keeps)
        guide = Guide(ctx, InMemorySaver(), trail)
        moment = await guide.begin(VISIT, StoryRequest(length="small"))
        assert moment.offer is not None
        beat = moment.offer.choices[0].beat
        assert beat is not None
        moment = await guide.ask(VISIT, moment.interrupt, beat.questions[0], words)
        assert moment.offer is not None
        await guide.choose(VISIT, moment.interrupt, moment.offer.end.id)
        assert (b"Zebedee" in trail.logs(VISIT)[0].read_bytes()) == keeps
        assert check(trail.logs(VISIT)[0]).holds


@pytest.fixture
def disk() -> type[FullDisk]:
    """A disk that has room yet."""
    FullDisk.full = False
    return FullDisk


async def test_on_a_full_disk_the_visit_goes_on_and_its_lines_are_written_when_there_is_room_again(
    ctx: StoryContext,
    key: OperatorKey,
    tmp_path: Path,
    disk: type[FullDisk],
    check: Callable[[Path], Report],
    caplog: pytest.LogCaptureFixture,
) -> None:
    trail = DirectoryTrail(tmp_path / "logs", key, lambda: NOON, files=disk)
    guide = Guide(ctx, InMemorySaver(), trail)
    moment = await guide.begin(VISIT, StoryRequest(length="small", seed=3))
    whole = trail.logs(VISIT)[0].read_bytes()
    disk.full = True
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert moment.offer is not None
            moment = await guide.choose(VISIT, moment.interrupt, moment.offer.choices[0].id)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    told = caplog.records[0].getMessage()
    assert "No space left on device" in told
    assert "the stories go on" in told
    assert "\n" not in told
    assert caplog.records[0].exc_info is None
    assert trail.logs(VISIT)[0].read_bytes() == whole
    disk.full = False
    assert moment.offer is not None
    await guide.choose(VISIT, moment.interrupt, moment.offer.end.id)
    assert check(trail.logs(VISIT)[0]).holds
    assert caplog.records[-1].getMessage().endswith("are written again")


async def test_where_the_operator_set_so_nothing_is_told_that_cannot_be_written(
    ctx: StoryContext, key: OperatorKey, tmp_path: Path, disk: type[FullDisk], check: Callable[[Path], Report]
) -> None:
    trail = DirectoryTrail(tmp_path / "logs", key, lambda: NOON, strict=True, files=disk)
    guide = Guide(ctx, InMemorySaver(), trail)
    moment = await guide.begin(VISIT, StoryRequest(length="small", seed=3))
    assert moment.offer is not None
    disk.full = True
    for _ in range(2):
        with pytest.raises(NotRecorded):
            await guide.choose(VISIT, moment.interrupt, moment.offer.choices[0].id)
    assert await guide.recall(VISIT) == moment
    disk.full = False
    moment = await guide.choose(VISIT, moment.interrupt, moment.offer.choices[0].id)
    assert moment.offer is not None
    await guide.choose(VISIT, moment.interrupt, moment.offer.end.id)
    report = check(trail.logs(VISIT)[0])
    assert report.holds
    assert len(report.log.of("choice")) == 2


async def test_lines_that_found_no_room_in_memory_either_are_counted_in_a_gap(
    key: OperatorKey, tmp_path: Path, disk: type[FullDisk], check: Callable[[Path], Report]
) -> None:
    trail = DirectoryTrail(tmp_path / "logs", key, lambda: NOON, files=disk)
    head: Json = {"kind": "visit", "format": "cuestory.audit/1"}
    trail.begin(VISIT, [head], 0.0)
    disk.full = True
    for _ in range(3):
        trail.add(VISIT, head, [{"kind": "beat"}] * 900, 0.0)
    disk.full = False
    trail.add(VISIT, head, [{"kind": "end", "because": "told"}], 0.0)
    trail.close(VISIT)
    log = open_log(trail.logs(VISIT)[0])
    assert [(line.kind, line.told.get("lost")) for line in log.lines] == [("visit", None), ("gap", 2700), ("end", None)]


CRAMPED = """
import resource, sys
from pathlib import Path
from agent.audit_file import AuditFile
from agent.audit_seal import OperatorKey
key = OperatorKey.open(Path(sys.argv[1]))
file = AuditFile.create(Path(sys.argv[1]) / "log.jsonl", key, lambda: 0.0)
file.add([{"kind": "visit", "format": "cuestory.audit/1"}])
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
try:
    file.add([{"kind": "beat", "words": "x" * 5000}])
except OSError as error:
    print(error.strerror)
file.add([{"kind": "end"}])
"""


def test_what_the_disk_took_half_of_is_taken_back(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CRAMPED, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "File too large\n"
    log = open_log(tmp_path / "log.jsonl")
    assert log.state == "incomplete"
    assert "cut off" not in log.fault
    assert [line.kind for line in log.lines] == ["visit", "end"]


async def test_a_directory_that_cannot_be_written_is_one_clear_line(
    ctx: StoryContext, key: OperatorKey, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    guide = Guide(ctx, InMemorySaver(), DirectoryTrail(tmp_path / "file" / "logs", key, lambda: NOON))
    moment = await guide.begin(VISIT, StoryRequest(length="small"))
    assert moment.newest.status == "told"
    assert len(caplog.records) == 1
    with pytest.raises(InvalidSettings, match="CUESTORY_AUDIT="):
        audit_trail(Settings(data=tmp_path / "data", audit=tmp_path / "file" / "logs"))


def sentences(moment: Moment) -> list[bytes]:
    return [said.text.encode() for beat in moment.told for said in beat.sentences]


def found_in(directory: Path, words: list[bytes]) -> set[str]:
    """The files below the directory that hold one of the words, as they stand or as their JSON is packed."""
    return {
        str(path.relative_to(directory))
        for path in directory.rglob("*")
        if path.is_file()
        for content in [path.read_bytes()]
        if any(word in content for word in words)
    }


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def test_of_a_visit_that_is_wiped_no_word_remains_in_any_file(
    ctx: StoryContext, tmp_path: Path, stack: AsyncExitStack
) -> None:
    settings = Settings(data=tmp_path, audit=tmp_path / "logs")
    here = await stack.enter_async_context(open_house(settings, ctx, now=NOON))
    other = await here.guide.begin("other", StoryRequest(length="small", seed=9))
    await here.guide.begin(VISIT, StoryRequest(length="small", seed=8))
    moment = await wander(here.guide, VISIT, 4, 6)
    packed = [str(node["evidence"])[:60].encode() for node in moment.stored if node["evidence"]]
    words = [word for word in [*sentences(moment), *packed] if word not in sentences(other)]
    words = [word for word in words if word not in b"".join(str(node["evidence"]).encode() for node in other.stored)]
    assert {"visits.sqlite-wal", "logs"} <= {name.split("/")[0] for name in found_in(tmp_path, words)}
    await here.guide.forget(VISIT)
    assert found_in(tmp_path, words) == set()
    assert found_in(tmp_path, [VISIT.encode()]) == set()
    assert await here.guide.recall(VISIT) is None
    assert await here.guide.recall("other") == other
    assert found_in(tmp_path, sentences(other)[:1])


async def test_a_visit_is_wiped_though_the_disk_of_its_log_is_full(
    ctx: StoryContext, key: OperatorKey, tmp_path: Path, disk: type[FullDisk]
) -> None:
    trail = DirectoryTrail(tmp_path / "logs", key, lambda: NOON, strict=True, files=disk)
    async with open_checkpoints(tmp_path / "visits.sqlite") as checkpoints:
        guide = Guide(ctx, checkpoints, trail)
        moment = await guide.begin(VISIT, StoryRequest(length="small"))
        disk.full = True
        await guide.forget(VISIT)
        assert found_in(tmp_path, sentences(moment)) == set()


async def test_what_somebody_else_is_reading_is_not_said_to_be_wiped(
    ctx: StoryContext, tmp_path: Path, stack: AsyncExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    here = await stack.enter_async_context(open_house(Settings(data=tmp_path), ctx, now=NOON))
    await here.guests.arrive("page", VISIT, NOON)
    await here.guide.begin(VISIT, StoryRequest(length="small"))
    reader = sqlite3.connect(tmp_path / "visits.sqlite", timeout=0)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM checkpoints").fetchone()
    with pytest.raises(NotWiped, match="try again"):
        await here.guide.forget(VISIT)
    await forget_old(here, NOON + 99 * 86_400)
    assert "not every old visit could be wiped" in caplog.text
    reader.close()
    await here.guide.forget(VISIT)


async def test_a_file_of_an_earlier_version_with_free_pages_is_wiped_too(ctx: StoryContext, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "visits.sqlite") as old:
        old.execute("PRAGMA secure_delete = OFF")
        old.execute("CREATE TABLE leftover (words TEXT)")
        old.executemany("INSERT INTO leftover VALUES (?)", [("the words of long ago " * 200,)] * 50)
        old.commit()
        old.execute("DELETE FROM leftover")
    old.close()
    assert found_in(tmp_path, [b"words of long ago"])
    async with open_checkpoints(tmp_path / "visits.sqlite") as checkpoints:
        await Guide(ctx, checkpoints).forget(VISIT)
        assert found_in(tmp_path, [b"words of long ago"]) == set()


async def test_the_terminal_wipes_a_visit_by_its_log_while_the_service_runs(
    ctx: StoryContext, tmp_path: Path, stack: AsyncExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(data=tmp_path, audit=tmp_path / "logs")
    here = await stack.enter_async_context(open_house(settings, ctx, now=NOON))
    moment = await wander(here.guide, VISIT, 4, 2)
    assert here.logs is not None
    assert open_log(here.logs.logs(VISIT)[0]).head["visit"] == VISIT
    done = await wiped(VISIT, settings)
    assert (done.kept, done.logs) == (True, 1)
    assert found_in(tmp_path, sentences(moment)) == set()
    assert await here.guide.recall(VISIT) is None
    assert (await wiped(VISIT, settings)) == (False, 0)
    await here.guide.begin(VISIT, StoryRequest(length="small"))
    assert len(here.logs.logs(VISIT)) == 1
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_the_terminal_says_what_it_wiped(tmp_path: Path, trail: DirectoryTrail, key: OperatorKey) -> None:
    trail.begin(VISIT, [{"kind": "visit", "format": "cuestory.audit/1", "visit": VISIT}], 0.0)
    runner = CliRunner(env={"CUESTORY_DATA": str(tmp_path / "data")})
    done = runner.invoke(cli, ["audit", "wipe", str(trail.logs(VISIT)[0])])
    assert (done.exit_code, done.stdout) == (0, "wiped: no visit was kept, 1 logs\n")
    assert runner.invoke(cli, ["audit", "wipe", VISIT]).exit_code == 1


async def test_logs_are_kept_as_long_as_the_operator_set_and_visits_too(ctx: StoryContext, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, audit=tmp_path / "logs", keep_days=2, audit_days=10)
    now = tmp_path.stat().st_mtime
    async with open_house(settings, ctx, now=now) as here:
        await here.guests.arrive("page", VISIT, now)
        moment = await here.guide.begin(VISIT, StoryRequest(length="small"))
        await forget_old(here, now + 3 * 86_400)
        assert await here.guide.recall(VISIT) is None
        assert here.logs is not None
        (left,) = here.logs.logs(VISIT)
        assert open_log(left).state == "sealed"
        assert open_log(left).last.told["because"] == "left"
        assert found_in(tmp_path, sentences(moment)[:1]) == {f"logs/{left.name}"}
        await forget_old(here, now + 11 * 86_400)
        assert found_in(tmp_path, sentences(moment)[:1]) == set()
