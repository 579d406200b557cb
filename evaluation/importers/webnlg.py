"""WebNLG-style corpora: sentences beside the triples that they were written from, as XML or JSON.

Each text becomes a story of one section whose evidence is its triples, one piece each, and whose sentences cite all of
them. The form is that of C. Gardent et al., The WebNLG Challenge, INLG 2017: `entry` with `modifiedtripleset` (or
`tripleset`) and `lex` in XML; `entries`, `modifiedtripleset` and `lexicalisations` in JSON. Of the texts marked with a
comment or language, only good English ones are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from evaluation.errors import UnreadableStory
from evaluation.statements import worded
from evaluation.text import tabulated_sentences
from evaluation.told import Evidence, Key, Said, Section, ToldStory

Triple = tuple[str, str, str]


def read_webnlg(path: Path) -> list[ToldStory]:
    """One story for each text, in the order of the file. Raises UnreadableStory."""
    try:
        entries = _of_json(path) if path.suffix == ".json" else _of_xml(path)
        return [
            corpus_story("webnlg", number, category, triples, text)
            for number, (category, triples, text) in enumerate(entries)
        ]
    except (ValueError, KeyError, TypeError, AttributeError, ElementTree.ParseError) as error:
        raise UnreadableStory(f"{path.name} is no WebNLG corpus ({error}); see docs/evaluation.md") from None


def corpus_story(system: str, number: int, category: str, triples: Iterable[Triple], text: str) -> ToldStory:
    """A text beside its triples, as a story of one section."""
    found = [worded(*triple) for triple in triples]
    pieces = tuple(
        Evidence(
            f"e{place}",
            f"{one.subject} {one.predicate} {one.object}.",
            (one,),
            tuple((name,) for name in dict.fromkeys(one.entities)),
        )
        for place, one in enumerate(found, start=1)
    )
    cites = tuple(piece.id for piece in pieces)
    sentences = tuple(Said(sentence, cites) for sentence in tabulated_sentences(text))
    return ToldStory(Key(system, "", "", category, number), (Section(category, sentences, pieces),))


def _of_xml(path: Path) -> Iterator[tuple[str, list[Triple], str]]:
    for entry in ElementTree.parse(path).getroot().iter("entry"):
        triples = [_split(node.text or "") for kind in ("mtriple", "striple") for node in entry.iter(kind)]
        for lex in entry.iter("lex"):
            text = lex.findtext("text") or lex.text or ""
            if _wanted(lex.attrib) and text.strip():
                yield entry.get("category", ""), triples, text.strip()


def _of_json(path: Path) -> Iterator[tuple[str, list[Triple], str]]:
    for numbered in json.loads(path.read_text(encoding="utf-8"))["entries"]:
        for entry in numbered.values():
            triples = [_split(triple) for triple in entry.get("modifiedtripleset") or entry["tripleset"]]
            for lex in entry["lexicalisations"]:
                if _wanted(lex):
                    yield entry.get("category", ""), triples, lex["lex"]


def _split(triple: str | Mapping[str, Any]) -> Triple:
    """ "subject | property | object", or an object with these keys."""
    if isinstance(triple, str):
        parts = [part.strip() for part in triple.split(" | ")]
        if len(parts) != 3:
            raise ValueError(f"{triple!r} is not subject | property | object")
        return parts[0], parts[1], parts[2]
    return triple["subject"], triple["property"], triple["object"]


def _wanted(marks: Mapping[str, Any]) -> bool:
    return marks.get("comment") in (None, "", "good") and marks.get("lang") in (None, "", "en")
