"""Asks a web service for JSON as its keepers want to be asked; the only module of this project that opens a connection.

One request at a time, a pause between two of them, a User-Agent that says whom to write to, retries that honour
Retry-After, no address that was not configured.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx2
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from graph_tools.collect.cache import Answer, Cache
from graph_tools.errors import CollectError, ServiceUnavailable

_CONTACT = re.compile(r"[^@\s()]+@[^@\s()]+\.[^@\s()]+|https?://[^\s()]+\.[^\s()]+")
_PASSING = (429, 500, 502, 503, 504)
_ABSENT = (404, 410)
_REDIRECTS = 3


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a service is waited for. Seconds, except where it says otherwise."""

    answer: float = 15
    """Until it is connected, and between two pieces of an answer."""
    whole: float = 90
    """For one whole answer."""
    tries: int = 4
    """Times that one request is made."""
    asked_for: float = 120
    """A longer Retry-After ends the run instead; what was fetched is kept."""
    most_bytes: int = 30_000_000
    """A bigger answer is refused."""


class _Passing(ServiceUnavailable):
    """May be gone at the next try."""

    def __init__(self, message: str, retry_after: float = 0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def checked_contact(contact: str) -> str:
    """An e-mail or web address for the User-Agent. Raises CollectError for anything else."""
    if not _CONTACT.fullmatch(contact.strip()):
        raise CollectError(
            f"{contact!r} is no contact: both services ask for an e-mail or web address of whoever runs this; "
            "give it with --contact or CUESTORY_CONTACT"
        )
    return contact.strip()


class Web:
    """Cached, paced JSON requests to the origins that were named and no others."""

    def __init__(
        self,
        contact: str,
        pauses: Mapping[str, float],
        cache: Cache,
        *,
        patience: Patience | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`pauses`: base address -> seconds between two requests to its origin. Raises CollectError."""
        self._pauses = {origin(base): pause for base, pause in pauses.items()}
        self._cache = cache
        self._patience = patience or Patience()
        self._clock = clock
        self._sleep = sleep
        self._last: dict[str, float] = {}
        agent = f"Cuestory/{version('cuestory')} ( {checked_contact(contact)} )"
        # Nothing of the environment: no credentials from .netrc, no proxy that nobody named.
        self._client = httpx2.Client(
            headers={"User-Agent": agent}, timeout=self._patience.answer, follow_redirects=False, trust_env=False
        )
        self.requests = 0
        """How many went out; what the cache answered is not counted."""

    def __enter__(self) -> Web:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def get(self, url: str) -> Answer:
        """The JSON at `url`. Raises ServiceUnavailable with the reason."""
        return self._cached(url, None, "application/json")

    def post(self, url: str, form: Mapping[str, str], accept: str) -> Answer:
        """The JSON that answers `form`. Raises ServiceUnavailable with the reason."""
        return self._cached(url, form, accept)

    def _cached(self, url: str, form: Mapping[str, str] | None, accept: str) -> Answer:
        kept = self._cache.get(url, form)
        if kept is not None:
            return kept
        retrying = Retrying(
            stop=stop_after_attempt(self._patience.tries),
            wait=_wait,
            retry=retry_if_exception_type(_Passing),
            sleep=self._sleep,
            reraise=True,
        )
        return self._cache.put(url, form, retrying(self._once, url, form, accept))

    def _once(self, url: str, form: Mapping[str, str] | None, accept: str) -> Any:
        asked = url
        for _ in range(_REDIRECTS + 1):
            status, headers, body = self._exchange(asked, form, accept)
            if status not in (301, 302, 303, 307, 308):
                return self._read(asked, status, headers, body)
            asked = urljoin(asked, headers.get("location", ""))
            form = None if status == 303 else form
            if _origin_or_none(asked) not in self._pauses:
                raise ServiceUnavailable(f"{url} redirects to {asked}, which is no configured address")
        raise ServiceUnavailable(f"{url} redirects more than {_REDIRECTS} times")

    def _exchange(self, url: str, form: Mapping[str, str] | None, accept: str) -> tuple[int, httpx2.Headers, bytes]:
        self._pace(origin(url))
        began = self._clock()
        self.requests += 1
        method = "GET" if form is None else "POST"
        body = bytearray()
        try:
            with self._client.stream(method, url, data=form, headers={"Accept": accept}) as response:
                for piece in response.iter_bytes():
                    body += piece
                    if len(body) > self._patience.most_bytes:
                        raise ServiceUnavailable(f"{url} sent more than {self._patience.most_bytes} bytes")
                    if self._clock() - began > self._patience.whole:
                        raise _Passing(f"{url} did not end its answer within {self._patience.whole:g} s")
                return response.status_code, response.headers, bytes(body)
        except httpx2.TimeoutException as error:
            raise _Passing(f"{url} did not answer within {self._patience.answer:g} s") from error
        except httpx2.RemoteProtocolError as error:
            raise _Passing(f"{url} broke off its answer ({error})") from error
        except httpx2.TransportError as error:
            raise _Passing(f"{url} cannot be reached ({error})") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise ServiceUnavailable(f"{url} cannot be asked ({error})") from error

    def _pace(self, where: str) -> None:
        if where not in self._pauses:
            raise CollectError(f"{where} is no configured address; name it in the pack's collect.toml")
        if where in self._last:
            wait = self._last[where] + self._pauses[where] - self._clock()
            if wait > 0:
                self._sleep(wait)
        self._last[where] = self._clock()

    def _read(self, url: str, status: int, headers: httpx2.Headers, body: bytes) -> Any:
        after = _seconds(headers.get("retry-after", ""), self._cache.now())
        if after > self._patience.asked_for:
            raise ServiceUnavailable(
                f"{url} asks to wait {after:.0f} s (status {status}); what was fetched is kept: run it again then"
            )
        if status in _PASSING:
            raise _Passing(f"{url} answered {status} {self._patience.tries} times", after)
        if status in _ABSENT:
            return None
        if status != 200:
            raise ServiceUnavailable(f"{url} answered {status}: {_glimpse(body)}")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if "json" not in kind:
            raise ServiceUnavailable(f"{url} sent {kind or 'something'} in place of JSON: {_glimpse(body)}")
        try:
            return json.loads(body)
        except ValueError as error:
            raise _Passing(f"{url} sent JSON that breaks off or is broken ({error})", after) from error


def origin(url: str) -> str:
    """Scheme, host and port of a web address. Raises CollectError for anything else."""
    found = _origin_or_none(url)
    if found is None:
        raise CollectError(f"{url!r} is no web address; write it with https://")
    return found


def pauses(services: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Base address -> pause, the longest where two services share an origin."""
    longest: dict[str, float] = {}
    for base, pause in services:
        where = origin(base)
        longest[where] = max(pause, longest.get(where, 0))
    return longest


def _origin_or_none(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        return None
    return f"{parts.scheme}://{parts.hostname}:{port}"


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    after = error.retry_after if isinstance(error, _Passing) else 0
    return max(after, float(wait_exponential(multiplier=1, max=30)(state)))


def _seconds(retry_after: str, now: datetime) -> float:
    """A Retry-After header (RFC 9110, 10.2.3): a number of seconds, or a date."""
    text = retry_after.strip()
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - now).total_seconds()) if text else 0.0
    except (ValueError, TypeError):
        return 0.0


def _glimpse(body: bytes) -> str:
    return repr(" ".join(body[:120].decode("utf-8", "replace").split()))
