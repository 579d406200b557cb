"""What a question's wordings teach: which words belong to which of its values, and how a name stands in a sentence.

Compiled once per question. A wording falls into segments (at ; : . , and brackets); a word is licensed together with
the values of a segment that holds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graph_tools.cq import CompetencyQuestion
from graph_tools.grounding.cues import Node, copulas, cues, order_of
from graph_tools.grounding.restating import Said, wordings
from graph_tools.grounding.text import Reader, Word, fold
from graph_tools.wording import Slot, Wording

_BREAK = re.compile(r"[;:,.()]")


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a wording."""

    slots: frozenset[str]
    """Results and parameters that it names."""
    results: frozenset[str]
    selects: tuple[tuple[str, str], ...]
    """Slots that take the first or the last row's value."""
    guarded: frozenset[str]
    """Its words of negation, quantity, cause, modality and order."""
    counts: frozenset[str]
    """Slots that it counts."""
    content: frozenset[str]
    """What its words are compared by."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One wording, taken apart."""

    said: Said
    slots: frozenset[str]
    nodes: tuple[Node, ...]
    hedges: dict[str, frozenset[str]]
    """Slot -> kinds of hedges that stand right before it."""


Company = dict[str, tuple[frozenset[str], frozenset[str]]]


@dataclass(slots=True)
class Frames:
    """All that the wordings of a question teach."""

    cq: CompetencyQuestion
    said: tuple[Said, ...]
    frames: tuple[Frame, ...]
    words: dict[str, list[Segment]]
    """Canon of a word -> the segments that hold it."""
    cues: dict[str, frozenset[str]]
    """Slot -> the cues that it stands with."""
    order: frozenset[tuple[str, str]]
    """Pairs of slots of which the first comes before the second in time."""
    joined: frozenset[frozenset[str]]
    """Pairs of slots that some wording joins by "and": who is which does not matter."""
    copulas: frozenset[tuple[str, str]]
    """Pairs of slots of which some wording says that the first is the second."""
    clauses: frozenset[str]
    """Slots whose value is a clause of its own."""
    counted: frozenset[str]
    """Slots that some wording counts."""
    ordinals: frozenset[str]
    """Slots that say a place in an order."""
    needs: dict[frozenset[str], Company] = field(default_factory=dict)
    """Variables that a row binds -> what `company` found for them."""

    def company(self, bound: frozenset[str]) -> Company:
        """For a row that binds just these: slot -> what every wording that tells it tells with it, and the hedges that
        stand before it in each."""
        found: Company = {}
        own = next((f for f in self.frames if f.said.telling is None and f.slots <= bound), None)
        for frame in self.frames:
            telling = frame.said.telling
            if not frame.slots <= bound | {"items"} or (telling is None and frame is not own):
                continue
            if telling and not (bound >= set(telling.needs) and not bound & set(telling.lacks)):
                continue
            for slot in frame.slots:
                others = frame.slots - {slot} - self.cq.parameters.keys() - {"items"}
                hedges = frame.hedges.get(slot, frozenset())
                if slot in found:
                    company, kinds = found[slot]
                    # The wording of the row itself names the kind of figure instead of a hedge.
                    found[slot] = (company & others, kinds & hedges if telling else kinds)
                else:
                    found[slot] = (others, hedges)
        return found


def compiled(cq: CompetencyQuestion, reader: Reader) -> Frames:
    """The frames of a question."""
    said = wordings(cq)
    frames = tuple(_frame(one, reader) for one in said)
    words: dict[str, list[Segment]] = {}
    for one in said:
        for wording in (one.wording, *([one.item.wording] if one.item else [])):
            for pieces in _segments(wording, reader):
                _license(pieces, cq, reader, words)
    for slot, meaning in cq.results.items():
        _license_meaning(slot, meaning, reader, words)
    for asked in (cq.question, *cq.paraphrases):
        _license(_question(asked), cq, reader, words, everything=True)
    found: dict[str, set[str]] = {}
    order: set[tuple[str, str]] = set()
    joined: set[frozenset[str]] = set()
    same: set[tuple[str, str]] = set()
    for frame in frames:
        for slot, its in cues(frame.nodes, reader).items():
            found.setdefault(slot, set()).update(its)
        order |= order_of(frame.nodes)
        joined |= _joined(frame.nodes)
        same |= copulas(frame.nodes, reader)
    return Frames(
        cq, said, frames, words, {s: frozenset(c) for s, c in found.items()},
        frozenset((a, b) for a, b in order if (b, a) not in order), frozenset(joined), frozenset(same),
        _clauses(cq, said),
        frozenset(slot.name for one in said for slot in one.wording.slots if slot.select == "count"),
        _ordinals(said),
    )  # fmt: skip


def _clauses(cq: CompetencyQuestion, said: Iterable[Said]) -> frozenset[str]:
    """Slots that are told as a sentence, or as its end."""
    found = {slot.name for one in said for slot in one.wording.slots if slot.form == "mid"}
    for one in said:
        first = one.wording.parts[0]
        if isinstance(first, Slot) and first.form in ("", "text") and one.wording.text.strip() in (
            f"{{{first.name}}}.", f"{{{first.name}|text}}.",
        ):  # fmt: skip
            found.add(first.name)
        for before, slot in zip(one.wording.parts, one.wording.parts[1:], strict=False):
            if (
                isinstance(before, str)
                and isinstance(slot, Slot)
                and re.search(r"(?<!according )\b[Tt]o $", before, re.IGNORECASE)
                and slot.form == ""
            ):
                found.add(slot.name)
    return frozenset(found & cq.results.keys())


def _frame(said: Said, reader: Reader) -> Frame:
    nodes: list[Node] = []
    for part in said.wording.parts:
        if isinstance(part, str):
            nodes += [Node("", word) for word in reader.read(fold(part))]
        elif part.form != "agree":
            nodes.append(Node(part.name, None, part.select in ("list", "rest", "inner"), part.form == "poss"))
    hedges: dict[str, set[str]] = {}
    before = ""
    for part in said.wording.parts:
        if isinstance(part, str):
            before = fold(part)
            continue
        near = " ".join(before.split()[-4:])
        kinds = {kind for kind, patterns in reader.hedges.items() if any(p.search(near) for p in patterns)}
        if kinds:
            hedges.setdefault(part.name, set()).update(kinds)
        before = ""
    slots = frozenset(slot.name for slot in said.wording.slots if slot.form != "agree")
    return Frame(said, slots, tuple(nodes), {name: frozenset(kinds) for name, kinds in hedges.items()})


def _segments(wording: Wording, reader: Reader) -> list[list[str | Slot]]:
    pieces: list[list[str | Slot]] = [[]]
    for part in wording.parts:
        if isinstance(part, Slot):
            pieces[-1].append(part)
            continue
        for number, text in enumerate(_BREAK.split(part)):
            if number:
                pieces.append([])
            if text.strip():
                pieces[-1].append(text)
    pieces = [part for piece in pieces for part in _halves(piece, reader)]
    whole = list(wording.parts)
    slotted = [piece for piece in pieces if any(isinstance(p, Slot) for p in piece)]
    return slotted if len(slotted) == len([p for p in pieces if p]) else [*slotted, whole]


def _halves(piece: list[str | Slot], reader: Reader) -> list[list[str | Slot]]:
    """A piece in two where "and" joins two halves that say what comes first and what comes last."""
    words = [word for part in piece if isinstance(part, str) for word in reader.read(fold(part))]
    selects = [part.select for part in piece if isinstance(part, Slot) and part.select in ("first", "last")]
    if len(selects) < 2 and not any(reader.kind(word) == "order" for word in words):
        return [piece]
    for at, part in enumerate(piece):
        if isinstance(part, str) and at and at + 1 < len(piece) and " and " in part:
            before, _, after = part.partition(" and ")
            return [[p for p in (*piece[:at], before) if p], [p for p in (after, *piece[at + 1 :]) if p]]
    return [piece]


def _question(asked: str) -> list[str | Slot]:
    parts = re.split(r"\{([^{}]*)\}", asked.rstrip("?"))
    slots = [Slot(part.split("|")[0]) if n % 2 else part for n, part in enumerate(parts)]
    return [part for part in slots if part]


def _license(
    pieces: list[str | Slot], cq: CompetencyQuestion, reader: Reader, words: dict[str, list[Segment]], *,
    everything: bool = False,
) -> None:  # fmt: skip
    slots = [part for part in pieces if isinstance(part, Slot)]
    texts = [part for part in pieces if isinstance(part, str)]
    for slot in slots:
        texts += slot.argument.split("/") if slot.select == "count" else []
        texts += slot.form_argument.split("/") if slot.form == "agree" else []
    read = [word for text in texts for word in reader.read(fold(text)) if not word.is_mark]
    names = frozenset(slot.name for slot in slots)
    results = frozenset(cq.results) if everything else names & cq.results.keys()
    segment = Segment(
        names, results,
        tuple((s.name, s.select) for s in slots if s.select in ("first", "last")),
        frozenset(word.text for word in read if reader.kind(word) and not everything),
        frozenset(s.name for s in slots if s.select == "count"),
        frozenset(word.canon for text in texts[: len(texts) - _nouns(slots)] for word in reader.read(fold(text))
                  if not reader.is_free(word)),
    )  # fmt: skip
    for word in read:
        if not everything or not reader.kind(word):
            words.setdefault(word.canon, []).append(segment)


def _nouns(slots: Sequence[Slot]) -> int:
    """How many of the texts are two forms of one word, of which a sentence has one."""
    return sum(len((s.argument if s.select == "count" else s.form_argument).split("/")) for s in slots
               if s.select == "count" or s.form == "agree")  # fmt: skip


def _license_meaning(slot: str, meaning: str, reader: Reader, words: dict[str, list[Segment]]) -> None:
    """What a value is called: "the house", "the amount". Guarded words of a meaning license nothing."""
    head = re.split(r",|\bwho\b|\bthat\b|\bwhere\b|\bwhen\b|\bhow\b|\bwhat\b|\bwhich\b", fold(meaning))[0]
    segment = Segment(frozenset({slot}), frozenset({slot}), (), frozenset(), frozenset(), frozenset())
    for word in reader.read(head):
        if not word.is_mark and not reader.kind(word) and not reader.is_free(word):
            words.setdefault(word.canon, []).append(segment)


def _ordinals(said: Iterable[Said]) -> frozenset[str]:
    """Slots that are told as "third" or as "number three"."""
    found = {slot.name for one in said for slot in one.wording.slots if slot.form == "ordinal"}
    for one in said:
        for before, slot in zip(one.parts, one.parts[1:], strict=False):
            if isinstance(before, str) and isinstance(slot, Slot) and before.endswith("number "):
                found.add(slot.name)
    return frozenset(found)


def _joined(nodes: Sequence[Node]) -> set[frozenset[str]]:
    found = set()
    for one, between, other in zip(nodes, nodes[1:], nodes[2:], strict=False):
        if one.name and other.name and _is(between.word, "and") and one.name != other.name:
            found.add(frozenset({one.name, other.name}))
    return found


def _is(word: Word | None, text: str) -> bool:
    return word is not None and word.text == text
