"""Where the turns of visits are written down: the port, and the directory of logs that it mostly is.

One log a visit, from its beginning to its end; a visitor who begins anew has another one. Its name says nothing about
the visitor: it is made of the visit's digest.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from agent.audit_file import AuditFile, Clock
from agent.audit_line import Json
from agent.audit_records import ended
from agent.audit_seal import OperatorKey
from agent.errors import NotALog, NotRecorded

log = logging.getLogger(__name__)

MOST_KEPT = 2_000
"""Lines that are kept in memory while the disk cannot be written."""
MOST_OPEN = 4_096
"""Visits whose last line is remembered; that of others is read again."""
_NAME = re.compile(r"(?P<visit>[0-9a-f]{32})-(?P<number>\d{3,})\.jsonl")


class AuditTrail(Protocol):
    """Writes turns down before a visitor sees them."""

    @property
    def keeps_words(self) -> bool:
        """Whether what a visitor typed may be among what is written."""

    @property
    def writes(self) -> bool:
        """False where nothing is written, so that nothing need be made for it."""

    def begin(self, visit: str, told: Sequence[Json], seconds: float) -> None:
        """A visit begins anew; an earlier log of it is closed."""

    def add(self, visit: str, first: Json, told: Sequence[Json], seconds: float) -> None:
        """What a turn brought. `first`: the line that begins a log where there is none, since the visit is older."""

    def close(self, visit: str) -> None:
        """The visit is over: its log is sealed."""

    def leave(self, visit: str) -> None:
        """Nobody comes back to the visit: its log is ended and sealed if it is not yet."""

    def wipe(self, visit: str) -> int:
        """Deletes every log of the visit, and says how many there were."""


class NoTrail:
    """Writes nothing."""

    keeps_words = False
    writes = False

    def begin(self, visit: str, told: Sequence[Json], seconds: float) -> None:
        """Nothing."""

    def add(self, visit: str, first: Json, told: Sequence[Json], seconds: float) -> None:
        """Nothing."""

    def close(self, visit: str) -> None:
        """Nothing."""

    def leave(self, visit: str) -> None:
        """Nothing."""

    def wipe(self, visit: str) -> int:  # noqa: ARG002
        """There is none."""
        return 0


class DirectoryTrail:
    """One file a visit in a directory.

    Where the disk cannot be written, the service log has one line when it begins and one when it is over. Meanwhile
    either the visits go on, their lines in memory until they can be written; or, if `strict`, nothing is told.
    """

    writes = True

    def __init__(
        self,
        directory: Path,
        key: OperatorKey,
        clock: Clock,
        *,
        strict: bool = False,
        keeps_words: bool = False,
        files: type[AuditFile] = AuditFile,
    ) -> None:
        """`files`: what the logs are written with."""
        self.keeps_words = keeps_words
        self._directory = directory
        self._key = key
        self._clock = clock
        self._strict = strict
        self._files = files
        self._open: dict[str, AuditFile] = {}
        self._kept: dict[str, list[Json]] = {}
        self._failing = False

    def begin(self, visit: str, told: Sequence[Json], seconds: float) -> None:
        """Raises NotRecorded, if strict."""
        self._leave(visit, "begun anew")
        self._written(visit, told, seconds, anew=True)

    def add(self, visit: str, first: Json, told: Sequence[Json], seconds: float) -> None:
        """Raises NotRecorded, if strict."""
        try:
            found = self._found(visit)
        except (OSError, NotALog):
            found = None  # the same will be met when it is written
        if (found is None or found.is_new) and visit not in self._kept:
            told = [first, *told]
        self._written(visit, told, seconds)

    def close(self, visit: str) -> None:
        """Raises NotRecorded, if strict."""
        try:
            found = self._found(visit)
            if found is not None and visit not in self._kept:
                found.seal()
                del self._open[visit]
        except (OSError, NotALog) as error:
            self._failed(error)

    def leave(self, visit: str) -> None:
        """Raises NotRecorded, if strict."""
        self._leave(visit, "left")

    def wipe(self, visit: str) -> int:
        """Deletes every log of the visit, and says how many there were. Raises OSError."""
        self._open.pop(visit, None)
        self._kept.pop(visit, None)
        found = self.logs(visit)
        for path in found:
            path.unlink(missing_ok=True)
        if found:
            _sync(self._directory)
        return len(found)

    def expire(self, before: float) -> int:
        """Deletes the logs that nothing was written to since `before`, and says how many they were. Raises OSError."""
        old = [path for path in self._all() if path.stat().st_mtime < before]
        for path in old:
            path.unlink(missing_ok=True)
        if old:
            self._open.clear()
            _sync(self._directory)
        return len(old)

    def logs(self, visit: str) -> list[Path]:
        """The logs of the visit, the oldest first."""
        return [path for path in self._all() if path.name.startswith(f"{_stem(visit)}-")]

    def _all(self) -> list[Path]:
        try:
            return sorted(path for path in self._directory.iterdir() if _NAME.fullmatch(path.name))
        except FileNotFoundError:
            return []

    def _written(self, visit: str, told: Sequence[Json], seconds: float, *, anew: bool = False) -> None:
        waiting = [] if anew else self._kept.get(visit, [])
        try:
            file = None if anew else self._found(visit)
            if file is None:
                file = self._created(visit)
            file.add(waiting)
            self._kept.pop(visit, None)
            file.add(told, seconds)
        except (OSError, NotALog) as error:
            if not self._strict:
                self._keep(visit, told)
            self._failed(error)
        else:
            if self._failing:
                self._failing = False
                log.warning("the audit logs in %s are written again", self._directory)

    def _leave(self, visit: str, because: str) -> None:
        try:
            found = self._found(visit)
            if found is not None:
                del self._open[visit]
                if found.is_new and visit not in self._kept:
                    found.path.unlink()
                    return
                found.add([*self._kept.pop(visit, ()), ended(because)])
                found.seal()
        except (OSError, NotALog) as error:
            self._failed(error)

    def _found(self, visit: str) -> AuditFile | None:
        """The log of the visit that is not sealed yet."""
        if visit in self._open and not self._open[visit].path.exists():  # wiped from a terminal
            del self._open[visit]
        if visit not in self._open:
            newest = self.logs(visit)[-1:]
            file = self._files.resume(newest[0], self._key, self._clock) if newest else None
            if file is None:
                return None
            self._remember(visit, file)
        return self._open[visit]

    def _created(self, visit: str) -> AuditFile:
        numbers = [int(match["number"]) for path in self.logs(visit) if (match := _NAME.fullmatch(path.name))]
        path = self._directory / f"{_stem(visit)}-{max(numbers, default=0) + 1:03}.jsonl"
        file = self._files.create(path, self._key, self._clock)
        self._remember(visit, file)
        return file

    def _remember(self, visit: str, file: AuditFile) -> None:
        while len(self._open) >= MOST_OPEN:
            del self._open[next(iter(self._open))]
        self._open[visit] = file

    def _keep(self, visit: str, told: Sequence[Json]) -> None:
        kept = self._kept.setdefault(visit, [])
        if sum(map(len, self._kept.values())) + len(told) > MOST_KEPT:
            self._kept[visit] = [{"kind": "gap", "lost": _lost(kept) + len(told)}]
        else:
            kept += told

    def _failed(self, error: OSError | NotALog) -> None:
        reason = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) and error.filename else str(error)
        way = "no story is told" if self._strict else "the stories go on, and what they tell is written down later"
        if not self._failing:
            self._failing = True
            log.error("the audit logs in %s cannot be written (%s): %s", self._directory, reason, way)
        if self._strict:
            raise NotRecorded(f"the audit logs in {self._directory} cannot be written: {reason}")


def _lost(kept: Sequence[Json]) -> int:
    return sum(int(told.get("lost", 1)) for told in kept)


def _stem(visit: str) -> str:
    return hashlib.sha256(f"audit {visit}".encode()).hexdigest()[:32]


def _sync(directory: Path) -> None:
    """Waits until the disk has forgotten the names too."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
