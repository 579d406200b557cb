"""A Gemini on this machine: what the service answers, and every way in which it fails, each as a switch.

    python tests/fakes/fake_gemini.py 8400      # then CUESTORY_MODEL=google_genai:ok CUESTORY_MODEL_URL=http://127.0.0.1:8400

The path and the shapes are those that Google's own client sends and reads: POST /v1beta/models/NAME:generateContent and
:streamGenerateContent?alt=sse. The model's name is the switch (`MODES`), unless the server was given another one.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from agent.lies import Request

Json = dict[str, Any]
USAGE = {"promptTokenCount": 500, "candidatesTokenCount": 70, "totalTokenCount": 570}
HTML = b"<!doctype html><title>502 Bad Gateway</title>"


def facts(prompt: str) -> str:
    """The answer of a model that does no more than say the facts."""
    request = Request.of(prompt)
    said = [{"text": request.facts[ids[0]], "evidence": [ids[0]]} for _, ids in request.drafts]
    return json.dumps({"sentences": said}, ensure_ascii=False)


def candidate(text: str | None, finish: str = "STOP", parts: list[Json] | None = None) -> Json:
    given: Json = {"index": 0, "finishReason": finish}
    if parts is not None or text is not None:
        given["content"] = {"role": "model", "parts": parts if parts is not None else [{"text": text}]}
    return {"candidates": [given], "usageMetadata": USAGE, "modelVersion": "fake", "responseId": "r1"}


def error(code: int, status: str, words: str, *details: Json) -> tuple[int, Json]:
    return code, {"error": {"code": code, "message": words, "status": status, "details": list(details)}}


def retry_in(seconds: int) -> Json:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{seconds}s"}


ANSWERS: dict[str, Callable[[str], tuple[int, Json]]] = {
    "ok": lambda text: (200, candidate(text)),
    "thoughts": lambda text: (
        200,
        candidate(None, parts=[{"text": "I could lie.", "thought": True}, {"text": text, "thoughtSignature": "c2ln"}]),
    ),
    "safety": lambda _: (200, candidate(None, "SAFETY")),
    "recitation": lambda _: (200, candidate(None, "RECITATION")),
    "unknown reason": lambda text: (200, candidate(text, "LANGUAGE")),
    "blocked prompt": lambda _: (200, {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": USAGE}),
    "no candidates": lambda _: (200, {"candidates": [], "usageMetadata": USAGE}),
    "no parts": lambda _: (200, candidate(None, parts=[])),
    "cut off": lambda text: (200, candidate(text[: len(text) // 2], "MAX_TOKENS")),
    "cut off but whole": lambda text: (200, candidate(text, "MAX_TOKENS")),
    "truncated": lambda text: (200, candidate(text[:-4])),
    "prose": lambda _: (200, candidate("Here is your story.")),
    "empty list": lambda _: (200, candidate('{"sentences": []}')),
    "wrong ids": lambda text: (200, candidate(re.sub(r'"f\d+"', '"f999"', text))),
    "400": lambda _: error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
    "401": lambda _: error(401, "UNAUTHENTICATED", "no valid key"),
    "404": lambda _: error(404, "NOT_FOUND", "this model is no longer available"),
    "429": lambda _: error(429, "RESOURCE_EXHAUSTED", "quota exceeded", retry_in(37)),
    "500": lambda _: error(500, "INTERNAL", "an internal error"),
    "503": lambda _: error(503, "UNAVAILABLE", "the model is overloaded"),
}  # fmt: skip
DROPPED = ("drop", "stream drop", "html", "slow", "drip")
MODES = (*ANSWERS, *DROPPED)


class FakeGemini:
    """The server; `with FakeGemini() as gemini:` runs it on a free port."""

    def __init__(self, mode: str = "", answer: Callable[[str], str] = facts, port: int = 0) -> None:
        self.mode = mode
        """Which switch is on; empty: the one that the model's name says."""
        self.answer = answer
        """What a good answer to a prompt is."""
        self.requests: list[Json] = []
        """The bodies that came, in order."""
        self.headers: list[dict[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.02)

    def __enter__(self) -> FakeGemini:
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(gemini: FakeGemini) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's own name
            """Says nothing."""

        def do_POST(self) -> None:  # likewise
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            found = re.search(r"/models/([^/:]+):(\w+)", self.path)
            assert found is not None, self.path
            gemini.requests.append(body)
            gemini.headers.append(dict(self.headers))
            mode = gemini.mode or found[1]
            prompt = "\n".join(part.get("text", "") for turn in body["contents"] for part in turn["parts"])
            text = gemini.answer(prompt)
            if mode == "drop":
                self._hang_up()
            elif mode == "html":
                self._send(502, HTML, "text/html")
            elif mode == "slow":
                time.sleep(3)
                self._json(200, candidate(text))
            elif mode == "drip":
                self._drip()
            elif found[2] == "streamGenerateContent":
                self._stream(mode, text)
            else:
                self._json(*ANSWERS[mode if mode in ANSWERS else "ok"](text))

        def _hang_up(self) -> None:
            self.close_connection = True
            self.connection.shutdown(2)

        def _drip(self) -> None:
            """A byte now and then: no read takes long, and the answer never ends."""
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "100000")
            self.end_headers()
            try:
                for _ in range(60):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.05)
            except OSError:
                return

        def _stream(self, mode: str, text: str) -> None:
            if mode in ANSWERS and mode != "ok":
                self._json(*ANSWERS[mode](text))
                return
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            pieces = [text[at : at + 40] for at in range(0, len(text), 40)]
            for number, piece in enumerate(pieces):
                if mode == "stream drop" and number == 1:
                    self._hang_up()
                    return
                chunk = candidate(piece)
                if number < len(pieces) - 1:
                    del chunk["candidates"][0]["finishReason"]
                data = f"data: {json.dumps(chunk)}\r\n\r\n".encode()
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.write(b"0\r\n\r\n")

        def _json(self, code: int, given: Json) -> None:
            self._send(code, json.dumps(given).encode(), "application/json")

        def _send(self, code: int, data: bytes, kind: str) -> None:
            try:
                self.send_response(code)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:  # nobody waited so long
                return

    return Handler


if __name__ == "__main__":
    server = FakeGemini(port=int(sys.argv[1]) if len(sys.argv) > 1 else 8400)
    sys.stdout.write(f"a fake Gemini listens at {server.url}\n")
    server.serve()
