"""How services are asked: politely, with patience that ends, and at no address that was not configured."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from graph_tools.collect.cache import Cache
from graph_tools.collect.web import Patience, Web, origin, pauses
from graph_tools.errors import CollectError, ServiceUnavailable

CONTACT = "curator@museum.example"
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
GOOD = (200, {"Content-Type": "application/json; charset=utf-8"}, b'{"id": "q1"}')
Reply = tuple[int, dict[str, str], bytes]


class Service:
    """A loopback server that gives the replies it was told, the last one again and again."""

    def __init__(self) -> None:
        self.replies: list[Reply | Callable[[BaseHTTPRequestHandler], None]] = []
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                service.asked.append((self.command, self.path, headers, body))
                reply = service.replies.pop(0) if len(service.replies) > 1 else service.replies[0]
                if callable(reply):
                    reply(self)
                    return
                status, sent, content = reply
                self.send_response(status)
                for name, value in sent.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = _serve  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def service() -> Iterator[Service]:
    running = Service()
    yield running
    running.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "fetched", timedelta(days=30), lambda: NOON)


@pytest.fixture
def web(service: Service, cache: Cache, clock: Clock) -> Iterator[Web]:
    with Web(CONTACT, {service.base: 1.0}, cache, clock=clock, sleep=clock.sleep) as asking:
        yield asking


def test_every_request_says_what_asks_and_whom_to_write_to(service: Service, web: Web) -> None:
    service.replies = [GOOD]
    assert web.get(f"{service.base}/a").document == {"id": "q1"}
    _, _, headers, _ = service.asked[0]
    assert headers["user-agent"].startswith("Cuestory/")
    assert headers["user-agent"].endswith(f"( {CONTACT} )")
    assert headers["accept"] == "application/json"


@pytest.mark.parametrize("contact", ["", "me", "a b@c.example", "https://", "x@y\r\nCookie: a=b"])
def test_nobody_asks_without_a_contact(contact: str, cache: Cache) -> None:
    with pytest.raises(CollectError, match="--contact or CUESTORY_CONTACT"):
        Web(contact, {}, cache)


def test_two_requests_are_a_pause_apart_and_a_cached_one_waits_for_nobody(
    service: Service, web: Web, clock: Clock
) -> None:
    service.replies = [GOOD]
    web.get(f"{service.base}/a")
    clock.now += 0.25
    web.get(f"{service.base}/b")
    web.get(f"{service.base}/a")
    clock.now += 5
    web.get(f"{service.base}/c")
    assert clock.slept == [0.75]
    assert [path for _, path, _, _ in service.asked] == ["/a", "/b", "/c"]
    assert web.requests == 3


@pytest.mark.parametrize(("status", "after"), [(503, "7"), (429, "7"), (503, "Tue, 01 Dec 2026 12:00:07 GMT")])
def test_retry_after_is_honoured(service: Service, web: Web, clock: Clock, status: int, after: str) -> None:
    service.replies = [(status, {"Retry-After": after}, b""), GOOD]
    assert web.get(f"{service.base}/a").document == {"id": "q1"}
    assert clock.slept == [7]


def test_without_retry_after_the_waits_grow_and_end(service: Service, web: Web, clock: Clock) -> None:
    service.replies = [(503, {}, b"")]
    with pytest.raises(ServiceUnavailable, match="answered 503 4 times"):
        web.get(f"{service.base}/a")
    assert clock.slept == [1, 2, 4]
    assert len(service.asked) == 4


def test_a_service_that_asks_for_an_hour_is_not_waited_for(service: Service, web: Web, clock: Clock) -> None:
    service.replies = [(429, {"Retry-After": "3600"}, b"")]
    with pytest.raises(ServiceUnavailable, match=r"asks to wait 3600 s.*run it again"):
        web.get(f"{service.base}/a")
    assert clock.slept == []
    assert len(service.asked) == 1


def test_json_that_breaks_off_is_asked_for_again_and_never_kept(service: Service, web: Web, tmp_path: Path) -> None:
    service.replies = [(200, GOOD[1], b'{"id": "q'), GOOD]
    assert web.get(f"{service.base}/a").document == {"id": "q1"}
    service.replies = [(200, GOOD[1], b'{"results": {"bindings": [\njava.util.concurrent.TimeoutException')]
    with pytest.raises(ServiceUnavailable, match="breaks off"):
        web.get(f"{service.base}/b")
    assert len(list((tmp_path / "fetched").iterdir())) == 1


def test_an_answer_shorter_than_announced_is_asked_for_again(service: Service, web: Web) -> None:
    def cut(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b'{"id"')
        handler.close_connection = True

    service.replies = [cut, GOOD]
    assert web.get(f"{service.base}/a").document == {"id": "q1"}


def test_a_page_in_place_of_json_is_told_at_once(service: Service, web: Web) -> None:
    service.replies = [(200, {"Content-Type": "text/html"}, b"<html><h1>Log in to the museum network</h1>")]
    with pytest.raises(ServiceUnavailable, match=r"sent text/html in place of JSON: '<html><h1>Log in"):
        web.get(f"{service.base}/a")
    assert len(service.asked) == 1


def test_a_refusal_is_told_with_its_words(service: Service, web: Web) -> None:
    service.replies = [(403, {"Content-Type": "text/plain"}, b"Please set a user agent")]
    with pytest.raises(ServiceUnavailable, match="answered 403: 'Please set a user agent'"):
        web.get(f"{service.base}/a")


@pytest.mark.parametrize("status", [404, 410])
def test_what_a_service_does_not_know_is_a_value_and_is_kept(service: Service, web: Web, status: int) -> None:
    service.replies = [(status, {}, b"gone")]
    assert web.get(f"{service.base}/a").document is None
    assert web.get(f"{service.base}/a").document is None
    assert len(service.asked) == 1


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:1/inside",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/",
        "file:///etc/passwd",
        "http://user:secret@127.0.0.1/",
        "https://elsewhere.example/",
        "//127.0.0.2/",
    ],
)
def test_a_redirect_to_an_address_that_nobody_configured_is_refused(service: Service, web: Web, target: str) -> None:
    service.replies = [(302, {"Location": target}, b""), GOOD]
    with pytest.raises(ServiceUnavailable, match=r"redirects to .*, which is no configured address"):
        web.get(f"{service.base}/a")
    assert len(service.asked) == 1


def test_a_redirect_within_the_configured_address_is_followed_a_few_times(service: Service, web: Web) -> None:
    service.replies = [(303, {"Location": "/b"}, b""), GOOD]
    assert web.get(f"{service.base}/a").document == {"id": "q1"}
    service.replies = [(302, {"Location": "/c"}, b"")]
    with pytest.raises(ServiceUnavailable, match="redirects more than 3 times"):
        web.get(f"{service.base}/c")


def test_an_address_that_is_not_configured_is_not_asked(web: Web) -> None:
    with pytest.raises(CollectError, match="no configured address"):
        web.get("https://elsewhere.example/a")


def test_a_service_that_hangs_is_left_after_the_timeout(service: Service, cache: Cache) -> None:
    release = threading.Event()

    def hang(handler: BaseHTTPRequestHandler) -> None:
        release.wait(10)

    service.replies = [hang]
    began = time.monotonic()
    with (
        Web(CONTACT, {service.base: 0}, cache, patience=Patience(answer=0.1, tries=2), sleep=lambda _: None) as web,
        pytest.raises(ServiceUnavailable, match=r"did not answer within 0\.1 s"),
    ):
        web.get(f"{service.base}/a")
    release.set()
    assert time.monotonic() - began < 5
    assert len(service.asked) == 2


def test_an_answer_that_drips_or_never_ends_is_cut_off(service: Service, cache: Cache) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        try:
            for _ in range(200):
                handler.wfile.write(b" " * 64)
                time.sleep(0.02)
        except OSError:
            pass

    service.replies = [drip]
    impatient = Patience(answer=1, whole=0.2, tries=1)
    with (
        Web(CONTACT, {service.base: 0}, cache, patience=impatient) as web,
        pytest.raises(ServiceUnavailable, match=r"did not end its answer within 0\.2 s"),
    ):
        web.get(f"{service.base}/a")
    with (
        Web(CONTACT, {service.base: 0}, cache, patience=Patience(most_bytes=100)) as web,
        pytest.raises(ServiceUnavailable, match="more than 100 bytes"),
    ):
        web.get(f"{service.base}/b")


def test_a_service_that_is_not_there_is_told(cache: Cache, clock: Clock) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{free.getsockname()[1]}"
        with (
            Web(CONTACT, {base: 0}, cache, clock=clock, sleep=clock.sleep) as web,
            pytest.raises(ServiceUnavailable, match="cannot be reached"),
        ):
            web.get(f"{base}/a")


def test_a_form_is_posted_and_its_answer_is_kept_for_that_form_only(service: Service, web: Web) -> None:
    service.replies = [GOOD]
    for query in ("one", "two", "one"):
        web.post(f"{service.base}/sparql", {"query": query}, "application/sparql-results+json")
    assert [(method, body) for method, _, _, body in service.asked] == [
        ("POST", b"query=one"),
        ("POST", b"query=two"),
    ]
    assert service.asked[0][2]["accept"] == "application/sparql-results+json"


def test_an_answer_that_is_kept_grows_old(tmp_path: Path) -> None:
    Cache(tmp_path, timedelta(days=30), lambda: NOON).put("https://a.example/", None, {"a": "\ud83d"})
    for days, found in ((29, True), (30, False), (-1, False)):
        later = Cache(tmp_path, timedelta(days=30), lambda days=days: NOON + timedelta(days=days))  # type: ignore[misc]
        answer = later.get("https://a.example/")
        assert (answer is not None) == found
        assert answer is None or (answer.document, answer.fetched) == ({"a": "\ud83d"}, NOON)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"document": 1}', '{"document": 1, "fetched": "soon"}', "\ufeff"])
def test_a_kept_answer_that_cannot_be_read_counts_as_none(tmp_path: Path, text: str) -> None:
    cache = Cache(tmp_path, timedelta(days=30), lambda: NOON)
    cache.put("https://a.example/", None, {})
    (kept,) = tmp_path.iterdir()
    kept.write_text(text, encoding="utf-8")
    assert cache.get("https://a.example/") is None


def test_a_kept_answer_says_what_was_asked_and_when(tmp_path: Path) -> None:
    Cache(tmp_path, timedelta(days=1), lambda: NOON).put("https://a.example/", {"query": "x"}, {})
    (kept,) = tmp_path.iterdir()
    assert json.loads(kept.read_text(encoding="ascii")) == {
        "url": "https://a.example/",
        "form": {"query": "x"},
        "fetched": "2026-12-01T12:00:00+00:00",
        "document": {},
    }


def test_services_of_one_origin_keep_the_longer_pause() -> None:
    found = pauses([("https://a.example/x", 1), ("https://A.example:443/y", 2), ("http://a.example", 0)])
    assert found == {"https://a.example:443": 2, "http://a.example:80": 0}
    with pytest.raises(CollectError, match="write it with https://"):
        origin("ftp://a.example")
