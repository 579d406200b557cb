"""Gemini through Google's own client: a fake service on this machine answers and fails in every way it can."""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_gemini import ANSWERS, FakeGemini

from agent import visit
from agent.context import StoryContext
from agent.settings import Settings
from agent.story import Story
from agent.wiring import model_narrator, story_context
from graph_tools.plan import StoryRequest

ROOT = Path(__file__).resolve().parent.parent
KEY = "sesame-0123456789"
REQUEST = StoryRequest(persona="luca", length="small", seed=3)
GOOD = ("ok", "thoughts")
ONCE = ("400", "401", "404")
"""Refusals that asking again does not mend."""


@pytest.fixture
def gemini() -> Iterator[FakeGemini]:
    with FakeGemini() as server:
        yield server


def settings_for(url: str, data: Path, *, model: str = "ok", seconds: float = 5.0) -> Settings:
    return Settings.model_validate(
        {
            "narrator": "model",
            "model": f"google_genai:{model}",
            "model_url": url,
            "google_api_key": KEY,
            "data": data,
            "model_seconds": seconds,
        }
    )


def told(ctx: StoryContext, settings: Settings) -> Story:
    narrator = model_narrator(settings, ctx.pack)
    try:
        return visit.tell_story(REQUEST, StoryContext.of(ctx.pack, narrator))
    finally:
        narrator.close()


def test_a_good_answer_is_told(ctx: StoryContext, gemini: FakeGemini, tmp_path: Path) -> None:
    story = told(ctx, settings_for(gemini.url, tmp_path))
    assert story.narrator.model == "google_genai:ok"
    assert any(beat.by_model for beat in story.beats)
    body = gemini.requests[0]
    assert body["generationConfig"]["temperature"] == 0
    assert body["generationConfig"]["responseMimeType"] == "application/json"
    assert KEY not in json.dumps(gemini.requests)
    assert gemini.headers[0].get("x-goog-api-key") == KEY


def test_thoughts_are_neither_shown_nor_kept(ctx: StoryContext, gemini: FakeGemini, tmp_path: Path) -> None:
    story = told(ctx, settings_for(gemini.url, tmp_path, model="thoughts"))
    assert any(beat.by_model for beat in story.beats)
    assert "I could lie" not in story.to_json()
    assert b"I could lie" not in (tmp_path / "phrasebook.sqlite").read_bytes()


@pytest.mark.parametrize("mode", [*sorted(set(ANSWERS) - set(GOOD)), "drop", "html"])
def test_whatever_fails_the_story_is_told_in_the_museum_s_own_words(
    ctx: StoryContext, gemini: FakeGemini, tmp_path: Path, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    gemini.mode = mode
    story = told(ctx, settings_for(gemini.url, tmp_path))
    plain = visit.tell_story(REQUEST, ctx)
    assert story.to_json() == plain.to_json()
    assert len(gemini.requests) == (1 if mode in ONCE else 3), "no try beyond the breaker"
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("agent")]
    assert len([line for line in ours if line.startswith("template wording for ")]) == 4
    everything = "\n".join(record.getMessage() + str(record.exc_info) for record in caplog.records)
    assert KEY not in everything
    assert not any(factlet.text in line for line in ours for beat in plain.beats for factlet in beat.evidence.factlets)


@pytest.mark.parametrize("mode", ["slow", "drip"])
def test_an_answer_that_takes_too_long_is_not_waited_for(
    ctx: StoryContext, gemini: FakeGemini, tmp_path: Path, mode: str
) -> None:
    gemini.mode = mode
    started = time.perf_counter()
    story = told(ctx, settings_for(gemini.url, tmp_path, seconds=0.4))
    assert story.narrator.kind == "template"
    assert time.perf_counter() - started < 8, "three beats wait for 0.4 s each, the fourth for nobody"


@pytest.mark.parametrize("mode", ["ok", "stream drop", "503"])
def test_an_answer_that_is_streamed_counts_only_whole(
    ctx: StoryContext, gemini: FakeGemini, tmp_path: Path, mode: str
) -> None:
    gemini.mode = mode
    settings = settings_for(gemini.url, tmp_path).model_copy(update={"model_options": {"streaming": True}})
    story = told(ctx, settings)
    assert any(beat.by_model for beat in story.beats) == (mode == "ok")


def test_a_service_that_is_not_there_costs_nothing_but_a_moment(ctx: StoryContext, tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        story = told(ctx, settings_for(f"http://127.0.0.1:{closed.getsockname()[1]}", tmp_path))
    assert story.narrator.kind == "template"


def test_a_second_story_makes_no_call(ctx: StoryContext, gemini: FakeGemini, tmp_path: Path) -> None:
    first = told(ctx, settings_for(gemini.url, tmp_path))
    made = len(gemini.requests)
    second = told(ctx, settings_for(gemini.url, tmp_path))
    assert first.to_json() == second.to_json()
    assert len(gemini.requests) == made > 0


def test_a_chat_without_a_key_tells_in_its_own_words_and_warns_the_operator_alone(
    project: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings.model_validate(
        {"pack": project, "narrator": "model", "model": "google_genai:some-model", "data": tmp_path}
    )
    assert story_context(settings).narrator.card.kind == "template"
    assert [record.getMessage() for record in caplog.records] == [
        "stories are told in the museum's own wording: GOOGLE_API_KEY is not set: google_genai needs a key"
    ]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from agent.cli import main; main()", "tell", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        ({}, "no language model is configured; set CUESTORY_MODEL to provider:name, as in google_genai:NAME"),
        ({"CUESTORY_MODEL": "google_genai:x"}, "GOOGLE_API_KEY is not set: google_genai needs a key"),
        ({"CUESTORY_MODEL": "gogle_genai:x"}, "unknown provider 'gogle_genai'; did you mean google_genai"),
        (
            {"CUESTORY_MODEL": "anthropic:x"},
            "langchain_anthropic is not installed; install the package langchain-anthropic",
        ),
        ({"CUESTORY_MODEL": "google_genai"}, "CUESTORY_MODEL='google_genai' cannot be used"),
    ],
)
def test_a_narrator_that_cannot_be_had_is_one_line(environment: dict[str, str], line: str, tmp_path: Path) -> None:
    done = run("--narrator", "model", CUESTORY_DATA=str(tmp_path), **environment)
    assert done.returncode == 2
    assert done.stdout == ""
    assert line in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_story_is_told_by_a_model_in_the_terminal(gemini: FakeGemini) -> None:
    environment = {
        "CUESTORY_MODEL": "google_genai:ok",
        "CUESTORY_MODEL_URL": gemini.url,
        "GOOGLE_API_KEY": KEY,
    }
    arguments = ("--persona", "luca", "--length", "small", "--seed", "3", "--narrator", "model", "--json")
    done = run(*arguments, **environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["narrator"] == {"kind": "model", "model": "google_genai:ok"}
    assert done.stderr.startswith("in beat ")
    assert done.stderr.count("\n") == 1, done.stderr
    assert KEY not in done.stdout + done.stderr


def test_a_story_of_a_model_passes_the_independent_checker(
    ctx: StoryContext, gemini: FakeGemini, tmp_path: Path, shared: Path
) -> None:
    story = tmp_path / "story.json"
    story.write_text(told(ctx, settings_for(gemini.url, tmp_path)).to_json(), encoding="utf-8")
    checker = shared / "tools" / "check_story.py"
    done = subprocess.run(
        [sys.executable, str(checker), "--kg", str(ROOT / "kg" / "liveaid.ttl"), str(story)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.live
def test_a_real_model_tells_a_story(ctx: StoryContext, tmp_path: Path, operator: dict[str, str]) -> None:
    settings = Settings.from_environment({**operator, "CUESTORY_DATA": str(tmp_path)})
    if not settings.model or (settings.model.startswith("google_genai:") and not settings.google_api_key):
        pytest.skip("CUESTORY_MODEL=google_genai:NAME and GOOGLE_API_KEY are not set")
    story = told(ctx, settings)
    assert all(beat.status == "told" for beat in story.beats)
    assert any(beat.by_model for beat in story.beats)
