"""A recorded story told again: what its log would say if it were written now.

A visit is walked without the machine, by the same plain functions that its nodes are shells over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from agent import audit_records, visit
from agent.audit_line import Json
from agent.branches import ROOT, Tree, grown
from agent.context import StoryContext
from agent.offer import Offer
from agent.offering import asked_beat
from agent.recorder import Recording
from agent.story import Story, StoryBeat
from agent.taking import Turn, question_of, take
from agent.thread import Thread
from graph_tools.plan import StoryRequest

Write = Callable[[Json, float], None]
"""Takes a line and the seconds that it took."""


def tell_straight(request: StoryRequest, ctx: StoryContext, write: Write) -> Story:
    """The planned story, each beat written as soon as it is worded."""
    recording = Recording()
    heard = replace(ctx, recorder=recording)
    plan = visit.plan(request, heard)
    write(audit_records.opened("straight", request, ctx, ""), 0.0)
    write(audit_records.planned(plan), 0.0)
    beats: list[StoryBeat] = []
    for place, beat in enumerate(visit.told_beats(plan, heard)):
        beats.append(beat)
        telling, seconds = recording.heard[-1]
        write(audit_records.told_straight(place, beat, telling, ctx), seconds)
    write(audit_records.ended(), 0.0)
    return visit.story_of(request, beats, ctx)


class Walk:
    """A visit, walked by its commands; each step gives the lines of its turn."""

    def __init__(self, name: str, request: StoryRequest, ctx: StoryContext, asked: str = "") -> None:
        """`asked`: the key of the question that the visit begins with."""
        self._name = name
        self._asked = asked
        self._request = request
        self._ctx = ctx
        self._plan = visit.plan(request, ctx)
        self._thread = Thread()
        self._at = ROOT
        self._stored: list[Json] = []
        self._offer: Offer | None = None

    def begin(self) -> Iterator[Json]:
        """The first turn."""
        yield audit_records.opened("visit", self._request, self._ctx, self._name, asked=self._asked)
        yield audit_records.planned(self._plan)
        turn = Turn(kind="tell", beat=visit.opening(self._plan))
        if self._asked:
            question = question_of(self._asked, self._request, self._ctx)
            turn = Turn(kind="tell", beat=asked_beat(question, self._ctx), again=True)
        yield from self._turn(turn)

    def choose(self, command: Json, words: str = "") -> Iterator[Json]:
        """The turn of that command. Raises UnknownChoice where it is not on offer."""
        offer = self._offer or Offer.model_validate(NOTHING)
        tree = Tree(self._stored)
        turn = take(command, offer, tree, self._at, self._request, self._ctx)
        yield audit_records.chosen(command, offer, words)
        if turn.strategy:
            self._request = self._request.model_copy(update={"strategy": turn.strategy})
            self._plan = self._plan.model_copy(update={"request": self._request})
        elif turn.kind == "offer" and turn.to is not None:
            self._at, self._thread = turn.to, tree.thread(turn.to)
        yield from self._turn(turn)

    def _turn(self, turn: Turn) -> Iterator[Json]:
        recording = Recording()
        listened = replace(self._ctx, recorder=recording)
        before = len(self._stored)
        if turn.kind in ("tell", "retell"):
            self._tell(turn, listened)
        tree = Tree(self._stored)
        self._offer = None
        if turn.kind != "end":
            self._offer = visit.offer_at(tree, self._at, turn.asked, self._plan, self._thread, self._ctx)
        new = range(before, len(self._stored))
        tellings = [heard.telling for heard in recording.heard]
        strategy = self._request.strategy
        yield from audit_records.turned(tree, new, self._at, strategy, self._offer, tellings, self._ctx)

    def _tell(self, turn: Turn, ctx: StoryContext) -> None:
        tree = Tree(self._stored)
        if turn.kind == "retell":
            place = self._at if turn.to is None else turn.to
            node, after = visit.retell_at(tree, self._at, place, turn.manner, self._thread, ctx)
        else:
            assert turn.beat is not None
            evidence = visit.retrieve(turn.beat, ctx, self._request.strategy, self._request.seed)
            told, after = visit.generate(
                turn.beat, self._thread.beats, evidence, self._plan, self._thread, ctx, again=turn.again
            )
            node = grown(self._at, told, self._thread, after, voice=self._plan.request.persona)
        self._stored.append(node)
        self._at, self._thread = len(self._stored) - 1, after


NOTHING: Json = {"choices": (), "rest": (), "surprise": None, "end": {"id": "", "label": "", "kind": "end"}}
"""What is on offer before a visit begins and after it has ended."""


def replayed(recorded: list[Json], ctx: StoryContext) -> Iterator[Json]:
    """The lines that the same request and choices give now, in their order.

    `recorded`: what was told, from the first line on. Raises PlanError, UnknownChoice where it cannot be walked."""
    head: dict[str, Any] = recorded[0]
    request = StoryRequest.model_validate(head["request"])
    if head["mode"] == "straight":
        told: list[Json] = []
        tell_straight(request, ctx, lambda line, _: told.append(line))
        yield from told
        return
    walk = Walk(head["visit"], request, ctx, head.get("asked", ""))
    yield from walk.begin()
    for line in recorded:
        if line["kind"] == "choice":
            yield from walk.choose(line["command"], line.get("typed", ""))
