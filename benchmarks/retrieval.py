"""How well snippets are found for a question, and how quickly.

    uv run python benchmarks/retrieval.py [--embedder google:MODEL]

`tests/snippets/relevant.tsv` says by hand which snippets answer which question (2: answers it, 1: belongs beside an
answer). Every ranking orders the same snippets: those about whom the question is bound to. `served` is what strategy
hybrid hands on of the fused ranking: what is on the question's topic, five at most. The thresholds of that were chosen
on this same table, and who judged also wrote the snippets: read the figures as the best case.

nDCG@5: gains of 2^grade - 1, discounted by log2 of the place, of the best order's. recall@5: of the relevant ones, five
at most, those among the first five. right: of the first five those that are relevant. first: questions whose first
snippet is. Milliseconds are processor time of this process, Chroma imported before.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from agent.context import StoryContext
from agent.settings import Settings
from agent.wiring import index_maker
from graph_tools.evidence import Value
from graph_tools.pack import StoryPack
from graph_tools.plan import Question
from graph_tools.retrieval import HybridRetriever, SnippetSearch, Sought
from graph_tools.snippet_ranking import LIKENESS, WORDS, WordIndex, fused
from graph_tools.wording import wording

ROOT = Path(__file__).resolve().parent.parent
JUDGED = ROOT / "tests" / "snippets" / "relevant.tsv"
FIRST = 5
WORDS_ALONE, FUSED, SERVED = "BM25 alone, the question's words", "fused", "served"
HEAD = f"{'':<34} {'n':>4} {'nDCG@5':>8} {'recall@5':>9} {'right':>7} {'first':>7}"


@dataclass(frozen=True)
class Judged:
    """A question, and which snippets are relevant to it."""

    question: Question
    sought: Sought
    grades: dict[str, int]


Ranker = Callable[[Judged], Sequence[str]]


@dataclass(frozen=True)
class Figures:
    """Means over questions, shares of 1."""

    questions: int
    ndcg: float
    recall: float
    right: float
    first: float

    def row(self, name: str) -> str:
        """One line under HEAD."""
        shares = f"{self.ndcg:>8.3f} {self.recall:>9.3f} {self.right:>7.3f} {self.first:>7.3f}"
        return f"{name:<34} {self.questions:>4} {shares}"


def judged(ctx: StoryContext) -> Iterator[Judged]:
    """The lines of the table, each question in words."""
    for line in JUDGED.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        cq_id, bound, graded = line.split("\t")
        cq = ctx.pack.library[cq_id].cq
        given = {name: iri.value for name, iri in ctx.pack.defaults.items() if name in cq.parameters}
        bindings = dict(sorted((given | dict(pair.split("=", 1) for pair in bound.split(" "))).items()))
        row = {name: Value(kind="iri", value=iri) for name, iri in bindings.items()}
        text = wording(cq.question, cq.slots).render([row], ctx.plain_voice)
        grades = {pair.rpartition(":")[0]: int(pair.rpartition(":")[2]) for pair in graded.split(" ")}
        question = Question(cq=cq_id, question=text, bindings=bindings)
        yield Judged(question, Sought.of(question, ctx.pack, ctx.retriever.ask(question)), grades)


def measure(rank: Ranker, lines: Sequence[Judged]) -> Figures:
    """How good a ranking is."""
    orders = [(rank(line)[:FIRST], line.grades) for line in lines]
    count = max(1, len(orders))
    return Figures(
        questions=len(orders),
        ndcg=sum(_ndcg(order, grades) for order, grades in orders) / count,
        recall=sum(len(set(order) & grades.keys()) / min(FIRST, len(grades)) for order, grades in orders) / count,
        right=sum(len(set(order) & grades.keys()) for order, grades in orders) / max(1, sum(len(o) for o, _ in orders)),
        first=sum(bool(order) and order[0] in grades for order, grades in orders) / count,
    )


def _ndcg(order: Sequence[str], grades: dict[str, int]) -> float:
    best = sorted(grades.values(), reverse=True)[:FIRST]
    return _gain([grades.get(id_, 0) for id_ in order]) / _gain(best)


def _gain(grades: Sequence[int]) -> float:
    return math.fsum((2**grade - 1) / math.log2(place + 1) for place, grade in enumerate(grades, start=1))


def rankers(ctx: StoryContext, search: SnippetSearch) -> dict[str, Ranker]:
    """Name -> a way to order the snippets about whom a question is bound to."""
    words = WordIndex({s.id: s.searched for s in ctx.pack.snippets.told}, ctx.pack.words, ctx.pack.language)

    def by_words(line: Judged) -> Sequence[str]:
        scores = {id_: words.score(line.question.question, id_) for id_ in sorted(search.about(line.sought))}
        return sorted(scores, key=lambda id_: (-scores[id_], id_))

    def by(ranking: str) -> Ranker:
        def rank(line: Judged) -> Sequence[str]:
            places = search.rankings(line.sought, search.about(line.sought))[ranking]
            return sorted(places, key=lambda id_: (places[id_], id_))

        return rank

    def whole(line: Judged) -> Sequence[str]:
        found = search.about(line.sought)
        return [ranked.snippet.id for ranked in fused(found.values(), search.rankings(line.sought, found), {})]

    return {
        WORDS_ALONE: by_words,
        "BM25 alone, the answer's words too": by(WORDS),
        "vectors alone": by(LIKENESS),
        FUSED: whole,
        SERVED: lambda line: [ranked.snippet.id for ranked in search.ranked(line.sought)],
    }


def timings(ctx: StoryContext, lines: Sequence[Judged], settings: Settings) -> Iterator[str]:
    """How long what a visitor waits for takes."""
    started = process_time()
    index_maker(settings)(ctx.pack)
    yield f"index built anew in {process_time() - started:.2f} s"
    fresh = HybridRetriever(ctx.pack, ctx.answers, index_maker(settings))
    started = process_time()
    fresh.ask(lines[0].question)
    yield f"first question, index and all, in {process_time() - started:.2f} s"
    spent: list[float] = []
    for line in lines:
        ctx.retriever.ask(line.question)
        started = process_time()
        fresh.ask(line.question)
        spent.append(1000 * (process_time() - started))
    spent.sort()
    middle, slowest = spent[len(spent) // 2], spent[-1]
    yield f"a question then takes {middle:.1f} ms, at most {slowest:.1f} ms, the graph's answer known"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedder", default="default", help="as CUESTORY_EMBEDDER")
    given = parser.parse_args()
    settings = Settings(embedder=given.embedder)
    ctx = StoryContext.of(StoryPack.open(ROOT))
    search = SnippetSearch(ctx.pack, index_maker(settings))
    lines = list(judged(ctx))
    groups = {
        "about the event": [line for line in lines if "artist" not in line.question.bindings],
        "about an artist": [line for line in lines if "artist" in line.question.bindings],
        "all questions": lines,
    }
    for name, group in groups.items():
        print(f"{name}\n{HEAD}")
        for label, rank in rankers(ctx, search).items():
            print(measure(rank, group).row(label))
        print()
    print(*timings(ctx, lines, settings), sep="\n")


if __name__ == "__main__":
    main()
