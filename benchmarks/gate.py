"""What the evidence gate proves and what it stops, on every kind of sentence that it is held to; and how fast it is.

    .venv/bin/python benchmarks/gate.py [--seed 7] [--bindings 4] [--each 4]

True sentences: the pack's own tellings, and the rewordings of tests/grounding. False ones: mutations of the tellings
(`evaluation/mutations.py`). Seeded: the same pack and seed print the same shares; only the last lines, in processor
time, depend on the machine.
"""

from __future__ import annotations

import argparse
import resource
from collections import defaultdict
from pathlib import Path
from random import Random
from time import process_time
from typing import get_args

from agent.context import StoryContext
from evaluation.mutations import Kind, Mutator
from evaluation.rewordings import load
from evaluation.truths import Truth, sampled
from graph_tools.grounding import Gate
from graph_tools.pack import StoryPack

ROOT = Path(__file__).resolve().parent.parent
FLOORS: dict[Kind, float] = {
    "name out of evidence": 0.99, "name added": 0.99, "number": 0.99, "date or time": 0.99, "unit": 0.99,
    "name of other evidence": 0.92, "exchanged": 0.92, "fused": 0.92, "reversed": 0.90, "negated": 0.98,
    "hedge dropped": 0.95, "order": 0.92, "all, only or count": 0.90, "cause added": 0.92, "extra claim": 0.97,
    "extra claim, licensed words": 0.85, "other predicate": 0.97, "injected": 1.0,
}  # fmt: skip
"""Shares that have to be stopped."""


def main() -> None:
    """Print the tables; exit 1 where a floor is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seed", type=int, default=7, help="of the sample and the mutations")
    parser.add_argument("--bindings", type=int, default=4, help="answers of each question")
    parser.add_argument("--each", type=int, default=4, help="sentences of each answer")
    parser.add_argument("--missed", action="store_true", help="also print the false sentences that were let through")
    given = parser.parse_args()
    ctx = StoryContext.of(StoryPack.open(ROOT))
    started = process_time()
    gate = Gate(ctx.pack)
    made = process_time() - started
    rng = Random(given.seed)
    told = sampled(ctx, rng, bindings=given.bindings, each=given.each)
    times: list[float] = []
    missed = true_sentences(told, gate, ctx, times)
    missed += false_sentences(told, Mutator(ctx.pack, rng), gate, rng, times, show=given.missed)
    times.sort()
    at = {share: times[int(len(times) * share)] * 1e3 for share in (0.5, 0.95, 0.99)}
    print(
        f"\nProcessor time of {len(times):,} sentences, most met for the first time: median {at[0.5]:.2f} ms,", end=" "
    )
    print(
        f"95 of 100 within {at[0.95]:.2f} ms, 99 within {at[0.99]:.2f} ms; the slowest {times[-1] * 1e3:.0f} ms,",
        end=" ",
    )
    print(f"while it compiles wordings. Making the gate: {made * 1e3:.0f} ms.")
    print(f"Memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB.")
    raise SystemExit(1 if missed else 0)


def true_sentences(told: list[Truth], gate: Gate, ctx: StoryContext, times: list[float]) -> int:
    """Print how many true sentences are stopped; 1 where a template is."""
    print("| true sentences | n | stopped | share |\n|---|---:|---:|---:|")
    stopped = 0
    for truth in told:
        started = process_time()
        stopped += not gate.check(truth.text, truth.cited, complete=truth.complete).proved
        times.append(process_time() - started)
    print(f"| tellings of the template narrator | {len(told)} | {stopped} | {stopped / len(told):.3f} |")
    shares: dict[str, list[bool]] = defaultdict(list)
    for name in ("rewordings", "rewordings_tuned"):
        for one in load(ROOT / "tests" / "grounding" / f"{name}.toml", ctx):
            half = "rules were made with it" if one.seen or name.endswith("tuned") else "untouched"
            group = f"{one.register} rewordings, {half}"
            started = process_time()
            shares[group].append(not gate.check(one.text, one.cited, complete=one.complete).proved)
            times.append(process_time() - started)
    for group, found in sorted(shares.items(), reverse=True):
        print(f"| {group} | {len(found)} | {sum(found)} | {sum(found) / len(found):.3f} |")
    return int(stopped > 0)


def false_sentences(
    told: list[Truth], mutator: Mutator, gate: Gate, rng: Random, times: list[float], *, show: bool
) -> int:
    """Print how many false sentences of each kind are stopped; the number of floors missed."""
    by_question: dict[str, list[Truth]] = defaultdict(list)
    for truth in told:
        by_question[truth.cq.id].append(truth)
    found: dict[Kind, list[bool]] = defaultdict(list)
    through: list[str] = []
    for truth in told:
        others = [other for other in by_question[truth.cq.id] if other.cited != truth.cited] or [truth]
        for mutation in mutator.of(truth, rng.choice(others)):
            started = process_time()
            verdict = gate.check(mutation.text, mutation.cited, complete=mutation.complete)
            times.append(process_time() - started)
            found[mutation.kind].append(not verdict.proved)
            if verdict.proved:
                through.append(f"{mutation.kind}: {mutation.text}  << {mutation.truth}")
    print("\n| false sentences | n | stopped | floor |\n|---|---:|---:|---:|")
    missed = 0
    for kind in get_args(Kind):
        share = sum(found[kind]) / len(found[kind])
        missed += share < FLOORS[kind]
        print(f"| {kind} | {len(found[kind])} | {share:.3f} | {FLOORS[kind]:.2f}{' MISSED' * (share < FLOORS[kind])} |")
    if show:
        print("\n" + "\n".join(through))
    return missed


if __name__ == "__main__":
    main()
