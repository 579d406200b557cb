"""How the parts of a template's braces follow each other: no bare braces, no lists, what is required comes first.

The parse tree shows the same faults, but has no lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from graph_tools.sparql_tokens import Token

_OPENERS = frozenset({"OPTIONAL", "MINUS", "UNION", "EXISTS", "WHERE"})
_TERMS = frozenset({"variable", "parameter", "iri", "name"})


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing wrong with a query text; the loader adds the file and makes a Problem of it."""

    line: int | None
    cause: str
    remedy: str


@dataclass(slots=True)
class _Level:
    opener: str
    line: int
    late: bool = False
    """True behind the first OPTIONAL or MINUS of these braces."""
    brackets: int = 0
    filtered: bool = False
    """True where a FILTER stands right in these braces: alone they hold it to their own patterns."""


def faults(tokens: tuple[Token, ...]) -> Iterator[Fault]:
    """Faults of order and nesting, each at its line; `tokens` hold no white space and no comments."""
    levels: list[_Level] = []
    before: Token | None = None
    for at, token in enumerate(tokens):
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.text == "{":
            opener = before.text.upper() if before is not None and before.kind == "word" else ""
            if levels and levels[-1].late and opener not in ("OPTIONAL", "MINUS", "EXISTS"):
                yield _late(token)
            levels.append(_Level(opener if levels else "WHERE", token.line))
        elif token.text == "}" and levels:
            closed = levels.pop()
            joined = closed.opener in _OPENERS or (after is not None and after.text.upper() == "UNION")
            if not joined and not closed.filtered:
                yield Fault(closed.line, "braces without OPTIONAL, UNION or MINUS", "write the patterns without them")
            if levels and closed.opener in ("OPTIONAL", "MINUS"):
                levels[-1].late = True
        elif levels:
            levels[-1].filtered |= token.text.upper() == "FILTER"
            yield from _inside(token, before, levels[-1])
        before = token


def _inside(token: Token, before: Token | None, level: _Level) -> Iterator[Fault]:
    if token.text == "(":
        level.brackets += 1
        if before is not None and (before.kind in _TERMS or before.text in ("a", ".", ";")):
            remedy = "give the nodes of a list a ?variable each; call only what the template language names"
            yield Fault(token.line, "a list or a call of a function is not allowed", remedy)
    elif token.text == ")":
        level.brackets -= 1
    elif level.late and not level.brackets and token.kind in _TERMS:
        level.late = False
        yield _late(token)


def _late(token: Token) -> Fault:
    return Fault(token.line, "a required pattern stands after OPTIONAL or MINUS", "write what is required first")
