"""The chat server: a FastAPI host with Chainlit mounted in it.

`serve` prepares everything that can fail before it imports a framework, and says in one line what is wrong.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import socket
import sys
import time
import types
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import ValidationError

from agent.assets import FOREVER, SOON_STALE, AssetShelf
from agent.chat_root import furnish, occupied
from agent.context import StoryContext
from agent.doorway import CHAT, Doorway, visit_key
from agent.inbound import Press, Refused, arrival, typed
from agent.settings import InvalidSettings, Settings
from agent.wiring import forget_old, house, open_house, story_context, warm

if TYPE_CHECKING:
    from starlette.types import ASGIApp

DAY = 86_400
"""Seconds between two looks for visits that nobody came back to."""
LONGEST_MESSAGE = 4_000_000
"""Bytes of one websocket message. A pasted book must be answered, not break the connection."""


LOST_TOUCH = "This page has lost touch with the guide. It reconnects by itself in a moment."


HEARD = ("connect", "connection_successful", "client_message", "clear_session", "stop", "disconnect")
"""Events of the websocket that the chat needs. Editing, audio, favourites and settings stay shut."""


def serve(host: str, port: int, settings: Settings) -> None:
    """Runs the chat until it is told to stop.

    Raises InvalidSettings where it cannot start there (each message one line), PackNotFound or InvalidPack.
    """
    settings = settings.model_copy(update={"host": host, "port": port})
    if settings.workers > 1:
        raise InvalidSettings(
            f"WEB_CONCURRENCY={settings.workers} cannot be used: a visit lives in one process; unset it"
        )
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("chainlit").setLevel(logging.ERROR)  # it warns of every page that there is no chainlit_en-US.md
    with _listening(host, port) as listener, occupied(settings):
        port = listener.getsockname()[1]
        own = _own_origins(host, port)
        furnish(settings, tuple(sorted({*(own or ()), *settings.origins})))
        settings.prepare()
        _run(build_host(settings, story_context(settings), own), listener, _address(host, port))


def build_host(settings: Settings, ctx: StoryContext, own: frozenset[str] | None) -> ASGIApp:
    """The whole application. The chat's directory is furnished and the environment prepared before.

    `own`: the origins that this server has itself; None where it cannot know them.
    """
    import chainlit.message
    import chainlit.step
    from chainlit.config import config
    from chainlit.server import build_dir, call_action, sio
    from chainlit.session import WebsocketSession
    from chainlit.types import CallActionRequest
    from chainlit.utils import mount_chainlit

    # Both modules call time.sleep(0.001) for every message, on the event loop of all visitors.
    awake = types.SimpleNamespace(sleep=lambda _: None)
    for module in (chainlit.message, chainlit.step):
        vars(module)["time"] = awake
    sio.eio.max_http_buffer_size = LONGEST_MESSAGE

    _listen_only(sio, WebsocketSession.get_by_id)

    scripts = AssetShelf(Path(build_dir) / "assets", FOREVER)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with open_house(settings, ctx, now=time.time()):
            # The pack stays until the end: a collector that walks it again and again would hold up visitors.
            warm(ctx)  # before the first visitor: what it finds out is read by the event loop without a lock
            gc.collect()
            gc.freeze()
            chores = asyncio.gather(scripts.warm(), _forget_daily())
            yield
            chores.cancel()
            with suppress(asyncio.CancelledError):
                await chores

    host = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)

    @host.get("/", include_in_schema=False)
    async def door() -> RedirectResponse:
        return RedirectResponse(CHAT + "/", status_code=307)

    @host.get("/healthz")
    async def alive() -> dict[str, str]:
        return {"status": "ok"}

    @host.get("/readyz")
    async def ready() -> JSONResponse:
        # What a visitor needs: the pack, and the visits that are kept.
        found = await house().guests.is_open()
        return JSONResponse({"pack": ctx.pack.name, "visits": found}, status_code=200 if found else 503)

    @host.post(f"{CHAT}/project/action")
    async def press(request: Request) -> Response:
        """A press on a card, before Chainlit sees it: it would answer what it does not know with an error page."""
        try:
            call = Press.model_validate_json(await request.body())
        except ValidationError:
            return JSONResponse({"detail": "There is no such button."}, status_code=422)
        session = WebsocketSession.get_by_id(call.sessionId)
        if session is None:
            return JSONResponse({"detail": LOST_TOUCH}, status_code=409)
        if not _same_visitor(session, request.headers.get("cookie", "")):
            return JSONResponse({"detail": "This page belongs to another visitor."}, status_code=403)
        if call.action.name not in config.code.action_callbacks:
            return JSONResponse({"detail": "There is no such button."}, status_code=404)
        answered: Response = await call_action(CallActionRequest(**call.model_dump()), None)
        return answered

    host.mount(f"{CHAT}/assets", scripts)
    host.mount(f"{CHAT}/public", AssetShelf(settings.chat_root / "public", SOON_STALE))
    mount_chainlit(app=host, target=str(Path(__file__).with_name("app.py")), path=CHAT)
    return Doorway(host, origins=settings.origins, own=own, keep_days=settings.keep_days)


async def _forget_daily() -> None:
    while True:
        await asyncio.sleep(DAY)
        await forget_old(house(), time.time())


def _listen_only(sio: Any, session_of: Callable[[str], Any]) -> None:
    """Puts our checks in front of what Chainlit does with the events of a page."""
    handlers = sio.handlers["/"]
    for event in [event for event in handlers if event not in HEARD]:
        del handlers[event]
    connect, client_message = handlers["connect"], handlers["client_message"]

    async def arrive(sid: str, environ: dict[str, Any], auth: object = None) -> bool:
        try:
            page = arrival(auth)
        except Refused:
            return False
        before = session_of(str(page.sessionId))
        if before is not None and not _same_visitor(before, environ.get("HTTP_COOKIE", "")):
            return False
        return bool(await connect(sid, environ, page.for_chainlit()))

    async def listen(sid: str, payload: object = None) -> None:
        with suppress(Refused):
            await client_message(sid, typed(payload).for_chainlit())

    handlers.update(connect=arrive, client_message=listen)


def _same_visitor(session: Any, cookies: str) -> bool:
    """Whether these cookies are those of the page: knowing a session's id must not be enough to have it."""
    return visit_key(cookies) == visit_key(session.environ.get("HTTP_COOKIE", ""))


def _run(app: ASGIApp, listener: socket.socket, address: str) -> None:
    import uvicorn

    class Announcing(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                sys.stdout.write(f"Cuestory is ready: {address}\n")
                sys.stdout.flush()

    config = uvicorn.Config(
        app, log_config=None, log_level="warning", access_log=False, server_header=False, ws_max_size=LONGEST_MESSAGE,
        timeout_graceful_shutdown=2, workers=1,
    )  # fmt: skip
    with suppress(KeyboardInterrupt):
        Announcing(config).run(sockets=[listener])


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
    except (OSError, UnicodeError):  # UnicodeError: a name that no name can be
        raise InvalidSettings(
            f"HOST={host!r} is no address of this machine; use 127.0.0.1, or 0.0.0.0 for all"
        ) from None
    with listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(place)
            listener.listen(128)
        except OSError as error:
            reason = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
            raise InvalidSettings(f"port {port} on {host} {reason}; choose another with PORT={port + 1}") from None
        yield listener


def _address(host: str, port: int) -> str:
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}"


def _own_origins(host: str, port: int) -> frozenset[str] | None:
    if host in ("127.0.0.1", "localhost", "::1"):
        return frozenset(f"http://{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))
    return None
