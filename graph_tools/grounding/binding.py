"""Which rows hold a sentence together: every name and value with all that it is told with, clause by clause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from graph_tools.evidence import Factlet
from graph_tools.grounding.cues import Node
from graph_tools.grounding.mentions import Mention
from graph_tools.grounding.text import Reader

_JOINING = frozenset(
    {
        ",",
        ";",
        "and",
        "or",
        "&",
        "then",
        "the",
        "a",
        "an",
        "by",
        "followed",
        '"',
        "'",
        "next",
        "of",
        "in",
        "at",
        "on",
        "from",
        "with",
        "to",
        "for",
    }
)
_BREAKS = frozenset(
    {"and", "but", "while", "whereas", "which", "who", "whose", "where", "whom", ",", ";", ":", ".", "(", ")"}
)
_RELATIVE = frozenset({"which", "who", "whose", "where", "whom"})


@dataclass(frozen=True, slots=True)
class Group:
    """Mentions that stand in one place of the sentence: one, or a list."""

    members: tuple[int, ...]
    """Numbers of the mentions."""
    at: int
    """Place of the first among the nodes."""
    to: int


@dataclass(frozen=True, slots=True)
class Clause:
    """Nodes that some rows hold together."""

    begin: int
    end: int
    groups: tuple[Group, ...]
    rows: frozenset[int]
    relative: bool
    """True where it opens with who, which or where."""


def mentioned(nodes: Sequence[Node], begin: int, end: int) -> list[tuple[int, int]]:
    """Place and number of each mention between two places."""
    return [(at, int(nodes[at].name)) for at in range(begin, end) if nodes[at].name]


def groups(nodes: Sequence[Node], mentions: Sequence[Mention], begin: int, end: int) -> tuple[Group, ...]:
    """The mentions between two places, lists taken together: same slot, other rows."""
    found: list[list[tuple[int, int]]] = []
    for at, number in mentioned(nodes, begin, end):
        if found and _lists(nodes, mentions, found[-1][-1], (at, number)):
            found[-1].append((at, number))
        else:
            found.append([(at, number)])
    return tuple(Group(tuple(n for _, n in its), its[0][0], its[-1][0]) for its in found)


def _lists(nodes: Sequence[Node], mentions: Sequence[Mention], one: tuple[int, int], other: tuple[int, int]) -> bool:
    between = [node.word.text for node in nodes[one[0] + 1 : other[0]] if node.word]
    if not between or not set(between) <= _JOINING or not set(between) & {",", ";", "and", "or", "&"}:
        return False
    slots = {meant.slot for meant in mentions[one[1]].meant} & {meant.slot for meant in mentions[other[1]].meant}
    return bool(slots)


def holding(its: Sequence[Group], mentions: Sequence[Mention]) -> frozenset[int] | None:
    """The rows that hold all groups together; None where none do. Lists are told of each of their members."""
    if not its:
        return frozenset()
    flat = [mentions[number] for group in its for number in group.members]
    together = frozenset.intersection(*(mention.rows for mention in flat))
    together = frozenset(row for row in together if _distinct(flat, row))
    if together:
        return together
    lists = [group.members for group in its if len(group.members) > 1]
    if not lists:
        return None
    singles = [group.members[0] for group in its if len(group.members) == 1]
    longest = max(map(len, lists))
    if len(lists) > 1 and all(len(members) == longest for members in lists):
        picked = _all_hold(zip(*lists, strict=True), singles, mentions)
        if picked is not None:
            return picked
    return _all_hold(product(*lists), singles, mentions)


def _all_hold(
    choices: Iterator[tuple[int, ...]] | product[tuple[int, ...]] | zip[tuple[int, ...]],
    singles: Sequence[int],
    mentions: Sequence[Mention],
) -> frozenset[int] | None:
    used: set[int] = set()
    for choice in choices:
        rows = frozenset.intersection(*(mentions[number].rows for number in (*choice, *singles)))
        rows = frozenset(row for row in rows if _distinct([mentions[n] for n in (*choice, *singles)], row))
        if not rows:
            return None
        used |= rows
    return frozenset(used)


def _distinct(flat: Sequence[Mention], row: int) -> bool:
    """True where the mentions can be different slots of the row, or the same value twice."""
    taken: dict[frozenset[str], str] = {}
    for mention in flat:
        slots = mention.slots(row)
        if taken.get(slots, mention.text) != mention.text and len(slots) == 1:
            return False
        taken[slots] = mention.text
    return True


def clauses(
    nodes: Sequence[Node], mentions: Sequence[Mention], row_filter: frozenset[int]
) -> tuple[Clause, ...] | Group:
    """The sentence in as few clauses as rows hold together; else the group that no row holds with the rest."""
    bounds = [0, *(at for at, node in enumerate(nodes) if node.word and node.word.text in _BREAKS), len(nodes)]
    bounds = sorted(set(bounds))
    found: list[Clause] = []
    begin = 0
    held: Clause | None = None
    pending = 0
    while pending < len(bounds) - 1:
        end = bounds[pending + 1]
        its = groups(nodes, mentions, begin, end)
        rows = holding(its, mentions)
        if rows is None:
            last = bounds[pending]
            if held is None or held.end <= begin or _attached(nodes, last):
                return groups(nodes, mentions, last, end)[-1] if mentioned(nodes, last, end) else its[-1]
            found.append(held)
            begin, held = held.end, None
            continue
        relative = any(n.word and n.word.text in _RELATIVE for n in nodes[begin : begin + 2])
        held = Clause(begin, end, its, rows & row_filter, relative)
        pending += 1
    if held is not None:
        found.append(held)
    return tuple(found)


def _attached(nodes: Sequence[Node], at: int) -> bool:
    """True where what begins there belongs to what stands before it: ", with ...", ", in ..."."""
    words = [node.word.text if node.word else "" for node in nodes[at : at + 2]]
    return words[:1] == [","] and words[1:] in (["with"], ["at"], ["in"], ["on"], ["by"], ["for"], ["from"])


def subject(clause: Clause, nodes: Sequence[Node], reader: Reader) -> int | None:
    """The mention that a clause is about: the first that no preposition and no "after" stands before."""
    for group in clause.groups:
        before = next(
            (n.word for n in reversed(nodes[clause.begin : group.at]) if n.word and n.word.text not in ("the", '"')),
            None,
        )
        if before is None or (before.text not in reader.prepositions and reader.kind(before) != "order"):
            return group.members[0]
    return clause.groups[0].members[0] if clause.groups else None


def parameters(row: Factlet, names: Mapping[str, object], defaults: frozenset[str]) -> dict[str, str]:
    """The parameters of a row that are somebody: name -> IRI, without what everything here is part of."""
    return {
        name: row.values[name].value
        for name in names
        if name in row.values and row.values[name].kind == "iri" and row.values[name].value not in defaults
    }
