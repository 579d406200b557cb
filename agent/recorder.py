"""Who listens while beats are worded: nobody, or an audit log, for what was chosen and how long it took."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple, Protocol

from agent.narrator import Telling


class Recorder(Protocol):
    """Is told of each beat as it is worded."""

    def worded(self, telling: Telling | None) -> None:
        """A beat was worded; None: it was suppressed."""


class Unrecorded:
    """Listens to nothing."""

    def worded(self, telling: Telling | None) -> None:
        """Forgets it."""


class Heard(NamedTuple):
    """One beat as it was worded."""

    telling: Telling | None
    seconds: float
    """Since the beat before, or since the recording began."""


class Recording:
    """Keeps what was worded in one turn, or in one story, in order."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._since = clock()
        self.heard: list[Heard] = []

    def worded(self, telling: Telling | None) -> None:
        """Keeps it."""
        now = self._clock()
        self.heard.append(Heard(telling, now - self._since))
        self._since = now
