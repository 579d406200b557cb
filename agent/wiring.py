"""The composition root: from settings to everything that works together. Adapters are chosen here and nowhere else."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from agent import visit
from agent.context import StoryContext
from agent.embedding import GoogleEmbedder
from agent.errors import AuditError, NoModel
from agent.narrator import Narrator
from agent.settings import InvalidSettings, Settings
from graph_tools.grounding import Gate
from graph_tools.own_pack import own_pack
from graph_tools.pack import StoryPack
from graph_tools.plan import StoryRequest
from graph_tools.retrieval import HybridRetriever, IndexMaker, known_strategy, own_index
from graph_tools.snippet_index import OnnxEmbedder, VectorFile

if TYPE_CHECKING:
    from agent.audit import DirectoryTrail
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
    logs: DirectoryTrail | None = None
    """Where visits are written down, if they are."""


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


def model_line(settings: Settings, *, measured: bool = False) -> ModelLine:
    """The line to the configured language model, within the operator's limits. Raises NoModel.

    `measured`: for a measurement, which wants every answer anew and all of them: nothing is kept, no limit but time."""
    settings.prepare()  # before LangChain is imported, which could be set to send everything on
    from agent.breaker import Breaker
    from agent.budget import Budget, Limits, Spent
    from agent.chat_models import open_model, structure
    from agent.model_line import ModelLine
    from agent.phrasebook import Forgetful, Phrasebook

    model = open_model(
        settings.model,
        url=settings.model_url,
        key=settings.google_api_key.get_secret_value() if settings.google_api_key else "",
        seconds=settings.model_seconds,
        options=settings.model_options,
    )
    shape = structure(settings.model, settings.model_url)
    if measured:
        nothing, endless = Forgetful(), Spent(sys.maxsize, sys.maxsize)
        budget = Budget(Limits(endless, endless), nothing, time.time)
        return ModelLine(model, settings.model, nothing, budget, Breaker(time.monotonic), structure=shape)
    book = Phrasebook(settings.phrasebook)
    limits = Limits(
        visit=Spent(settings.visit_calls, settings.visit_tokens), day=Spent(settings.day_calls, settings.day_tokens)
    )
    budget, breaker = Budget(limits, book, time.time), Breaker(time.monotonic)
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
    """Wipes the visits that nobody came back to for as many days as the settings keep them, and their logs likewise."""
    settings = here.settings
    try:
        await here.guide.retire(*await here.guests.forget(before=now - settings.keep_days * 86_400))
        if here.logs is not None:
            here.logs.expire(before=now - (settings.audit_days or settings.keep_days) * 86_400)
    except (AuditError, OSError) as error:  # the chat goes on; tomorrow is another day
        log.warning("not every old visit could be wiped: %s", error)


def audit_trail(settings: Settings) -> DirectoryTrail | None:
    """The directory of audit logs, made if need be; None where the settings name none. Raises InvalidSettings."""
    from agent.audit import DirectoryTrail
    from agent.audit_seal import OperatorKey

    if settings.audit is None:
        return None
    try:
        settings.audit.mkdir(parents=True, exist_ok=True)
        key = OperatorKey.open(settings.data)
    except OSError as error:
        cause = f"{error.strerror}: {error.filename}"
        raise InvalidSettings(f"CUESTORY_AUDIT={str(settings.audit)!r} cannot be used: {cause}") from None
    strict, words = settings.audit_failure == "stop", settings.audit_words == "on"
    return DirectoryTrail(settings.audit, key, time.time, strict=strict, keeps_words=words)


class Wiped(NamedTuple):
    """What was wiped."""

    kept: bool
    """Whether the visit was kept."""
    logs: int
    """How many audit logs it had."""


async def wiped(visit: str, settings: Settings) -> Wiped:
    """Wipes a visit from every file of the service, which may be running. Raises NotWiped, InvalidSettings, OSError."""
    from agent.checkpoints import open_checkpoints
    from agent.guestbook import GuestBook

    trail = audit_trail(settings)
    if not (settings.data / "visits.sqlite").exists():
        return Wiped(False, trail.wipe(visit) if trail else 0)
    async with (
        open_checkpoints(settings.data / "visits.sqlite") as checkpoints,
        GuestBook.open(settings.data / "guestbook.sqlite") as guests,
    ):
        kept = await checkpoints.aget_tuple({"configurable": {"thread_id": visit}}) is not None
        await checkpoints.adelete_thread(visit)
        await checkpoints.scrub()
        await guests.strike(visit)
    return Wiped(kept, trail.wipe(visit) if trail else 0)


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
        logs = audit_trail(settings)
        portraits = frozenset(path.stem for path in drawn)
        here = House(settings, Guide(ctx, checkpoints, logs), guests, Turns(), portraits, logs)
        await forget_old(here, now)
        _open.append(here)
        try:
            yield here
        finally:
            _open.remove(here)
            ctx.narrator.close()
