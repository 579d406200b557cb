"""A visitor's own question: told where the records can prove an answer, else what comes closest.

`cuestory ask` is a thin shell over it. The question is read by the router and goes no further.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import click

from agent import visit
from agent.commands import open_context, pack_option, strategy_option
from agent.context import StoryContext
from agent.offering import asked_beat
from agent.presenter import displayable
from agent.story import StoryBeat, beat_form
from agent.telling import MOST_WORDS
from agent.thread import Thread
from graph_tools.errors import UnknownPersona, nearest
from graph_tools.outcome import Outcome, Refused, Routed
from graph_tools.plan import BeatPlan, Question, StoryRequest
from graph_tools.router import Router


@dataclass(frozen=True, slots=True)
class Answer:
    """What a visitor gets for a question of their own."""

    outcome: Outcome
    reply: str
    """What is said where nothing is told; "" with a beat."""
    beat: StoryBeat | None
    attestations: tuple[str, ...]
    """The statements that name the things of the beat's proofs, and say where these were read."""
    nearest: tuple[Question, ...]
    """Questions that can be answered, the closest first."""

    def to_json(self) -> str:
        """The answer as one JSON object; the beat has the form of the story file."""
        kind = self.outcome.kind if isinstance(self.outcome, Refused) else None
        document = {
            "outcome": type(self.outcome).__name__.lower(),
            "kind": kind,
            "reply": self.reply,
            "beat": beat_form(self.beat, self.attestations) if self.beat else None,
            "nearest": [question.model_dump() for question in self.nearest],
        }
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def answer(text: str, persona: str, ctx: StoryContext, router: Router, strategy: str = "kg") -> Answer:
    """The answer to a question that stands alone. Raises UnknownPersona, UnknownStrategy."""
    if persona not in ctx.pack.personas:
        raise UnknownPersona(f"unknown persona {persona!r}; {nearest(persona, ctx.pack.personas)}")
    outcome = router.route(text, persona)
    if isinstance(outcome, Routed):
        told, _ = tell(outcome.question, persona, ctx, strategy)
        return Answer(outcome, "", told, visit.attested(told, ctx), outcome.others)
    return Answer(outcome, ctx.pack.replies.reply(outcome), None, (), outcome.nearest)


def tell(question: Question, persona: str, ctx: StoryContext, strategy: str = "kg") -> tuple[StoryBeat, Thread]:
    """The question's answer as a story of one beat, and the thread after it."""
    beat = asked_beat(question, ctx)
    plan = BeatPlan(request=StoryRequest(persona=persona, strategy=strategy), leads=(), beats=(beat,))
    return visit.generate(beat, 0, visit.retrieve(beat, ctx, strategy), plan, Thread(), ctx, words=MOST_WORDS)


@click.command()
@click.argument("question")
@click.option("--persona", default="emma", show_default=True, help="whom it is told to")
@strategy_option
@pack_option
@click.option("--json", "as_json", is_flag=True, help="the outcome, the beat and the nearest questions as JSON")
def ask(question: str, persona: str, strategy: str, pack_dir: Path | None, as_json: bool) -> None:
    """Ask a question in your own words: it is answered, or the nearest that can be answered are named.

    Example: cuestory ask "who came on last?"
    """
    ctx = open_context(pack_dir)
    given = answer(question, persona, ctx, ctx.router(), strategy)
    if as_json:
        click.echo(given.to_json(), nl=False)
        return
    if given.beat is not None:
        click.echo(displayable(" ".join(sentence.text for sentence in given.beat.sentences)))
        return
    click.echo(displayable(given.reply))
    for near in given.nearest:
        click.echo(displayable(f"- {near.question}"))
