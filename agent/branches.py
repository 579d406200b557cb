"""A visit as a tree: every beat told, the one it followed, and what the visitor had heard by then.

Going back keeps the branch that is left. A beat's evidence and what it added to the thread are packed: a visit of a
hundred beats stays small on disk.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from agent.story import StoryBeat
from agent.thread import Thread

Json = dict[str, Any]
ROOT = -1
"""Where a visit begins: before its first beat."""
GROWING = ("mentioned", "heard", "asked", "said", "worded")
"""Fields of a thread that only ever grow at their end: of these a node holds what was added."""


class Node(BaseModel):
    """One telling of a beat in the tree."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    parent: int
    """Place of the node that it followed, or ROOT."""
    beat: Json
    """StoryBeat without its evidence."""
    evidence: str = ""
    """The evidence, packed; empty where it is that of another node."""
    heading: str
    """The question that it answers."""
    thread: str
    """What it changed in the thread, packed."""
    retells: int | None = None
    """Place of the node whose beat it tells in another way, from that node's evidence."""
    voice: str = ""
    """Persona in whose voice it is told."""
    manner: str = ""
    """How a beat is retold: see `agent.offer.Choice`."""


class Tree:
    """The nodes of a visit, in the order in which they were told."""

    def __init__(self, nodes: Sequence[Json]) -> None:
        self._stored = nodes
        self._read: dict[int, Node] = {}

    def __len__(self) -> int:
        return len(self._stored)

    def node(self, at: int) -> Node:
        """The node at that place."""
        if at not in self._read:
            self._read[at] = Node.model_validate(self._stored[at])
        return self._read[at]

    def path(self, at: int) -> tuple[int, ...]:
        """The places from the first beat to that one."""
        found: list[int] = []
        while at != ROOT:
            found.append(at)
            at = self.node(at).parent
        return tuple(reversed(found))

    def ends(self) -> tuple[int, ...]:
        """The places that nothing follows, one for each branch."""
        parents = {self.node(at).parent for at in range(len(self))}
        return tuple(at for at in range(len(self)) if at not in parents)

    def origin(self, at: int) -> int:
        """The place where the beat was first told."""
        retold = self.node(at).retells
        return at if retold is None else retold

    def beat(self, at: int) -> StoryBeat:
        """The beat with its evidence."""
        evidence = unpacked(self.node(self.origin(at)).evidence)
        return StoryBeat.model_validate({**self.node(at).beat, "evidence": evidence})

    def heading(self, at: int) -> str:
        """The question that the beat answers."""
        return self.node(at).heading

    def thread(self, at: int) -> Thread:
        """What had been heard after that beat."""
        whole = Thread().model_dump(mode="json")
        for place in self.path(at):
            change = unpacked(self.node(place).thread)
            whole |= {name: [*whole[name], *value] if name in GROWING else value for name, value in change.items()}
        return Thread.model_validate(whole)


def grown(
    parent: int,
    told: StoryBeat,
    before: Thread,
    after: Thread,
    *,
    voice: str,
    retells: int | None = None,
    manner: str = "",
) -> Json:
    """A new node. `before` and `after`: the thread at its parent, and with it."""
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    added = {name: new[name][len(old[name]) :] for name in GROWING}
    changed = {name: value for name, value in new.items() if name not in GROWING and value != old[name]}
    node = Node(
        parent=parent,
        beat=told.model_dump(mode="json", exclude={"evidence"}),
        evidence=packed(told.evidence.model_dump(mode="json")) if retells is None else "",
        heading=told.evidence.questions[0].question,
        thread=packed({**added, **changed}),
        retells=retells,
        voice=voice,
        manner=manner,
    )
    return node.model_dump(mode="json")


def packed(value: Json) -> str:
    """JSON, compressed, as text."""
    return b64encode(zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())).decode()


def unpacked(text: str) -> Json:
    """What was packed. Raises ValueError for anything else."""
    try:
        value = json.loads(zlib.decompress(b64decode(text)))
    except zlib.error as error:
        raise ValueError("not packed by this version") from error
    if not isinstance(value, dict):
        raise ValueError("not packed by this version")
    return value
