"""What the language model may cost: calls and tokens, of one visit and of one day."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

VISITS = 10_000
"""Visits whose costs are remembered; the one that was heard of longest ago is forgotten first."""


class Spent(NamedTuple):
    """What was used."""

    calls: int = 0
    tokens: int = 0

    def and_(self, calls: int, tokens: int) -> Spent:
        """With so much more."""
        return Spent(self.calls + calls, self.tokens + tokens)


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that may be used. 0: nothing."""

    visit: Spent
    day: Spent


class Ledger(Protocol):
    """Keeps what each day used."""

    def spent(self, day: str) -> Spent:
        """What that day has used so far. `day`: ISO date."""

    def spend(self, day: str, calls: int, tokens: int) -> None:
        """Adds to it."""


class Budget:
    """Says whether another call may be made, and keeps the books. A visit's costs are held in memory alone."""

    def __init__(self, limits: Limits, ledger: Ledger, clock: Callable[[], float]) -> None:
        """`clock`: seconds since 1970; a day is one of UTC."""
        self._limits = limits
        self._ledger = ledger
        self._clock = clock
        self._visits: OrderedDict[str, Spent] = OrderedDict()

    def exhausted(self, visit: str, tokens: int) -> str:
        """Which limit a call of about so many tokens would pass; "" where it may be made."""
        for name, used, limit in (
            ("visit", self._visits.get(visit, Spent()), self._limits.visit),
            ("day", self._ledger.spent(self._day()), self._limits.day),
        ):
            if used.calls + 1 > limit.calls:
                return f"calls of the {name}"
            if used.tokens + tokens > limit.tokens:
                return f"tokens of the {name}"
        return ""

    def call(self, visit: str) -> None:
        """Counts a call before it is made: one that fails costs too."""
        self._add(visit, 1, 0)

    def used(self, visit: str, tokens: int) -> None:
        """Counts the tokens of an answered call."""
        self._add(visit, 0, tokens)

    def _add(self, visit: str, calls: int, tokens: int) -> None:
        self._ledger.spend(self._day(), calls, tokens)
        self._visits[visit] = self._visits.get(visit, Spent()).and_(calls, tokens)
        self._visits.move_to_end(visit)
        while len(self._visits) > VISITS:
            self._visits.popitem(last=False)

    def _day(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).date().isoformat()
