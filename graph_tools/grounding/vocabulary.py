"""The closed vocabulary of a sentence: what each of its clauses may say of what it names."""

from __future__ import annotations

from collections.abc import Sequence

from graph_tools.grounding.binding import Clause
from graph_tools.grounding.case import Case, Read
from graph_tools.grounding.cues import Node, order_of
from graph_tools.grounding.licence import Scope, content, unlicensed
from graph_tools.grounding.mentions import COUNT, Mention
from graph_tools.grounding.surfaces import Surfaces
from graph_tools.grounding.text import Reader
from graph_tools.grounding.verdict import Reason
from graph_tools.grounding.wider import Wider

_PIECES = frozenset({"and", "but", "while", "whereas", ",", ";", ":", ".", "(", ")"})
"""Where one piece of a sentence ends and another begins."""


def faults(read: Read, ordered: bool, surfaces: Surfaces, reader: Reader, wider: Wider) -> list[Reason]:
    """The words that nothing licenses, clause by clause. `ordered`: before and after were checked."""
    told, nodes, mentions, quoted, case = read.told, read.nodes, read.mentions, read.quoted, read.case
    said = frozenset(node.word.text for node in nodes if node.word)
    reasons: list[Reason] = []
    every = frozenset(m.slot for clause in told for g in clause.groups for n in g.members for m in mentions[n].meant)
    texts = {frozenset({one.clause.slot}): one.clause.row for one in quoted}
    for clause in told:
        rows = clause.rows or frozenset(texts.values())
        scopes: dict[str, Scope] = {}
        for number in sorted(rows):
            row = case.rows[number]
            frames = case.frames[row.cq]
            named = {s for g in clause.groups for n in g.members for s in mentions[n].slots(number)}
            named |= {s for slots, place in texts.items() if place == number for s in slots}
            counted = {s.removeprefix(COUNT) for s in named if s.startswith(COUNT)}
            implied = frozenset(frames.cq.parameters)
            old = scopes.get(row.cq)
            firsts, lasts = _ends(named, number, case)
            scopes[row.cq] = Scope(
                frames, frozenset(named | counted) | (old.named if old else frozenset()), implied,
                firsts | (old.firsts if old else frozenset()), lasts | (old.lasts if old else frozenset()),
                frozenset(counted) | (old.counted if old else frozenset()),
            )  # fmt: skip
        words = content(nodes[clause.begin : clause.end])
        # What leads into a quoted clause says something of the clause.
        if not quoted or clause.groups:
            reasons += _bare(nodes[clause.begin : clause.end], reader)
        if not clause.groups and not rows:
            scopes = {cq: Scope(f, every, frozenset(f.cq.parameters), frozenset(), frozenset(), frozenset())
                      for cq, f in case.frames.items()}  # fmt: skip
        if _pairs(nodes[clause.begin : clause.end]):
            words = [word for word in words if word.text != "both"]
        if _one_set(nodes[clause.begin : clause.end], clause, mentions, case):
            words = [word for word in words if word.text != "together"]
        nouns = {noun for g in clause.groups for n in g.members for row, m in read.values(mentions[n])
                 if row.values[m.slot].kind == "iri" for noun in surfaces.nouns(row.values[m.slot].value)}  # fmt: skip
        words = [word for word in words if word.text not in nouns or reader.kind(word)]
        reasons += _twice(nodes[clause.begin : clause.end])
        reasons += unlicensed(case.original, words, tuple(scopes.values()), said, ordered, reader, wider)
    return reasons


def _bare(nodes: Sequence[Node], reader: Reader) -> list[Reason]:
    """Pieces that name nothing and yet say something: "and came on at"."""
    reasons: list[Reason] = []
    piece: list[Node] = []
    for node in (*nodes, None):
        if node is not None and not (node.word and node.word.text in _PIECES):
            piece.append(node)
            continue
        said = [n.word for n in piece if n.word and not reader.is_free(n.word) and not reader.kind(n.word)]
        if piece and said and not any(n.name for n in piece):
            reasons.append(Reason("word", said[0].text, "it is said of nothing that is named"))
        named = [n for n in piece if n.name or (n.word and not n.word.is_mark)]
        last = named[-1].word if named else None
        if last is not None and last.text in reader.prepositions and last.text not in ("on", "in", "over"):
            reasons.append(Reason("word", last.text, "nothing follows it"))
        piece = []
    return reasons


def _twice(nodes: Sequence[Node]) -> list[Reason]:
    """Two of whom both are said to be first, or last."""
    begun: dict[str, tuple[int, str]] = {}
    piece, name = 0, ""
    for node in nodes:
        name = node.name or name
        word = node.word.text if node.word else ""
        piece += word == "and"
        if word in ("first", "last"):
            before = begun.setdefault(word, (piece, name))
            if before != (piece, name) and before[0] != piece and name != before[1]:
                return [Reason("order", word, "only one can be that")]
    return []


def _ends(named: set[str], number: int, case: Case) -> tuple[frozenset[str], frozenset[str]]:
    """Slots of which this is the first, and the last, value of a whole answer."""
    row = case.rows[number]
    if row.cq not in case.complete:
        return frozenset(), frozenset()
    rows = [other for other in case.rows if other.cq == row.cq]
    firsts, lasts = set(), set()
    for slot in named & row.values.keys():
        bound = [other.values[slot] for other in rows if slot in other.values]
        if bound[0] == row.values[slot]:
            firsts.add(slot)
        if bound[-1] == row.values[slot]:
            lasts.add(slot)
    return frozenset(firsts), frozenset(lasts)


def order_faults(read: Read) -> tuple[bool, list[Reason]]:
    """Whether before and after is said and right: of the values of one slot by the numbers of their rows."""
    case, mentions = read.case, read.mentions
    said = order_of(read.nodes)
    reasons: list[Reason] = []
    right = False
    for one, other in sorted(said):
        first, second = mentions[int(one)], mentions[int(other)]
        places = _places(first, second, case)
        slots = any(
            (s, t) in frames_order
            for row in first.rows & second.rows
            for frames_order in (case.frames[case.rows[row].cq].order,)
            for s in first.slots(row)
            for t in second.slots(row)
        )
        if slots:
            right = True
        elif places:
            if places[0] < places[1]:
                right = True
            else:
                reasons.append(Reason("order", f"{first.text} ... {second.text}", "they come the other way round"))
    return right and not reasons, reasons


def _pairs(nodes: Sequence[Node]) -> bool:
    """True where "and" joins two names: then "both" says no more."""
    return any(
        one.name and other.name and between.word is not None and between.word.text == "and"
        for one, between, other in zip(nodes, nodes[1:], nodes[2:], strict=False)
    )


def _one_set(nodes: Sequence[Node], clause: Clause, mentions: Sequence[Mention], case: Case) -> bool:
    """True where "and" joins two names that a wording of their one row joins, too: then "together" says no more."""
    for one, between, other in zip(nodes, nodes[1:], nodes[2:], strict=False):
        if not (one.name and other.name and between.word is not None and between.word.text == "and"):
            continue
        for row in sorted(clause.rows):
            pairs = {frozenset({s, t}) for s in mentions[int(one.name)].slots(row)
                     for t in mentions[int(other.name)].slots(row)}  # fmt: skip
            if pairs & case.frames[case.rows[row].cq].joined:
                return True
    return False


def _places(first: Mention, second: Mention, case: Case) -> tuple[int, int] | None:
    """The numbers of two rows of one question that the mentions tell apart, where its rows are numbered."""
    for one in sorted(first.meant):
        for other in sorted(second.meant):
            a, b = case.rows[one.row], case.rows[other.row] if other.row < len(case.rows) else None
            if b is None or one.slot != other.slot or one.row == other.row or a.cq != b.cq:
                continue
            for slot in sorted(a.values):
                numbers = (a.values[slot].value, b.values[slot].value) if slot in b.values else ("", "")
                if numbers[0].isdigit() and numbers[1].isdigit() and numbers[0] != numbers[1]:
                    return int(numbers[0]), int(numbers[1])
    return None
