"""`cuestory ask`: a question in the visitor's own words is told, or refused with what comes closest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent.asking import answer, tell
from agent.context import StoryContext
from graph_tools.errors import UnknownPersona
from graph_tools.router import Router


def ask(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from agent.cli import main; main()", "ask", *arguments],
        cwd=project,
        env=os.environ,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def router(ctx: StoryContext) -> Router:
    return Router(ctx.pack, ctx.composer)


def test_a_question_is_answered_with_a_beat_of_the_story_file(project: Path) -> None:
    said = ask(project, "which songs did Status Quo play?")
    told = json.loads(ask(project, "which songs did Status Quo play?", "--json").stdout)
    assert said.returncode == 0, said.stderr
    assert told["outcome"] == "routed"
    beat = told["beat"]
    assert beat["status"] == "told"
    assert beat["index"] == 0
    assert {"questions", "sentences", "factlets", "snippets", "media", "step"} <= beat.keys()
    assert said.stdout.strip() == " ".join(sentence["text"] for sentence in beat["sentences"])
    known = {factlet["id"] for factlet in beat["factlets"]}
    assert all(set(sentence["evidence"]) <= known for sentence in beat["sentences"])


def test_what_cannot_be_answered_is_refused_with_the_closest_questions(project: Path) -> None:
    said = ask(project, "who was Freddie Mercury married to?")
    refused = json.loads(ask(project, "who was Freddie Mercury married to?", "--json", "--persona", "luca").stdout)
    assert said.returncode == 0
    assert "can't prove" in said.stdout
    assert "- " in said.stdout
    assert refused["outcome"] == "refused"
    assert refused["kind"] == "near"
    assert refused["beat"] is None
    assert 1 <= len(refused["nearest"]) <= 3
    assert {"cq", "question", "bindings"} == refused["nearest"][0].keys()


def test_another_pack_is_asked_with_its_own_words(project: Path) -> None:
    done = ask(project, "what did marlow find", "--pack", "tests/packs/tiny-observatory", "--persona", "nora")
    assert done.returncode == 0, done.stderr
    assert "Marlow" in done.stdout


def test_an_unknown_persona_is_named_with_the_nearest(project: Path) -> None:
    done = ask(project, "who played?", "--persona", "ema")
    assert done.returncode == 2
    assert done.stderr == "cuestory: unknown persona 'ema'; did you mean emma?\n"


def test_the_same_question_gives_the_same_answer(ctx: StoryContext, router: Router) -> None:
    first, second = (answer("what went wrong?", "luca", ctx, router).to_json() for _ in range(2))
    assert first == second
    with pytest.raises(UnknownPersona):
        answer("what went wrong?", "nobody", ctx, router)


@pytest.mark.parametrize("persona", ["emma", "luca"])
def test_what_is_routed_can_be_told_alone(ctx: StoryContext, router: Router, persona: str) -> None:
    composer = ctx.composer(persona)
    for cq in composer.leading():
        question = composer.question(cq, None)
        if question is not None and composer.tellable(question):
            beat, thread = tell(question, persona, ctx)
            assert beat.status == "told", (cq.id, beat.suppressed_because)
            assert thread.asked == (question.key,)
