"""Golden walks through tours, one text file each under tests/walks/tours.

request: emma medium seed=3 tour=ten-minutes
stop: welcome                        where the visitor came to
beat: CQ-E1 event=Live Aid           what was told there is led by this question
line: Queen played six songs. [f1]   its sentences, with their evidence
choose: next                         the way on

A curator writes `request` and the lines with `choose`; `--update-golden` writes the others anew: review the diff.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent import touring
from agent.context import StoryContext
from agent.touring import StopTold
from graph_tools.pack import StoryPack
from graph_tools.plan import StoryRequest
from graph_tools.terms import Iri

HERE = Path(__file__).parent
WALKS = sorted((HERE / "walks" / "tours").glob("*.txt"))


def parsed(path: Path) -> tuple[StoryRequest, str, Path | None, list[str], list[str]]:
    """Request, tour, pack, choices, and the comments at its top."""
    text = path.read_text(encoding="utf-8").splitlines()
    comments = [line for line in text if line.startswith("#")]
    steps = [tuple(part.strip() for part in line.partition(":")[::2]) for line in text if not line.startswith("#")]
    persona, length, *options = next(rest for step, rest in steps if step == "request").split()
    given = dict(option.split("=", 1) for option in options)
    request = StoryRequest(persona=persona, length=length, seed=int(given["seed"]))
    pack = HERE / "packs" / given["pack"] if "pack" in given else None
    return request, given["tour"], pack, [rest for step, rest in steps if step == "choose"], comments


def transcript(path: Path, ctx: StoryContext) -> str:
    """The walk of that file as it goes now."""
    request, tour, pack, choices, comments = parsed(path)
    if pack is not None:
        ctx = StoryContext.of(StoryPack.open(pack))
    asked = f"{request.persona} {request.length} seed={request.seed} tour={tour}"
    said = [*comments, f"request: {asked}{f' pack={pack.name}' if pack else ''}"]
    walk = touring.start(tour, request, ctx)
    said += _met(walk.told[-1], ctx)
    for way in choices:
        walk = touring.go(walk, way, ctx)
        said += [f"choose: {way}", *_met(walk.told[-1], ctx)]
    assert not touring.ways(walk, ctx), f"{path.name} ends at {walk.state.stop}, which is no end of the tour"
    return "\n".join([*said, "end", ""])


def _met(stop: StopTold, ctx: StoryContext) -> Iterator[str]:
    yield f"stop: {stop.stop}"
    if stop.beat is not None:
        assert stop.beat.status == "told", stop.beat.suppressed_because
        lead = stop.beat.evidence.questions[0]
        bound = [f"{name}={ctx.pack.entities.name(Iri(iri))}" for name, iri in lead.bindings.items()]
        yield " ".join(["beat:", lead.cq, *bound])
        yield from (f"line: {s.text} [{' '.join(s.evidence)}]" for s in stop.beat.sentences)


@pytest.mark.parametrize("path", WALKS, ids=lambda path: path.stem)
def test_a_walk_goes_as_it_is_written(path: Path, ctx: StoryContext, request: pytest.FixtureRequest) -> None:
    said = transcript(path, ctx)
    if request.config.getoption("--update-golden"):
        path.write_text(said, encoding="utf-8")
    assert said == path.read_text(encoding="utf-8"), f"differs from {path}; if it should, use --update-golden"


def test_every_stop_of_every_tour_is_in_some_walk_of_each_persona(ctx: StoryContext) -> None:
    for name, tour in ctx.pack.tours.items():
        for persona in tour.personas:
            met: set[str] = set()
            for path in WALKS:
                request, walked, pack, _, _ = parsed(path)
                if (walked, request.persona, pack) == (name, persona, None):
                    text = path.read_text(encoding="utf-8")
                    met |= {line.removeprefix("stop: ") for line in text.splitlines() if line.startswith("stop: ")}
            assert set(tour.ids) - met == set(), (name, persona)
