"""What of a language model's lies reaches a visitor: N seeded beats against each kind of bad answer.

    uv run python benchmarks/adversary.py [--beats 60] [--kind NAME] [--show]

For each kind: on how many beats it had a hold, how many bad sentences were said and how many of them shown (0 is the
goal), and how often the museum's own wording stood in for the whole beat. The honest kinds stand below: there nothing
is bad, and the fewer beats fall back the better. Last, what everything but the model takes in a beat. The lies are
those of `agent/lies.py`, written without a look at the rules of the gate.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.outputs import ChatResult

from agent import visit
from agent.adversary import AdversaryChatModel
from agent.breaker import Breaker
from agent.budget import Budget, Limits, Spent
from agent.context import StoryContext
from agent.lies import HONEST, KINDS
from agent.model_line import ModelLine
from agent.model_narrator import ChatModelNarrator
from agent.narrator import Brief, Telling
from agent.phrasebook import Phrasebook
from agent.thread import Thread
from graph_tools.grounding import Gate
from graph_tools.pack import StoryPack
from graph_tools.plan import StoryRequest

ROOT = Path(__file__).resolve().parent.parent
NO_LIMIT = Spent(10**9, 10**12)
OVERHEAD = 30.0
"""Milliseconds that everything but the model may take in a beat."""


class Timed(AdversaryChatModel):
    """An adversary that knows how long it took to lie."""

    seconds: float = 0.0

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        started = time.perf_counter()
        try:
            return super()._generate(*args, **kwargs)
        finally:
            self.seconds += time.perf_counter() - started


@dataclass
class Tally:
    """One kind over all beats."""

    beats: int = 0
    held: int = 0
    """Beats that it had a hold on."""
    said: int = 0
    shown: list[str] = field(default_factory=list)
    """Bad sentences that a visitor would have read."""
    fell_back: int = 0
    overhead: list[float] = field(default_factory=list)
    """Milliseconds a beat, without the model."""


def drafts(ctx: StoryContext, most: int) -> list[tuple[Telling, Brief]]:
    """Beats of seeded stories as the content files word them, of both personas in turn."""
    found: list[tuple[Telling, Brief]] = []
    for telling, brief in _drafts(ctx):
        found.append((telling, brief))
        if len(found) == most:
            break
    return found


def _drafts(ctx: StoryContext) -> Iterator[tuple[Telling, Brief]]:
    for seed in range(1_000):
        for persona in sorted(ctx.pack.personas):
            plan = visit.plan(StoryRequest(persona=persona, length="medium", seed=seed), ctx)
            thread = Thread()
            for index, beat in enumerate(plan.beats):
                drafted = visit.draft(beat, index, visit.retrieve(beat, ctx), plan, thread, ctx)
                _, thread = visit.finished(drafted, drafted.telling, ctx)
                if drafted.telling is not None and drafted.brief is not None:
                    yield drafted.telling, drafted.brief


def against(kind: str, beats: list[tuple[Telling, Brief]], gate: Gate, names: tuple[str, ...]) -> Tally:
    """All beats, reworded by an adversary of that kind."""
    tally = Tally()
    for number, (telling, brief) in enumerate(beats):
        model = Timed(model=kind, names=names, seed=number)
        book = Phrasebook(None)
        budget = Budget(Limits(NO_LIMIT, NO_LIMIT), book, time.time)
        line = ModelLine(model, f"adversary:{kind}", book, budget, Breaker(time.monotonic))
        narrator = ChatModelNarrator(line, gate, seconds=30)
        started = time.perf_counter()
        worded = narrator.reword(telling, brief).result()
        spent = time.perf_counter() - started
        narrator.close()
        bad = {text for lie in model.lies for text in lie.bad}
        tally.beats += 1
        tally.held += bool(bad)
        tally.said += len(bad)
        by_model = [sentence.text for sentence in worded.sentences if sentence.worded_by == "model"]
        # A clause that joins two beats stands before a sentence, and may lower its first letter.
        tally.shown += [text for text in by_model if any(text.endswith(lie[1:]) for lie in bad if lie)]
        tally.fell_back += not by_model
        tally.overhead.append(1000 * (spent - model.seconds))
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description="What of a language model's lies reaches a visitor.")
    parser.add_argument("--beats", type=int, default=60)
    parser.add_argument("--kind", action="append", choices=[*KINDS, *HONEST])
    parser.add_argument("--show", action="store_true", help="print the bad sentences that were shown")
    given = parser.parse_args()
    pack = StoryPack.open(ROOT)
    ctx, gate = StoryContext.of(pack), Gate(pack)
    names = tuple(sorted({name for iri in pack.entities.named if (name := pack.entities.name(iri))}))
    beats = drafts(ctx, given.beats)
    print(f"{len(beats)} beats, {len({b.evidence.questions[0].cq for _, b in beats})} leading questions")
    print(f"{'kind':34} {'beats':>5} {'said':>5} {'shown':>5} {'share':>6}  own wording")
    cold = against(HONEST[0], beats, gate, names).overhead  # the gate compiles what it learns of a question once
    overhead: list[float] = []
    said = shown = 0
    for kind in given.kind or [*KINDS, *HONEST]:
        tally = against(kind, beats, gate, names)
        overhead += tally.overhead
        said, shown = said + tally.said, shown + len(tally.shown)
        share = f"{len(tally.shown) / tally.said:6.3f}" if tally.said else "     -"
        own = f"{tally.fell_back / tally.beats:6.0%}"
        print(f"{kind:34} {tally.held:5} {tally.said:5} {len(tally.shown):5} {share}  {own}")
        if given.show:
            for text in tally.shown:
                print(f"    {text}")
    print(f"{'all':34} {'':5} {said:5} {shown:5} {shown / max(said, 1):6.3f}")
    for when, found in (("first time", sorted(cold)), ("later", sorted(overhead))):
        print(
            f"everything but the model, a beat, {when}: median {statistics.median(found):.1f} ms, "
            f"95 of 100 under {found[int(0.95 * (len(found) - 1))]:.1f} ms   ({OVERHEAD:.0f} ms at most)"
        )


if __name__ == "__main__":
    main()
