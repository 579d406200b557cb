"""Leads visitors through stories: begins a visit, takes a choice, finds a visit again. Knows no chat."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.types import Command
from pydantic import ValidationError

from agent.context import StoryContext
from agent.errors import UnknownChoice
from agent.machine import RUN, build_machine
from agent.offer import Offer
from agent.state import Json
from agent.story import StoryBeat
from graph_tools.plan import StoryRequest

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Moment:
    """Where a visit stands."""

    request: StoryRequest
    stored: tuple[Json, ...]
    """Every beat so far, as the state holds it: a turn needs the newest alone, and their evidence is large."""
    offer: Offer | None
    """None when the visit has ended."""
    interrupt: str
    """Names this offer: a choice is good only together with it. Empty when the visit has ended."""

    @cached_property
    def told(self) -> tuple[StoryBeat, ...]:
        """Every beat so far, told or suppressed."""
        return tuple(StoryBeat.model_validate(beat) for beat in self.stored)

    @property
    def newest(self) -> StoryBeat:
        """The beat told last."""
        return StoryBeat.model_validate(self.stored[-1])

    @property
    def heard(self) -> int:
        """How many beats were told."""
        return sum(beat["status"] == "told" for beat in self.stored)


class Guide:
    """All visits of a process. A visit is named by an id that no client chooses.

    The caller holds the visit's turn (`agent.turns`).
    """

    def __init__(self, ctx: StoryContext, checkpoints: BaseCheckpointSaver[str]) -> None:
        self.ctx = ctx
        self._checkpoints = checkpoints
        self._machine = build_machine(checkpoints)

    async def begin(self, visit: str, request: StoryRequest) -> Moment:
        """Starts the visit anew and tells its first beat. Raises PlanError."""
        async with self._all_or_nothing(visit):
            await self.forget(visit)
            return await self._run(visit, {"request": request.model_dump(mode="json"), "told": []})

    async def choose(self, visit: str, interrupt: str, choice: str) -> Moment:
        """Tells what was chosen. Raises UnknownChoice unless it is on offer now, and then changes nothing."""
        now = await self._find(visit)
        if now is None or now.offer is None or now.interrupt != interrupt:
            raise UnknownChoice("that offer has passed")
        picked = now.offer.pick(choice)
        async with self._all_or_nothing(visit):
            return await self._run(visit, Command(resume={interrupt: {"choice": picked.id}}))

    async def recall(self, visit: str) -> Moment | None:
        """The visit as it was left; None where there is none, or none that this version can read."""
        try:
            found = await self._find(visit)
            return found if found is not None and found.told else None
        except ValidationError:
            log.warning("visit %s was written by another version and is left aside", visit, exc_info=True)
            return None

    async def _find(self, visit: str) -> Moment | None:
        state = await self._machine.aget_state(self._config(visit))
        if not state.values.get("told"):
            return None
        if state.next and not state.interrupts:  # the process died between the beat and its offer
            return await self._run(visit, None)
        return _moment(state.values, [*state.interrupts])

    async def forget(self, visit: str) -> None:
        """Deletes the visit."""
        await self._checkpoints.adelete_thread(visit)

    async def _run(self, visit: str, given: Any) -> Moment:
        values = await self._machine.ainvoke(given, self._config(visit), context=self.ctx, durability="exit")
        return _moment(values, values.get("__interrupt__", []))

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
        await self.forget(visit)
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
        offer=Offer.model_validate(waiting.value) if waiting else None,
        interrupt=waiting.id if waiting else "",
    )
