"""Texts that people rated: triples, a text and ratings, one JSON object a line, or a JSON list of such objects.

    {"system": "...", "triples": [["subject", "predicate", "object"]], "text": "...", "ratings": {"correctness": 4.5}}

A rating is any number, higher for better. `system` may be left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluation.errors import UnreadableStory
from evaluation.importers.webnlg import corpus_story
from evaluation.told import ToldStory


class GivenRating(BaseModel):
    """One rated text."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    system: str = "rated"
    triples: tuple[tuple[str, str, str], ...] = Field(min_length=1)
    text: str = Field(min_length=1)
    ratings: dict[str, float] = Field(min_length=1)


@dataclass(frozen=True)
class Rated:
    """A text as a story, with what people thought of it."""

    story: ToldStory
    ratings: dict[str, float]


def read_rated(path: Path) -> list[Rated]:
    """All rated texts of a file, in its order. Raises UnreadableStory."""
    text = path.read_text(encoding="utf-8")
    found: list[Rated] = []
    try:
        listed = text.lstrip().startswith("[")
        items = json.loads(text) if listed else [json.loads(line) for line in text.splitlines() if line.strip()]
        for number, item in enumerate(items):
            given = GivenRating.model_validate(item)
            story = corpus_story(given.system, number, "", given.triples, given.text)
            found.append(Rated(story, given.ratings))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UnreadableStory(f"{path.name}: text {len(found) + 1}: {where}: {first['msg']}") from None
    except ValueError as error:
        raise UnreadableStory(f"{path.name}: text {len(found) + 1}: {error}") from None
    if not found:
        raise UnreadableStory(f"{path.name} holds no rated text")
    return found
