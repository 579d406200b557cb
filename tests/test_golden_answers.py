"""One answer to every question, as each persona hears it: what a curator reads through when the wordings change."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.asking import tell
from agent.context import StoryContext
from graph_tools.eligibility import Answers
from graph_tools.joins import Joins
from graph_tools.plan import Question
from graph_tools.proofs import answered_bindings

GOLDEN = Path(__file__).parent / "golden" / "answers"


@pytest.mark.parametrize("persona", ["emma", "luca"])
def test_every_question_is_told(ctx: StoryContext, persona: str, request: pytest.FixtureRequest) -> None:
    answers, joins = Answers(ctx.pack), Joins(ctx.pack.graph)
    told = [_told(cq_id, persona, ctx, answers, joins) for cq_id in ctx.pack.library if _serves(cq_id, persona, ctx)]
    assert len(told) >= 70
    text = "\n\n".join(told) + "\n"
    path = GOLDEN / f"{persona}.txt"
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def _serves(cq_id: str, persona: str, ctx: StoryContext) -> bool:
    return persona in ctx.pack.library[cq_id].cq.personas


def _told(cq_id: str, persona: str, ctx: StoryContext, answers: Answers, joins: Joins) -> str:
    """The first answer that can open a beat, with the question as it is asked there."""
    composer, cq = ctx.composer(persona), ctx.pack.library[cq_id].cq
    for bindings in answered_bindings(cq_id, ctx.pack, answers, joins):
        question = Question(
            cq=cq_id, question=cq.question, bindings={name: iri.value for name, iri in sorted(bindings.items())}
        )
        if composer.tellable(question):
            beat, _ = tell(question, persona, ctx)
            assert beat.status == "told", f"{cq_id}: {beat.suppressed_because}"
            names = ", ".join(ctx.pack.entities.name(iri) for _, iri in sorted(bindings.items()))
            return f"{cq_id} {cq.question} [{names}]\n" + " ".join(sentence.text for sentence in beat.sentences)
    raise AssertionError(f"{cq_id} cannot be told to {persona}")
