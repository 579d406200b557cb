"""Proved: what the path-aware gate finds of each sentence, along the statements of the graph. Percent, 0 to 100.

This is the measure that the other ones stand in for: it reads relations, order, negation and counts, not words. A
sentence is

- proved where everything that it says is carried by what it cites; a list or a summary where every item of it is;
- partly proved where each name, figure and title is carried, and some other words are not;
- contradicted where all that is wrong is a negation, a role or an order that the evidence has otherwise;
- unproved otherwise. That does not mean false.

What the gate cannot judge (words of a snippet, evidence that is not the pack's) is in no share but `judged`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from evaluation.metrics.shortest import shortest
from evaluation.rows import Rows
from evaluation.scores import Score, Unscored, percent, share
from evaluation.told import Said, Section, ToldStory
from graph_tools.evidence import Factlet
from graph_tools.grounding import Gate, Reason, complete_in
from graph_tools.grounding.verdict import Bond
from graph_tools.pack import StoryPack

Status = Literal["proved", "partly", "unproved", "contradicted"]

SNIPPETS = "snippets are cited: the gate reads statements of the graph, not the words of a page"
_WORDS_ALONE = frozenset({"word", "hedge", "needs", "cause", "modal", "quantity"})
"""Faults of words between names that are carried."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What was found of one sentence."""

    status: Status
    reasons: tuple[Reason, ...] = ()
    bonds: tuple[Bond, ...] = ()
    """Which words say which value of which factlet."""
    path: tuple[str, ...] = ()
    """N-Triples statements that carry these values and join them; none of them can be left out."""


Judge = Callable[[Said, Section], Ruling | Unscored]


class Proof(NamedTuple):
    """Of a story's sentences, the shares of each ruling; and how many could be judged at all."""

    proved: Score
    partly: Score
    contradicted: Score
    judged: Score


def proof(story: ToldStory, judge: Judge | Unscored) -> Proof:
    """The shares over the whole story. The first three are of the sentences that could be judged."""
    if isinstance(judge, Unscored):
        return Proof(judge, judge, judge, judge)
    found = [judge(said, section) for section in story.sections for said in section.sentences]
    counts = Counter(one.status for one in found if isinstance(one, Ruling))
    reasons = [one.because for one in found if isinstance(one, Unscored)]
    judged = len(found) - len(reasons)
    nothing = reasons[0] if reasons else "there are no sentences"

    def of(status: Status) -> Score:
        return percent(share(counts[status], judged, nothing=nothing))

    every = percent(share(judged, len(found), nothing="there are no sentences"))
    return Proof(of("proved"), of("partly"), of("contradicted"), every)


def judge_of(pack: StoryPack | None) -> Judge | Unscored:
    """The gate of a pack: the one place where it is plugged in. Without a pack there is none."""
    if pack is None:
        return Unscored("a gate reads the words of a pack, and there is none")
    return _GateJudge(pack)


def ruled(gate: Gate, text: str, cited: tuple[Factlet, ...], complete: frozenset[str]) -> Ruling:
    """What a gate finds of a sentence that cites these factlets; `complete` as for the gate."""
    verdict = gate.check(text, cited, complete=complete)
    path = shortest(verdict.path, cited)
    status: Status = verdict.status
    codes = {reason.code for reason in verdict.reasons}
    if status == "unproved" and verdict.path and codes <= _WORDS_ALONE:
        status = "partly"
    return Ruling(status, verdict.reasons, verdict.path, path)


class _GateJudge:
    """Rebuilds what a sentence cites, and asks the gate."""

    def __init__(self, pack: StoryPack) -> None:
        self._gate = Gate(pack)
        self._rows = Rows(pack)

    def __call__(self, said: Said, section: Section) -> Ruling | Unscored:
        evidence = self._rows.evidence(section)
        if isinstance(evidence, Unscored):
            return evidence
        held = {item.id: item for item in section.evidence}
        if strange := [id_ for id_ in said.cites if id_ not in held]:
            detail = f"the evidence has no {', '.join(strange)}"
            return Ruling("unproved", (Reason("evidence", "", detail),))
        items = [held[id_] for id_ in dict.fromkeys(said.cites)]
        factlets: list[Factlet] = []
        for item in items:
            if item.triples:
                found = self._rows.cited(item, evidence)
                if isinstance(found, Unscored):
                    return found
                factlets.append(found)
        quoting = len(factlets) < len(items)
        if quoting and not factlets:
            return Unscored(SNIPPETS)
        ruling = ruled(self._gate, said.text, tuple(factlets), complete_in(evidence, said.cites))
        return Unscored(SNIPPETS) if quoting and ruling.status in ("partly", "unproved") else ruling
