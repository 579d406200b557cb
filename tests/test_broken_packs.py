"""Every kind of fault in a pack is named by file, line, cause and remedy, and hides no other."""

import shutil
import tomllib
from pathlib import Path

import pytest

from graph_tools.checks import check_pack
from graph_tools.errors import InvalidPack
from graph_tools.pack import StoryPack

PACKS = Path(__file__).parent / "packs"
BROKEN = sorted(path.name for path in (PACKS / "broken").iterdir() if path.is_dir())
ONLY_THE_GATE = {"graph-dangling-iri", "graph-unnamed-thing", "graph-number-not-canonical", "graph-control-character"}
ONLY_THE_GATE |= {
    "graph-does-not-answer",
    "graph-year-typed-as-a-date",
    "graph-day-that-never-was",
    "query-https-for-http",
}


def broken_pack(fault: str, root: Path) -> Path:
    """A copy of the tiny pack with that fault in it."""
    pack = root / "pack"
    shutil.copytree(PACKS / "tiny-observatory", pack)
    change = tomllib.loads((PACKS / "broken" / fault / "change.toml").read_text(encoding="utf-8"))
    for edit in change.get("copy", ()):
        shutil.copy(pack / edit["from"], pack / edit["file"])
    for edit in change.get("write", ()):
        (pack / edit["file"]).write_text(edit["text"], encoding="utf-8")
    for edit in change.get("replace", ()):
        path = pack / edit["file"]
        text = path.read_text(encoding="utf-8")
        assert edit["old"] in text, f"{fault}: {edit['old']!r} is not in {edit['file']}"
        path.write_text(text.replace(edit["old"], edit["new"]), encoding="utf-8")
    return pack


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_pack_is_refused_with_file_line_cause_and_remedy(
    fault: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    pack = broken_pack(fault, tmp_path)
    said = "".join(f"{problem}\n" for problem in check_pack(pack))
    expected = PACKS / "broken" / fault / "problem.txt"
    if request.config.getoption("--update-golden"):
        expected.write_text(said, encoding="utf-8")
    assert said == expected.read_text(encoding="utf-8")
    assert said
    if fault not in ONLY_THE_GATE:
        with pytest.raises(InvalidPack):
            StoryPack.open(pack)


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
    for path in (*pack.glob("cqs/*"), pack / "pack.toml", *pack.glob("kg/*")):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(StoryPack.open(pack).library) == 5
