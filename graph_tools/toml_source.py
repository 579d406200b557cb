"""TOML of a pack with the line of every key and array item, so that a fault found later still has its line."""

from __future__ import annotations

import json
import re
import tomllib
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from graph_tools.errors import Problem, nearest

Path = tuple[str | int, ...]
M = TypeVar("M", bound=BaseModel)

MAX_DEPTH = 20
"""Levels of tables and arrays. No file of a pack has half as many."""

_TOKEN = re.compile(
    r"(?P<space>[ \t]+)|(?P<comment>#[^\n]*)|(?P<newline>\r?\n)"
    r'|(?P<string>"""(?:[^"\\]|\\.|"(?!""))*"{3,5}|\'\'\'(?:[^\']|\'(?!\'\'))*\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')'
    r"|(?P<mark>[\[\]{}=,.])|(?P<bare>[^\s\[\]{}=,.\"'#]+)|(?P<other>.)",
    re.DOTALL,
)


@dataclass(frozen=True)
class TomlSource:
    """One TOML text, parsed, and where its parts stand."""

    file: str
    data: Mapping[str, Any]
    text: str = field(repr=False)
    numbers: tuple[int, ...] | None = field(default=None, repr=False)
    """The line in the file for each line of the text; None: the text is the file."""

    @cached_property
    def lines(self) -> Mapping[Path, int]:
        """The line of every table, key and array item; only a fault asks for it."""
        return {path: _in_file(line, self.numbers) for path, line in _positions(self.text).items()}

    def line(self, path: Path) -> int:
        """The line of the key or item, else of the nearest part around it, else the first one."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines[path] if path else _in_file(1, self.numbers)

    def problem(self, path: Path, cause: str, remedy: str) -> Problem:
        """A problem at that key."""
        return Problem(self.file, self.line(path), cause, remedy)


def read_toml(text: str, file: str, numbers: tuple[int, ...] | None = None) -> TomlSource | Problem:
    """Parses `text`; `numbers` gives the line in the file for each line of the text (default: 1, 2, ...)."""
    try:
        data = tomllib.loads(text)
        if not _nested_too_deep(data):
            return TomlSource(file, data, text, numbers)
    except RecursionError:
        pass
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line = _in_file(int(place.group(1)) if place else text.count("\n") + 1, numbers)
        cause = re.sub(r"\s*\(at .*\)$", "", str(error))
        return Problem(file, line, f"not valid TOML: {cause}", "quote strings and close every bracket")
    except ValueError:  # Python makes no number of so many digits
        long = re.search(r"[0-9_]{4000}", text)
        line = _in_file(text.count("\n", 0, long.start() if long else 0) + 1, numbers)
        return Problem(file, line, "not valid TOML: a number has too many digits", "write a shorter one")
    return Problem(file, _in_file(1, numbers), f"is nested more than {MAX_DEPTH} levels deep", "write it flatter")


def _nested_too_deep(data: Any) -> bool:
    level = [data]
    for _ in range(MAX_DEPTH):
        parts = (part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list))
        level = [inner for part in parts for inner in part]
    return bool(level)


def _in_file(line: int, numbers: tuple[int, ...] | None) -> int:
    return numbers[min(line, len(numbers)) - 1] if numbers else line


def _positions(text: str) -> dict[Path, int]:
    """Line of every table, key and array item of a text that `tomllib` has accepted."""
    lines: dict[Path, int] = {}
    tokens = list(_tokens(text))
    counts: dict[Path, int] = {}
    table: Path = ()
    at = 0
    while at < len(tokens):
        kind, found, line = tokens[at]
        if kind == "newline":
            at += 1
        elif found == "[":
            double = tokens[at + 1][1] == "["
            keys, at = _keys(tokens, at + 1 + double)
            at += 1 + double
            table = _absolute(keys, counts, appended=double)
            for depth in range(1, len(table) + 1):
                lines.setdefault(table[:depth], line)
        else:
            keys, at = _keys(tokens, at)
            path = (*table, *keys)
            lines.setdefault(path, line)
            at = _value(tokens, at + 1, path, lines)
    return lines


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    line = 1
    for match in _TOKEN.finditer(text):
        if match.lastgroup not in ("space", "comment"):
            yield str(match.lastgroup), match.group(), line
        line += match.group().count("\n")


def _keys(tokens: list[tuple[str, str, int]], at: int) -> tuple[tuple[str, ...], int]:
    keys: list[str] = []
    while tokens[at][1] not in ("]", "="):
        kind, found, _ = tokens[at]
        if found != ".":
            keys.append(found[1:-1] if kind == "string" else found)
        at += 1
    return tuple(keys), at


def _absolute(keys: tuple[str, ...], counts: dict[Path, int], *, appended: bool) -> Path:
    """The path of a table header: keys of arrays of tables get the index of their last item."""
    path: Path = ()
    for depth, key in enumerate(keys):
        path = (*path, key)
        if appended and depth == len(keys) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _value(tokens: list[tuple[str, str, int]], at: int, path: Path, lines: dict[Path, int]) -> int:
    """Walks one value, records what is inside it, and returns the place behind it."""
    opening = tokens[at][1] if tokens[at][0] == "mark" else ""
    if opening not in ("[", "{"):
        while at < len(tokens) and tokens[at][0] != "newline" and tokens[at][1] not in (",", "]", "}"):
            at += 1
        return at
    closing, at, index = ("]" if opening == "[" else "}"), at + 1, 0
    while tokens[at][1] != closing or tokens[at][0] != "mark":
        kind, found, line = tokens[at]
        if kind == "newline" or found == ",":
            at += 1
        elif opening == "[":
            lines[*path, index] = line
            at = _value(tokens, at, (*path, index), lines)
            index += 1
        else:
            keys, at = _keys(tokens, at)
            lines[*path, *keys] = line
            at = _value(tokens, at + 1, (*path, *keys), lines)
    return at + 1


def validate(model: type[M], source: TomlSource, within: Path = ()) -> M | tuple[Problem, ...]:
    """The part of the source at `within` as a model, or what is wrong with it (types, keys), by line."""
    data: Any = source.data
    for key in within:
        data = data[key]
    as_json = json.dumps(data, default=lambda value: {"a TOML date": str(value)})
    try:
        return model.model_validate_json(as_json, strict=True)
    except ValidationError as error:
        return tuple(_problem(model, source, within, dict(fault)) for fault in error.errors(include_url=False))


def _problem(model: type[BaseModel], source: TomlSource, within: Path, fault: dict[str, Any]) -> Problem:
    place = tuple(part for part in fault["loc"] if part != "[key]")
    path = (*within, *place)
    shown = ".".join(map(str, path)) or "the file"
    if fault["type"] == "extra_forbidden":
        known = _fields(model, place[:-1])
        return source.problem(path, f"unknown key {shown!r}", nearest(str(place[-1]), known))
    if fault["type"] == "missing":
        return source.problem(path[:-1], f"{shown!r} is missing", "add it")
    cause = str(fault["msg"]).removeprefix("Value error, ")
    return source.problem(path, f"{shown!r} is wrong: {cause}", "correct the value")


def _fields(model: Any, place: Path) -> tuple[str, ...]:
    """The keys that a model allows at a place inside it."""
    found = model
    for part in place:
        found = _inner(found, part)
    if isinstance(found, type) and issubclass(found, BaseModel):
        return tuple(info.alias or name for name, info in found.model_fields.items())
    return ("no keys",)


def _inner(annotation: Any, part: str | int) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, info in annotation.model_fields.items():
            if part in (name, info.alias):
                return _required(info.annotation)
        return None
    arguments = [argument for argument in get_args(annotation) if argument is not Ellipsis]
    return _required(arguments[-1]) if arguments else None


def _required(annotation: Any) -> Any:
    """`X | None` without its None."""
    if get_origin(annotation) in (Union, types.UnionType):
        return next(argument for argument in get_args(annotation) if argument is not type(None))
    return annotation
