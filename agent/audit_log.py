"""An audit log as it is read: whole and sealed, cut off, or tampered with; which of these, and where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agent.audit_line import FORMAT, START, BrokenLine, Json, Line, read_line
from agent.audit_seal import fault_of
from agent.errors import NotALog

State = Literal["sealed", "incomplete", "tampered"]
"""`incomplete`: no seal follows, and nothing that stands there was changed."""


@dataclass(frozen=True, slots=True)
class AuditLog:
    """The lines of a log that hold together, and what ends them."""

    lines: tuple[Line, ...]
    """From the first on, as far as they are as they were written; a seal is none of them."""
    state: State
    fault: str = ""
    """Where and in what it was tampered with, or why it is incomplete."""
    key: str = ""
    """The public key of the seal; empty without one."""
    whole_bytes: int = 0
    """How many bytes these lines have: where the log can be written on."""

    @property
    def head(self) -> Json:
        """What the first line tells: the request, the pack, the narrator."""
        return self.lines[0].replayable

    def of(self, kind: str) -> tuple[Line, ...]:
        """The lines of that kind, in order."""
        return tuple(line for line in self.lines if line.kind == kind)

    @property
    def last(self) -> Line:
        """The last line before the seal."""
        return self.lines[-1]


def open_log(path: Path) -> AuditLog:
    """The log in that file. Raises NotALog where it is none, OSError."""
    log = read_log(path.read_bytes())
    if not log.lines:
        raise NotALog(f"{path} is no audit log, or nothing of it is left: {log.fault}")
    return log


def read_log(written: bytes) -> AuditLog:
    """The log of these bytes. Every byte counts: none can be changed, left out or added without a trace in `state`."""
    *rows, rest = written.split(b"\n")
    lines: list[Line] = []
    at, expected = 0, START
    for number, row in enumerate(rows):
        fault = ""
        try:
            line = read_line(row)
        except BrokenLine as broken:
            return AuditLog(tuple(lines), "tampered", f"line {number + 1} {broken}", "", at)
        if line.number != number or line.previous != expected:
            fault = "does not follow the line before it: lines were removed, swapped, repeated or put in"
        elif number == 0 and line.told.get("format") != FORMAT:
            fault = f"does not say that it is {FORMAT}"
        if fault:
            return AuditLog(tuple(lines), "tampered", f"line {number + 1} {fault}", "", at)
        if line.kind == "seal":
            return _sealed(tuple(lines), line, at, more=number + 1 < len(rows) or bool(rest))
        lines.append(line)
        at, expected = at + len(row) + 1, line.hash
    cause = "its last line was cut off in the middle" if rest else "no seal closes it"
    return AuditLog(tuple(lines), "incomplete", f"{cause}; it is whole up to line {len(lines)}", "", at)


def _sealed(lines: tuple[Line, ...], seal: Line, at: int, *, more: bool) -> AuditLog:
    fault = fault_of(seal.told, lines[-1]) if lines else "the seal closes an empty log"
    if more and not fault:
        fault = "something follows the seal"
    if fault:
        return AuditLog(lines, "tampered", fault, "", at)
    return AuditLog(lines, "sealed", "", str(seal.told["key"]), at)
