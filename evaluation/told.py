"""A finished story as it is measured: sentences over evidence, whoever told it. Read from the project's story files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluation.errors import UnreadableStory
from evaluation.statements import Statement, naming, read


@dataclass(frozen=True)
class Evidence:
    """One factlet, snippet or line of context."""

    id: str
    text: str
    statements: tuple[Statement, ...] = ()
    names: tuple[tuple[str, ...], ...] = ()
    """The names of each thing that its statements speak of, the main one first."""
    triples: tuple[str, ...] = ()
    """The statements as the file has them."""
    source: str = ""
    """Publishers and titles of the pages on which it was read."""
    question: str = ""
    """Id of the competency question whose row it is."""

    @cached_property
    def entities(self) -> frozenset[str]:
        """Main names of the things in its statements."""
        return frozenset(name for statement in self.statements for name in statement.entities)

    @cached_property
    def spoken(self) -> str:
        """All words that it holds: its own, its literals, the names of its things, who published it."""
        literals = (statement.object for statement in self.statements)
        called = (name for known in self.names for name in known)
        return " | ".join(dict.fromkeys([self.text, self.source, *literals, *called, *sorted(self.entities)]))


@dataclass(frozen=True)
class Said:
    """One sentence, with the ids of the evidence that it cites."""

    text: str
    cites: tuple[str, ...] = ()
    worded_by: str = ""
    """`template`, `model`, or empty where nobody says so."""


@dataclass(frozen=True)
class Asked:
    """A question as it was put to the graph: enough to put it again, and get the same rows with their values."""

    cq: str
    bindings: tuple[tuple[str, str], ...] = ()
    """Parameter and IRI, sorted."""
    truncated: bool = False
    """Whether the graph has more rows than there is evidence."""
    strategy: str = "kg"
    seed: int = 0


@dataclass(frozen=True)
class Section:
    """One told beat."""

    step: str
    sentences: tuple[Said, ...]
    evidence: tuple[Evidence, ...]
    asked: tuple[Asked, ...] = ()
    """The competency questions that it answers."""

    @cached_property
    def text(self) -> str:
        """Its sentences as one paragraph."""
        return " ".join(said.text for said in self.sentences)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The words of its evidence."""
        return tuple(item.text for item in self.evidence)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The statements of its evidence, each once, in order."""
        return tuple(dict.fromkeys(statement for item in self.evidence for statement in item.statements))


@dataclass(frozen=True, order=True)
class Key:
    """Which story it is."""

    system: str
    """`cuestory`, the name of a baseline, or whoever else told it."""
    persona: str
    length: str
    strategy: str
    seed: int


@dataclass(frozen=True)
class ToldStory:
    """A whole story. Beats that were not told are only counted."""

    key: Key
    sections: tuple[Section, ...]
    suppressed: int = 0

    @cached_property
    def text(self) -> str:
        """Its sections as paragraphs."""
        return "\n\n".join(section.text for section in self.sections)


def read_story(path: Path) -> ToldStory:
    """A story file of the format `cuestory.story/1`. Raises UnreadableStory."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return story_of(document)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableStory(f"{path.name} is no story file ({error}); tell it again") from None


def story_of(document: Mapping[str, Any]) -> ToldStory:
    """The same of a document that is already read. Raises KeyError, TypeError, ValueError."""
    if document["format"] != "cuestory.story/1":
        raise ValueError(f"format {document['format']!r}")
    request = document["request"]
    key = Key("cuestory", request["persona"], request["length"], request["strategy"], request["seed"])
    told = [beat for beat in document["beats"] if beat["status"] == "told"]
    sections = tuple(_section(beat, key) for beat in told)
    return ToldStory(key, sections, len(document["beats"]) - len(told))


def evidence_of(factlets: Sequence[Mapping[str, Any]], attestations: Sequence[str]) -> tuple[Evidence, ...]:
    """Factlets in their JSON form as evidence. `attestations`: statements that name their things."""
    proofs = [triple for factlet in factlets for triple in factlet["triples"]]
    names = naming([*proofs, *attestations])
    return tuple(_factlet(item, names) for item in factlets)


def _section(beat: Mapping[str, Any], key: Key) -> Section:
    factlets = evidence_of(beat["factlets"], beat.get("attestations", ()))
    snippets = [
        Evidence(item["id"], item["text"], source=f"{item['publisher']} {item['source_title']}")
        for item in beat.get("snippets", ())
    ]
    return Section(
        beat["step"],
        tuple(
            Said(sentence["text"], tuple(sentence["evidence"]), sentence.get("worded_by", "template"))
            for sentence in beat["sentences"]
        ),
        (*factlets, *snippets),
        tuple(
            Asked(
                question["cq"],
                tuple(sorted(question["bindings"].items())),
                question["truncated"],
                key.strategy,
                key.seed,
            )
            for question in beat["questions"]
        ),
    )


def _factlet(item: Mapping[str, Any], names: Mapping[str, tuple[str, ...]]) -> Evidence:
    statements = tuple(found for triple in item["triples"] if (found := read(triple, names)))
    spoken = {name for statement in statements for name in statement.entities}
    return Evidence(
        item["id"],
        item["text"],
        statements,
        tuple(sorted({known for known in names.values() if known[0] in spoken})),
        tuple(item["triples"]),
        " ".join(f"{source['publisher']} {source['title']}" for source in item.get("sources", ())),
        item["cq"],
    )
