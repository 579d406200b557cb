"""The composition root: from settings to everything that works together. Adapters are chosen here and nowhere else."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agent import visit
from agent.context import StoryContext
from agent.embedding import GoogleEmbedder
from agent.errors import NoModel
from agent.narrator import Narrator
from agent.settings import Settings
from graph_tools.grounding import Gate
from graph_tools.own_pack import own_pack
from graph_tools.pack import StoryPack
from graph_tools.plan import StoryRequest
from graph_tools.retrieval import HybridRetriever, IndexMaker, known_strategy, own_index
from graph_tools.snippet_index import OnnxEmbedder, VectorFile

if TYPE_CHECKING:
    from agent.guestbook import GuestBook
    from agent.guide import Guide
    from agent.model_line import ModelLine
    from agent.model_narrator import ChatModelNarrator
    from agent.turns import Turns

log = logging.getLogger(__name__)


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


def context_of(pack: StoryPack, settings: Settings, narrator: Narrator | None = None) -> StoryContext:
    """What stories of that pack are told with: by the template narrator unless another one is given."""
    ctx = StoryContext.of(pack, narrator)
    ctx.retrievers["hybrid"] = HybridRetriever(pack, ctx.answers, index_maker(settings))
    return ctx


def index_maker(settings: Settings) -> IndexMaker:
    """How the snippets of a pack are indexed, once the first question asks for them."""
    kept = VectorFile(settings.vectors)
    kind, _, model = settings.embedder.partition(":")
    if kind == "google":
        return lambda pack: own_index(pack, GoogleEmbedder(model), kept)
    if kind == "onnx":
        return lambda pack: own_index(pack, OnnxEmbedder(), kept)
    return own_index


def story_context(settings: Settings) -> StoryContext:
    """What stories are told with; no framework of the chat is imported for it.

    A language model that was asked for and cannot be used is a line in the log: the stories are told without it.
    Raises PackNotFound, InvalidPack, UnknownStrategy."""
    pack = StoryPack.open(settings.pack or own_pack(), cache=settings.own_records, today=settings.day)
    ctx = context_of(pack, settings, _configured(settings, pack))
    if not settings.strategy:
        return ctx
    only = known_strategy(settings.strategy)
    return replace(ctx, strategies={only: ctx.pack.strategies.get(only, only)})


def _configured(settings: Settings, pack: StoryPack) -> Narrator | None:
    if settings.narrator == "template":
        return None
    try:
        return model_narrator(settings, pack)
    except NoModel as error:
        log.warning("stories are told in the museum's own wording: %s", error)
        return None


def model_narrator(settings: Settings, pack: StoryPack, line: ModelLine | None = None) -> ChatModelNarrator:
    """The narrator that words by the configured language model; close it when it is done with. Raises NoModel."""
    from agent.model_narrator import ChatModelNarrator

    return ChatModelNarrator(line or model_line(settings), Gate(pack), seconds=settings.model_seconds)


def model_line(settings: Settings) -> ModelLine:
    """The line to the configured language model, within the operator's limits. Raises NoModel."""
    settings.prepare()  # before LangChain is imported, which could be set to send everything on
    from agent.breaker import Breaker
    from agent.budget import Budget, Limits, Spent
    from agent.chat_models import open_model, structure
    from agent.model_line import ModelLine
    from agent.phrasebook import Phrasebook

    model = open_model(
        settings.model,
        url=settings.model_url,
        key=settings.google_api_key.get_secret_value() if settings.google_api_key else "",
        seconds=settings.model_seconds,
        options=settings.model_options,
    )
    book = Phrasebook(settings.phrasebook)
    limits = Limits(
        visit=Spent(settings.visit_calls, settings.visit_tokens), day=Spent(settings.day_calls, settings.day_tokens)
    )
    budget, breaker = Budget(limits, book, time.time), Breaker(time.monotonic)
    shape = structure(settings.model, settings.model_url)
    return ModelLine(model, settings.model, book, budget, breaker, structure=shape)


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
            ctx.narrator.close()
