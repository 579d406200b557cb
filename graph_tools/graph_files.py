"""The bytes of a pack's graph files: found below the pack, named for what they are, decoded; not yet parsed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph_tools.errors import Problem

MAX_BYTES = 200_000_000
MAX_QUOTED = 50
"""How deep statements about statements may stand in each other before they are refused unread: a parser that gives up
on some ten thousand overflows its stack, which ends the process."""
MAX_LOOKED_AT = 10_000
"""Bytes at a file's beginning that show whether it is text."""
_PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "ZIP", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"%PDF": "PDF"}
SUFFIXES = (".ttl", ".nt")
_OTHERS = {
    ".trig": "named graphs would vanish: the pack has one graph",
    ".nq": "named graphs would vanish: the pack has one graph",
    ".rdf": "RDF/XML can name entities that grow without end",
    ".xml": "RDF/XML can name entities that grow without end",
    ".owl": "RDF/XML can name entities that grow without end",
    ".jsonld": "JSON-LD can fetch its context from elsewhere",
    ".json": "JSON-LD can fetch its context from elsewhere",
}


_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_NAMED_GRAPH = re.compile(rb"(?mi)(?:^|\.)[ \t]*((?:graph\s+)?(?:<[^<>\s]*>|[A-Za-z][\w.-]*:[\w.-]*)\s*\{)")


@dataclass(frozen=True, slots=True)
class GraphFile:
    """One file of a graph, read."""

    name: str
    """Path relative to the pack."""
    data: bytes
    """As it is on disk."""

    @property
    def turtle(self) -> bytes:
        """The text for a Turtle parser (N-Triples is a part of Turtle), without byte order mark."""
        return self.data.removeprefix(b"\xef\xbb\xbf")


def read_graph_files(root: Path, names: Sequence[str]) -> tuple[tuple[GraphFile, ...], tuple[Problem, ...]]:
    """The files that can be parsed, and what is wrong with the others; each path has to stay below `root`."""
    files: list[GraphFile] = []
    problems: list[Problem] = []
    for name in names:
        found = _read(root, name)
        fault = found if isinstance(found, Problem) else _named(found)
        if fault is not None:
            problems.append(fault)
        elif isinstance(found, GraphFile):
            files.append(found)
    return tuple(files), tuple(problems)


def digest(files: Iterable[GraphFile]) -> str:
    """ "sha256:" and the hex digest of the files' bytes, in the order of their names."""
    whole = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.name):
        whole.update(file.data)
    return "sha256:" + whole.hexdigest()


def leads_out(root: Path, path: Path) -> bool:
    """Whether the path, its links followed, leaves the pack at `root`."""
    try:
        return not path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # links in a circle lead nowhere: reading says so
        return False


def unreadable(root: Path, name: str) -> tuple[str, str] | None:
    """Why the file `name` of the pack at `root` is not even opened, as (cause, remedy); None where it may be."""
    path = root / name
    if "\0" in name or len(path.name) > 255:
        return "no file has such a name", "correct the path"
    if leads_out(root, path):
        return "the path leads out of the pack", "keep the file inside the pack's directory"
    if path.suffix not in SUFFIXES:
        reason = _OTHERS.get(path.suffix, "it is no graph format that is known here")
        return f"{path.suffix or 'a file without suffix'} is not read: {reason}", "convert it to Turtle (.ttl)"
    if not path.is_file():
        return "there is no such file", "correct the path"
    if path.stat().st_size > MAX_BYTES:
        return f"the file has more than {MAX_BYTES:,} bytes", "make it smaller"
    return None


def _read(root: Path, name: str) -> GraphFile | Problem:
    fault = unreadable(root, name)
    if fault is not None:
        return Problem(name, None, *fault, "file")
    try:
        return GraphFile(name, (root / name).read_bytes())
    except OSError as error:
        return Problem(name, None, f"cannot be read: {error.strerror}", "check its permissions", "file")


def _named(file: GraphFile) -> Problem | None:
    """What the file is, where it is no graph at all."""
    data = file.data
    start = file.turtle[:400].lstrip().lower()
    if not data.strip():
        return _not(file, None, "the file is empty", "put the graph in it, or take it out of pack.toml")
    for magic, named in _PACKED.items():
        if data.startswith(magic):
            return _not(file, None, f"is a {named} file, not Turtle", "unpack it")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or _wide(data[:100]):
        return _not(file, 1, "is UTF-16", "save it as UTF-8")
    if b"\x00" in data[:MAX_LOOKED_AT]:
        return _not(file, None, "holds bytes that no text has", "put the Turtle file itself there")
    if b"<rdf:rdf" in start or b"<!doctype rdf" in start:
        entities = ", and it declares entities that can grow without end" if b"<!doctype" in start else ""
        return _not(file, 1, f"is RDF/XML, which is not read{entities}", "convert it to Turtle")
    if start.startswith((b"<!doctype", b"<html", b"<?xml")):
        return _not(file, 1, "looks like an HTML or XML page", "fetch the Turtle file itself")
    if re.match(rb"\[?\s*\{", start):
        return _not(file, 1, f"is JSON-LD, which is not read{_context(data)}", "convert it to Turtle")
    if start.startswith(b"version https://git-lfs"):
        return _not(file, 1, "is a Git LFS pointer, not the file", "run git lfs pull")
    conflict = re.search(rb"^(<<<<<<<|=======|>>>>>>>)( |\r?$)", data, re.MULTILINE)
    if conflict:
        return _not(file, _line(data, conflict.start()), "has a merge conflict", "resolve it")
    depth = 0
    for mark in re.finditer(rb"<<|>>", data):
        depth = depth + 1 if mark[0] == b"<<" else max(0, depth - 1)
        if depth > MAX_QUOTED:
            cause = "has statements about statements (RDF 1.2)"
            return Problem(file.name, _line(data, mark.start()), cause, "use a node of its own for each", "file")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if _CONTROL.search(data[:MAX_LOOKED_AT]):
            return _not(file, None, "holds bytes that no text has", "put the Turtle file itself there")
        cause = f"is not UTF-8: byte 0x{data[error.start]:02x} (Latin-1 or Windows-1252?)"
        return _not(file, _line(data, error.start), cause, "save it as UTF-8")
    return None


def _wide(start: bytes) -> bool:
    """True where every other byte is mostly zero, as in UTF-16 of letters that ASCII has."""
    return any(half.count(0) > len(half) * 0.7 for half in (start[::2], start[1::2]) if len(half) > 1)


def named_graph(file: GraphFile) -> bool:
    """True where the file, which is no Turtle, opens a named graph as TriG does."""
    return _NAMED_GRAPH.search(file.data) is not None


def _not(file: GraphFile, line: int | None, cause: str, remedy: str) -> Problem:
    return Problem(file.name, line, cause, remedy, "file")


def _context(data: bytes) -> str:
    """What a JSON-LD parser would fetch, as the end of a clause."""
    found = re.search(rb'"@context"\s*:\s*\[?\s*"([^"]*)"', data[:20_000])
    return f": it would fetch {found.group(1).decode('utf-8', errors='replace')}" if found else ""


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
