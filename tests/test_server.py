"""The running server: a tour over its websocket, restarts, and what it refuses."""

import asyncio
import gzip
import json
import os
import re
import socket
import subprocess
import sys
import uuid
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp
import httpx
import pytest
import socketio  # type: ignore[import-untyped]

from agent.doorway import VISIT_COOKIE, visit_key

pytestmark = pytest.mark.e2e

COOKIE = "C" * 43


class Page:
    """A page as the server sees it: Chainlit's websocket, and presses over HTTP."""

    def __init__(self, address: str, cookie: str | None = COOKIE, session: str | None = None) -> None:
        self.address = address
        self.session = session or str(uuid.uuid4())
        self.headers = {"cookie": f"{VISIT_COOKIE}={cookie}"} if cookie else {}
        self.messages: list[str] = []
        self.cards: list[dict[str, Any]] = []
        self._news = asyncio.Condition()

    async def __aenter__(self) -> Self:
        # The client's own way with cookies leaves them out where the server has an address and no name.
        self._http = aiohttp.ClientSession(headers=self.headers, cookie_jar=aiohttp.DummyCookieJar())
        self._socket = socketio.AsyncClient(reconnection=False, http_session=self._http)
        self._socket.on("*", self._note)
        auth = {"sessionId": self.session, "clientType": "webapp", "userEnv": "{}", "chatProfile": "", "threadId": ""}
        await self._socket.connect(
            self.address, socketio_path="/chat/ws/socket.io", auth=auth, transports=["websocket"]
        )
        await self._socket.emit("connection_successful")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._socket.disconnect()
        await self.aclose()

    async def aclose(self) -> None:
        await self._http.close()

    async def emit(self, event: str, payload: Any) -> None:
        await self._socket.emit(event, payload)

    async def _note(self, event: str, data: Any = None) -> None:
        async with self._news:
            if event == "new_message" and data["type"] == "assistant_message":
                self.messages.append(data["output"])
            elif event == "element":
                self.cards.append(data["props"])
            self._news.notify_all()

    async def card(self, number: int) -> dict[str, Any]:
        """The card with that number, from 1, once it has come."""
        async with self._news:
            await asyncio.wait_for(self._news.wait_for(lambda: len(self.cards) >= number), 10)
        return self.cards[number - 1]

    async def message(self, number: int) -> str:
        async with self._news:
            await asyncio.wait_for(self._news.wait_for(lambda: len(self.messages) >= number), 10)
        return self.messages[number - 1]

    async def press(self, name: str, **payload: Any) -> httpx.Response:
        async with httpx.AsyncClient(headers=self.headers) as client:
            body = {"sessionId": self.session, "action": {"name": name, "payload": payload}}
            return await client.post(f"{self.address}/chat/project/action", json=body)

    async def begin(self, persona: str = "luca", length: str = "small") -> None:
        card = await self.card(1)
        answer = await self.press("begin", persona=persona, length=length, ticket=card["ticket"])
        assert answer.status_code == 200, answer.text

    async def choose(self, card: dict[str, Any], choice: str = "c1") -> httpx.Response:
        return await self.press("choose", interrupt=card["offer"]["interrupt"], choice=choice)

    async def write(self, text: str) -> None:
        message = {"id": str(uuid.uuid4()), "threadId": "", "name": "user", "type": "user_message", "output": text}
        await self.emit("client_message", {"message": message | {"createdAt": ""}, "fileReferences": []})


async def handshake(port: int, origin: str) -> int:
    """The status with which a websocket from that origin is answered."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    request = (
        "GET /chat/ws/socket.io/?EIO=4&transport=websocket HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Origin: {origin}",
        *("Connection: Upgrade", "Upgrade: websocket"),
        *("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""),
    )
    writer.write("\r\n".join(request).encode())
    status = int((await reader.readline()).split()[1])
    writer.close()
    await writer.wait_closed()
    return status


async def test_a_visitor_hears_three_beats_over_the_websocket(chat_server: Any) -> None:
    async with Page(chat_server.address, "T" * 43) as page:
        await page.begin()
        cards = [await page.card(2)]
        for turn in (3, 4):
            await page.choose(cards[-1])
            cards.append(await page.card(turn))
        assert len({*page.messages}) == 4
        for card in cards:
            statement = card["notes"][0]["statements"][0][3]
            assert re.fullmatch(r"<\S+> <\S+> .+ \.", statement)
            assert "SELECT" in card["notes"][0]["queries"][0]["sparql"]
        # A press of an earlier offer, and one that was never on offer.
        for answer in (await page.choose(cards[0]), await page.choose(cards[-1], "c99")):
            assert answer.status_code == 200
        assert "passed" in await page.message(5)
        assert "passed" in await page.message(6)
        await page.choose(cards[-1])
        assert len((await page.card(5))["offer"]["shown"]) == 3


async def test_after_a_crash_the_page_goes_on_and_a_new_one_finds_every_told_beat(chat_server: Any) -> None:
    cookie = "R" * 43
    page = Page(chat_server.address, cookie)
    async with page:
        await page.begin()
        await page.choose(await page.card(2))
        last = await page.card(3)
        told = page.messages[1:]
        chat_server.kill()
    chat_server.start()
    async with Page(chat_server.address, cookie, page.session) as back:
        again = await back.card(1)
        assert "restored" in back.messages[0]
        assert again["offer"]["interrupt"] == last["offer"]["interrupt"]
    async with Page(chat_server.address, cookie) as reloaded:
        welcome = await reloaded.card(1)
        assert welcome["heard"] == 2
        await reloaded.press("resume", ticket=welcome["ticket"])
        await reloaded.card(3)
        assert reloaded.messages[1:] == told
        await reloaded.choose(reloaded.cards[-1])
        await reloaded.card(4)


async def test_words_are_answered_or_refused_over_the_websocket_and_only_held_offers_are_taken(
    chat_server: Any,
) -> None:
    async with Page(chat_server.address, "Q" * 43) as page:
        await page.begin("emma", "medium")
        first = await page.card(2)
        await page.write("When did Queen play?")
        assert "When and where did Queen play?" in await page.message(3)
        told = await page.card(3)
        assert told["notes"]
        await page.write("Who won the World Cup in 1966?")
        refusal = await page.message(4)
        assert "prove" in refusal
        assert "World Cup" not in refusal
        near = await page.card(4)
        for number, (card, forged) in enumerate([(near, "q9"), (near, "b99"), (near, "as-x"), (first, "c1")], start=5):
            await page.choose(card, forged)
            assert "passed" in await page.message(number)
        back = next(choice["id"] for choice in near["offer"]["back"])
        await asyncio.gather(page.choose(near, back), page.choose(near, back))
        await page.card(5)
        assert sum("starts again" in message for message in page.messages) == 1


async def test_a_pasted_book_is_answered_and_the_connection_stays(chat_server: Any) -> None:
    async with Page(chat_server.address, "P" * 43) as page:
        await page.card(1)
        await page.write("x" * 1_500_000)
        assert len(await page.message(2)) < 200
        await page.begin()


async def test_a_press_on_a_page_that_the_server_does_not_know_is_answered_calmly(chat_server: Any) -> None:
    answer = await Page(chat_server.address).press("choose", interrupt="x", choice="c1")
    assert answer.status_code == 409
    assert "reconnects" in answer.json()["detail"]
    async with httpx.AsyncClient() as client:
        for body in (b"", b"[]", b'{"sessionId": 1}', b'{"sessionId": "x", "action": []}', b"\xff\xfe"):
            answer = await client.post(f"{chat_server.address}/chat/project/action", content=body)
            assert answer.status_code == 422
        large = b'{"sessionId": "' + b"x" * 100_000 + b'"}'
        answer = await client.post(f"{chat_server.address}/chat/project/action", content=large)
        assert answer.status_code == 413


@pytest.mark.parametrize(
    "session",
    [
        "{victim}",
        "../../{name}",
        "",
        ".",
        "..",
        None,
        7,
        {"a": 1},
        "C" * 36,
        "{{12345678-1234-4234-8234-123456789abc}}",
    ],
)
async def test_no_session_id_reaches_the_file_system(chat_server: Any, tmp_path: Path, session: Any) -> None:
    """Chainlit deletes the directory that a page names as its session, when the session ends."""
    kept = tmp_path / "kept"
    kept.mkdir()
    named = session.format(victim=tmp_path, name=tmp_path.name) if isinstance(session, str) else session
    intruder = Page(chat_server.address, session="unused")
    intruder.session = named
    with pytest.raises(socketio.exceptions.ConnectionError):
        await intruder.__aenter__()
    await intruder.aclose()
    assert kept.is_dir()
    assert (chat_server.data / "chat" / "public").is_dir()


async def test_a_page_cannot_be_taken_over_with_its_session_id_alone(chat_server: Any) -> None:
    async with Page(chat_server.address, "V" * 43) as page:
        await page.card(1)
        thief = Page(chat_server.address, "W" * 43, page.session)
        with pytest.raises(socketio.exceptions.ConnectionError):
            await thief.__aenter__()
        await thief.aclose()
        await page.begin()


async def test_events_that_no_page_of_ours_sends_are_not_heard(chat_server: Any) -> None:
    async with Page(chat_server.address, "E" * 43) as page:
        await page.card(1)
        for event, payload in [
            ("client_message", None),
            ("client_message", {"message": {"id": "x", "output": "hello"}}),
            ("client_message", {"message": {"id": str(uuid.uuid4()), "output": ["hello"]}}),
            ("edit_message", {"message": {"id": str(uuid.uuid4()), "output": "hello"}}),
            ("chat_settings_change", {"a": 1}),
            ("audio_start", None),
            ("no_such_event", "x"),
        ]:
            await page.emit(event, payload)
        await page.begin()
        await page.card(2)
        assert len(page.messages) == 2


async def test_another_visitors_page_cannot_be_pressed_without_their_cookie(chat_server: Any) -> None:
    async with Page(chat_server.address, "V" * 43) as page:
        card = await page.card(1)
        thief = Page(chat_server.address, "W" * 43, page.session)
        assert (await thief.press("begin", persona="emma", length="small", ticket=card["ticket"])).status_code == 403
        assert (await page.press("no-such-button")).status_code == 404


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://evil.example:80"])
async def test_another_site_may_neither_connect_nor_call(chat_server: Any, origin: str) -> None:
    assert await handshake(chat_server.port, origin) == 403
    async with httpx.AsyncClient(base_url=chat_server.address, headers={"Origin": origin}) as client:
        assert (await client.post("/chat/project/action", json={})).status_code == 403
        polling = await client.get("/chat/ws/socket.io/", params={"EIO": "4", "transport": "polling"})
        assert polling.status_code == 403
        assert "access-control-allow-origin" not in (await client.get("/chat/project/settings")).headers


async def test_our_own_page_may_connect_and_call(chat_server: Any) -> None:
    async with httpx.AsyncClient(headers={"Origin": chat_server.address}) as client:
        answer = await client.post(f"{chat_server.address}/chat/project/action", json={})
        assert answer.status_code == 422
    assert await handshake(chat_server.port, chat_server.address) == 101


async def test_a_name_that_another_site_points_at_this_machine_is_refused(chat_server: Any) -> None:
    async with httpx.AsyncClient(headers={"Host": f"evil.example:{chat_server.port}"}) as client:
        assert (await client.get(f"{chat_server.address}/chat/")).status_code == 403


async def test_doors_that_the_chat_does_not_need_are_shut(chat_server: Any) -> None:
    async with httpx.AsyncClient(base_url=chat_server.address) as client:
        upload = await client.post("/chat/project/file?session_id=x", files={"file": ("x.html", b"<b>", "text/html")})
        assert upload.status_code == 404
        for method, path in [
            ("POST", "/chat/mcp"),
            ("POST", "/chat/login"),
            ("POST", "/chat/project/threads"),
            ("PUT", "/chat/project/element"),
            ("DELETE", "/chat/project/element"),
            ("PUT", "/chat/feedback"),
            ("GET", "/chat/project/file/x?session_id=x"),
            ("GET", "/chat/project/thread/x"),
            ("GET", "/chat/copilot/index.js"),
            ("GET", "/docs"),
            ("GET", "/openapi.json"),
        ]:
            assert (await client.request(method, path)).status_code == 404, path
        for path in ("/chat/public/../chainlit.md", "/chat/public/%2e%2e/.chainlit/config.toml", "/chat/assets/..%2f"):
            assert (await client.get(path)).status_code == 404, path


async def test_the_settings_are_safe_from_the_start(chat_server: Any) -> None:
    async with httpx.AsyncClient(base_url=chat_server.address) as client:
        found = (await client.get("/chat/project/settings?language=en-US")).json()
        features = found["features"]
        assert not features["spontaneous_file_upload"]["enabled"]
        assert not features["edit_message"]
        assert not features["unsafe_allow_html"]
        assert not features["mcp"]["enabled"]
        assert not features["latex"]
        assert found["dataPersistence"] is False
        words = (await client.get("/chat/project/translations?language=en-US")).text
        assert "LLM" not in words


async def test_the_page_names_no_other_host_and_says_what_it_may_load(chat_server: Any) -> None:
    async with httpx.AsyncClient(base_url=chat_server.address, follow_redirects=True) as client:
        page = await client.get("/")
        assert page.url.path == "/chat/"
        assert not re.search(r"""(?:href|src|content)=["'](?:https?:)?//""", page.text)
        policy = page.headers["content-security-policy"]
        [nonce] = set(re.findall(r"'nonce-([^']+)'", policy))
        assert page.text.count("<script") == page.text.count(f'<script nonce="{nonce}"')
        assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
        assert "frame-ancestors 'self'" in policy
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["referrer-policy"] == "no-referrer"
        assert "Cuestory" in page.text


async def test_a_visitors_cookie_is_random_and_hidden_from_scripts_and_kept_when_it_is_ours(chat_server: Any) -> None:
    async with httpx.AsyncClient(base_url=chat_server.address) as client:
        first = (await client.get("/chat/")).headers["set-cookie"]
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(first.split("; "))
        key = visit_key(first.split(";")[0])
        assert key is not None
        client.cookies.clear()
        assert visit_key((await client.get("/chat/")).headers["set-cookie"].split(";")[0]) != key
        client.cookies.clear()
        kept = await client.get("/chat/", headers={"cookie": f"{VISIT_COOKIE}={key}"})
        assert "set-cookie" not in kept.headers
        forged = await client.get("/chat/", headers={"cookie": f"{VISIT_COOKIE}=mine"})
        assert "set-cookie" in forged.headers
        assert "set-cookie" not in (await client.post("/chat/set-session-cookie", json={"session_id": "x"})).headers


async def test_scripts_come_compressed_and_are_kept_by_the_browser(chat_server: Any) -> None:
    async with httpx.AsyncClient(base_url=chat_server.address) as client:
        page = await client.get("/chat/")
        [script] = re.findall(r'src="(/chat/assets/index-[^"]+\.js)"', page.text)
        packed = await client.get(script)
        assert packed.headers["content-encoding"] == "gzip"
        assert "immutable" in packed.headers["cache-control"]
        plain = await client.get(script, headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.content == packed.content
        assert len(gzip.compress(plain.content)) < len(plain.content) / 2
        again = await client.get(script, headers={"if-none-match": packed.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        card = await client.get("/chat/public/elements/BeatCard.jsx")
        assert "max-age" in card.headers["cache-control"]


async def test_it_says_whether_it_lives_and_is_ready(chat_server: Any) -> None:
    async with httpx.AsyncClient(base_url=chat_server.address) as client:
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.json()) == (200, {"pack": "liveaid", "visits": True})


def test_nothing_is_written_into_the_checkout(chat_server: Any, project: Path) -> None:
    assert not (project / ".files").exists()
    assert not (project / ".chainlit" / "translations").exists()
    assert {path.name for path in (project / ".chainlit").iterdir()} == {"config.toml", "words.json"}
    assert (chat_server.data / "chat" / ".chainlit" / "config.toml").is_file()


def refused(environment: dict[str, str]) -> str:
    """What a server that cannot start says; it has to say it in one line and exit with 2."""
    command = [sys.executable, "-c", "from agent.cli import main; main()", "serve"]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = refused({"PORT": str(port), "CUESTORY_DATA": str(tmp_path)})
    assert f"port {port}" in said
    assert f"PORT={port + 1}" in said


def test_a_data_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    said = refused({"PORT": "0", "CUESTORY_DATA": str(tmp_path / "file" / "data")})
    assert str(tmp_path / "file" / "data") in said
    assert "CUESTORY_DATA" in said


def test_a_second_server_on_the_same_data_is_refused(chat_server: Any) -> None:
    assert "another server" in refused({"PORT": "0", "CUESTORY_DATA": str(chat_server.data)})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "99999"),
        ("HOST", "127.0.0.300"),
        ("WEB_CONCURRENCY", "2"),
        ("CUESTORY_ORIGINS", "museum.example"),
        ("CUESTORY_ORIGINS", "https://museum.example/tour"),
        ("CUESTORY_TOOL_STEPS", "maybe"),
        ("CUESTORY_PACK", "/no/such/pack"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path, name: str, value: str) -> None:
    said = refused({"PORT": "0", "CUESTORY_DATA": str(tmp_path), name: value})
    assert value in said


def test_cards_are_small(chat_server: Any) -> None:
    async def tour() -> list[int]:
        async with Page(chat_server.address, "S" * 43) as page:
            await page.begin("luca", "long")
            for number in range(2, 7):
                await page.choose(await page.card(number))
            return [len(json.dumps(card)) for card in page.cards]

    assert max(asyncio.run(tour())) < 200_000
