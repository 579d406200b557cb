"""A breaker: after several failures in a row nobody is asked for a while, then one probe finds out."""

from __future__ import annotations

from collections.abc import Callable

FAILURES = 3
"""Failures in a row after which it opens."""
REST = 60.0
"""Seconds until a probe may go through."""


class Breaker:
    """Open: nothing goes through but one probe at a time, once it has rested."""

    def __init__(self, clock: Callable[[], float], *, failures: int = FAILURES, rest: float = REST) -> None:
        """`clock`: seconds, from any beginning."""
        self._clock = clock
        self._most = failures
        self._rest = rest
        self._failed = 0
        self._asks_again: float | None = None
        """When the next probe may go through; None while it is closed."""

    def lets_through(self) -> bool:
        """Whether somebody may be asked now. A probe that is let through holds back all others until it has rested."""
        if self._asks_again is None:
            return True
        if self._clock() < self._asks_again:
            return False
        self._asks_again = self._clock() + self._rest
        return True

    def succeeded(self) -> None:
        """Closes it."""
        self._failed, self._asks_again = 0, None

    def failed(self, *, for_good: bool = False) -> None:
        """Counts a failure. `for_good`: asking again will not help soon, so it opens at once."""
        self._failed = self._most if for_good else self._failed + 1
        if self._failed >= self._most:
            self._asks_again = self._clock() + self._rest
