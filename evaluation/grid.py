"""The grid: two personas by three lengths by every strategy by seeds, told in parallel, each story file kept.

    DIR/run.json                                  what was run, with the digests of the pack and of every story file
    DIR/stories/NARRATOR/STRATEGY/PERSONA-LENGTH-SEED.json
    DIR/baselines/NAME/STRATEGY/PERSONA-LENGTH-SEED.txt

A story file that is there already is kept if it answers the same request, from a pack of the same digests, by the same
narrator and version. Seeds count from 0; the same seeds, digests and version give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from agent import visit
from agent.commands import open_pack
from agent.context import StoryContext
from agent.narrator import TemplateNarrator
from agent.settings import Settings, one_thread_each
from agent.story import NarratorCard
from agent.wiring import context_of, model_line, model_narrator
from evaluation.baselines import BASELINES
from evaluation.errors import NothingToReport, UnreadableStory
from evaluation.frame import Frame
from evaluation.measures import measure
from evaluation.results import Row
from evaluation.told import read_story
from graph_tools.errors import CuestoryError, nearest
from graph_tools.plan import StoryRequest

FORMAT = "cuestory.grid/1"
NARRATORS = ("template", "model")
CHUNK = 5
"""Stories that a process takes at once: few enough for the bar to move, enough to share what was found out."""


class UnknownNarrator(CuestoryError):
    """Nobody of that name can word a story here."""


@dataclass(frozen=True)
class Grid:
    """What is to be told."""

    personas: tuple[str, ...]
    lengths: tuple[str, ...]
    strategies: tuple[str, ...]
    runs: Mapping[str, int]
    """Persona -> stories in each configuration."""
    narrator: str = "template"
    pack_dir: Path | None = None
    protocol: str = "ours"

    def requests(self) -> Iterator[StoryRequest]:
        """Every story, configuration after configuration."""
        for strategy in self.strategies:
            for persona in self.personas:
                for length in self.lengths:
                    for seed in range(self.runs[persona]):
                        yield StoryRequest(persona=persona, length=length, strategy=strategy, seed=seed)


@dataclass(frozen=True)
class _Task:
    requests: tuple[StoryRequest, ...]
    out: Path
    narrator: str
    pack_dir: Path | None
    keep: frozenset[str]
    """Names of story files that may stay as they are."""
    tell: bool = True
    """Otherwise the files are only scored."""


@dataclass(frozen=True)
class Done:
    """Some stories, told and scored."""

    rows: tuple[Row, ...]
    digests: Mapping[str, str] = field(default_factory=dict)
    """Name of the story file -> its sha256."""
    kept: int = 0


def run(grid: Grid, out: Path, jobs: int) -> Iterator[Done]:
    """Tells and scores the whole grid, in parts as they are ready; writes run.json at the end.

    Raises CuestoryError for what cannot be told."""
    requests = list(grid.requests())
    card = _card(grid)
    known = _known(out, card)
    chunks = [tuple(requests[at : at + CHUNK]) for at in range(0, len(requests), CHUNK)]
    tasks = [_Task(chunk, out, grid.narrator, grid.pack_dir, frozenset(known)) for chunk in chunks]
    digests: dict[str, str] = {}
    document = card | {
        "personas": grid.personas,
        "lengths": grid.lengths,
        "strategies": grid.strategies,
        "runs": dict(grid.runs),
        "protocol": grid.protocol,
        "stories": digests,
    }
    _write_manifest(document, out)  # so that a run that is broken off knows its version when it goes on
    try:
        for done in _all(tasks, jobs):
            digests |= done.digests
            yield done
    finally:
        _dismiss(grid)
    _write_manifest(document | {"stories": dict(sorted(digests.items()))}, out)


def rescore(out: Path, pack_dir: Path | None, jobs: int) -> Iterator[Done]:
    """Scores the kept story files again, without telling any. Raises NothingToReport, UnreadableStory."""
    manifest = read_manifest(out)
    requests = [_request(name) for name in manifest["stories"]]
    chunks = [tuple(requests[at : at + CHUNK]) for at in range(0, len(requests), CHUNK)]
    narrator = manifest["narrator"]["kind"]
    yield from _all(
        [_Task(c, out, narrator, pack_dir, frozenset(manifest["stories"]), tell=False) for c in chunks], jobs
    )


def read_manifest(out: Path) -> dict[str, Any]:
    """run.json of a grid. Raises NothingToReport."""
    path = out / "run.json"
    if not path.is_file():
        raise NothingToReport(f"{str(out)!r} holds no run.json; run cuestory evaluate --out {str(out)!r} first")
    manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if manifest.get("format") != FORMAT:
        raise UnreadableStory(f"{path.name} is in the format {manifest.get('format')!r}, not {FORMAT!r}; run it again")
    return manifest


def stories(out: Path) -> int:
    """How many stories a grid holds, at least one. Raises NothingToReport."""
    found = len(read_manifest(out)["stories"])
    if not found:
        raise NothingToReport(f"the run in {str(out)!r} was broken off; start it again, and it will go on")
    return found


def name_of(request: StoryRequest) -> str:
    """The story's file below its narrator's folder."""
    return f"{request.strategy}/{request.persona}-{request.length}-{request.seed:04}.json"


def known_narrator(name: str) -> str:
    """The name itself. Raises UnknownNarrator."""
    if name not in NARRATORS:
        raise UnknownNarrator(f"unknown narrator {name!r}; {nearest(name, NARRATORS)}")
    return name


@cache
def _context(pack_dir: Path | None, narrator: str) -> StoryContext:
    """What stories are told with in this process: the one place where a narrator is chosen.

    `template` is that one, whatever the settings say; `model` is the one of the settings, which answers each question
    anew and without a budget. Raises UnknownNarrator, NoModel."""
    known_narrator(narrator)
    settings = Settings.from_environment()
    pack = open_pack(pack_dir)
    if narrator == "template":
        return context_of(pack, settings, TemplateNarrator())
    return context_of(pack, settings, model_narrator(settings, pack, model_line(settings, measured=True)))


def _dismiss(grid: Grid) -> None:
    """Lets a model of this process go; those of other processes end with them."""
    if grid.narrator != "template":
        _context(grid.pack_dir, grid.narrator).narrator.close()
        _context.cache_clear()
        _frame.cache_clear()


@cache
def _frame(pack_dir: Path | None, narrator: str) -> Frame:
    return Frame.of(_context(pack_dir, narrator).pack)


def _all(tasks: Sequence[_Task], jobs: int) -> Iterator[Done]:
    if jobs == 1:
        yield from map(_work, tasks)
        return
    # A fresh process, not a fork: the parent may run threads.
    one_thread_each()
    with ProcessPoolExecutor(min(jobs, len(tasks) or 1), mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(_work, task) for task in tasks]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _work(task: _Task) -> Done:
    teller = task.narrator if task.tell else "template"  # who only scores needs no model
    ctx = _context(task.pack_dir, teller)
    frame = _frame(task.pack_dir, teller)
    rows: list[Row] = []
    digests: dict[str, str] = {}
    kept = 0
    for request in task.requests:
        name = name_of(request)
        path = task.out / "stories" / task.narrator / name
        if not task.tell or (name in task.keep and _fits(path, request, ctx)):
            kept += 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(visit.tell_story(request, ctx).to_json(), encoding="utf-8")
        digests[name] = "sha256:" + sha256(path.read_bytes()).hexdigest()
        story = read_story(path)
        rows.append(Row(story.key, measure(story, frame)))
        for system, made in BASELINES.items():
            twin = made(story)
            text = task.out / "baselines" / system / Path(name).with_suffix(".txt")
            text.parent.mkdir(parents=True, exist_ok=True)
            text.write_text(twin.text + "\n", encoding="utf-8")
            rows.append(Row(twin.key, measure(twin, frame)))
    return Done(tuple(rows), digests, kept)


def _fits(path: Path, request: StoryRequest, ctx: StoryContext) -> bool:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(
        isinstance(document, dict)
        and document.get("request") == request.model_dump()
        and document.get("pack") == visit.story_of(request, [], ctx).pack.model_dump()
        # Where the model was heard nowhere, the card is the template's.
        and document.get("narrator") in (ctx.narrator.card.model_dump(), TemplateNarrator.card.model_dump())
    )


def _card(grid: Grid) -> dict[str, Any]:
    ctx = _context(grid.pack_dir, grid.narrator)
    card: NarratorCard = ctx.narrator.card
    return {
        "format": FORMAT,
        "cuestory": version("cuestory"),
        "pack": visit.story_of(StoryRequest(), [], ctx).pack.model_dump(),
        "narrator": card.model_dump(),
    }


def _write_manifest(document: Mapping[str, Any], out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "run.json").write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _known(out: Path, card: Mapping[str, Any]) -> frozenset[str]:
    """Story files of an earlier run, finished or broken off, by the same version and narrator."""
    path = out / "run.json"
    if path.is_file():
        earlier = read_manifest(out)
        same_folder = earlier["narrator"]["kind"] == card["narrator"]["kind"]
        if earlier["cuestory"] != card["cuestory"] or (same_folder and earlier["narrator"] != card["narrator"]):
            return frozenset()
    folder = out / "stories" / card["narrator"]["kind"]
    return frozenset(found.relative_to(folder).as_posix() for found in folder.rglob("*.json"))


def _request(name: str) -> StoryRequest:
    strategy, _, rest = name.removesuffix(".json").partition("/")
    persona, length, seed = rest.rsplit("-", 2)
    return StoryRequest(persona=persona, length=length, strategy=strategy, seed=int(seed))
