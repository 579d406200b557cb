"""What the strategies make of the same plans: how much of a story is told, how its sentences hang together, how fast.

    uv run python benchmarks/strategies.py [STRATEGY ...]

Every persona and length of the pack, 20 seeds each. Joined: of two sentences that follow each other, both are about
some person, act, song, place or other thing besides what everything here is about (`[walk] hubs` of pack.toml);
"or topic" counts the topics of accounts too. The first figure is within beats, the second also across them.
Warm: one beat from its retrieval to its sentences, in a process that has told the story before; processor time, so that
nothing else that runs on the machine counts.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from time import process_time

from agent import visit
from agent.context import StoryContext
from agent.story import Sentence, Story, StoryBeat
from agent.thread import Thread
from graph_tools.evidence import Factlet
from graph_tools.pack import StoryPack
from graph_tools.plan import StoryRequest
from graph_tools.retrieval import strategies
from graph_tools.terms import Iri

ROOT = Path(__file__).resolve().parent.parent
SEEDS = 20
CONCEPT = "http://www.w3.org/2004/02/skos/core#Concept"
GENRE = "https://w3id.org/polifonia/ontology/music-meta/MusicGenre"


def requests(ctx: StoryContext, strategy: str, seeds: int = SEEDS) -> Iterator[StoryRequest]:
    """Every persona and length, so many seeds."""
    for persona, arcs in sorted(ctx.pack.arcs.arcs.items()):
        for length in sorted(arcs):
            for seed in range(seeds):
                yield StoryRequest(persona=persona, length=length, strategy=strategy, seed=seed)


def things(sentence: Sentence, beat: StoryBeat, ctx: StoryContext, *, topics: bool) -> frozenset[str]:
    """What a sentence is about: the things among the values that it was filled from, and on the walk to them."""
    found: set[str] = set()
    by_id: dict[str, Factlet] = {factlet.id: factlet for factlet in beat.evidence.factlets}
    for factlet in (by_id[id_] for id_ in sentence.evidence if id_ in by_id):
        found |= {value.value for value in factlet.values.values() if value.kind == "iri"}
        found |= {iri for step in factlet.path[-1:] for iri in (step.start, step.end) if iri}
    return frozenset(iri for iri in found - ctx.pack.hubs if topics or not _is_topic(iri, ctx))


def _is_topic(iri: str, ctx: StoryContext) -> bool:
    classes = {class_.value for class_ in ctx.pack.entities.types(Iri(iri))}
    return CONCEPT in classes and GENRE not in classes


def joined(story: Story, ctx: StoryContext, *, across: bool, topics: bool) -> tuple[int, int]:
    """Neighbouring sentences that share something, and all neighbours; a question that is raised is no sentence."""
    beats = [
        [things(s, beat, ctx, topics=topics) for s in beat.sentences if not s.text.endswith("?")]
        for beat in story.beats
        if beat.status == "told"
    ]
    rows = [[about for beat in beats for about in beat]] if across else beats
    pairs = [pair for row in rows for pair in pairwise(row)]
    return sum(bool(one & other) for one, other in pairs), len(pairs)


def warm(request: StoryRequest, ctx: StoryContext) -> Iterator[float]:
    """Milliseconds of the processor for each beat."""
    planned, thread = visit.plan(request, ctx), Thread()
    for index, beat in enumerate(planned.beats):
        started = process_time()
        evidence = visit.retrieve(beat, ctx, request.strategy, request.seed)
        _, thread = visit.generate(beat, index, evidence, planned, thread, ctx)
        yield 1000 * (process_time() - started)


def measure(strategy: str, ctx: StoryContext, seeds: int = SEEDS) -> str:
    """One line of figures."""
    stories = {request: visit.tell_story(request, ctx) for request in requests(ctx, strategy, seeds)}
    told = [beat for story in stories.values() for beat in story.beats]
    silent = sum(beat.status == "suppressed" for beat in told)
    empty = sum(all(beat.status == "suppressed" for beat in story.beats) for story in stories.values())
    shares = []
    for topics in (False, True):
        for across in (False, True):
            counts = [joined(story, ctx, across=across, topics=topics) for story in stories.values()]
            shares.append(sum(one for one, _ in counts) / max(1, sum(of for _, of in counts)))
    times = [ms for request in list(stories)[:: max(1, seeds // 4)] for ms in warm(request, ctx)]
    words = statistics.median(beat.words for beat in told)
    return (
        f"{strategy:8} stories {len(stories)}, empty {empty}; beats {len(told)}, suppressed {silent}, words {words:g}; "
        f"joined {shares[0]:.0%} / {shares[1]:.0%}, or topic {shares[2]:.0%} / {shares[3]:.0%}; "
        f"warm {statistics.median(times):.1f} ms, longest {max(times):.1f} ms"
    )


def main() -> None:
    """Print a line for each strategy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("strategies", nargs="*", default=list(strategies()), metavar="STRATEGY")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    asked = parser.parse_args()
    ctx = StoryContext.of(StoryPack.open(ROOT))
    for strategy in asked.strategies:
        print(measure(strategy, ctx, asked.seeds), flush=True)


if __name__ == "__main__":
    main()
