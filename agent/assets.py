"""Files for the browser, compressed once: Chainlit would compress its 5 MB script anew for every visitor."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

FOREVER = "public, max-age=31536000, immutable"
"""For files whose name changes with their content."""
SOON_STALE = "public, max-age=300"

TEXT = {".css", ".js", ".jsx", ".json", ".map", ".mjs", ".svg", ".txt"}
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".jsx": "text/plain", ".webp": "image/webp"}


@dataclass(frozen=True, slots=True)
class _Prepared:
    path: Path
    etag: str
    media_type: str
    gzipped: bytes | None


class AssetShelf:
    """An ASGI application that serves the files of one directory, and nothing outside it."""

    def __init__(self, directory: Path, cache_control: str) -> None:
        self._directory = directory.resolve()
        self._cache_control = cache_control
        self._prepared: dict[Path, asyncio.Future[_Prepared | None]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        # Under a mount, `path` is the whole path and `root_path` what was mounted.
        name = scope["path"].removeprefix(scope.get("root_path", "")).lstrip("/")
        response = await self._answer(request, name)
        await response(scope, receive, send)

    async def warm(self) -> None:
        """Compresses the files that every visitor asks for first."""
        for path in sorted(self._directory.glob("index-*")):
            if path.suffix in (".js", ".css"):
                await self._find(path.name)

    async def _answer(self, request: Request, name: str) -> Response:
        if request.method not in ("GET", "HEAD"):
            return Response(status_code=405)
        file = await self._find(name)
        if file is None:
            return Response("Not found", status_code=404)
        headers = {"Cache-Control": self._cache_control, "ETag": file.etag, "Vary": "Accept-Encoding"}
        if file.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if file.gzipped is not None and "gzip" in request.headers.get("accept-encoding", ""):
            body = file.gzipped
            headers["Content-Encoding"] = "gzip"
        else:
            body = await asyncio.to_thread(file.path.read_bytes)
        return Response(body, headers=headers, media_type=file.media_type)

    async def _find(self, name: str) -> _Prepared | None:
        try:
            path = (self._directory / name).resolve()
            if not path.is_relative_to(self._directory) or not path.is_file():
                return None
        except (OSError, RuntimeError, ValueError):  # no file has such a name
            return None
        waiting = self._prepared.get(path)
        if waiting is None:
            # By what it is, not by what it was called: made-up names cannot fill the memory.
            waiting = self._prepared[path] = asyncio.ensure_future(asyncio.to_thread(_prepare, path))
        return await waiting


def _prepare(path: Path) -> _Prepared:
    content = path.read_bytes()
    guessed = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    gzipped = gzip.compress(content, 6, mtime=0) if path.suffix in TEXT and len(content) > 500 else None
    return _Prepared(path, f'"{hashlib.sha256(content).hexdigest()[:20]}"', guessed, gzipped)
