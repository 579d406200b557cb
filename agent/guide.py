"""Leads visitors through stories: begins a visit, takes a choice, finds a visit again. Knows no chat."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.types import Command

from agent import audit_records, tour_visit
from agent.audit import AuditTrail, NoTrail
from agent.branches import Json, Tree
from agent.checkpoints import NewestOnly
from agent.context import StoryContext
from agent.errors import UnknownChoice
from agent.machine import RUN, build_machine
from agent.offer import Offer
from agent.progress import Progress, of_story
from agent.recorder import Recording
from agent.story import StoryBeat
from agent.taking import Turn, take
from agent.thread import Thread
from agent.tour_visit import Walk
from agent.touring import told_to
from graph_tools.plan import BeatPlan, Question, StoryRequest
from graph_tools.planner import arc_for

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Moment:
    """Where a visit stands."""

    request: StoryRequest
    stored: tuple[Json, ...]
    """Every node so far, as the state holds it: a turn needs the newest alone, and their evidence is large."""
    at: int
    """Place of the beat where the visitor is."""
    turn: Turn
    """What brought the visitor here."""
    thread: Thread = field(repr=False)
    """What was heard on the way here."""
    offer: Offer | None
    """None when the visit has ended."""
    interrupt: str
    """Names this offer: a choice is good only together with it. Empty when the visit has ended."""
    plan: Json = field(repr=False)
    """BeatPlan, as the state holds it; empty on a tour."""
    walk: Walk | None = None
    """Where the visitor is on a tour; None in a story."""

    @cached_property
    def tree(self) -> Tree:
        """Every beat told, on whatever branch."""
        return Tree(self.stored)

    @cached_property
    def path(self) -> tuple[int, ...]:
        """The places from the first beat to the one where the visitor is."""
        return self.tree.path(self.at)

    @cached_property
    def told(self) -> tuple[StoryBeat, ...]:
        """Every beat on the way here, told or suppressed, as it was told."""
        return tuple(self.tree.beat(place) for place in self.path)

    @property
    def newest(self) -> StoryBeat:
        """The beat where the visitor is."""
        return self.tree.beat(self.at)

    @property
    def at_stop(self) -> bool:
        """True where the last turn led to a stop of a tour."""
        return self.walk is not None and self.turn.kind == "walk"

    @property
    def heard(self) -> int:
        """How many beats were told on the way here, each counted once."""
        nodes = [self.tree.node(place) for place in self.path]
        return sum(node.beat["status"] == "told" and node.retells is None for node in nodes)

    def progress(self, ctx: StoryContext) -> Progress | None:
        """How far the visit has come; None once its plan is told."""
        if self.walk is not None:
            return tour_visit.progress(self.walk, self.request, ctx)
        ahead = self.offer.ahead if self.offer else 0
        return of_story(self.thread, ahead, arc_for(self.request, ctx.pack))


class Guide:
    """All visits of a process. A visit is named by an id that no client chooses.

    The caller holds the visit's turn (`agent.turns`).
    """

    def __init__(
        self, ctx: StoryContext, checkpoints: BaseCheckpointSaver[str], trail: AuditTrail | None = None
    ) -> None:
        """`trail`: where turns are written down before they are shown; None: nowhere."""
        self.ctx = ctx
        self._checkpoints = checkpoints
        self._trail = trail or NoTrail()
        self._machine = build_machine(checkpoints)

    async def begin(self, visit: str, request: StoryRequest, *, tour: str = "", question: str = "") -> Moment:
        """Starts the visit anew and tells its first beat: of a story, of the tour with that name, or the answer to the
        question with that key, with the story to follow. Raises PlanError, UnknownTour, UnknownPersona, UnknownChoice.
        """
        given: Json = {"request": request.model_dump(mode="json"), "told": []}
        if tour:
            told_to(tour, request.persona, self.ctx)
            given["tour"] = tour
        if question:
            given["question"] = question
        async with self._all_or_nothing(visit):
            await self._drop(visit)
            return await self._run(visit, given, begins=True, asked=question)

    async def choose(self, visit: str, interrupt: str, choice: str) -> Moment:
        """Tells what was chosen. Raises UnknownChoice unless it is on offer now, and then changes nothing."""
        return await self.take(visit, interrupt, {"choice": choice})

    async def rewind(self, visit: str, interrupt: str, place: int) -> Moment:
        """Goes back to the beat at that place; the branch that is left is kept. Raises UnknownChoice likewise."""
        return await self.take(visit, interrupt, {"rewind": place})

    async def retell(self, visit: str, interrupt: str, place: int, manner: str) -> Moment:
        """Tells the beat at that place "shorter", "longer" or as to another persona. Raises UnknownChoice likewise."""
        return await self.take(visit, interrupt, {"retell": place, "as": manner})

    async def ask(self, visit: str, interrupt: str, question: Question, words: str = "") -> Moment:
        """Answers a question that the visitor asked in words, off the plan. Raises UnknownChoice likewise.

        `words`: what was typed; it goes nowhere but to an audit log whose operator keeps that."""
        return await self.take(visit, interrupt, {"ask": question.key}, words)

    async def propose(self, visit: str, interrupt: str, questions: Sequence[Question], words: str = "") -> Moment:
        """Offers questions beside the others; tells nothing. Raises UnknownChoice likewise. `words`: likewise."""
        return await self.take(visit, interrupt, {"propose": [question.key for question in questions]}, words)

    async def take(self, visit: str, interrupt: str, command: Json, words: str = "") -> Moment:
        """Does what a command of `agent.taking` says. Raises UnknownChoice likewise."""
        now = await self._find(visit)
        if now is None or now.offer is None or now.interrupt != interrupt:
            raise UnknownChoice("that offer has passed")
        take(command, now.offer, now.tree, now.at, now.request, self.ctx)  # before the machine sees it
        async with self._all_or_nothing(visit):
            choice = audit_records.chosen(command, now.offer, words if self._trail.keeps_words else "")
            return await self._run(visit, Command(resume={interrupt: command}), len(now.stored), choice)

    async def recall(self, visit: str) -> Moment | None:
        """The visit as it was left; None where there is none, or none that this version can read."""
        try:
            found = await self._find(visit)
            return found if found is not None and (found.walk or (found.told and found.tree.ends())) else None
        except (LookupError, ValueError):
            log.warning("visit %s was written by another version and is left aside", visit, exc_info=True)
            return None

    async def _find(self, visit: str) -> Moment | None:
        state = await self._machine.aget_state(self._config(visit))
        if not state.values.get("told") and not state.values.get("walk"):
            return None
        if state.next and not state.interrupts:  # the process died between the beat and its offer
            return await self._run(visit, None, len(state.values["told"]))
        return _moment(state.values, [*state.interrupts])

    async def forget(self, *visits: str) -> None:
        """Wipes the visits: of their words nothing remains in any file, not in a free page or a write-ahead log.

        Raises NotWiped, OSError where something may remain."""
        for visit in visits:
            self._trail.wipe(visit)
        await self._scrub(visits)

    async def retire(self, *visits: str) -> None:
        """Wipes the visits but for their audit logs, which are ended and sealed."""
        await self._scrub(visits)
        for visit in visits:
            self._trail.leave(visit)

    async def _scrub(self, visits: Sequence[str]) -> None:
        for visit in visits:
            await self._drop(visit)
        if visits and isinstance(self._checkpoints, NewestOnly):
            await self._checkpoints.scrub()

    async def _drop(self, visit: str) -> None:
        await self._checkpoints.adelete_thread(visit)

    async def _run(
        self,
        visit: str,
        given: Any,
        before: int = 0,
        choice: Json | None = None,
        *,
        begins: bool = False,
        asked: str = "",
    ) -> Moment:
        """Runs a turn and writes it down. `before`: how many beats stood in the visit; `choice`: the line of it;
        `asked`: the key of the question that the visit begins with."""
        recording, started = Recording(), time.perf_counter()
        ctx = replace(self.ctx, recorder=recording) if self._trail.writes else self.ctx
        values = await self._machine.ainvoke(given, self._config(visit), context=ctx, durability="exit")
        moment = _moment(values, values.get("__interrupt__", []))
        if self._trail.writes:
            new = range(before, len(moment.stored))
            tellings = [heard.telling for heard in recording.heard]
            turned = audit_records.turned(
                moment.tree, new, moment.at, moment.request.strategy, moment.offer, tellings, self.ctx
            )
            told = [*([choice] if choice else []), *turned]
            self._write(visit, moment, told, time.perf_counter() - started, begins=begins, asked=asked)
        return moment

    def _write(
        self, visit: str, now: Moment, told: Sequence[Json], seconds: float, *, begins: bool, asked: str
    ) -> None:
        """Writes a turn down. Raises NotRecorded where the operator tells nothing that is not."""
        tour = now.walk.tour if now.walk else ""
        head = audit_records.opened("visit", now.request, self.ctx, visit, from_start=begins, tour=tour, asked=asked)
        if begins:
            plan = [audit_records.planned(BeatPlan.model_validate(now.plan))] if now.plan else []
            self._trail.begin(visit, [head, *plan, *told], seconds)
        else:
            self._trail.add(visit, head, told, seconds)
        if now.offer is None:
            self._trail.close(visit)

    @asynccontextmanager
    async def _all_or_nothing(self, visit: str) -> AsyncIterator[None]:
        """Puts the visit back as it was if a turn fails, so that the same choices are good again.

        LangGraph would keep the choice and try to tell the same beat at every later call.
        """
        before = await self._checkpoints.aget_tuple(self._config(visit))
        try:
            yield
        except BaseException:  # a cancelled turn too
            await self._put_back(visit, before)
            raise

    async def _put_back(self, visit: str, before: CheckpointTuple | None) -> None:
        await self._drop(visit)
        if before is None:
            return
        parent: RunnableConfig = {"configurable": {"thread_id": visit, "checkpoint_ns": ""}}
        versions = before.checkpoint["channel_versions"]
        config = await self._checkpoints.aput(parent, before.checkpoint, before.metadata, versions)
        by_task: dict[str, list[tuple[str, Any]]] = {}
        for task, channel, value in before.pending_writes or []:
            by_task.setdefault(task, []).append((channel, value))
        for task, writes in by_task.items():
            await self._checkpoints.aput_writes(config, writes, task)

    def _config(self, visit: str) -> Any:
        return {**RUN, "configurable": {"thread_id": visit}}


def _moment(values: dict[str, Any], interrupts: list[Any]) -> Moment:
    waiting = interrupts[0] if interrupts else None
    return Moment(
        request=StoryRequest.model_validate(values["request"]),
        stored=tuple(values["told"]),
        at=values["at"],
        turn=Turn.model_validate(values["turn"]),
        thread=Thread.model_validate(values["thread"]),
        offer=Offer.model_validate(waiting.value) if waiting else None,
        interrupt=waiting.id if waiting else "",
        plan=values.get("plan") or {},
        walk=Walk.model_validate(values["walk"]) if values.get("walk") else None,
    )
