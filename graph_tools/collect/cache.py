"""What a service answered, kept on disk: one readable file a request, so that a killed run goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a service."""

    document: Any
    """The JSON, parsed; None: the service knows no such thing."""
    fetched: datetime
    """When the service gave it, in UTC."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Cache:
    """Answers by address (and form, where one was sent), in one directory."""

    def __init__(self, directory: Path, keep: timedelta, now: Callable[[], datetime] = _utc_now) -> None:
        self.now = now
        self._directory = directory
        self._keep = keep

    def get(self, url: str, form: Mapping[str, str] | None = None) -> Answer | None:
        """The answer that is kept, unless it is too old. A file that cannot be read counts as none."""
        try:
            kept = json.loads(self._path(url, form).read_text(encoding="ascii"))
            answer = Answer(kept["document"], datetime.fromisoformat(kept["fetched"]))
            age = self.now() - answer.fetched
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return answer if timedelta(0) <= age < self._keep else None

    def put(self, url: str, form: Mapping[str, str] | None, document: Any) -> Answer:
        """Keeps the answer, whole or not at all, also where the process is killed meanwhile."""
        answer = Answer(document, self.now().replace(microsecond=0))
        path = self._path(url, form)
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = {"url": url, "form": form, "fetched": answer.fetched.isoformat(), "document": document}
        unfinished = path.with_suffix(f".{os.getpid()}.part")
        unfinished.write_text(json.dumps(kept, indent=1), encoding="ascii")
        unfinished.replace(path)
        return answer

    def _path(self, url: str, form: Mapping[str, str] | None) -> Path:
        asked = json.dumps([url, sorted((form or {}).items())])
        return self._directory / f"{hashlib.sha256(asked.encode()).hexdigest()[:32]}.json"
