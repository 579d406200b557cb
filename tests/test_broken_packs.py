"""Every kind of fault in a pack is named by file, line, cause and remedy, and hides no other."""

import shutil
import tomllib
from pathlib import Path

import pytest

from graph_tools.checks import check_pack
from graph_tools.checks.rules import RULES
from graph_tools.errors import InvalidPack
from graph_tools.pack import StoryPack

PACKS = Path(__file__).parent / "packs"
BROKEN = sorted(path.name for path in (PACKS / "broken").iterdir() if path.is_dir())
OPENING = {"file", "pack", "question", "personas", "arcs", "words", "replies", "relations", "snippets", "tour"}
"""Rules without which a pack does not even open; the others only keep it from being released."""
BESIDE = ("kg/shapes/", "kg/vocabulary/", "kg/sources/")
"""Files that only the gate reads."""


def broken_pack(fault: str, root: Path) -> Path:
    """A copy of the tiny pack with that fault in it."""
    pack = root / "pack"
    shutil.copytree(PACKS / "tiny-observatory", pack)
    change = tomllib.loads((PACKS / "broken" / fault / "change.toml").read_text(encoding="utf-8"))
    for folder in change.get("lay", ()):
        shutil.copytree(PACKS / folder / "snippets", pack / "snippets")
    for name in change.get("remove", ()):
        (pack / name).unlink()
    for edit in change.get("copy", ()):
        shutil.copy(pack / edit["from"], pack / edit["file"])
    for edit in change.get("write", ()):
        (pack / edit["file"]).parent.mkdir(parents=True, exist_ok=True)
        (pack / edit["file"]).write_text(edit["text"], encoding="utf-8")
    for edit in change.get("replace", ()):
        path = pack / edit["file"]
        text = path.read_text(encoding="utf-8")
        assert edit["old"] in text, f"{fault}: {edit['old']!r} is not in {edit['file']}"
        path.write_text(text.replace(edit["old"], edit["new"]), encoding="utf-8")
    return pack


@pytest.fixture(scope="module")
def parses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the strict parses of all these packs are kept: most of their files are the same."""
    return tmp_path_factory.mktemp("parses")


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_pack_is_refused_with_file_line_cause_and_remedy(
    fault: str, tmp_path: Path, parses: Path, request: pytest.FixtureRequest
) -> None:
    pack = broken_pack(fault, tmp_path)
    problems = check_pack(pack, cache=parses)
    said = "".join(f"{problem}\n" for problem in problems)
    expected = PACKS / "broken" / fault / "problem.txt"
    if request.config.getoption("--update-golden"):
        expected.write_text(said, encoding="utf-8")
    assert said == expected.read_text(encoding="utf-8")
    assert said
    assert {problem.rule for problem in problems} <= RULES
    if any(problem.rule in OPENING and not problem.file.startswith(BESIDE) for problem in problems):
        with pytest.raises(InvalidPack):
            StoryPack.open(pack, cache=parses)
    else:
        assert StoryPack.open(pack, cache=parses).name == "fellside"


def test_every_rule_has_a_broken_pack() -> None:
    shown = {
        found.rpartition(" [")[2].removesuffix("]")
        for fault in BROKEN
        for found in (PACKS / "broken" / fault / "problem.txt").read_text(encoding="utf-8").splitlines()
    }
    # A row without proof, which no engine gives.
    assert RULES - shown == {"coverage-failed"}


def test_two_broken_files_are_both_reported(tmp_path: Path) -> None:
    pack = broken_pack("query-limit", tmp_path)
    path = pack / "cqs" / "CQ-T4.rq"
    path.write_text(path.read_text(encoding="utf-8").replace("#+ cap = 20", '#+ cap = "20"'), encoding="utf-8")
    (pack / "kg" / "sky.ttl").write_text("", encoding="utf-8")
    with pytest.raises(InvalidPack) as caught:
        StoryPack.open(pack)
    assert {problem.file for problem in caught.value.problems} == {"cqs/CQ-T2.rq", "cqs/CQ-T4.rq", "kg/sky.ttl"}


def test_a_link_that_leads_out_of_the_pack_is_refused(tmp_path: Path) -> None:
    pack = broken_pack("pack-unknown-key", tmp_path)
    shutil.copy(PACKS / "tiny-observatory" / "pack.toml", pack / "pack.toml")
    outside = tmp_path / "outside.ttl"
    shutil.move(pack / "kg" / "sky.ttl", outside)
    (pack / "kg" / "sky.ttl").symlink_to(outside)
    with pytest.raises(InvalidPack, match="leads out of the pack"):
        StoryPack.open(pack)


@pytest.mark.parametrize(
    ("encoding", "cause"), [("utf-16", "UTF-16"), ("latin-1", "Latin-1"), ("utf-16-le", "UTF-16")], ids=str
)
def test_another_encoding_is_named(encoding: str, cause: str, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(PACKS / "tiny-observatory", pack)
    path = pack / "kg" / "sky.ttl"
    path.write_bytes(path.read_text(encoding="utf-8").replace("Comet Marlow", "Comète").encode(encoding))
    with pytest.raises(InvalidPack, match=cause):
        StoryPack.open(pack)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(PACKS / "tiny-observatory", pack)
    for name in ("kg/sky.ttl", "cqs/CQ-T1.rq", "cqs/arcs.toml", "pack.toml"):
        (pack / name).write_bytes(b"\xef\xbb\xbf" + (pack / name).read_bytes())
    assert len(StoryPack.open(pack).library) == 5


def test_windows_line_ends_are_no_fault(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(PACKS / "tiny-observatory", pack)
    for path in (path for path in pack.rglob("*") if path.is_file()):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(StoryPack.open(pack).library) == 5
