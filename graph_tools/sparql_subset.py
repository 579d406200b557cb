"""The template language, first lock: which words and marks of SPARQL 1.1 may stand in a template at all.

A closed list: a token that is not named here is refused. It works on tokens, so every fault has its line, and no parser
is loaded. The second lock, over the parse tree, is in `sparql_tree`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import dropwhile, takewhile

from graph_tools import sparql_braces
from graph_tools.sparql_braces import Fault
from graph_tools.sparql_tokens import Token, UnreadableQuery, code, tokenize

MAX_BRACES = 6
MAX_BRACKETS = 12
"""Far below what any parser's recursion stands, even deep inside a server's stack (rdflib gives up at 27 groups)."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What the tokens of a template show."""

    tokens: tuple[Token, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()


_ALLOWED_WORDS = """PREFIX SELECT DISTINCT WHERE OPTIONAL UNION FILTER MINUS NOT EXISTS IN BOUND LANG LANGMATCHES
DATATYPE STR YEAR CONTAINS STRSTARTS ORDER BY ASC DESC TRUE FALSE"""
_ALLOWED_MARKS = "{ } ( ) ] . , ; && || ! = != < > <= >= ^^ -"  # "]" has its "[" refused
_WORDS = frozenset(_ALLOWED_WORDS.split())
_MARKS = frozenset(_ALLOWED_MARKS.split())

_IN_THE_TELLING = "return the rows and let a telling count, compare or choose among them"
_ONLY_SELECT = "a template is one SELECT query"
_NO_FETCH = "a template asks the pack's own graph and nothing else; take it out"
_PATH = "name the node in the middle, so that its triple can be cited"
_REMEDIES: dict[str, str] = {
    **dict.fromkeys(("SERVICE", "FROM", "NAMED", "GRAPH", "LOAD", "SILENT"), _NO_FETCH),
    **dict.fromkeys(("INSERT", "DELETE", "DATA", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY"), _ONLY_SELECT),
    **dict.fromkeys(("WITH", "USING", "INTO", "CONSTRUCT", "ASK", "DESCRIBE"), _ONLY_SELECT),
    **dict.fromkeys(("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT", "SEPARATOR"), _IN_THE_TELLING),
    **dict.fromkeys(("GROUP", "HAVING"), _IN_THE_TELLING),
    "AS": "select plain variables: wordings format values",
    "BIND": "tell the variable itself; wordings format values",
    "VALUES": "declare a parameter, or compare in a FILTER",
    "LIMIT": "write `cap` in the header: it marks a bigger answer as truncated",
    "OFFSET": "write `cap` in the header: it marks a bigger answer as truncated",
    "REGEX": "use CONTAINS or STRSTARTS: a pattern can take for ever",
    "REPLACE": "wordings format values",
    "REDUCED": "write DISTINCT or nothing",
    "BASE": "write whole IRIs or declare a PREFIX",
    "UNDEF": "use OPTIONAL",
}
_MARK_REMEDIES = {
    **dict.fromkeys(("/", "|", "^", "+", "?"), _PATH),
    "*": "name every variable in SELECT, and name the node in the middle of a path",
    "[": "give the node a ?variable, so that it can be cited",
}


def scan(text: str, parameters: frozenset[str]) -> Scan:
    """Tokens, prefixes and every fault that tokens alone show.

    `text` is the whole file: header lines are comments to SPARQL, so lines need no shifting. `parameters` are the
    names that the header declares."""
    escapes = tuple(_escapes(text))
    if escapes:
        return Scan(faults=escapes)
    try:
        every = tokenize(text)
    except UnreadableQuery as fault:
        return Scan(faults=(Fault(fault.line, str(fault), fault.remedy),))
    tokens = code(every)
    prefixes: dict[str, str] = {}
    faults = [*_depth(tokens), *_prologue(tokens, prefixes), *_words(tokens), *_names(tokens, prefixes)]
    faults += [*_shape(tokens), *_holes(tokens, parameters)]
    if not faults:  # the braces of a text with strange words in it mean nothing
        faults += sparql_braces.faults(tokens)
    return Scan(every, prefixes, tuple(faults))


def _escapes(text: str) -> Iterator[Fault]:
    for number, line in enumerate(text.split("\n"), start=1):
        if re.search(r"\\[uU]", line):
            yield Fault(number, "codepoint escapes (\\u...) are not allowed", "write the character itself")
        if "\r" in line:  # a comment ends there for one engine, and goes on for another
            yield Fault(number, "a carriage return stands inside the line", "end lines with a line feed")


def _depth(tokens: tuple[Token, ...]) -> Iterator[Fault]:
    braces = brackets = 0
    for token in tokens:
        if token.kind != "mark":
            continue
        braces += (token.text == "{") - (token.text == "}")
        brackets += (token.text == "(") - (token.text == ")")
        if braces > MAX_BRACES or brackets > MAX_BRACKETS:
            remedy = f"use at most {MAX_BRACES} levels of braces and {MAX_BRACKETS} of brackets"
            yield Fault(token.line, "braces or brackets are nested too deep", remedy)
            return


def _prologue(tokens: tuple[Token, ...], prefixes: dict[str, str]) -> Iterator[Fault]:
    """Reads the PREFIX lines into `prefixes`."""
    for word, name, iri in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if word.kind == "word" and word.text.upper() == "PREFIX" and name.kind == "name" and iri.kind == "iri":
            prefix = name.text[:-1]
            if prefix in prefixes:
                yield Fault(name.line, f"prefix {prefix}: is declared twice", "keep one of the two")
            prefixes.setdefault(prefix, iri.text[1:-1])


def _words(tokens: tuple[Token, ...]) -> Iterator[Fault]:
    """Words and marks that are not in the language; of a line's several only the telling ones."""
    found = list(_strange(tokens))
    told = {fault.line for fault in found if not fault.cause.startswith("AS ")}
    yield from (fault for fault in found if not fault.cause.startswith("AS ") or fault.line not in told)


def _strange(tokens: tuple[Token, ...]) -> Iterator[Fault]:
    for before, token in zip((None, *tokens), tokens, strict=False):
        if token.kind == "word" and token.text != "a" and token.text.upper() not in _WORDS:
            word = token.text.upper()[:40]
            remedy = _REMEDIES.get(word, "see the template language in docs: it has no such word")
            yield Fault(token.line, f"{word} is not allowed in a template", remedy)
        elif token.kind == "mark" and token.text not in _MARKS:
            starred = token.text == "*" and before is not None and before.text.upper() in ("SELECT", "DISTINCT")
            what = "SELECT *" if starred else f"{token.text!r} (a path, blank node or sum)"
            yield Fault(token.line, f"{what} is not allowed", _MARK_REMEDIES.get(token.text, "take it out"))
        elif token.kind == "blank":
            yield Fault(token.line, f"blank node {token.text} is not allowed", _MARK_REMEDIES["["])


def _names(tokens: tuple[Token, ...], prefixes: Mapping[str, str]) -> Iterator[Fault]:
    for token in tokens:
        if token.kind == "name":
            prefix = token.text.partition(":")[0]
            if prefix not in prefixes:
                yield Fault(token.line, f"prefix {prefix}: is not declared", f"add PREFIX {prefix}: <...>")
        elif token.kind == "iri" and not re.match(r"<[A-Za-z][A-Za-z0-9+.\-]*:", token.text):
            yield Fault(token.line, f"{token.text} is not an absolute IRI", "write the whole IRI")


def _shape(tokens: tuple[Token, ...]) -> Iterator[Fault]:
    words = [(token.text.upper(), token.line) for token in tokens if token.kind == "word"]
    selects = [line for word, line in words if word == "SELECT"]
    last = tokens[-1].line if tokens else None
    if not selects:
        yield Fault(words[0][1] if words else last, "there is no SELECT", _ONLY_SELECT)
    for line in selects[1:]:
        yield Fault(line, "a query inside the query is not allowed", "write its patterns in the outer braces")
    if not any(word == "ORDER" for word, _ in words):
        yield Fault(last, "there is no ORDER BY", "order the rows: engines return them in different orders")
    seen: set[str] = set()
    for token in takewhile(lambda token: token.text != "{", tokens):
        if token.kind == "variable":
            if token.text in seen:
                yield Fault(token.line, f"{token.text} is selected twice", "select each variable once")
            seen.add(token.text)
    ordering = list(dropwhile(lambda token: token.text.upper() != "ORDER", tokens))
    for token in ordering[2:]:
        if token.kind != "variable" and token.text.upper() not in ("ASC", "DESC", "(", ")"):
            yield Fault(token.line, f"ORDER BY {token.text} is not allowed", "write ?variable or DESC(?variable)")


def _holes(tokens: tuple[Token, ...], parameters: frozenset[str]) -> Iterator[Fault]:
    selecting = False
    for before, token in zip((None, *tokens), tokens, strict=False):
        if token.kind == "word" and token.text.upper() == "SELECT":
            selecting = True
        elif token.text == "{":
            selecting = False
        if token.kind == "variable" and token.bare in parameters:
            yield Fault(token.line, f"?{token.bare} has the name of a parameter", f"write ${token.bare}")
        if token.kind != "parameter":
            continue
        if token.bare not in parameters:
            remedy = f"add [parameters.{token.bare}] to the header, or write ?{token.bare}"
            yield Fault(token.line, f"${token.bare} is no declared parameter", remedy)
        if selecting:
            yield Fault(token.line, f"${token.bare} stands in SELECT", "select variables only: its value is known")
        if before is not None and before.text in ("<", "^^"):
            yield Fault(token.line, f"${token.bare} stands after {before.text}", "parameters are entities, not numbers")
