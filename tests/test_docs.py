"""The documentation says what is true: its commands run, its links lead somewhere, its example question loads."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from graph_tools.template import load_template

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "kg" / "README.md"])
SERVED = {"make chat", "make test", "make test-all", "make check"}
"""Commands that other tests run: the chat in test_server.py, the rest by whoever runs this."""
LONG = ("evaluate --runs", "evaluate mutations", "tell --all")
"""How commands begin that take a minute."""


def commands() -> list[str]:
    found: dict[str, None] = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        fenced = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
        inline = re.findall(r"`(\.venv/bin/cuestory [^`]+)`", text)
        found |= dict.fromkeys(line.split(" #")[0].strip() for line in [*fenced, *inline] if line.strip())
    return list(found)


def long(command: str) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.slow,) if any(f"cuestory {words}" in command for words in LONG) else ()


@pytest.mark.parametrize(
    "command", [pytest.param(c, marks=long(c)) for c in commands() if c not in SERVED and "build" not in c]
)
def test_a_documented_command_runs(command: str) -> None:
    words = shlex.split(command)
    assert words[0].endswith("cuestory"), f"{command!r} is no command that a test knows how to run"
    done = subprocess.run(
        [sys.executable, "-c", "from agent.cli import main; main()", *words[1:]],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout or "check" in words[1:3]


def test_the_make_targets_that_the_pages_name_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in {name for page in PAGES for name in re.findall(r"`make ([a-z]+)`", page.read_text(encoding="utf-8"))}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_question_that_the_guide_shows_is_a_valid_one(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    example = re.search(r"```sparql\n(.*?)```", guide, re.DOTALL)
    assert example is not None
    path = tmp_path / "CQ-X1.rq"
    path.write_text(example[1], encoding="utf-8")
    template = load_template(path)
    assert template.cq.id == "CQ-X1"
    assert template.variables == ("performance", "guest")


def test_the_guide_lists_every_filter_and_header_key() -> None:
    from graph_tools.cq import CompetencyQuestion, Telling
    from graph_tools.wording import FILTERS

    guide = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    for name in FILTERS:
        assert re.search(rf"`{name}[`:]", guide), name
    keys = {*CompetencyQuestion.model_fields, *Telling.model_fields}
    for name in keys:
        assert re.search(rf"[`\[]{name}\b", guide), name
