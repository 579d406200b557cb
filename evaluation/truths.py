"""True sentences to start from: what the pack's own tellings say, each with the rows that it cites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from agent import visit
from agent.context import StoryContext
from graph_tools.cq import CompetencyQuestion
from graph_tools.evidence import EvidencePack, Factlet
from graph_tools.joins import Joins
from graph_tools.plan import Question
from graph_tools.proofs import all_bindings
from graph_tools.sayable import LIST_LIMITS, Saying, sayings
from graph_tools.speech import Unspeakable, upper_first


@dataclass(frozen=True, slots=True)
class Truth:
    """A true sentence and its evidence."""

    cq: CompetencyQuestion
    text: str
    cited: tuple[Factlet, ...]
    evidence: EvidencePack
    """All that was asked; what it does not cite is evidence too."""
    complete: frozenset[str]
    """The questions all of whose rows it cites."""


def answers(
    cq_id: str, ctx: StoryContext, *, most: int = 0, rng: Random | None = None, joins: Joins | None = None
) -> Iterator[EvidencePack]:
    """The evidence of a question for everything that it has an answer for, or for `most` that `rng` draws."""
    template = ctx.pack.library[cq_id]
    joins = joins or Joins(ctx.pack.graph)
    every = list(all_bindings(cq_id, ctx.pack, ctx.pack.defaults if len(template.cq.parameters) > 1 else {}))
    if rng is not None:
        rng.shuffle(every)
    found = 0
    for bindings in every:
        if most and found >= most:
            return
        if joins.first_failing(template, bindings) or not ctx.answers.answered(cq_id, bindings):
            continue
        found += 1
        asked = {name: iri.value for name, iri in sorted(bindings.items())}
        yield visit.ask(Question(cq=cq_id, question="?", bindings=asked), ctx)


def truths(evidence: EvidencePack, cq: CompetencyQuestion, ctx: StoryContext) -> Iterator[Truth]:
    """All that can be said of an answer in full names, to every persona, each wording once."""
    cut_off = any(question.truncated for question in evidence.questions)
    seen: set[str] = set()
    for name in cq.personas:
        persona = ctx.pack.personas[name]
        for saying in sayings(cq, evidence.factlets, persona, ctx.plain_voice, truncated=cut_off):
            for text in worded(saying, ctx, persona.max_words):
                if text not in seen:
                    seen.add(text)
                    whole = len(saying.factlets) == len(evidence.factlets) and not cut_off
                    complete = frozenset({cq.id}) if whole else frozenset[str]()
                    yield Truth(cq, text, saying.factlets, evidence, complete)


def sampled(ctx: StoryContext, rng: Random, *, bindings: int, each: int) -> list[Truth]:
    """For every question of the pack some answers, and of each some sentences."""
    found: list[Truth] = []
    joins = Joins(ctx.pack.graph)
    for cq_id in sorted(ctx.pack.library):
        cq = ctx.pack.library[cq_id].cq
        for evidence in answers(cq_id, ctx, most=bindings, rng=rng, joins=joins):
            every = list(truths(evidence, cq, ctx))
            found += rng.sample(every, min(each, len(every)))
    return found


def worded(saying: Saying, ctx: StoryContext, limit: int) -> Iterator[str]:
    """A saying in its wordings, lists shortened to fit."""
    rows = [factlet.values for factlet in saying.factlets]
    for wording in saying.wordings:
        for most in LIST_LIMITS if wording.lists else (None,):
            try:
                text = wording.render(rows, ctx.plain_voice, item=saying.item, most=most)
            except Unspeakable:
                break
            if len(text.split()) <= limit:
                yield upper_first(text)
                break
