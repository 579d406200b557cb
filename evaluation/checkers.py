"""Checkers of sentences, held to sentences of which it is known whether they are true.

Every measure that says yes or no to a sentence is one. What it should stop are `mutations`: false sentences made of
true ones, kind by kind. What it should not stop are the true ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import get_args

from agent.context import StoryContext
from evaluation import tables
from evaluation.metrics.citations import carries
from evaluation.metrics.proved import ruled
from evaluation.metrics.voting import Ballot
from evaluation.mutations import Kind, Mutator
from evaluation.told import Evidence, Said, Section, evidence_of
from evaluation.truths import Truth, sampled
from graph_tools.attestation import attestations
from graph_tools.evidence import Factlet
from graph_tools.grounding import Gate

FORMAT = "cuestory.mutations/1"
TRUE = "true sentences"
CHECKERS = {
    "support": "Support as tabulated",
    "citation_recall": "Citation recall",
    "proved": "Proved sentences",
}
"""Key of the measure -> its name."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A sentence, and which checkers let it pass."""

    kind: str
    """TRUE, or what was done to it."""
    text: str
    passed: frozenset[str]


def tried(ctx: StoryContext, seed: int, *, answers: int, each: int) -> Iterator[Tried]:
    """True sentences and the false ones made of each, put to every checker; the same for the same arguments.

    `answers`: of each question of the pack; `each`: sentences of each answer."""
    rng = Random(seed)
    told = sampled(ctx, rng, bindings=answers, each=each)
    mutator, bench = Mutator(ctx.pack, rng), _Bench(ctx)
    by_question: dict[str, list[Truth]] = defaultdict(list)
    for truth in told:
        by_question[truth.cq.id].append(truth)
    for truth in told:
        yield Tried(TRUE, truth.text, bench.passed(truth, truth.text, truth.cited))
        others = [other for other in by_question[truth.cq.id] if other.cited != truth.cited] or [truth]
        for made in mutator.of(truth, rng.choice(others)):
            yield Tried(made.kind, made.text, bench.passed(truth, made.text, made.cited))


def shares(found: Sequence[Tried]) -> dict[str, dict[str, float | int]]:
    """Kind -> `sentences`, and for each checker the share that it stops, 0 to 1; the true ones first."""
    counts = Counter(one.kind for one in found)
    stopped = Counter((one.kind, name) for one in found for name in CHECKERS if name not in one.passed)
    kinds = [kind for kind in (TRUE, *get_args(Kind)) if counts[kind]]
    return {
        kind: {"sentences": counts[kind], **{name: stopped[kind, name] / counts[kind] for name in CHECKERS}}
        for kind in kinds
    }


def table(found: Mapping[str, Mapping[str, float | int]]) -> str:
    """The shares as Markdown, percent, with all false sentences in the last row."""
    false = {kind: row for kind, row in found.items() if kind != TRUE}
    total = sum(int(row["sentences"]) for row in false.values())
    body = [_row(kind, row) for kind, row in found.items()]
    if total:
        means = {name: sum(row[name] * row["sentences"] for row in false.values()) / total for name in CHECKERS}
        body.append(_row("all false sentences", {"sentences": total, **means}))
    return tables.markdown(["Stopped, %", "Sentences", *CHECKERS.values()], body)


def _row(kind: str, row: Mapping[str, float | int]) -> list[str]:
    return [kind, str(row["sentences"]), *(f"{100 * row[name]:.1f}" for name in CHECKERS)]


class _Bench:
    """Puts a sentence to the checkers as a beat of a story would, over all the evidence of its question."""

    def __init__(self, ctx: StoryContext) -> None:
        self._pack = ctx.pack
        self._gate = Gate(ctx.pack)
        self._sections: dict[tuple[str, ...], tuple[Evidence, ...]] = {}

    def passed(self, truth: Truth, text: str, cited: tuple[Factlet, ...]) -> frozenset[str]:
        """The checkers that let the sentence pass where it cites these factlets."""
        known = {factlet.id: factlet for factlet in (*truth.evidence.factlets, *cited)}
        said = Said(text, tuple(factlet.id for factlet in cited))
        section = Section("", (said,), self._evidence(tuple(known.values())))
        passed = {
            "support": bool(text.strip()) and Ballot([text], section.lines).supported()[0],
            "citation_recall": carries(said, section),
            "proved": ruled(self._gate, text, cited, truth.complete).status == "proved",
        }
        return frozenset(name for name, through in passed.items() if through)

    def _evidence(self, factlets: tuple[Factlet, ...]) -> tuple[Evidence, ...]:
        key = tuple(f"{factlet.id} {factlet.text}" for factlet in factlets)
        if key not in self._sections:
            named = attestations((triple for factlet in factlets for triple in factlet.triples), self._pack)
            self._sections[key] = evidence_of([factlet.model_dump() for factlet in factlets], named)
        return self._sections[key]
