"""A SPARQL 1.1 tokenizer: every character of the text belongs to exactly one token, each token knows its line.

It exists so that `$name` is found where it is a parameter, and nowhere else: not in a string, an IRI, a comment or the
escaped local part of a prefixed name. Terminals: https://www.w3.org/TR/sparql11-query/#sparqlGrammar (rules 139-173).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "space", "comment", "iri", "string", "parameter", "variable", "blank", "name", "language", "number", "word", "mark"
]

_BASE = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f"
_BASE += "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
_START = f"[{_BASE}_]"
_CHARS = f"{_BASE}_0-9\\-\u00b7\u0300-\u036f\u203f-\u2040"
_CHAR = f"[{_CHARS}]"
_VARNAME = f"[{_BASE}_0-9][{_BASE}_0-9\u00b7\u0300-\u036f\u203f-\u2040]*"
_PREFIX = f"(?:[{_BASE}][{_CHARS}.]*+(?<!\\.))?:"
_PLX = "(?:%[0-9A-Fa-f]{2}|\\\\[_~.\\-!$&'()*+,;=/?#@%])"
_LOCAL = f"(?:{_START}|[:0-9]|{_PLX})(?:(?:{_CHAR}|[.:]|{_PLX})*(?:{_CHAR}|:|{_PLX}))?"

_TOKEN = re.compile(
    "|".join(
        f"(?P<{kind}>{pattern})"
        for kind, pattern in (
            ("space", r"[ \t\r\n]+"),
            ("comment", r"#[^\r\n]*"),
            ("iri", r'<[^\x00-\x20<>"{}|^`\\]*>'),
            ("longstring", r'"""(?:"{0,2}(?:[^"\\]|\\.))*"""' + "|" + r"'''(?:'{0,2}(?:[^'\\]|\\.))*'''"),
            ("string", r'"(?:[^"\\\r\n]|\\.)*"' + "|" + r"'(?:[^'\\\r\n]|\\.)*'"),
            ("parameter", rf"\${_VARNAME}"),
            ("variable", rf"\?{_VARNAME}"),
            ("blank", f"_:(?:{_START}|[0-9])(?:(?:{_CHAR}|\\.)*{_CHAR})?"),
            ("name", f"{_PREFIX}(?:{_LOCAL})?"),
            ("language", r"@[A-Za-z]+(?:-[A-Za-z0-9]+)*"),
            ("number", r"[0-9]++(?:\.[0-9]*+)?[eE][+-]?[0-9]+|\.[0-9]++(?:[eE][+-]?[0-9]+)?|[0-9]*+\.[0-9]+|[0-9]+"),
            ("word", r"[A-Za-z_][A-Za-z0-9_]*"),
            ("mark", r"\^\^|&&|\|\||!=|<=|>=|[{}()\[\].,;*/|^!=<>+\-?]"),
        )
    ),
    re.DOTALL,
)
MAX_TOKENS = 400
"""Of code. More than twice what a question needs; an engine plans a join of a hundred patterns for a second, and a
chain of some thousand operators overflows the stack of a parser, which ends the process."""
_BROKEN_STRING = ('"', "'")


class UnreadableQuery(Exception):
    """Text that no SPARQL token can be made of, or too much of it; `line` counts from 1."""

    def __init__(self, message: str, line: int, remedy: str = "correct the text before it") -> None:
        super().__init__(message)
        self.line = line
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its kind, its exact text and the line on which it begins (from 1)."""

    kind: Kind
    text: str
    line: int

    @property
    def bare(self) -> str:
        """A variable's or parameter's name without its sign; any other token as it stands."""
        return self.text[1:] if self.kind in ("parameter", "variable") else self.text


def tokenize(text: str) -> tuple[Token, ...]:
    """All tokens of `text`, white space and comments included: joined they are `text` again.

    Raises UnreadableQuery with the line where no token fits (an open string, a stray character)."""
    tokens: list[Token] = []
    position, line, meaning = 0, 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            character = text[position]
            if character in _BROKEN_STRING:
                raise UnreadableQuery(f"the string that begins with {character} is not closed", line)
            raise UnreadableQuery(f"{character!r} cannot stand here in SPARQL", line)
        found = match.group()
        kind = match.lastgroup
        tokens.append(Token("string" if kind == "longstring" else kind, found, line))  # type: ignore[arg-type]
        meaning += kind not in ("space", "comment")
        if meaning > MAX_TOKENS:
            raise UnreadableQuery(f"the query has more than {MAX_TOKENS} words and marks", line, "make two of it")
        line += found.count("\n")
        position = match.end()
    return tuple(tokens)


def code(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens that mean something: no white space, no comments."""
    return tuple(token for token in tokens if token.kind not in ("space", "comment"))
