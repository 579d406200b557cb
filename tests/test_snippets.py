"""Snippets: their files, what may be told of them and until when, and how they are found."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from types import ModuleType

import pytest

from agent.context import StoryContext
from graph_tools.embedder import DIMENSIONS, HashedEmbedder, Vector
from graph_tools.errors import IndexUnavailable, InvalidPack
from graph_tools.lexicon import Words
from graph_tools.pack import StoryPack
from graph_tools.retrieval import SnippetSearch
from graph_tools.snippet import VettedSnippet
from graph_tools.snippet_index import ChromaIndex, OnnxEmbedder, VectorFile
from graph_tools.snippet_ranking import WordIndex, fused, places

PACKS = Path(__file__).parent / "packs"


def lettered(root: Path, *edits: tuple[str, str]) -> Path:
    """The tiny pack with its letters, and with these texts of their file changed."""
    pack = root / "pack"
    shutil.copytree(PACKS / "tiny-observatory", pack)
    shutil.copytree(PACKS / "fellside-letters" / "snippets", pack / "snippets")
    letters = pack / "snippets" / "letters.toml"
    text = letters.read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    letters.write_text(text, encoding="utf-8")
    return pack


def note(name: str, text: str) -> VettedSnippet:
    return VettedSnippet.model_validate({
        "id": name,
        "text": text,
        "topic": "people",
        "entities": ("http://observatory.example/id/edith-marlow",),
        "source_url": "https://letters.example/1",
        "source_title": "Letters",
        "publisher": "The Courier",
        "accessed": "2026-12-01",
        "licence": "own words",
        "tier": 1,
        "state": "checked-against-claims",
        "spoken": "The Courier",
        "claim": ({"says": "she kept a cat in the dome", "about": ("http://observatory.example/id/edith-marlow",)},),
    })  # fmt: skip


NOTES = (
    note("cats", "She kept a cat in the dome, and it caught the mice."),
    note("comets", "He found his comet while he was looking for his glasses."),
    note("lamps", "They worked by lantern light, and nobody was to talk."),
)
IDS = ("cats", "comets", "lamps")


def test_a_pack_without_snippets_has_none(tmp_path: Path) -> None:
    shutil.copytree(PACKS / "tiny-observatory", tmp_path / "pack")
    assert StoryPack.open(tmp_path / "pack").snippets.held == ()


def test_snippets_are_opened_with_the_pack_by_id(tmp_path: Path) -> None:
    pack = StoryPack.open(lettered(tmp_path))
    assert [snippet.id for snippet in pack.snippets.told] == ["letters-001", "letters-002"]
    assert pack.snippets.told[0].published == "1911-03-04"
    assert set(pack.snippets.wordings) == set(pack.personas)


def test_what_was_withdrawn_is_kept_and_never_told(tmp_path: Path) -> None:
    state = 'tier = 1\nstate = "checked-against-claims"'
    gone = 'tier = 1\nstate = "withdrawn"\nwithdrawn_because = "The page is gone."'
    snippets = StoryPack.open(lettered(tmp_path, (state, gone))).snippets
    assert [snippet.id for snippet in snippets.held] == ["letters-001", "letters-002"]
    assert [snippet.id for snippet in snippets.told] == ["letters-002"]


@pytest.mark.parametrize(
    ("today", "told"),
    [(None, 2), (date(2027, 5, 1), 2), (date(2027, 5, 2), 1)],
    ids=["no day", "last day", "day after"],
)
def test_a_snippet_expires_only_by_a_day_that_was_given(today: date | None, told: int, tmp_path: Path) -> None:
    pack = lettered(tmp_path, ("tier = 1\n", "tier = 1\nexpires = 2027-05-01\n"))
    assert len(StoryPack.open(pack, today=today).snippets.told) == told


def test_a_page_cannot_have_been_read_on_a_day_to_come(tmp_path: Path) -> None:
    pack = lettered(tmp_path)
    with pytest.raises(InvalidPack, match="which is still to come"):
        StoryPack.open(pack, today=date(2026, 11, 30))


def test_one_faulty_file_hides_the_faults_of_no_other(tmp_path: Path) -> None:
    pack = lettered(tmp_path, ('spoken = "The', 'spoken_as = "The'))
    (pack / "snippets" / "more.toml").write_text("snippet = 7\n", encoding="utf-8")
    (pack / "snippets" / "bytes.toml").write_bytes('title = "Comète"'.encode("latin-1"))
    (pack / "snippets" / "wording.toml").write_text("[voice]\n", encoding="utf-8")
    with pytest.raises(InvalidPack) as caught:
        StoryPack.open(pack)
    files = {problem.file for problem in caught.value.problems}
    assert files == {f"snippets/{name}.toml" for name in ("bytes", "letters", "more", "wording")}


def test_the_embedder_gives_the_same_vectors_whatever_it_is_asked_before() -> None:
    texts = [snippet.searched for snippet in NOTES]
    one, other = HashedEmbedder(texts), HashedEmbedder(reversed(texts))
    assert one.name == other.name
    assert one.passages(texts) == list(reversed(other.passages(list(reversed(texts)))))
    assert {len(vector) for vector in one.passages(texts)} == {DIMENSIONS}
    assert one.question("") == one.question("!")
    assert HashedEmbedder(texts[:2]).name != one.name


def test_what_shares_words_or_parts_of_words_is_nearer() -> None:
    index = held(NOTES)
    assert index.nearest("a comet that somebody found", IDS)[0] == "comets"
    assert index.nearest("lanterns and talking", IDS)[0] == "lamps"


def test_equally_near_snippets_come_by_id_however_often_one_asks() -> None:
    twins = tuple(note(f"twin-{n:02}", "The same words in every one of them.") for n in range(20))
    index = held(twins)
    names = [snippet.id for snippet in twins]
    assert index.nearest("the same words", names) == tuple(names)
    assert index.nearest("the same words", names) == index.nearest("the same words", reversed(names))  # type: ignore[arg-type]


def test_only_what_is_asked_for_is_found() -> None:
    index = held(NOTES)
    assert index.nearest("a comet", ["cats"]) == ("cats",)
    assert index.nearest("a comet", ["dogs"]) == ()
    assert index.nearest("a comet", []) == ()


def test_an_index_follows_its_snippets() -> None:
    index = held(NOTES)
    changed = note("cats", "Dogs, it was dogs that barked at the comet.")
    index.hold((changed, NOTES[1]))
    assert len(index) == 2
    assert index.nearest("dogs that bark", IDS) == ("cats", "comets")
    index.hold(())
    assert index.nearest("dogs", IDS) == ()


def held(snippets: Sequence[VettedSnippet]) -> ChromaIndex:
    index = ChromaIndex(HashedEmbedder(snippet.searched for snippet in NOTES))
    index.hold(snippets)
    return index


class CountingEmbedder:
    """Embeds by length, and counts for how many texts it was asked."""

    def __init__(self, name: str = "counting", *, silent: bool = False) -> None:
        self.name = name
        self.asked = 0
        self.silent = silent

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        if self.silent:
            raise IndexUnavailable("nobody answers; try again later")
        self.asked += len(texts)
        return [[1.0, float(len(text))] for text in texts]

    def question(self, text: str) -> Vector:
        return [1.0, float(len(text))]


def asked(path: Path, snippets: Sequence[VettedSnippet] = NOTES, name: str = "counting") -> int:
    """For how many texts a new index asks its embedder."""
    embedder = CountingEmbedder(name)
    ChromaIndex(embedder, VectorFile(path)).hold(snippets)
    return embedder.asked


def test_vectors_are_kept_until_the_text_or_the_embedder_changes(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "vectors.json"
    assert [asked(path), asked(path)] == [3, 0]
    assert asked(path, (*NOTES[:2], note("lamps", "Candles it was, and everybody talked."))) == 1
    assert asked(path, name="another") == 3
    assert asked(path, NOTES[:1], name="another") == 0


@pytest.mark.parametrize(
    "broken", ["", "{", "[]", '{"embedder": "counting"}', '{"embedder": "counting", "vectors": {"a": 1}}']
)
def test_a_broken_file_of_vectors_is_made_anew(broken: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.json"
    assert asked(path) == 3
    path.write_text(broken, encoding="utf-8")
    assert [asked(path), asked(path)] == [3, 0]
    path.unlink()
    assert [asked(path), asked(path)] == [3, 0]


def test_where_nothing_can_be_written_vectors_are_made_each_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    assert [asked(tmp_path / "file" / "vectors.json") for _ in range(2)] == [3, 3]
    (tmp_path / "vectors.json").mkdir()
    assert [asked(tmp_path / "vectors.json") for _ in range(2)] == [3, 3]
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["file"]


def test_a_file_of_vectors_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "vectors.json"
    asked(path)
    assert set(json.loads(path.read_text(encoding="utf-8"))) == {"embedder", "vectors"}
    assert [found.name for found in tmp_path.iterdir()] == ["vectors.json"]


def test_an_embedder_that_does_not_answer_is_no_empty_index(tmp_path: Path) -> None:
    index = ChromaIndex(CountingEmbedder(silent=True), VectorFile(tmp_path / "vectors.json"))
    with pytest.raises(IndexUnavailable, match="nobody answers"):
        index.hold(NOTES)
    assert list(tmp_path.iterdir()) == []


def test_vectors_of_another_length_are_refused_in_one_line() -> None:
    class Growing(CountingEmbedder):
        def question(self, text: str) -> Vector:
            return [1.0] * 7

    index = ChromaIndex(Growing())
    index.hold(NOTES)
    with pytest.raises(IndexUnavailable, match="Chroma cannot be used here") as caught:
        index.nearest("a comet", IDS)
    assert len(str(caught.value).splitlines()) == 1


def test_the_model_of_onnx_is_never_downloaded(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailable, match="onnx needs the files of all-MiniLM-L6-v2 in") as caught:
        OnnxEmbedder(tmp_path)
    assert "\n" not in str(caught.value)


def test_words_score_by_how_rare_they_are_and_not_by_the_length_of_a_text() -> None:
    texts = {"a": "the comet and the dome", "b": "the dome and the dome and the lamp", "c": "the lamp"}
    index = WordIndex(texts, Words(small=("the", "and")), "en")
    assert index.score("comets", "a") > index.score("a dome", "a") > 0
    assert index.score("comets", "b") == 0
    assert index.score("the", "a") == 0
    assert index.likeness("comets", "one comet") > index.likeness(
        "comets", "one comet among many other things in the sky"
    )


def test_equal_scores_share_a_rank() -> None:
    assert places({"a": 2, "b": 3, "c": 2, "d": 1}) == {"b": 1, "a": 2, "c": 2, "d": 4}


def test_rankings_are_fused_by_the_sum_of_reciprocal_ranks_with_ties_by_id() -> None:
    rankings = {"likeness": {"cats": 1, "comets": 2, "lamps": 3}, "words": {"comets": 1}}
    found = fused(NOTES, rankings, {"comets": "Edith Marlow"})
    assert [(ranked.snippet.id, ranked.score) for ranked in found] == [
        ("comets", round(1 / 62 + 1 / 61, 6)),
        ("cats", round(1 / 61, 6)),
        ("lamps", round(1 / 63, 6)),
    ]
    assert found[0].why == "about Edith Marlow; number 2 by likeness and number 1 by words"
    assert [ranked.snippet.id for ranked in fused(reversed(NOTES), {}, {})] == list(IDS)


def _benchmark() -> ModuleType:
    path = Path(__file__).resolve().parent.parent / "benchmarks" / "retrieval.py"
    spec = importlib.util.spec_from_file_location("retrieval_benchmark", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_fused_ranking_finds_more_than_words_alone(ctx: StoryContext) -> None:
    """Judged by hand; docs/strategies.md has the figures."""
    benchmark = _benchmark()
    lines = list(benchmark.judged(ctx))
    rankers = benchmark.rankers(ctx, SnippetSearch(ctx.pack))
    found = {name: benchmark.measure(rank, lines) for name, rank in rankers.items()}
    fused_ = found.pop(benchmark.FUSED)
    served = found.pop(benchmark.SERVED)
    assert fused_.questions > 100
    assert all(fused_.ndcg >= other.ndcg and fused_.recall >= other.recall for other in found.values())
    assert fused_.ndcg >= found[benchmark.WORDS_ALONE].ndcg + 0.2
    assert served.right >= 0.9
    assert served.first >= 0.95
