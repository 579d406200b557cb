"""Which page showed which visit, and when: how a page that comes back is told from a page that is new.

Pages and visits are digests. Neither a cookie nor a session id is written to disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import aiosqlite

Arrival = Literal["new", "waiting", "inside"]
"""A page never seen before; one that was welcomed; one that shows a tour."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS pages (
  page TEXT PRIMARY KEY, visit TEXT NOT NULL, seen INTEGER NOT NULL, inside INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS pages_by_visit ON pages (visit, seen);
"""


def digest(secret: str) -> str:
    """A name for `secret` from which it cannot be found."""
    return hashlib.sha256(secret.encode()).hexdigest()[:32]


class GuestBook:
    """The pages that were welcomed. Times are seconds since 1970, given by the caller."""

    def __init__(self, connection: aiosqlite.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path) -> AsyncIterator[GuestBook]:
        """The book in that file, made where there is none."""
        async with aiosqlite.connect(path, timeout=5.0) as connection:
            await connection.execute("PRAGMA journal_mode = WAL")
            await connection.execute("PRAGMA synchronous = NORMAL")
            await connection.execute("PRAGMA secure_delete = ON")
            await connection.executescript(SCHEMA)
            yield cls(connection, path)

    async def arrive(self, page: str, visit: str, now: float) -> Arrival:
        """Enters the page, and says whether it was here before."""
        async with self._connection.execute("SELECT inside FROM pages WHERE page = ?", (page,)) as found:
            row = await found.fetchone()
        await self._connection.execute(
            "INSERT INTO pages (page, visit, seen) VALUES (?, ?, ?)"
            " ON CONFLICT (page) DO UPDATE SET visit = excluded.visit, seen = excluded.seen",
            (page, visit, int(now)),
        )
        await self._connection.commit()
        if row is None:
            return "new"
        return "inside" if row[0] else "waiting"

    async def go_in(self, page: str) -> None:
        """Notes that the page shows a tour."""
        await self._connection.execute("UPDATE pages SET inside = 1 WHERE page = ?", (page,))
        await self._connection.commit()

    async def forget(self, before: float) -> list[str]:
        """Strikes out the visits that no page came back to since `before`, and returns them."""
        async with self._connection.execute(
            "SELECT visit FROM pages GROUP BY visit HAVING max(seen) < ? ORDER BY visit", (int(before),)
        ) as found:
            visits = [str(row[0]) for row in await found.fetchall()]
        await self._connection.executemany("DELETE FROM pages WHERE visit = ?", [(visit,) for visit in visits])
        await self._connection.commit()
        return visits

    async def strike(self, visit: str) -> None:
        """Strikes out one visit."""
        await self._connection.execute("DELETE FROM pages WHERE visit = ?", (visit,))
        await self._connection.commit()

    async def is_open(self) -> bool:
        """Whether the book can be read, and is still where it would be found again."""
        if not self._path.exists():
            return False
        try:
            async with self._connection.execute("SELECT 1 FROM pages LIMIT 1"):
                return True
        except (aiosqlite.Error, ValueError):  # ValueError: the connection is closed
            return False
