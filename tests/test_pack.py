"""A pack opens whole or not at all."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agent.context import StoryContext
from graph_tools.errors import PackNotFound, UnknownQuestion
from graph_tools.pack import StoryPack, examine, tree_digest
from graph_tools.terms import Iri

TINY = Path(__file__).parent / "packs" / "tiny-observatory"


@pytest.fixture(scope="module")
def tiny() -> StoryPack:
    return StoryPack.open(TINY)


def test_a_pack_holds_what_its_files_say(tiny: StoryPack) -> None:
    assert (tiny.name, tiny.version, tiny.title, tiny.language) == ("fellside", "0.1.0", "Fellside Observatory", "en")
    assert list(tiny.library) == ["CQ-T1", "CQ-T2", "CQ-T3", "CQ-T4", "CQ-T5"]
    assert sorted(tiny.personas) == ["nora", "piet"]
    assert tiny.arcs.lead_parameter == "astronomer"
    assert tiny.defaults == {"house": Iri("http://observatory.example/id/fellside")}


def test_the_class_of_a_parameter_is_an_iri_once_loaded(tiny: StoryPack) -> None:
    assert tiny.library["CQ-T2"].cq.parameters["house"].type == "http://observatory.example/terms/Observatory"


def test_a_question_that_is_not_there_is_named_with_its_neighbours(tiny: StoryPack) -> None:
    with pytest.raises(UnknownQuestion, match="did you mean CQ-T4"):
        tiny.library["CQ-T44"]
    assert "CQ-T44" not in tiny.library


@pytest.mark.parametrize("path", ["nowhere", "."])
def test_a_directory_without_pack_toml_is_no_pack(path: str, tmp_path: Path) -> None:
    with pytest.raises(PackNotFound, match=r"there is no pack\.toml"):
        StoryPack.open(tmp_path / path)


def test_digests_are_of_the_files(tiny: StoryPack) -> None:
    whole = hashlib.sha256((TINY / "kg/people.ttl").read_bytes() + (TINY / "kg/sky.ttl").read_bytes())
    assert tiny.digests.kg == "sha256:" + whole.hexdigest() == tiny.graph.digest
    assert tiny.digests.cqs == tree_digest(TINY / "cqs")
    assert tiny.digests.snippets == "sha256:" + hashlib.sha256().hexdigest()


def test_a_renamed_or_changed_file_changes_the_digest(tmp_path: Path) -> None:
    shutil.copytree(TINY / "cqs", tmp_path / "cqs")
    before = tree_digest(tmp_path / "cqs")
    assert before == tree_digest(TINY / "cqs")
    (tmp_path / "cqs" / "arcs.toml").rename(tmp_path / "cqs" / "arks.toml")
    assert tree_digest(tmp_path / "cqs") != before


def test_a_pack_opens_the_same_in_any_process() -> None:
    script = (
        "from graph_tools.pack import StoryPack; from graph_tools.eligibility import Answers;"
        f"pack = StoryPack.open({str(TINY)!r}); a = Answers(pack);"
        "print(pack.digests, list(pack.library), [a.entities_for('CQ-T2', 'astronomer', dict(pack.defaults))],"
        "[a.rows('CQ-T5', dict(pack.defaults)).rows])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1", "424242")
    }
    assert len(said) == 1


def test_examining_a_pack_without_faults_gives_it_and_no_problems() -> None:
    pack, problems = examine(TINY)
    assert pack is not None
    assert problems == ()


def test_the_projects_own_pack_opens(ctx: StoryContext) -> None:
    pack = ctx.pack
    assert pack.name == "liveaid"
    assert len(pack.library) >= 24
