"""The content pass (the paper's 4.3): which few facts of a beat's evidence are told, and in which order.

A message is one thing that can be said: a telling of a question over the rows that it ranges over. The pass drops
what was heard before, and ranks small orderly sets of messages (outlines) by salience and by how near they come to
the beat's share of the story's words. Wording is the narrator's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

from graph_tools.library import Library

from graph_tools.cq import CompetencyQuestion, Telling
from graph_tools.evidence import EvidencePack, Factlet
from graph_tools.novelty import REPEATS_FROM, told_statements
from graph_tools.persona import Persona
from graph_tools.retrieval.kg import PlainVoice
from graph_tools.speech import Unspeakable
from graph_tools.wording import Wording, wording

ROWS_EACH = 4
"""Rows that a telling with `rows = "each"` offers at most: the most notable ones come first."""
MESSAGES = 8
"""Messages of one question that are weighed at most, in the order of its file."""
OUTLINES = 10
"""Outlines handed to the narrator at most, best first."""


@dataclass(frozen=True, slots=True)
class Message:
    """One thing that can be said, and the factlets that prove it."""

    cq: CompetencyQuestion
    telling: Telling
    factlets: tuple[Factlet, ...]
    order: tuple[int, int, int]
    """Question, telling, row: the order in which messages are told and how salient they are."""
    words: tuple[int, int]
    """Words of its shortest and longest wording, said in full."""

    @property
    def leads(self) -> bool:
        """True where it may open a beat."""
        return self.telling.role == "lead"

    @property
    def wordings(self) -> tuple[Wording, ...]:
        """Its wordings, parsed."""
        slots = self.cq.slots | {"items"}
        return tuple(wording(text, slots) for text in self.telling.say)

    @property
    def item(self) -> Wording | None:
        """The wording of one row, where it lists rows."""
        return wording(self.telling.item, self.cq.slots) if self.telling.item else None


@dataclass(frozen=True, slots=True)
class Outline:
    """Messages in the order of telling."""

    messages: tuple[Message, ...]


def outlines(
    evidence: EvidencePack,
    library: Library,
    persona: Persona,
    voice: PlainVoice,
    *,
    heard: frozenset[str],
    target: int,
    most: int,
) -> list[Outline]:
    """Outlines of at most `most` messages for about `target` words, best first; empty where nothing new can be said."""
    found = list(_messages(evidence, library, persona, voice, heard))
    messages = [m for at, _ in enumerate(evidence.questions) for m in [m for m in found if m.order[0] == at][:MESSAGES]]
    ranked: list[tuple[float, tuple[tuple[int, int, int], ...], Outline]] = []
    for size in range(1, most + 1):
        ranked += [
            (_cost(chosen, target), tuple(message.order for message in chosen), Outline(chosen))
            for chosen in combinations(messages, size)
            if _orderly(chosen)
        ]
    ranked.sort(key=lambda entry: entry[:2])
    return [outline for _, _, outline in ranked[:OUTLINES]]


def digest(statement: str) -> str:
    """A short name for a statement of the graph."""
    return blake2b(statement.encode(), digest_size=6).hexdigest()


def news(factlets: Sequence[Factlet], cq: CompetencyQuestion) -> frozenset[str]:
    """Digests of what the factlets tell."""
    parameters = frozenset(cq.parameters)
    return frozenset(digest(s) for factlet in factlets for s in told_statements(factlet, parameters))


def _messages(
    evidence: EvidencePack, library: Library, persona: Persona, voice: PlainVoice, heard: frozenset[str]
) -> Iterator[Message]:
    for at, asked in enumerate(evidence.questions):
        cq = library[asked.cq].cq
        factlets = evidence.of(cq.id)
        for number, telling in enumerate(cq.tellings_for(persona.id)):
            if asked.truncated and telling.rows == "all":
                continue  # what ranges over all rows would speak of rows that were cut off
            for row, told in enumerate(_ranges(telling, factlets)):
                statements = news(told, cq)
                if sum(s in heard for s in statements) >= REPEATS_FROM * len(statements):
                    continue
                message = Message(cq, telling, told, (at, number, row), (0, 0))
                words = [n for w in message.wordings if (n := _words(w, message, voice, persona.max_words))]
                if words:
                    yield Message(cq, telling, told, message.order, (min(words), max(words)))


def _ranges(telling: Telling, factlets: tuple[Factlet, ...]) -> Iterator[tuple[Factlet, ...]]:
    if len(factlets) < telling.min_rows or (telling.max_rows is not None and len(factlets) > telling.max_rows):
        return
    if telling.rows == "all":
        yield factlets
    else:
        yield from ((factlet,) for factlet in factlets[:ROWS_EACH])


def _words(wording: Wording, message: Message, voice: PlainVoice, limit: int) -> int:
    """Words of a wording with full names, lists shortened to fit; 0 where it cannot be said in that many."""
    rows = [factlet.values for factlet in message.factlets]
    for most in (None, 6, 4, 3, 2):
        try:
            words = len(wording.render(rows, voice, item=message.item, most=most).split())
        except Unspeakable:
            return 0
        if words <= limit:
            return words
    return 0


def _orderly(chosen: tuple[Message, ...]) -> bool:
    """The leading question comes first; each question opens with a lead telling; no aspect and no row comes twice."""
    if chosen[0].order[0] != 0:
        return False
    seen: dict[str, Message] = {}
    aspects: set[tuple[str, str, int]] = set()
    for message in chosen:
        if message.cq.id not in seen and not message.leads:
            return False
        seen.setdefault(message.cq.id, message)
        row = message.order[2] if message.telling.rows == "each" else -1
        aspect = (message.cq.id, message.telling.aspect, row)
        if aspect in aspects:
            return False
        aspects.add(aspect)
    each = [m.factlets[0].id for m in chosen if m.telling.rows == "each"]
    return len(each) == len(set(each))


def _cost(chosen: tuple[Message, ...], target: int) -> float:
    """Lower is better: distance from the target in words, then how far down the tellings stand."""
    least = sum(message.words[0] for message in chosen)
    longest = sum(message.words[1] for message in chosen)
    miss = max(least - target, target - longest, 0)
    depth = sum(2.0 * question + 0.6 * telling + 0.8 * row for question, telling, row in (m.order for m in chosen))
    return miss * 1.5 + depth / len(chosen)
