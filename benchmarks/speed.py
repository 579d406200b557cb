"""Speed and memory of telling, as medians and as ratios of what cannot be avoided, in one run on one machine.

    uv run python benchmarks/speed.py

Cold: whole `cuestory tell` processes, beside an interpreter that only imports the graph engine and loads the graph.
Warm: each beat of some stories from the offer to its finished sentences, and its retrieval beside the raw engine
running the same query text and reading every row. "First time" asks a question that this process has not asked
before, or plans for a seed that it has not planned for. Ready: pack open, and what the first visitors ask is known.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

import pyoxigraph

from agent import visit
from agent.context import StoryContext
from agent.thread import Thread
from graph_tools.pack import StoryPack
from graph_tools.plan import Beat, BeatPlan, StoryRequest

ROOT = Path(__file__).resolve().parent.parent
RUNS = 7
TELL = "from agent.cli import main; main()"
BARE = (
    "import pyoxigraph; s = pyoxigraph.Store(); s.bulk_load(path='kg/liveaid.ttl', format=pyoxigraph.RdfFormat.TURTLE)"
)
LOAD = (
    "from pathlib import Path; from time import perf_counter; from graph_tools.knowledge_graph import open_graph;"
    "t = perf_counter(); open_graph(Path(), ['kg/liveaid.ttl']); print(perf_counter() - t)"
)
"""How long a start takes to load the graph; 0.3 s is the most that it may take."""
READY = (
    "from pathlib import Path; from time import perf_counter; from agent.context import StoryContext;"
    "from agent.wiring import warm; from graph_tools.pack import StoryPack; t = perf_counter();"
    "warm(StoryContext.of(StoryPack.open(Path(), cache=Path({data!r})))); print(perf_counter() - t)"
)
"""How long a start takes until plans are ready, with records of strict parses; 1.5 s is the most that it may take."""
REPORT = "import resource, sys; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)"


def cold(code: str, *arguments: str, data: str, runs: int = RUNS) -> tuple[float, int]:
    """Median seconds and the greatest resident memory (MB) of whole processes."""
    program = f"import atexit\natexit.register(lambda: exec({REPORT!r}))\n{code}"
    seconds, megabytes = [], []
    for _ in range(runs):
        started = perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            cwd=ROOT,
            env=os.environ | {"CUESTORY_DATA": data},
            check=True,
            capture_output=True,
            text=True,
        )
        seconds.append(perf_counter() - started)
        megabytes.append(int(done.stderr.split()[-1]))
    return statistics.median(seconds), max(megabytes)


def _said(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def milliseconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    started = perf_counter()
    work()
    return 1000 * (perf_counter() - started)


def warm(ctx: StoryContext, store: pyoxigraph.Store) -> dict[str, list[float]]:
    """Milliseconds of each step of each beat of twelve stories."""
    found: dict[str, list[float]] = {"beat": [], "retrieval": [], "raw": []}
    for persona in ("emma", "luca"):
        for seed in range(6):
            plan = visit.plan(StoryRequest(persona=persona, length="long", seed=seed), ctx)
            thread = Thread()
            for index, beat in enumerate(plan.beats):
                fresh = StoryContext.of(ctx.pack)  # has asked nothing yet
                found["retrieval"].append(milliseconds(partial(visit.retrieve, beat, fresh)))
                queries = [asked.query for asked in visit.retrieve(beat, ctx).questions]
                found["raw"].append(milliseconds(partial(_rows, store, queries)))
                started = perf_counter()
                visit.offer(plan, thread, ctx)
                thread = _tell(beat, index, plan, thread, ctx)
                found["beat"].append(1000 * (perf_counter() - started))
    return found


def plans(ctx: StoryContext, seeds: range) -> tuple[float, float]:
    """Milliseconds of a plan, median over seeds of the persona and length that takes longest: first time, and again."""
    first, again = [], []
    for persona, arcs in sorted(ctx.pack.arcs.arcs.items()):
        for length in arcs:
            asked = [StoryRequest(persona=persona, length=length, seed=seed) for seed in seeds]
            first.append(statistics.median(milliseconds(partial(visit.plan, request, ctx)) for request in asked))
            again.append(statistics.median(milliseconds(partial(visit.plan, request, ctx)) for request in asked))
    return max(first), max(again)


def _rows(store: pyoxigraph.Store, queries: list[str]) -> list[object]:
    return [row for query in queries for row in store.query(query)]  # type: ignore[union-attr]  # SELECT alone is asked


def _tell(beat: Beat, index: int, plan: BeatPlan, thread: Thread, ctx: StoryContext) -> Thread:
    return visit.generate(beat, index, visit.retrieve(beat, ctx), plan, thread, ctx)[1]


def main() -> None:
    with tempfile.TemporaryDirectory() as data:
        cold(TELL, "tell", "--seed", "7", data=data)  # writes the records of strict parses
        tell, memory = cold(TELL, "tell", "--persona", "emma", "--length", "medium", "--seed", "7", data=data)
        bare, bare_memory = cold(BARE, data=data)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        check, _ = cold(TELL, "check", data=data, runs=3)
        check_cpu = (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before) / 3
        StoryPack.open(ROOT, cache=Path(data))
        ready = statistics.median(float(_said(READY.format(data=data))) for _ in range(RUNS))
    load = statistics.median(float(_said(LOAD)) for _ in range(RUNS))
    ctx = StoryContext.of(StoryPack.open(ROOT))
    plans(ctx, range(3))
    fresh, planned = plans(ctx, range(100, 140))
    store = pyoxigraph.Store()
    store.bulk_load(path=str(ROOT / "kg" / "liveaid.ttl"), format=pyoxigraph.RdfFormat.TURTLE)
    warm(ctx, store)
    steps = warm(ctx, store)
    medians = {name: statistics.median(values) for name, values in steps.items()}
    print(f"cuestory tell, cold, whole process    {tell:6.2f} s   {tell / bare:5.1f} x engine and graph   {memory} MB")
    print(f"engine and graph alone                {bare:6.2f} s                          {bare_memory} MB")
    print(f"loading the graph at start            {load:6.2f} s   (0.3 s at most)")
    print(f"cuestory check, whole process         {check:6.2f} s   {check_cpu:5.2f} s of processor   (10 s at most)")
    print(f"pack open and plans ready             {ready:6.2f} s   (1.5 s at most)")
    print(f"one plan, first time                  {fresh:6.2f} ms  of the persona and length that takes longest")
    print(f"one plan, again                       {planned:6.2f} ms  {planned / fresh:5.1f} x first   (150 ms at most)")
    print(f"one beat, offer to sentences          {medians['beat']:6.2f} ms  median of {len(steps['beat'])}")
    print(f"  of which retrieval, first time      {medians['retrieval']:6.2f} ms  "
          f"{medians['retrieval'] / medians['raw']:5.1f} x raw engine")  # fmt: skip
    print(f"  raw engine, same queries            {medians['raw']:6.2f} ms")


if __name__ == "__main__":
    main()
