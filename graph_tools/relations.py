"""Relations of a pack (`cqs/relations.toml`): the ways along which strategy `graph` walks from one thing to the next.

A relation is a pattern of a few statements, written as a query in the template language without parameters, so that
each of its rows is proved like the row of a question. Its ways say from which variable to which one it may be walked,
and how that is told: what is no way is not walked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from graph_tools import template_record
from graph_tools.cq import Anchor, Telling
from graph_tools.entities import Property
from graph_tools.errors import Problem, nearest
from graph_tools.sparql_scope import Compiled
from graph_tools.sparql_tokens import Token, code, tokenize
from graph_tools.template import prefixes, strictly
from graph_tools.toml_source import Path as Place
from graph_tools.toml_source import TomlSource
from graph_tools.wording import Wording, WordingError

FILE = "cqs/relations.toml"
MOST_HOPS = 2


class Walk(BaseModel):
    """`[walk]` of pack.toml: how far strategy `graph` goes, and how much of what it finds it keeps."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hops: int = Field(default=2, ge=1, le=MOST_HOPS)
    """Relations between an entity of the question and a fact, at most."""
    most: int = Field(default=60, ge=1, le=500)
    """Facts kept for one question at most."""
    hubs: tuple[Property, ...] = ()
    """Classes whose members are told of, and never walked through."""
    degree: int = Field(default=60, ge=1)
    """What more facts than this begin at is a hub too."""


class Way(BaseModel):
    """One direction of a relation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: str
    """The variable it is walked from."""
    to: tuple[str, ...] = ()
    """Variables at which the walk may go on; none where it ends in words or figures."""
    hops: tuple[int, ...] = (1, 2)
    """At which step of a walk it may be taken."""
    weight: float = Field(default=0.0, ge=-2, le=2)
    """How much sooner (or later) than others it is told, where the question asks for neither."""
    thread: tuple[str, ...] = Field(default=(), max_length=2)
    """What its facts are a thread of, and their place in it: of a thread, tellings of role `detail` come only after
    one that stands before them in it."""
    context: tuple[str, ...] = ()
    """Told variables that only say where, when or by whom."""
    factlet: tuple[str, ...] = Field(min_length=1)
    """One row in plain words; tried in order."""
    telling: tuple[Telling, ...] = Field(min_length=1)


class Relation(BaseModel):
    """One kind of connection."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    meaning: str = Field(min_length=10)
    """What it connects, in one line."""
    query: str
    """SELECT in the template language, without parameters."""
    slots: dict[str, str] = Field(min_length=1)
    """Told variable -> its meaning."""
    anchor: Anchor = Anchor()
    way: tuple[Way, ...] = Field(min_length=1)


class RelationsFile(BaseModel):
    """cqs/relations.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    relation: tuple[Relation, ...] = ()


@dataclass(frozen=True)
class Connection:
    """A relation whose query passed the strict check."""

    relation: Relation
    compiled: Compiled
    at: int
    """Its place in the file."""

    @property
    def id(self) -> str:
        """The relation's id."""
        return self.relation.id

    @property
    def names(self) -> frozenset[str]:
        """What its wordings may name."""
        return frozenset(self.relation.slots)

    def key(self, way: Way) -> str:
        """The way's name, which no other way has: relation and start, and from the second hop on if only there."""
        return f"{self.id}.{way.start}" + ("" if 1 in way.hops else ".further")

    def body(self) -> str:
        """What stands between the braces of its WHERE."""
        tokens = tokenize(self.relation.query)
        braces = [at for at, token in enumerate(tokens) if token.text in ("{", "}")]
        return "".join(token.text for token in tokens[braces[0] + 1 : braces[-1]]).strip("\n")


@dataclass(frozen=True, eq=False)
class Relations:
    """All relations of a pack, in the order of their file."""

    connections: tuple[Connection, ...] = ()
    source: TomlSource | None = field(default=None, repr=False)
    """None: the pack has no such file."""

    def __iter__(self) -> Iterator[Connection]:
        return iter(self.connections)

    def __len__(self) -> int:
        return len(self.connections)

    def way(self, key: str) -> tuple[Connection, Way]:
        """The way of that name. Raises KeyError."""
        return self._ways[key]

    @cached_property
    def _ways(self) -> Mapping[str, tuple[Connection, Way]]:
        return {c.key(way): (c, way) for c in self.connections for way in c.relation.way}

    @property
    def prefixes(self) -> Mapping[str, str]:
        """The prefixes of all queries."""
        return {prefix: iri for c in self.connections for prefix, iri in prefixes(c.relation.query)}


NONE = Relations()
"""What a pack without such a file has."""


def examined(
    found: RelationsFile, source: TomlSource | None, personas: Sequence[str], cache: Path | None = None
) -> tuple[Relations, tuple[Problem, ...]]:
    """The relations that may be walked, and every fault of the others; `cache` as for questions."""
    if source is None:
        return Relations(), ()
    sound: list[Connection] = []
    problems: list[Problem] = []
    ids: set[str] = set()
    declared: dict[str, str] = {}
    for number, relation in enumerate(found.relation):
        place: Place = ("relation", number)
        compiled, faults = _compiled(relation, source, place, cache)
        faults = [*faults, *_named(relation, compiled, source, place, personas)]
        if relation.id in ids:
            faults.append(source.problem((*place, "id"), f"there are two relations {relation.id!r}", "rename one"))
        ids.add(relation.id)
        for prefix, iri in prefixes(relation.query):
            if declared.setdefault(prefix, iri) != iri:
                cause = f"prefix {prefix!r} means something else than in the relations before"
                faults.append(source.problem((*place, "query"), cause, "give one of them another name"))
        problems += faults
        if compiled is not None and not faults:
            sound.append(Connection(relation, compiled, number))
    return Relations(tuple(sound), source), tuple(problems)


def _compiled(
    relation: Relation, source: TomlSource, place: Place, cache: Path | None
) -> tuple[Compiled | None, list[Problem]]:
    kept = f"relation\n{relation.query}"
    compiled = template_record.recall(cache, kept)
    if compiled is not None:
        return compiled, []
    found = strictly(relation.query, frozenset())
    if isinstance(found, Compiled):
        template_record.remember(cache, kept, found)
        return found, []
    line = source.line((*place, "query"))
    text = source.text.split("\n")[line - 1]
    below = 0 if text.rstrip().endswith(('"""', "'''")) else 1  # a query in its own lines begins below the key
    return None, [
        Problem(
            source.file,
            line if fault.line is None else line + fault.line - below,
            f"relation {relation.id!r}: {fault.cause}",
            fault.remedy,
        )
        for fault in found
    ]


def _named(
    relation: Relation, compiled: Compiled | None, source: TomlSource, place: Place, personas: Sequence[str]
) -> Iterator[Problem]:
    """Names that are not what they are said to be, in slots, ways and wordings."""
    known = compiled.variables if compiled is not None else tuple(relation.slots)
    for name in relation.slots:
        if name not in known:
            yield _unknown(source, (*place, "slots", name), f"slot {name!r} is not in SELECT", name, known)
    for key, name in (("time", relation.anchor.time), ("place", relation.anchor.place)):
        if name and name not in known:
            yield _unknown(source, (*place, "anchor", key), f"{name!r} is no variable of the query", name, known)
    begun: set[tuple[str, int]] = set()
    for number, way in enumerate(relation.way):
        at: Place = (*place, "way", number)
        if way.start not in relation.slots:
            yield _unknown(source, (*at, "start"), f"start {way.start!r} is no slot", way.start, relation.slots)
        for hop in sorted(set(way.hops)):
            if (way.start, hop) in begun:
                cause = f"two ways start from {way.start!r} at hop {hop}"
                yield source.problem((*at, "hops"), cause, "make one of them, or give them different `hops`")
            begun.add((way.start, hop))
        for index, name in enumerate(way.to):
            if name not in relation.slots or name == way.start:
                others = [slot for slot in relation.slots if slot != way.start]
                yield _unknown(source, (*at, "to", index), f"{name!r} is no other slot", name, others)
        for hop in way.hops:
            if not 1 <= hop <= MOST_HOPS:
                yield source.problem((*at, "hops"), f"hop {hop} is no step of a walk", f"write 1 to {MOST_HOPS}")
        for key, names in (("context", way.context), ("thread", way.thread)):
            for index, name in enumerate(names):
                if name not in relation.slots:
                    yield _unknown(source, (*at, key, index), f"{key} {name!r} is no slot", name, relation.slots)
        yield from _worded(relation, way, source, at, personas)


def _worded(relation: Relation, way: Way, source: TomlSource, at: Place, personas: Sequence[str]) -> Iterator[Problem]:
    slots = frozenset(relation.slots)
    texts: list[tuple[Place, str, frozenset[str]]] = [
        ((*at, "factlet", index), text, slots) for index, text in enumerate(way.factlet)
    ]
    for number, telling in enumerate(way.telling):
        here: Place = (*at, "telling", number)
        allowed = slots | {"items"} if telling.item else slots
        texts += [((*here, "say", index), text, allowed) for index, text in enumerate(telling.say)]
        texts += [((*here, "item"), telling.item, slots)] if telling.item else []
        for key, names in (("needs", telling.needs), ("lacks", telling.lacks)):
            for index, name in enumerate(names):
                if name not in slots:
                    yield _unknown(source, (*here, key, index), f"it {key} {name!r}, which is no slot", name, slots)
        for index, persona in enumerate(telling.personas):
            if personas and persona not in personas:
                yield _unknown(source, (*here, "personas", index), f"unknown persona {persona!r}", persona, personas)
    for persona in personas:
        if not any(not telling.personas or persona in telling.personas for telling in way.telling):
            cause = f"no telling from {way.start!r} is for {persona!r}"
            yield source.problem((*at, "telling"), cause, "write one, or one for everybody")
    for where, text, allowed in texts:
        try:
            Wording.parse(text, allowed)
        except WordingError as error:
            cause, _, remedy = str(error).partition("; ")
            yield source.problem(where, cause, remedy or "correct the wording")


def _unknown(source: TomlSource, place: Place, cause: str, name: str, known: object) -> Problem:
    names = sorted(map(str, known)) if isinstance(known, Sequence | frozenset | dict) else []
    return source.problem(place, cause, nearest(name, names or ["none"]))


def positive(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens of a query without its comments, and without what stands in NOT EXISTS and MINUS."""
    kept: list[Token] = []
    depth, skipped = 0, 0
    told = code(tokens)
    for at, token in enumerate(told):
        before = told[at - 1].text.upper() if at else ""
        if token.text == "{":
            depth += 1
            if not skipped and (
                before == "MINUS" or (before == "EXISTS" and at > 1 and told[at - 2].text.upper() == "NOT")
            ):
                skipped = depth
        if not skipped:
            kept.append(token)
        if token.text == "}":
            skipped = 0 if skipped == depth else skipped
            depth -= 1
    return tuple(kept)
