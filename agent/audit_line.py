"""One line of an audit log: what it tells, and the hashes that chain it to the line before.

A line is one JSON object in one spelling (keys sorted, no blanks, UTF-8, a line feed at its end), so that any change of
a byte is a change of the line. `hash` is the SHA-256 of the line without it; `previous` is the hash of the line before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

FORMAT = "cuestory.audit/1"
START = "0" * 64
"""Stands before the first line."""
CHAIN = ("hash", "line", "previous")
"""Fields that every line has besides what it tells."""
TIMINGS = "timings"
"""When it was told and how long it took: the chain covers it, a replay leaves it out."""


class BrokenLine(ValueError):
    """A line is not as it was written; the message says in what."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line, its hash found right."""

    number: int
    """From 0."""
    previous: str
    hash: str
    told: Json
    """Its own fields: `kind` says which they are."""

    @property
    def kind(self) -> str:
        """What the line tells of."""
        return str(self.told.get("kind", ""))

    @property
    def replayable(self) -> Json:
        """What the same request, pack and version tell again, byte for byte."""
        return {name: value for name, value in self.told.items() if name != TIMINGS}


def spelled(value: Mapping[str, Any]) -> bytes:
    """JSON in its one spelling."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def chained(told: Mapping[str, Any], number: int, previous: str) -> tuple[Line, bytes]:
    """The line that follows the one with the hash `previous`, and its bytes with the line feed."""
    whole = {**told, "line": number, "previous": previous}
    own = hashlib.sha256(spelled(whole)).hexdigest()
    return Line(number, previous, own, dict(told)), spelled({**whole, "hash": own}) + b"\n"


def read_line(written: bytes) -> Line:
    """The line of these bytes, without their line feed. Raises BrokenLine unless they are as they were written."""
    try:
        whole = json.loads(written)
    except (ValueError, RecursionError):
        raise BrokenLine("is no JSON") from None
    if not isinstance(whole, dict) or not all(name in whole for name in CHAIN):
        raise BrokenLine("is no line of an audit log")
    told = {name: value for name, value in whole.items() if name not in CHAIN}
    number, previous = whole["line"], whole["previous"]
    try:
        line, again = chained(told, number, previous)
    except UnicodeEncodeError:  # half a surrogate pair
        raise BrokenLine("holds a character that no text has") from None
    if line.hash != whole["hash"]:
        raise BrokenLine("was changed: its hash is not that of what it says")
    if again != written + b"\n":
        raise BrokenLine("was changed: it is not spelled as it was written")
    return line
