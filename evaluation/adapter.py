"""Stories of other systems: JSON Lines, one story a line (docs/evaluation.md shows one), or a corpus of an importer.

    {"system": "...", "persona": "emma", "length": "small", "strategy": "kg", "seed": 0, "sections": [{"step": "...",
"sentences": [{"text": "...", "evidence": ["e1"]}], "evidence": [{"id": "e1", "text": "...", "triples": [["subject",
"predicate", "object"]]}]}]}

Only `system` and `sections` are needed. In place of `sentences` a section may have `text`, which is cut into
sentences; a sentence may be a plain string (it cites nothing), and so may a piece of evidence (its id is e1, e2, ...
by its place).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evaluation.errors import UnreadableStory
from evaluation.importers.webnlg import read_webnlg
from evaluation.statements import worded
from evaluation.text import tabulated_sentences
from evaluation.told import Evidence, Key, Said, Section, ToldStory

FROZEN = ConfigDict(frozen=True, extra="forbid")


class GivenSentence(BaseModel):
    """A sentence and what it cites."""

    model_config = FROZEN

    text: str = Field(min_length=1)
    evidence: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, value: object) -> object:
        return {"text": value} if isinstance(value, str) else value


class GivenEvidence(BaseModel):
    """A piece of evidence in words, in triples, or both."""

    model_config = FROZEN

    id: str = ""
    text: str = ""
    triples: tuple[tuple[str, str, str], ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, value: object) -> object:
        return {"text": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _says_something(self) -> GivenEvidence:
        if not self.text and not self.triples:
            raise ValueError("a piece of evidence needs text or triples")
        return self


class GivenSection(BaseModel):
    """One beat."""

    model_config = FROZEN

    step: str = ""
    text: str = ""
    sentences: tuple[GivenSentence, ...] = ()
    evidence: tuple[GivenEvidence, ...] = ()

    @model_validator(mode="after")
    def _either(self) -> GivenSection:
        if bool(self.text) == bool(self.sentences):
            raise ValueError("a section needs either text or sentences")
        return self


class GivenStory(BaseModel):
    """One line of the file."""

    model_config = FROZEN

    system: str = Field(min_length=1)
    persona: str = ""
    length: str = ""
    strategy: str = ""
    seed: int = 0
    sections: tuple[GivenSection, ...] = Field(min_length=1)

    def told(self) -> ToldStory:
        """As it is measured."""
        key = Key(self.system, self.persona, self.length, self.strategy, self.seed)
        return ToldStory(key, tuple(map(_section, self.sections)))


def read_jsonl(path: Path) -> list[ToldStory]:
    """The stories of a file, in its order. Raises UnreadableStory with the line and what is wrong with it."""
    found: list[ToldStory] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            try:
                found.append(GivenStory.model_validate(json.loads(line)).told())
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(map(str, first["loc"]))
                raise UnreadableStory(f"{path.name}:{number}: {where or 'line'}: {first['msg']}") from None
            except ValueError as error:
                raise UnreadableStory(f"{path.name}:{number}: {error}; write one JSON object a line") from None
    return found


FORMATS: dict[str, Callable[[Path], list[ToldStory]]] = {"stories": read_jsonl, "webnlg": read_webnlg}


def read_stories(path: Path, form: str) -> list[ToldStory]:
    """The stories of a file in one of FORMATS, at least one. Raises UnreadableStory."""
    found = FORMATS[form](path)
    if not found:
        raise UnreadableStory(f"{path.name} holds no story")
    return found


def _section(given: GivenSection) -> Section:
    said = given.sentences or tuple(GivenSentence(text=text) for text in tabulated_sentences(given.text))
    return Section(
        given.step,
        tuple(Said(sentence.text, sentence.evidence) for sentence in said),
        tuple(_evidence(item, number) for number, item in enumerate(given.evidence, start=1)),
    )


def _evidence(item: GivenEvidence, number: int) -> Evidence:
    statements = tuple(worded(*triple) for triple in item.triples)
    text = item.text or " ".join(f"{one.subject} {one.predicate} {one.object}." for one in statements)
    things = sorted({name for one in statements for name in one.entities})
    return Evidence(item.id or f"e{number}", text, statements, tuple((name,) for name in things))
