"""Embedders by configuration: what an operator may choose, and what happens where one does not answer."""

from __future__ import annotations

import logging
import shutil
from datetime import date
from pathlib import Path

import pytest

from agent import visit
from agent.embedding import GoogleEmbedder
from agent.settings import InvalidSettings, Settings
from agent.wiring import context_of, index_maker
from graph_tools.errors import IndexUnavailable
from graph_tools.pack import StoryPack
from graph_tools.plan import Question
from graph_tools.retrieval import own_index

PACKS = Path(__file__).parent / "packs"


def lettered(root: Path) -> Path:
    """The tiny pack with its letters, beside what it tells of its astronomers."""
    pack = root / "pack"
    shutil.copytree(PACKS / "tiny-observatory", pack)
    shutil.copytree(PACKS / "fellside-letters" / "snippets", pack / "snippets")
    question = pack / "cqs" / "CQ-T3.rq"
    text = question.read_text(encoding="utf-8")
    question.write_text(text.replace("#+ sources", "#+ enrich = true\n#+ sources", 1), encoding="utf-8")
    return pack


class Answering:
    """A client that knows two kinds of text: those with a lantern in them, and others."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [3.0, 4.0] if "lantern" in text else [4.0, -3.0]


class Refusing(Answering):
    """A client whose key is not accepted."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise RuntimeError("400 API key not valid\nplease pass a valid one")

    def embed_query(self, text: str) -> list[float]:
        raise RuntimeError("400 API key not valid\nplease pass a valid one")


class Forgetting(Answering):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0]]


def test_vectors_of_a_service_have_length_one() -> None:
    embedder = GoogleEmbedder("some-model", Answering())
    assert embedder.name == "google-some-model"
    for vector in (*embedder.passages(["a", "bb"]), embedder.question("ccc")):
        assert sum(part * part for part in vector) == pytest.approx(1)


@pytest.mark.parametrize(
    ("client", "cause"), [(Refusing(), "API key not valid"), (Forgetting(), "1 vectors for 2 texts")]
)
def test_a_service_that_does_not_answer_is_named_in_one_line(client: Answering, cause: str) -> None:
    with pytest.raises(IndexUnavailable, match=cause) as caught:
        GoogleEmbedder("some-model", client).passages(["a", "b"])
    assert "\n" not in str(caught.value)


def test_snippets_are_found_by_the_vectors_of_a_service(tmp_path: Path) -> None:
    pack = StoryPack.open(lettered(tmp_path))
    index = own_index(pack, GoogleEmbedder("some-model", Answering()))
    both = ["letters-001", "letters-002"]
    assert index.nearest("by lantern light", both) == tuple(both)
    assert index.nearest("by day", both) == tuple(reversed(both))


@pytest.mark.parametrize("embedder", ["google:some-model", "onnx"])
def test_without_its_key_or_its_files_an_embedder_stops_no_story(
    embedder: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    ctx = context_of(StoryPack.open(lettered(tmp_path)), Settings(embedder=embedder, data=tmp_path / "data"))
    bindings = {
        "astronomer": "http://observatory.example/id/edith-marlow",
        "house": "http://observatory.example/id/fellside",
    }
    question = Question(cq="CQ-T3", question="Who was Edith Marlow?", bindings=bindings)
    with caplog.at_level(logging.WARNING):
        evidence = visit.ask(question, ctx, "hybrid")
    assert evidence == visit.ask(question, ctx)
    assert evidence.factlets
    assert [record.name for record in caplog.records] == ["graph_tools.retrieval.hybrid"]
    assert "go on with what the graph answers" in caplog.text


def test_the_default_index_needs_no_settings() -> None:
    assert index_maker(Settings()) is own_index


@pytest.mark.parametrize("value", ["Default", "google:", "google", "openai:x", "google:../../etc "])
def test_an_unknown_embedder_is_refused_by_name(value: str) -> None:
    with pytest.raises(InvalidSettings, match="CUESTORY_EMBEDDER="):
        Settings.from_environment({"CUESTORY_EMBEDDER": value})


def test_the_day_of_expiry_is_none_a_date_or_the_clock_s() -> None:
    assert Settings.from_environment({}).day is None
    assert Settings.from_environment({"CUESTORY_TODAY": "2027-05-01"}).day == date(2027, 5, 1)
    assert Settings.from_environment({"CUESTORY_TODAY": "clock"}).day == date.today()
    with pytest.raises(InvalidSettings, match="CUESTORY_TODAY="):
        Settings.from_environment({"CUESTORY_TODAY": "tomorrow"})


def test_the_vectors_of_each_embedder_have_a_file_of_their_own(tmp_path: Path) -> None:
    settings = Settings(embedder="google:models/some-model", data=tmp_path)
    assert settings.vectors == tmp_path / "snippets" / "google-models-some-model.json"
