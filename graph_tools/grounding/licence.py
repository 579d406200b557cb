"""Which words a sentence may use: those that the wordings of its rows use together with the values that it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graph_tools.grounding.cues import Node
from graph_tools.grounding.frames import Frames, Segment
from graph_tools.grounding.text import Reader, Word
from graph_tools.grounding.verdict import Code, Reason
from graph_tools.grounding.wider import Wider


@dataclass(frozen=True, slots=True)
class Scope:
    """What a clause of the sentence names."""

    frames: Frames
    named: frozenset[str]
    """Slots that it mentions."""
    implied: frozenset[str]
    """Parameters that it may leave to a pronoun or to the clause before."""
    firsts: frozenset[str]
    """Slots of which it names the first row's value, and all rows are cited."""
    lasts: frozenset[str]
    counted: frozenset[str]
    """Slots that it counts."""


CODES: dict[str, Code] = {
    "negation": "negation", "quantity": "quantity", "cause": "cause", "modal": "modal", "order": "order",
    "hedge": "hedge",
}  # fmt: skip


def unlicensed(
    original: str, words: Sequence[Word], scopes: Sequence[Scope], said: frozenset[str], ordered: bool, reader: Reader,
    wider: Wider,
) -> Iterator[Reason]:  # fmt: skip
    """The words that nothing licenses. `said`: all words of the sentence; `ordered`: what it says of before and after
    was checked against the rows."""
    canons = {word.canon for word in words}
    negations = [original[word.start : word.end] for word in words if reader.kind(word) == "negation"]
    if len(negations) > 1:
        yield Reason("negation", negations[-1], "a second negation")
    for number, word in enumerate(words):
        kind = reader.kind(word)
        if reader.is_free(word) and not (word.capital and word.start > 0 and number and words[number - 1].text != '"'):
            continue
        if reader.is_free(word):
            if not (word.text in _OPENING and (words[number - 1].is_mark or word.text == "the")):
                yield Reason("name", original[word.start : word.end], "a name that the evidence does not hold")
            continue
        if kind == "order" and ordered and word.text in _ORDERING:
            continue
        found = [segment for scope in scopes for segment in scope.frames.words.get(word.canon, ())
                 if _holds(segment, scope, said, reader)]  # fmt: skip
        if kind:
            found = [segment for segment in found if _guards(segment, word, kind, reader)
                     and (kind == "order" or segment.content <= canons)]  # fmt: skip
        if found or (word.canon in reader.reports and _reported(scopes, reader)):
            continue
        if not kind and any(
            wider.licenses(word.canon, s.frames.cq.id, slot) for s in scopes for slot in sorted(s.named)
        ):
            continue
        detail = "" if kind else "no wording of these rows says so of what is named"
        yield Reason(_code(word, kind), original[word.start : word.end], detail)


_OPENING = frozenset({"the", "a", "an", "it", "he", "she", "they", "in", "on", "at", "one"})
_ORDERING = frozenset({"before", "after", "then", "next", "followed", "follows", "following", "preceded", "afterwards"})


def _guards(segment: Segment, word: Word, kind: str, reader: Reader) -> bool:
    """True where the segment has that guarded word; a word of order in any form: opened, opening."""
    if word.text in segment.guarded:
        return True
    return kind == "order" and any(
        reader.kinds.get(other) == "order" and reader.canon(other) == word.canon for other in segment.guarded
    )


def _code(word: Word, kind: str) -> Code:
    if kind:
        return CODES[kind]
    if word.capital and word.start > 0:
        return "name"
    return "number" if any(c.isdigit() for c in word.text) else "word"


def _holds(segment: Segment, scope: Scope, said: frozenset[str], reader: Reader) -> bool:
    """True where the clause names what the segment goes with, and keeps the words that make it true."""
    if segment.results:
        told = segment.results & scope.named
        if not told:
            return False
    elif segment.slots and not segment.slots & (scope.named | scope.implied):
        return False
    for slot, select in segment.selects:
        if slot in scope.named and slot not in (scope.firsts if select == "first" else scope.lasts):
            return False
    if segment.counts & segment.results and segment.results <= segment.counts and not segment.counts & scope.counted:
        return False
    kinds = reader.kinds
    return all(word in said for word in segment.guarded if kinds.get(word) not in ("order", "hedge"))


def _reported(scopes: Sequence[Scope], reader: Reader) -> bool:
    """True where the clause names somebody who is known to say so."""
    for scope in scopes:
        for slot in scope.named:
            if any(
                cue.startswith(("R:", "L:", "'s:")) and cue.split(":")[1] in reader.reports
                for cue in scope.frames.cues.get(slot, ())
            ):
                return True
    return False


def content(nodes: Sequence[Node]) -> list[Word]:
    """The words among nodes."""
    return [node.word for node in nodes if node.word is not None]
