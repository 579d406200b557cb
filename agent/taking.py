"""What a visitor does with an offer, as one closed set of turns. Nothing is taken that does not stand in the visit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from agent.branches import Tree
from agent.context import StoryContext
from agent.errors import UnknownChoice
from agent.offer import Offer
from agent.offering import SHOWN, asked_beat
from agent.retelling import LONGER, SHORTER
from graph_tools.plan import Beat, Question, StoryRequest


class Turn(BaseModel):
    """What happens next."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["tell", "retell", "offer", "walk", "end"]
    """`offer`: nothing is told, the choices are laid out anew; `walk`: to the next stop of a tour."""
    beat: Beat | None = None
    again: bool = False
    """The visitor asked for just this beat: it is told even if it was heard before."""
    to: int | None = None
    """`retell`: the place of the beat; `offer`: the place to go back to, or None to stay."""
    manner: str = ""
    asked: tuple[str, ...] = ()
    """`offer`: keys of questions to lay out beside the others."""
    strategy: str = ""
    """`offer`: where the evidence comes from after it."""
    way: str = ""
    """`walk`: the id of the way on; empty at the beginning."""


def take(command: object, offer: Offer, tree: Tree, at: int, request: StoryRequest, ctx: StoryContext) -> Turn:
    """The turn of a command: {"choice": id} of the offer, {"rewind": place}, {"retell": place, "as": manner},
    {"ask": key of a question} or {"propose": [keys]}. Raises UnknownChoice for anything else."""
    match command:
        case {"choice": str(choice)}:
            return _chosen(offer, choice, at)
        case {"rewind": int(place)} if _told(tree, place):
            return Turn(kind="offer", to=place)
        case {"retell": int(place), "as": str(manner)} if _told(tree, place) and _manner(manner, ctx):
            return Turn(kind="retell", to=place, manner=manner)
        case {"ask": str(key)}:
            return Turn(kind="tell", beat=asked_beat(question_of(key, request, ctx), ctx), again=True)
        case {"propose": [*keys]}:
            return Turn(kind="offer", asked=tuple(q.key for q in questions_of(keys, request, ctx))[:SHOWN])
    raise UnknownChoice("no such turn; pick one of the choices below the last beat")


def questions_of(keys: Iterable[Any], request: StoryRequest, ctx: StoryContext) -> list[Question]:
    """The questions with those keys. Raises UnknownChoice."""
    return [question_of(str(key), request, ctx) for key in keys]


def question_of(key: str, request: StoryRequest, ctx: StoryContext) -> Question:
    """The question with that key, if the persona can be told its answer. Raises UnknownChoice."""
    cq_id, *pairs = key.split(" ")
    composer = ctx.composer(request.persona)
    bindings = dict(pair.partition("=")[::2] for pair in pairs)
    question = composer.bound(ctx.pack.library[cq_id].cq, bindings) if cq_id in ctx.pack.library else None
    if question is None or not composer.tellable(question):
        raise UnknownChoice(f"{key!r} is no question that can be told here")
    return question


def _chosen(offer: Offer, choice_id: str, at: int) -> Turn:
    choice = offer.pick(choice_id)
    if choice.kind == "rewind":
        return Turn(kind="offer", to=choice.to)
    if choice.kind == "strategy":
        return Turn(kind="offer", strategy=choice.manner)
    if choice.kind == "way":
        return Turn(kind="walk", way=choice.manner)
    if choice.kind == "retell":
        return Turn(kind="retell", to=at, manner=choice.manner)
    if choice.beat is None:
        return Turn(kind="end")
    return Turn(kind="tell", beat=choice.beat, again=choice.kind == "ask")


def _told(tree: Tree, place: int) -> bool:
    return not isinstance(place, bool) and 0 <= place < len(tree) and tree.node(place).beat["status"] == "told"


def _manner(manner: str, ctx: StoryContext) -> bool:
    return manner in (SHORTER, LONGER) or manner in ctx.pack.personas
