"""How well visitors' own words are understood: the floors, on the lines of this room and on those of somebody else."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from agent.context import StoryContext
from graph_tools.router import Router

ROOT = Path(__file__).resolve().parent.parent
PROMISED = {"chips": 0.88, "refused": 0.05, "near": 0.85, "unrelated": 0.95, "steer": 0.95}
FLOORS = {
    "tuning": PROMISED,
    # What is promised is not reached on the lines of somebody else, by far: half of the good ones are told or offered.
    # These floors only keep it from getting worse; docs/words.md has the figures.
    "blind": PROMISED | {"chips": 0.47, "refused": 0.43, "shown": 0.66},
}


def _benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("router_benchmark", ROOT / "benchmarks" / "router.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


benchmark = _benchmark()


@pytest.fixture(scope="module")
def router(ctx: StoryContext) -> Router:
    return Router(ctx.pack, ctx.composer)


def test_the_lines_are_enough_and_each_accepted_answer_exists(ctx: StoryContext) -> None:
    lines = benchmark.tuning()
    assert len(lines) >= 120
    assert len({line.text for line in lines}) == len(lines)
    for line in (*lines, *benchmark.blind()):
        for accepted in line.accept:
            assert accepted == "-" or accepted.partition(":")[0] in ctx.pack.library, line.text


@pytest.mark.parametrize("name", ["tuning", "blind"])
@pytest.mark.parametrize("persona", ["emma", "luca"])
def test_words_are_understood_as_often_as_promised(router: Router, name: str, persona: str) -> None:
    lines = getattr(benchmark, name)()
    if not lines:
        pytest.skip("no answers to the blind lines yet (tests/words/labels.tsv)")
    figures = benchmark.measure(router, lines, persona)
    floors, told = FLOORS[name], "\n".join(figures.faults) if name == "tuning" else ""
    assert figures.chips >= floors["chips"], told
    assert figures.shown >= floors.get("shown", 0), told
    assert figures.refused <= floors["refused"], told
    for kind, share in figures.rejected.items():
        assert share >= floors[kind], (kind, told)
