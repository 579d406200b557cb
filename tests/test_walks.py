"""Walks: scripted visits, one text file each, that a curator can write.

request: emma small seed=7 strategy=kg
beat: CQ-E1                          the beat just told is led by this question
says: benefit concert                some sentence of it holds these words
line: Queen played six songs. [f1]   one of its sentences is exactly this, with this evidence
choice: CQ-A1 artist=Queen           on offer now
no choice: CQ-E1                     not on offer now
choose: CQ-A1 artist=Queen           pick it; also `plan` (the plan's own next), `surprise`, `end`
end                                  the visit is over
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent import visit
from agent.context import StoryContext
from agent.offer import Choice, Offer
from agent.story import StoryBeat
from agent.thread import Thread
from graph_tools.pack import StoryPack
from graph_tools.plan import Beat, BeatPlan, StoryRequest

HERE = Path(__file__).parent
WALKS = sorted((HERE / "walks").glob("*.txt"))


@dataclass
class Walk:
    """One visit under way."""

    ctx: StoryContext
    request: StoryRequest
    plan: BeatPlan = field(init=False)
    thread: Thread = field(default_factory=Thread)
    told: list[StoryBeat] = field(default_factory=list)
    now: Offer | None = None

    def __post_init__(self) -> None:
        self.plan = visit.plan(self.request, self.ctx)
        self.hear(visit.opening(self.plan))

    def hear(self, beat: Beat) -> None:
        evidence = visit.retrieve(beat, self.ctx)
        heard, self.thread = visit.generate(beat, len(self.told), evidence, self.plan, self.thread, self.ctx)
        self.told.append(heard)
        self.now = visit.offer(self.plan, self.thread, self.ctx)

    def offered(self) -> list[Choice]:
        assert self.now is not None, "the visit is over"
        return [*self.now.choices, *self.now.rest]

    def find(self, wanted: str) -> Choice | None:
        """The choice on offer that asks this question of these entities."""
        cq, *binds = re.findall(r"\S+=(?:(?!\s\S+=).)+|\S+", wanted)
        entities = {name: self.ctx.pack.entities.find(text).value for name, text in (b.split("=", 1) for b in binds)}
        for choice in self.offered():
            assert choice.beat is not None
            lead = choice.beat.questions[0]
            if lead.cq == cq and entities.items() <= lead.bindings.items():
                return choice
        return None

    def choose(self, wanted: str) -> None:
        assert self.now is not None, "the visit is over"
        if wanted == "end":
            assert self.now.pick(self.now.end.id).beat is None
            self.now = None
            return
        if wanted == "surprise":
            choice = self.now.surprise
        elif wanted == "plan":
            choice = next((c for c in self.offered() if c.kind == "plan"), None)
        else:
            choice = self.find(wanted)
        assert choice is not None, f"{wanted} is not on offer; there are {[c.label for c in self.offered()]}"
        beat = self.now.pick(choice.id).beat
        assert beat is not None
        self.hear(beat)

    def do(self, step: str, rest: str) -> None:
        newest = self.told[-1]
        match step:
            case "beat":
                lead = newest.evidence.questions[0]
                assert newest.status == "told", newest.suppressed_because
                assert lead.cq == rest.split()[0], f"heard {lead.cq}, {lead.question}"
            case "says":
                assert any(rest in s.text for s in newest.sentences), [s.text for s in newest.sentences]
            case "line":
                assert rest in [f"{s.text} [{' '.join(s.evidence)}]" for s in newest.sentences]
            case "choice":
                assert self.find(rest) is not None, [c.label for c in self.offered()]
            case "no choice":
                assert self.find(rest) is None
            case "choose":
                self.choose(rest)
            case "end":
                assert self.now is None
            case _:
                raise AssertionError(f"a walk has no step {step!r}; see the top of test_walks.py")


def request_of(text: str) -> tuple[StoryRequest, Path | None]:
    persona, length, *options = text.split()
    given = dict(option.split("=", 1) for option in options)
    pack = given.pop("pack", None)
    seed = int(given.pop("seed", "0"))
    assert given.pop("strategy", "kg") == "kg"
    assert not given, f"a request has no {sorted(given)}"
    return StoryRequest(persona=persona, length=length, seed=seed), HERE / "packs" / pack if pack else None


@pytest.mark.parametrize("path", WALKS, ids=lambda path: path.stem)
def test_a_walk_goes_as_it_is_written(path: Path, ctx: StoryContext) -> None:
    walk: Walk | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        step, _, rest = (part.strip() for part in line.partition(":"))
        try:
            if step == "request":
                request, pack = request_of(rest)
                walk = Walk(ctx if pack is None else StoryContext.of(StoryPack.open(pack)), request)
                continue
            assert walk is not None, "a walk begins with its request"
            walk.do(step, rest)
        except AssertionError as error:
            raise AssertionError(f"{path.name}:{number}: {line}\n{error}") from error


@pytest.mark.parametrize("seed", range(12))
def test_a_visitor_who_picks_anything_is_always_offered_a_way_on(seed: int, ctx: StoryContext) -> None:
    """Random visits of 24 beats: three choices each time, nothing suppressed, nothing said twice."""
    from random import Random

    rng = Random(seed)
    walk = Walk(ctx, StoryRequest(persona=rng.choice(["emma", "luca"]), length="small", seed=seed))
    for _ in range(24):
        assert walk.now is not None
        assert len(walk.now.choices) == 3
        picked = rng.choice([*walk.offered(), walk.now.surprise])
        assert picked is not None
        assert picked.beat is not None
        walk.hear(picked.beat)
        assert walk.told[-1].status == "told", walk.told[-1].suppressed_because
    said = [sentence.text for beat in walk.told for sentence in beat.sentences]
    assert len(said) == len(set(said))
