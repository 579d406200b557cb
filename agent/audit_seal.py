"""The seal of an audit log: how many lines it has and which is the last, signed with the operator's Ed25519 key.

The key (RFC 8032) is made when it is first needed and lies in the data directory, for its owner alone to read.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from agent.audit_line import FORMAT, Json, Line
from agent.errors import NoKey

KEY_FILE = "audit.key"
MODE = 0o600
_RAW = 32
"""Bytes of a key."""


@dataclass(frozen=True, slots=True)
class OperatorKey:
    """Who seals."""

    private: Ed25519PrivateKey

    @property
    def public(self) -> str:
        """What others check a seal with: 64 hexadecimal digits."""
        return self.private.public_key().public_bytes_raw().hex()

    @classmethod
    def open(cls, directory: Path) -> OperatorKey:
        """The key of that data directory, made there if there is none. Raises NoKey, OSError."""
        path = directory / KEY_FILE
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            raw = _made(path)
        if len(raw) != _RAW:
            raise NoKey(f"{path} is no key; put the right one back from a backup, or move it away for a new one")
        if path.stat().st_mode & 0o077:
            raise NoKey(f"{path} can be read by others; run chmod 600 on it, and ask who may have copied it")
        return cls(Ed25519PrivateKey.from_private_bytes(raw))

    def seal(self, last: Line) -> Json:
        """What a closing line tells, when it follows `last`."""
        lines = last.number + 1
        signature = self.private.sign(_signed(lines, last.hash)).hex()
        return {"kind": "seal", "lines": lines, "head": last.hash, "key": self.public, "signature": signature}


def public_key(directory: Path) -> str:
    """The public key of that data directory; "" where none was made yet. Raises NoKey, OSError."""
    return OperatorKey.open(directory).public if (directory / KEY_FILE).exists() else ""


def fault_of(seal: Json, last: Line) -> str:
    """What is wrong with a seal that follows `last`; "" where nothing is. Whose key it is, the caller must know."""
    try:
        lines, head, key, signature = (seal[name] for name in ("lines", "head", "key", "signature"))
        if lines != last.number + 1 or head != last.hash:
            return "the seal was made for another log: it counts other lines, or ends in another one"
        if bytes.fromhex(key).hex() != key or bytes.fromhex(signature).hex() != signature:
            return "the seal is not spelled as it was written"
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), _signed(lines, head))
    except (KeyError, TypeError, ValueError):
        return "the seal is not one that this version writes"
    except InvalidSignature:
        return "the seal's signature is not that of its key"
    return ""


def _signed(lines: int, head: str) -> bytes:
    return f"{FORMAT}\n{lines}\n{head}\n".encode()


def _made(path: Path) -> bytes:
    """A new key, whole or not there: another process may want one at the same moment, and keeps the first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = Ed25519PrivateKey.generate().private_bytes_raw()
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE), "wb") as file:
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        raw = path.read_bytes()
    finally:
        draft.unlink()
    return raw
