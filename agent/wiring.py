"""The composition root: from settings to everything that works together. Adapters are chosen here and nowhere else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agent import visit
from agent.context import StoryContext
from agent.settings import Settings
from graph_tools.own_pack import own_pack
from graph_tools.pack import StoryPack
from graph_tools.plan import StoryRequest
from graph_tools.retrieval import known_strategy

if TYPE_CHECKING:
    from agent.guestbook import GuestBook
    from agent.guide import Guide
    from agent.turns import Turns


@dataclass(frozen=True)
class House:
    """What the chat's callbacks work with."""

    settings: Settings
    guide: Guide
    guests: GuestBook
    turns: Turns
    portraits: frozenset[str]
    """Personas that public/personas has a portrait of."""


_open: list[House] = []


def house() -> House:
    """The house that is open in this process: Chainlit loads the callbacks by itself and hands them nothing."""
    return _open[-1]


def story_context(settings: Settings) -> StoryContext:
    """What stories are told with; no framework of the chat is imported for it.

    Raises PackNotFound, InvalidPack, UnknownStrategy."""
    ctx = StoryContext.of(StoryPack.open(settings.pack or own_pack(), cache=settings.own_records))
    if not settings.strategy:
        return ctx
    only = known_strategy(settings.strategy)
    return replace(ctx, strategies={only: ctx.pack.strategies.get(only, only)})


def warm(ctx: StoryContext) -> None:
    """Asks the graph what the first visitors' plans will ask, so that they need not wait for it."""
    ctx.router()
    for persona, arcs in sorted(ctx.pack.arcs.arcs.items()):
        for length in sorted(arcs):
            visit.plan(StoryRequest(persona=persona, length=length), ctx)
    for name, tour in sorted(ctx.pack.tours.items()):
        for persona in tour.personas:
            ctx.stop_beats(name, persona).minutes("medium")


async def forget_old(here: House, now: float) -> None:
    """Forgets the visits that nobody came back to for as many days as the settings keep them."""
    for old in await here.guests.forget(before=now - here.settings.keep_days * 86_400):
        await here.guide.forget(old)


@asynccontextmanager
async def open_house(settings: Settings, ctx: StoryContext, *, now: float) -> AsyncIterator[House]:
    """Opens the visits that are kept, and forgets those that nobody came back to."""
    # The machine takes two seconds to import; a story told in a terminal does without it.
    from agent.checkpoints import open_checkpoints
    from agent.guestbook import GuestBook
    from agent.guide import Guide
    from agent.turns import Turns

    async with (
        open_checkpoints(settings.data / "visits.sqlite") as checkpoints,
        GuestBook.open(settings.data / "guestbook.sqlite") as guests,
    ):
        drawn = (settings.chat_root / "public/personas").glob("*.svg")
        here = House(settings, Guide(ctx, checkpoints), guests, Turns(), frozenset(path.stem for path in drawn))
        await forget_old(here, now)
        _open.append(here)
        try:
            yield here
        finally:
            _open.remove(here)
