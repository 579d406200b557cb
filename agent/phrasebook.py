"""What a language model answered, kept so that the same words are never paid for twice; and what each day cost.

Nothing in it comes from a visitor: an answer is found by the facts, the persona and the prompt it was asked with. Times
are never asked for here. It is used from one thread only, the one that talks to the model.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from agent.budget import Spent

SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS spent (day TEXT PRIMARY KEY, calls INTEGER NOT NULL, tokens INTEGER NOT NULL);
"""


class Phrasebook:
    """The file, opened when it is first needed. Without one (`None`) it lives as long as the process."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None

    def answer(self, key: str) -> str | None:
        """The answer that was kept under the key."""
        row = self._file.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def keep(self, key: str, answer: str) -> None:
        """Keeps an answer, in place of an earlier one."""
        with self._file as file:
            file.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, answer))

    def spent(self, day: str) -> Spent:
        """What that day has used so far."""
        row = self._file.execute("SELECT calls, tokens FROM spent WHERE day = ?", (day,)).fetchone()
        return Spent(*row) if row else Spent()

    def spend(self, day: str, calls: int, tokens: int) -> None:
        """Adds to it."""
        with self._file as file:
            file.execute(
                "INSERT INTO spent VALUES (?, ?, ?) ON CONFLICT (day) "
                "DO UPDATE SET calls = calls + excluded.calls, tokens = tokens + excluded.tokens",
                (day, calls, tokens),
            )

    def close(self) -> None:
        """Closes the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def _file(self) -> sqlite3.Connection:
        if self._connection is None:
            if self._path is not None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._path or ":memory:", timeout=5.0)
            self._connection.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; {SCHEMA}")
        return self._connection


class Forgetful(Phrasebook):
    """Keeps the books of its process, and no answer: each one is asked for anew."""

    def __init__(self) -> None:
        super().__init__(None)

    def answer(self, key: str) -> str | None:  # noqa: ARG002
        """None: nothing was kept."""
        return None

    def keep(self, key: str, answer: str) -> None:
        """Lets it go."""
