"""The record of templates that passed the strict check, so that a start parses only what changed.

One JSON file per template text in the user's own cache directory, named by the digest of text and checker version: a
pack cannot vouch for itself, and a changed text or checker has no record. A record that cannot be read, was cut off or
does not carry the digest of its own content is ignored and written anew; a read-only directory is no fault.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from graph_tools.sparql_scope import Compiled
from graph_tools.sparql_tree import Name, Pattern, Place
from graph_tools.terms import Iri, Literal

CHECKER_VERSION = "5"
"""Raise it whenever the strict check changes its mind about any text."""

KEPT = 2000
"""Records in a directory at most; the packs of one curator have a few hundred questions."""


def recall(cache: Path | None, text: str) -> Compiled | None:
    """What the strict check made of exactly this text, or None."""
    if cache is None:
        return None
    try:
        record = json.loads(_path(cache, text).read_bytes())
        if record["seal"] != _seal(text, record["compiled"]):
            return None
        return _decode(record["compiled"])
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None


def remember(cache: Path | None, text: str, compiled: Compiled, *, keep: int = KEPT) -> None:
    """Writes the record in one step: a reader never sees half of it. Of older ones the newest `keep` stay."""
    if cache is None:
        return
    path = _path(cache, text)
    content = _encode(compiled)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"seal": _seal(text, content), "compiled": content}, file)
            Path(temporary).replace(path)
            _prune(path.parent, keep)
        except OSError:
            Path(temporary).unlink(missing_ok=True)


def _prune(folder: Path, keep: int) -> None:
    """Each edit of a question leaves a record behind."""
    records = sorted(folder.glob("*.json"), key=lambda record: record.stat().st_mtime_ns, reverse=True)
    for old in records[keep:]:
        old.unlink(missing_ok=True)


def _path(cache: Path, text: str) -> Path:
    return cache / "templates" / (_digest(text) + ".json")


def _digest(text: str) -> str:
    return hashlib.sha256(f"{CHECKER_VERSION}\n{text}".encode()).hexdigest()


def _seal(text: str, content: Any) -> str:
    return hashlib.sha256((_digest(text) + json.dumps(content)).encode()).hexdigest()


def _encode(compiled: Compiled) -> list[Any]:
    return [
        list(compiled.variables),
        [_encode_pattern(pattern) for pattern in compiled.required],
        [[_encode_pattern(pattern) for pattern in block] for block in compiled.optional],
        [list(key) for key in compiled.order],
        list(compiled.terms),
        list(compiled.filtered),
    ]


def _encode_pattern(pattern: Pattern) -> list[list[str]]:
    return [_encode_place(place) for place in pattern]


def _encode_place(place: Place) -> list[str]:
    match place:
        case Name():
            return [place.sign, place.name]
        case Iri():
            return ["i", place.value]
        case Literal():
            return ["l", place.lexical, place.datatype, place.language]


def _decode(content: Any) -> Compiled:
    variables, required, optional, order, terms, filtered = content
    return Compiled(
        tuple(map(str, variables)),
        tuple(_decode_pattern(pattern) for pattern in required),
        tuple(tuple(_decode_pattern(pattern) for pattern in block) for block in optional),
        tuple((str(name), bool(descending)) for name, descending in order),
        tuple(map(str, terms)),
        tuple(map(str, filtered)),
    )


def _decode_pattern(content: Any) -> Pattern:
    subject, predicate, object_ = content
    return Pattern(_decode_place(subject), _decode_place(predicate), _decode_place(object_))


def _decode_place(content: Any) -> Place:
    kind, *parts = map(str, content)
    match kind, parts:
        case (("?" | "$"), [name]):
            return Name(kind, name)
        case "i", [value]:
            return Iri(value)
        case "l", [lexical, datatype, language]:
            return Literal(lexical, datatype, language)
    raise ValueError(f"no place: {content!r}")
