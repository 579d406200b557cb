"""One audit log as it is written: whole lines, only ever added; what was half written is taken back.

The lines of a turn go to the file in one write, before the visitor sees the turn. A killed process loses none of them;
a machine that loses its power may lose those of the last seconds, since only the first lines and the seal wait for the
disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from agent.audit_line import START, TIMINGS, Json, Line, chained
from agent.audit_log import read_log
from agent.audit_seal import OperatorKey
from agent.errors import NotALog

MODE = 0o640
Clock = Callable[[], float]
"""Seconds since 1970."""


class AuditFile:
    """A log that is being written. One writer a file."""

    def __init__(self, path: Path, key: OperatorKey, clock: Clock, last: Line | None, size: int) -> None:
        self.path = path
        self._key = key
        self._clock = clock
        self._last = last
        self._size = size
        """Bytes of the whole lines."""

    @classmethod
    def create(cls, path: Path, key: OperatorKey, clock: Clock) -> Self:
        """A new, empty log. Raises FileExistsError: no log is ever written over."""
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE))
        return cls(path, key, clock, None, 0)

    @classmethod
    def resume(cls, path: Path, key: OperatorKey, clock: Clock) -> Self | None:
        """The log to be written on; None where it is sealed. A line that was cut off is taken back.

        Raises NotALog where it was tampered with: nothing is added to such a file."""
        log = read_log(path.read_bytes())
        if log.state == "sealed":
            return None
        if log.state == "tampered":
            raise NotALog(f"{path} was tampered with ({log.fault}); nothing more is written to it")
        if path.stat().st_size != log.whole_bytes:
            os.truncate(path, log.whole_bytes)
        return cls(path, key, clock, log.lines[-1] if log.lines else None, log.whole_bytes)

    @property
    def is_new(self) -> bool:
        """True while no line stands in it."""
        return self._last is None

    def add(self, told: Iterable[Json], seconds: float | None = None) -> None:
        """Adds lines, all or none of them. `seconds`: how long they took together. Raises OSError, NotALog."""
        first, last, written = self._last is None, self._last, []
        for record in told:
            timings: Json = {"at": _spoken(self._clock())}
            if seconds is not None:
                timings["ms"] = round(seconds * 1000, 1)
            last, row = self._next(last, {**record, TIMINGS: timings})
            written.append(row)
        if last is not None and written:
            self._write(b"".join(written), sync=first)
            self._last = last

    def seal(self) -> None:
        """Adds the closing line and waits until the disk has all of it. Raises OSError."""
        if self._last is not None:
            self._write(self._next(self._last, self._key.seal(self._last))[1], sync=True)

    def _next(self, last: Line | None, told: Json) -> tuple[Line, bytes]:
        return chained(told, last.number + 1, last.hash) if last else chained(told, 0, START)

    def _write(self, written: bytes, *, sync: bool) -> None:
        with self.path.open("r+b", buffering=0) as file:
            if file.seek(0, os.SEEK_END) != self._size:
                raise NotALog(f"{self.path} was changed by somebody else; nothing more is written to it")
            try:
                rest = memoryview(written)
                while rest:
                    rest = rest[file.write(rest) or 0 :]
                if sync:
                    os.fsync(file.fileno())
            except OSError:
                file.truncate(self._size)
                raise
        self._size += len(written)


def _spoken(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
