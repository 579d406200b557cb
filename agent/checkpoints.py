"""Where visits are kept: one SQLite file, the newest checkpoint of each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from agent.errors import NotWiped


class NewestOnly(AsyncSqliteSaver):
    """Forgets a visit's older checkpoints: each holds the whole visit, and nobody travels back in it."""

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keeps the checkpoint, then drops the ones before it."""
        kept = await super().aput(config, checkpoint, metadata, new_versions)
        visit = (config["configurable"]["thread_id"], config["configurable"]["checkpoint_ns"], checkpoint["id"])
        async with self.lock:
            for table in ("checkpoints", "writes"):
                await self.conn.execute(
                    f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id < ?", visit
                )
            await self.conn.commit()
        return kept

    async def scrub(self) -> None:
        """Leaves nothing in the file, its free pages or its write-ahead log of what was deleted.

        Raises NotWiped where somebody else is reading the file."""
        async with self.lock:
            await scrub(self.conn)


@asynccontextmanager
async def open_checkpoints(path: Path) -> AsyncIterator[NewestOnly]:
    """The saver on that file, made where there is none. Opened once per process, inside its event loop."""
    async with aiosqlite.connect(path, timeout=5.0) as connection:
        # What is deleted is overwritten; and a rewritten file is made up in memory, not in a temporary one.
        await connection.execute("PRAGMA secure_delete = ON")
        await connection.execute("PRAGMA temp_store = MEMORY")
        # No class at all may be rebuilt from a checkpoint, whatever the environment says: the state is plain JSON.
        saver = NewestOnly(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        await saver.setup()
        await connection.execute("PRAGMA synchronous = NORMAL")
        yield saver


async def scrub(connection: aiosqlite.Connection) -> None:
    """Rewrites the file without its free pages, and empties its write-ahead log. Raises NotWiped."""
    await connection.commit()
    try:
        await connection.execute("VACUUM")
        async with connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") as found:
            row = await found.fetchone()
    except aiosqlite.OperationalError as error:
        raise NotWiped(f"what was deleted may still be found in the files of visits ({error}); try again") from error
    if row is None or row[0] != 0:
        raise NotWiped("what was deleted may still be found in a write-ahead log that is being read; try again")
