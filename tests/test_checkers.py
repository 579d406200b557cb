"""Checkers of sentences: the same sentences for the same seed, put to each measure; printed, written with its seed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agent.cli import cli
from agent.context import StoryContext
from evaluation.checkers import CHECKERS, TRUE, Tried, shares, table, tried
from graph_tools.pack import StoryPack

PACK = "tests/packs/tiny-observatory"


@pytest.fixture(scope="module")
def found(project: Path) -> list[Tried]:
    return list(tried(StoryContext.of(StoryPack.open(project / PACK)), 3, answers=1, each=2))


def mutations(*words: str) -> Result:
    done = CliRunner().invoke(cli, ["evaluate", "mutations", "--pack", PACK, *words])
    assert done.exit_code == 0, done.output
    return done


def test_no_true_sentence_is_stopped_by_the_gate_and_nearly_no_false_one_passes(found: list[Tried]) -> None:
    true = [one for one in found if one.kind == TRUE]
    false = [one for one in found if one.kind != TRUE]
    assert [one.text for one in true if "proved" not in one.passed] == []
    assert len(false) > 5 * len(true)
    assert sum("proved" in one.passed for one in false) < 0.03 * len(false)


def test_overlap_of_words_stops_less_than_half_of_what_is_false(found: list[Tried]) -> None:
    # The finding that docs/evaluation.md has in figures; a gate that passed everything would fail the test above.
    false = [one for one in found if one.kind != TRUE]
    for name in ("support", "citation_recall"):
        assert 0 < sum(name not in one.passed for one in false) < len(false) / 2


def test_shares_are_of_each_kind_and_the_last_row_weighs_them_by_their_sentences() -> None:
    every = frozenset(CHECKERS)
    counted = shares(
        [
            Tried(TRUE, "a", every),
            Tried("negated", "b", every),
            Tried("negated", "c", every - {"proved"}),
            Tried("number", "d", frozenset()),
        ]
    )
    assert list(counted) == [TRUE, "number", "negated"]
    assert counted["negated"] == {"sentences": 2, "support": 0.0, "citation_recall": 0.0, "proved": 0.5}
    last = table(counted).splitlines()[-1]
    assert last == "| all false sentences | 3 | 33.3 | 33.3 | 66.7 |"


def test_the_command_writes_what_it_prints_with_its_seed(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "mutations.json"
    printed = mutations("--seed", "3", "--each", "1", "--json", "--out", str(path)).stdout
    assert path.read_text(encoding="utf-8") == printed
    document = json.loads(printed)
    assert (document["format"], document["seed"], document["answers"], document["each"]) == (
        "cuestory.mutations/1", 3, 1, 1,
    )  # fmt: skip
    assert mutations("--seed", "3", "--each", "1").stdout == table(document["stopped"])
    assert json.loads(mutations("--seed", "4", "--each", "1", "--json").stdout)["stopped"] != document["stopped"]
