"""What an audit log costs: milliseconds that a beat waits for its lines, and how long a hundred stories take to verify.

    uv run python benchmarks/audit.py

Each turn of some visits is made into lines and written as the chat does it, on the disk of the temporary directory.
Budgets: under 3 ms a beat, under 60 s for the hundred. Milliseconds are processor time of this process; the load of the
machine stands beside them.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path
from time import perf_counter, process_time

from agent import audit_records, visit
from agent.audit import DirectoryTrail
from agent.audit_check import verify
from agent.audit_file import AuditFile
from agent.audit_log import open_log
from agent.audit_seal import OperatorKey
from agent.branches import ROOT, Tree, grown
from agent.context import StoryContext
from agent.replay import tell_straight
from agent.thread import Thread
from graph_tools.pack import StoryPack
from graph_tools.plan import StoryRequest
from graph_tools.staleness import Standing

ROOT_DIR = Path(__file__).resolve().parent.parent
VISITS, STORIES = 12, 100


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        ctx = StoryContext.of(StoryPack.open(ROOT_DIR, cache=scratch / "templates"))
        key = OperatorKey.open(scratch)
        made, written = beats(ctx, DirectoryTrail(scratch / "logs", key, time.time))
        print(f"load of the machine     {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        for label, figures in (("made into lines", made), ("written", written)):
            print(f"{label:16} {statistics.median(figures):6.2f} ms a beat, 95% {tail(figures):6.2f} of {len(figures)}")
        both = [one + other for one, other in zip(made, written, strict=True)]
        print(f"{'together':16} {statistics.median(both):6.2f} ms a beat, 95% {tail(both):6.2f}; budget 3 ms")
        print(f"{STORIES} fresh stories verify in {verified(ctx, key, scratch):.1f} s; budget 60 s")


def beats(ctx: StoryContext, trail: DirectoryTrail) -> tuple[list[float], list[float]]:
    """Milliseconds that each beat's lines, its offer among them, took to make and to write."""
    made, written = [], []
    for seed in range(VISITS):
        request = StoryRequest(persona=("emma", "luca")[seed % 2], seed=seed)
        plan, thread, tree, at = visit.plan(request, ctx), Thread(), Tree([]), ROOT
        head = audit_records.opened("visit", request, ctx, str(seed))
        trail.begin(str(seed), [head, audit_records.planned(plan)], 0.0)
        nodes: list[dict[str, object]] = []
        for beat in plan.beats:
            evidence = visit.retrieve(beat, ctx)
            told, after = visit.generate(beat, len(nodes), evidence, plan, thread, ctx)
            nodes.append(grown(at, told, thread, after, voice=request.persona))
            thread, at, tree = after, len(nodes) - 1, Tree(nodes)
            offer = visit.offer_at(tree, at, (), plan, thread, ctx)
            started = process_time()
            lines = [
                audit_records.chosen({"choice": offer.end.id}, offer),
                *audit_records.turned(tree, [at], at, "kg", offer, [None], ctx),
            ]
            between = process_time()
            trail.add(str(seed), head, lines, 0.0)
            made.append((between - started) * 1000)
            written.append((process_time() - between) * 1000)
    return made, written


def verified(ctx: StoryContext, key: OperatorKey, scratch: Path) -> float:
    """Seconds until a hundred stories, told before, are verified; the pack is open."""
    paths = []
    for seed in range(STORIES):
        path = scratch / f"{seed}.jsonl"
        log = AuditFile.create(path, key, time.time)
        request = StoryRequest(
            persona=("emma", "luca")[seed % 2], length=("small", "medium", "long")[seed % 3], seed=seed
        )
        tell_straight(request, ctx, lambda told, seconds, log=log: log.add([told], seconds))  # type: ignore[misc]
        log.seal()
        paths.append(path)
    fresh = StoryContext.of(ctx.pack)  # it has asked nothing yet
    started = perf_counter()
    standing = Standing(fresh.pack.graph)
    for path in paths:
        report = verify(open_log(path), fresh, key.public, None, standing)
        assert report.holds, report.faults
    return perf_counter() - started


def tail(figures: list[float]) -> float:
    return statistics.quantiles(figures, n=20)[-1]


if __name__ == "__main__":
    main()
