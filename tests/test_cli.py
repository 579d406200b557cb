"""The commands: results on stdout, talk on stderr, exit codes, one line for a wrong use."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("langgraph", "langchain_core", "chainlit", "chromadb", "google")


def cuestory(project: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from agent.cli import main; main()", *arguments],
        cwd=project,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("tell", "--persona", "ema"), "unknown persona 'ema'; did you mean emma?"),
        (("tell", "--length", "lng"), "unknown length 'lng'; did you mean long?"),
        (("tell", "--strategy", "hybird"), "unknown strategy 'hybird'; did you mean hybrid?"),
        (("tell", "--seed", "-1"), "-1"),
        (("cqs", "run", "CQ-L100"), "CQ-L10"),
        (("cqs", "run", "CQ-L10", "--bind", "artist=Quen"), "Queen"),
        (("cqs", "run", "CQ-L10", "--bind", "artits=Queen"), "no parameter 'artits'; did you mean artist?"),
        (("cqs", "run", "CQ-L10", "--bind", "artist=Wembley Stadium"), "MusicArtist"),
        (("cqs", "run", "CQ-L10"), "artist"),
        (("tell", "--pack", "no/such/pack"), "no/such/pack"),
        (("cqs", "run", "CQ-L10", "--bind", "artist=Queen", "--bind", "artist=U2"), "--bind artist is given twice"),
        (("tell", "--timings", "no/such/directory/t.json"), "no/such/directory"),
        (("tell", "--pack", "no\nsuch"), "no pack at no such: "),
        (("tel",), "unknown command 'tel'; did you mean tell?"),
    ],
)
def test_a_wrong_use_is_one_line_that_names_the_thing_and_the_nearest_valid_one(
    project: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    done = cuestory(project, *arguments)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


def test_tell_prints_the_story_and_json_the_story_file(project: Path) -> None:
    request = ("--persona", "luca", "--length", "small", "--seed", "5")
    text = cuestory(project, "tell", *request)
    story = json.loads(cuestory(project, "tell", *request, "--json").stdout)
    assert text.returncode == 0
    assert text.stderr == ""
    assert story["format"] == "cuestory.story/1"
    told = [" ".join(s["text"] for s in beat["sentences"]) for beat in story["beats"] if beat["status"] == "told"]
    assert text.stdout == "\n\n".join(told) + "\n"
    assert story["request"] == {"persona": "luca", "length": "small", "strategy": "kg", "seed": 5, "lang": "en"}
    assert all(digest.startswith("sha256:") for name, digest in story["pack"].items() if name.endswith("_digest"))


def test_telling_imports_no_framework(project: Path) -> None:
    code = (
        "import sys; from agent.cli import cli\n"
        "try: cli.main(['tell', '--length', 'small'], standalone_mode=False)\n"
        f"finally: print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project, capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert done.stderr.strip() == "[]"


def test_timings_go_to_a_file_of_their_own(project: Path, tmp_path: Path) -> None:
    done = cuestory(project, "tell", "--length", "small", "--timings", str(tmp_path / "t.json"))
    assert done.returncode == 0
    assert set(json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))) == {"open_seconds", "tell_seconds"}


@pytest.mark.parametrize("extra", [(), ("--json",)], ids=["text", "json"])
def test_a_pack_with_a_fault_ends_the_check_with_exit_code_1(
    project: Path, tmp_path: Path, extra: tuple[str, ...]
) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(project / "tests" / "packs" / "tiny-observatory", pack)
    assert cuestory(project, "check", "--pack", str(pack), *extra).returncode == 0
    (pack / "kg" / "sky.ttl").write_text("", encoding="utf-8")
    done = cuestory(project, "check", "--pack", str(pack), *extra)
    assert done.returncode == 1
    assert "the file is empty" in done.stdout


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252"])
def test_a_story_has_the_same_bytes_in_every_locale(project: Path, encoding: str) -> None:
    request = ("tell", "--length", "small", "--json")
    expected = cuestory(project, *request)
    assert "“" in expected.stdout
    assert cuestory(project, *request, PYTHONIOENCODING=encoding).stdout == expected.stdout


def test_a_reader_that_has_heard_enough_is_no_fault(project: Path) -> None:
    command = [sys.executable, "-c", "from agent.cli import main; main()", "cqs", "list"]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as listing:
        assert listing.stdout is not None
        assert listing.stderr is not None
        listing.stdout.close()
        assert listing.stderr.read() == b""
    assert listing.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_is_one_line(project: Path) -> None:
    command = [sys.executable, "-c", "from agent.cli import main; main()", "cqs", "list"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, cwd=project, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("cuestory: cannot read or write: ")
    assert done.stderr.count("\n") == 1


def test_the_library_can_be_listed_shown_and_run(project: Path) -> None:
    listed = cuestory(project, "cqs", "list").stdout
    assert "CQ-L10" in listed
    shown = cuestory(project, "cqs", "show", "CQ-L10").stdout
    assert shown == (project / "cqs" / "CQ-L10.rq").read_text(encoding="utf-8")
    ran = cuestory(project, "cqs", "run", "CQ-L10", "--bind", "artist=Queen")
    assert ran.stdout.count("\n") == 6
    assert "Bohemian Rhapsody" in ran.stdout.splitlines()[0]
    assert "We Are the Champions" in ran.stdout.splitlines()[-1]
    assert ran.stderr == "6 rows\n"


def test_a_name_cannot_give_orders_to_the_terminal(project: Path, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(project / "tests" / "packs" / "tiny-observatory", pack)
    graph = pack / "kg" / "sky.ttl"
    text = graph.read_text(encoding="utf-8")
    graph.write_text(text.replace('"Comet Marlow"', '"Comet \\u001B[2J\\u202EMarlow"'), encoding="utf-8")
    comet = "http://observatory.example/id/comet-marlow"
    for command in (("tell", "--persona", "nora"), ("cqs", "run", "CQ-T5"), ("kg", "find", comet)):
        told = cuestory(project, *command, "--pack", str(pack)).stdout
        assert "\x1b" not in told
        assert "\u202e" not in told
    assert told.startswith("Comet [2JMarlow  <")


def test_an_entity_is_found_by_its_name(project: Path) -> None:
    done = cuestory(project, "kg", "find", "the Boomtown Rats", "--json")
    assert json.loads(done.stdout)["iri"] == "http://wembrewind.live/ex#TheBoomtownRats"


def test_every_command_has_help_with_an_example(project: Path) -> None:
    for words in (("tell",), ("plan",), ("serve",), ("check",), ("kg", "build"), ("kg", "find"), ("cqs", "list"),
                  ("cqs", "show"), ("cqs", "run"), ("cqs", "coverage"), ("cqs", "export")):  # fmt: skip
        done = cuestory(project, *words, "--help")
        assert done.returncode == 0
        assert f"Example: cuestory {' '.join(words)}" in done.stdout
