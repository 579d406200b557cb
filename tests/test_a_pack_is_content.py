"""The code knows no museum: no word or IRI of the Live Aid pack stands in it, and what it exports is there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from agent.context import StoryContext
from graph_tools.terms import Iri

ROOT = Path(__file__).resolve().parent.parent
CODE = sorted(path for folder in ("agent", "graph_tools") for path in (ROOT / folder).rglob("*.py"))
CLASSES = (
    "http://schema.org/MusicEvent",
    "http://schema.org/StadiumOrArena",
    "http://schema.org/City",
    "https://w3id.org/polifonia/ontology/music-meta/MusicArtist",
)


def test_no_name_of_an_act_a_place_or_the_event_stands_in_the_code(ctx: StoryContext) -> None:
    entities = ctx.pack.entities
    iris = [iri for class_iri in CLASSES for iri in entities.of_class(Iri(class_iri))]
    assert len(iris) > 80
    names = {name for iri in iris for name in (entities.name(iri), entities.short(iri), *entities.aliases(iri)) if name}
    pattern = re.compile(r"\b(" + "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) + r")\b")
    for path in CODE:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            assert not pattern.search(line), f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


@pytest.mark.parametrize(
    "word", ["wembrewind", "liveaid", "concert", "stadium", "polifonia", "schema.org", "CQ-E", "CQ-L"]
)
def test_no_iri_or_word_of_the_pack_stands_in_the_code(word: str) -> None:
    for path in CODE:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            assert word.casefold() not in line.casefold(), f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


@pytest.mark.parametrize("package", ["agent", "graph_tools"])
def test_what_a_package_exports_is_there(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__all__ == sorted(module.__all__)
    assert all(getattr(module, name) is not None for name in module.__all__)
    with pytest.raises(AttributeError):
        _ = module.no_such_name
