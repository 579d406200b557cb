"""N-Triples statements of a story file, as the words that stand for their terms. Reads them without an RDF library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_STATEMENT = re.compile(
    r'<(?P<subject>[^>]*)> <(?P<predicate>[^>]*)> (?:<(?P<iri>[^>]*)>|"(?P<literal>(?:[^"\\]|\\.)*)"\S*) \.'
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_NAMING = ("name", "label", "title")
"""How the local name of a property ends that names a thing: schema:name, skos:prefLabel, schema:alternateName."""
_MAIN = ("name", "label", "prefLabel", "title")


class Statement(NamedTuple):
    """A statement in words: names where the file gives them, else the local part of the IRI."""

    subject: str
    predicate: str
    object: str
    entities: tuple[str, ...]
    """Which of subject and object are things, not literals."""


def read(statement: str, names: Mapping[str, tuple[str, ...]]) -> Statement | None:
    """The statement in words; None for what is no N-Triples statement about a named node."""
    match = _STATEMENT.match(statement)
    if match is None:
        return None
    subject = _called(match["subject"], names)
    if match["iri"] is None:
        return Statement(subject, local(match["predicate"]), _unescaped(match["literal"]), (subject,))
    told = _called(match["iri"], names)
    return Statement(subject, local(match["predicate"]), told, (subject, told))


def worded(subject: str, predicate: str, told: str) -> Statement:
    """A triple of plain strings, as corpora have them: underscores are blanks, camel case is words, no quotes."""
    one, other = _spaced(subject), _spaced(told)
    literal = told.startswith('"') or bool(re.fullmatch(r"[-+]?[\d.,]+", told))
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", _spaced(local(predicate))).lower()
    return Statement(one, words, other, (one,) if literal else (one, other))


def naming(statements: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """IRI -> its names, the main one first, from the statements that name things."""
    found: dict[str, dict[str, None]] = {}
    matches = [match for statement in statements if (match := _STATEMENT.match(statement))]
    matches.sort(key=lambda match: local(match["predicate"]) not in _MAIN)
    for match in matches:
        if match["literal"] is not None and local(match["predicate"]).lower().endswith(_NAMING):
            found.setdefault(match["subject"], {})[_unescaped(match["literal"])] = None
    return {iri: tuple(names) for iri, names in found.items()}


def local(iri: str) -> str:
    """What stands behind the last # or /."""
    return re.split(r"[#/]", iri.rstrip("#/"))[-1]


def _called(iri: str, names: Mapping[str, tuple[str, ...]]) -> str:
    return names[iri][0] if names.get(iri) else local(iri)


def _spaced(text: str) -> str:
    return " ".join(text.strip().strip('"').replace("_", " ").split())


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _character(found[1]), text) if "\\" in text else text


def _character(escape: str) -> str:
    return chr(int(escape[1:], 16)) if escape[0] in "uU" and len(escape) > 1 else _PLAIN.get(escape, escape)
