"""What passes between the internet and the chat: a list of open doors, whose calls are answered, what a page may load.

Plain ASGI: a middleware that buffers would hold up the websocket.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.settings import origin

CHAT = "/chat"
"""Where the chat is mounted."""
VISIT_COOKIE = "cuestory_visit"
LARGEST_POST = 65_536
"""Bytes. What a card sends is far smaller."""
_KEY = re.compile(r"[A-Za-z0-9_-]{43}")

OPEN = re.compile(
    "/?|/assets/.+|/public/.+|/avatars/[^/]+|/favicon|/logo|/auth/config|/user|/project/(settings|translations)"
    "|/ws/socket.io/?"
)
OPEN_TO_POST = re.compile("/project/action|/set-session-cookie|/ws/socket.io/?")
"""All of Chainlit that the chat needs. Uploads, logins, threads, MCP and whatever a later release adds stay shut."""

_REMOTE = re.compile(
    rb'<link\b[^>]*href="(?:https?:)?//[^"]*"[^>]*>|<meta\b[^>]*content="https?://[^"]*"[^>]*>|<!-- .*? -->', re.S
)
_SCRIPT = re.compile(rb"<script(?=[\s>])")
_NO_SCRIPT = (
    b"<noscript>This chat needs JavaScript. The same stories are told in a terminal by: cuestory tell</noscript></body>"
)


class Doorway:
    """Wraps the host. `origins`: sites besides our own that may connect, call and frame the chat."""

    def __init__(self, app: ASGIApp, *, origins: Iterable[str], own: Iterable[str] | None, keep_days: int) -> None:
        self._app = app
        self._origins = frozenset(origins)
        self._own = None if own is None else frozenset(own)
        """Our own origins; None where the host listens to every name: then whatever the request calls us."""
        self._keep = keep_days * 86_400
        self._frames = " ".join(["'self'", *sorted(self._origins)])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers or refuses one request or websocket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is None:
            await self._app(_uncompressed(scope), receive, self._filtered(scope, headers, send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
        else:
            await refusal(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        method = scope.get("method", "GET")
        path = scope["path"]
        sender = headers.get("origin")
        calls = scope["type"] == "websocket" or method not in ("GET", "HEAD", "OPTIONS") or "/ws/" in path
        if (calls and sender is not None and not self._is_known(sender, headers)) or not self._is_us(headers):
            return JSONResponse({"detail": "This site may not call the chat."}, status_code=403)
        inside = path == CHAT or path.startswith(CHAT + "/")
        doors = OPEN if method in ("GET", "HEAD", "OPTIONS") else OPEN_TO_POST
        if inside and not doors.fullmatch(path.removeprefix(CHAT)):
            return JSONResponse({"detail": "Not found"}, status_code=404)
        if method == "POST" and not _small(headers):
            return JSONResponse({"detail": "Too much."}, status_code=413)
        if path == CHAT + "/set-session-cookie":
            # For balancers of several processes. It would let a page choose a cookie's value, and there is one process.
            return JSONResponse({"message": "not needed"})
        return None

    def _is_known(self, sender: str, headers: Headers) -> bool:
        try:
            name = origin(sender)
        except ValueError:
            return False
        own = (
            {f"{scheme}://{headers.get('host', '')}" for scheme in ("http", "https")}
            if self._own is None
            else self._own
        )
        return name in self._origins or name in {_spelled(text) for text in own}

    def _is_us(self, headers: Headers) -> bool:
        """Whether we are called by our own name. On one machine alone, another name is DNS rebinding."""
        if self._own is None:
            return True
        names = {text.partition("://")[2] for text in self._own | self._origins}
        return headers.get("host", "").lower() in names

    def _filtered(self, scope: Scope, headers: Headers, send: Send) -> Send:
        if scope["type"] != "http":
            return send
        page: list[Message] = []
        chunks: list[bytes] = []

        async def filtered(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(raw=message["headers"])
                answer["X-Content-Type-Options"] = "nosniff"
                answer["Referrer-Policy"] = "no-referrer"
                answer["Cross-Origin-Opener-Policy"] = "same-origin"
                if answer.get("content-type", "").startswith("text/html"):
                    page.append(message)
                    return
                answer.setdefault("Cache-Control", "no-store")
                answer.setdefault("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
            elif page:
                chunks.append(message.get("body", b""))
                if message.get("more_body"):
                    return
                body = self._page(scope, headers, page[0], b"".join(chunks))
                await send(page[0])
                await send({"type": "http.response.body", "body": body})
                return
            await send(message)

        return filtered

    def _page(self, scope: Scope, headers: Headers, start: Message, body: bytes) -> bytes:
        nonce = secrets.token_urlsafe(16)
        body = _REMOTE.sub(b"", body)
        body = _SCRIPT.sub(f'<script nonce="{nonce}"'.encode(), body).replace(b"</body>", _NO_SCRIPT)
        answer = MutableHeaders(raw=start["headers"])
        answer["Content-Length"] = str(len(body))
        answer["Cache-Control"] = "no-store"
        answer["Content-Security-Policy"] = (
            # Chainlit compiles the cards in the browser, hence 'unsafe-eval'.
            f"default-src 'self'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
            "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; "
            f"frame-ancestors {self._frames}; form-action 'self'; object-src 'none'; base-uri 'none'"
        )
        if visit_key(headers.get("cookie", "")) is None:
            secure = "; Secure" if scope.get("scheme") == "https" else ""
            key = secrets.token_urlsafe(32)
            answer.append(
                "Set-Cookie", f"{VISIT_COOKIE}={key}; Path=/; Max-Age={self._keep}; HttpOnly; SameSite=Lax{secure}"
            )
        return body


def visit_key(cookie_header: str) -> str | None:
    """The visitor's secret in a Cookie header; None where it is absent or not one of ours."""
    try:
        morsel = SimpleCookie(cookie_header).get(VISIT_COOKIE)
    except CookieError:
        return None
    return morsel.value if morsel is not None and _KEY.fullmatch(morsel.value) else None


def _small(headers: Headers) -> bool:
    length = headers.get("content-length", "")
    return length.isdecimal() and int(length) <= LARGEST_POST


def _spelled(text: str) -> str:
    try:
        return origin(text)
    except ValueError:
        return ""


def _uncompressed(scope: Scope) -> Scope:
    """The request as the chat gets it: it may not compress, which it would do on the event loop."""
    if scope["type"] != "http" or "/assets/" in scope["path"] or "/public/" in scope["path"]:
        return scope
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]}
