"""One turn at a time for each visitor: two at once would overwrite each other's story."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from agent.errors import NarrationError


class Busy(NarrationError):
    """The visitor's last press is still being answered."""


class Turns:
    """Locks by visit, kept only while somebody holds or awaits them."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, visit: str, *, wait: bool) -> AsyncIterator[None]:
        """Holds the visitor's turn. Where another holds it: waits, or raises Busy."""
        lock = self._locks.get(visit)
        if lock is None:
            lock = self._locks[visit] = asyncio.Lock()
        if lock.locked() and not wait:
            raise Busy("one turn at a time")
        async with lock:
            yield
