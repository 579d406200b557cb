"""The content pass (the paper's 4.3): which few facts of a beat's evidence are told, and in which order.

A message is one thing that can be said of the evidence. The pass drops what was heard before, and ranks small orderly
sets of messages (outlines) by salience and by how near they come to the beat's share of the story's words. Wording is
the narrator's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations, islice, pairwise
from random import Random

from agent.walking import LEGS, NOWHERE, Around, Leg, astray, going_on, leads_on, opening, opens, walked
from graph_tools.evidence import EvidencePack, Factlet
from graph_tools.lexicon import tokens
from graph_tools.library import Library
from graph_tools.novelty import repeats, shares
from graph_tools.persona import Persona
from graph_tools.relations import NONE, Relations
from graph_tools.sayable import Saying, sayings
from graph_tools.wording import Voice

ROWS_DRAWN = 4
"""Rows of a telling with `rows = "each"` that the seed draws; earlier ones are more notable and drawn more often."""
MESSAGES = 8
"""Messages of one question that are weighed at most, in the order of its file."""
CHANCE = 1.5
"""How far the seed may lift one outline over another."""
STROLLS = 60
"""Walks that are weighed at most."""
ALIKE = 2
"""Walks with the same two first legs that the narrator is handed at most."""
ECHO = 0.5
"""From this share of its longer words a claim says again what the graph's sentence says."""
ALL_ROWS = -1
"""Stands for the row of a telling that ranges over all of them."""
ATTRIBUTION = 8
"""Words above the persona's limit that a sentence may have which tells what a snippet says: it names who says so."""
OUTLINES = 10
"""Outlines handed to the narrator at most, best first."""


@dataclass(frozen=True, slots=True)
class Message:
    """One thing that can be said in a beat."""

    saying: Saying
    question: int
    """Place of its question in the beat."""

    news: frozenset[str]
    """Digests of the statements that it tells."""
    leg: Leg | None = None
    """Its place on a walk, where the evidence is one."""

    quotes: bool = False
    """True where it tells what a snippet says: then it is old as soon as anything of it was heard."""
    contradicts: bool = False
    """True where that is one side of a disagreement, and so may well use the words of the other."""
    beside: int = 0
    """Of such a message: the question that it adds to, which has to be told too."""

    def limit(self, persona: Persona) -> int:
        """Words that its sentence has at most."""
        return persona.max_words + (ATTRIBUTION if self.quotes else 0)

    def told_in(self, heard: Collection[str]) -> bool:
        """True where telling it would repeat what was heard."""
        return not self.news.isdisjoint(heard) if self.quotes else repeats(self.news, heard)

    def tells_like(self, other: Message) -> bool:
        """True where the two answer different questions, and mostly alike; or where a snippet echoes the other."""
        if self.quotes or other.quotes:
            quoted, beside = (self, other) if self.quotes else (other, self)
            same = not quoted.news.isdisjoint(beside.news)
            return same or (not quoted.contradicts and _echoes(quoted.saying, beside.saying))
        return self.question != other.question and shares(self.news, other.news)

    @property
    def order(self) -> tuple[int, int, int]:
        """Question, telling, row: the order in which messages are told, and how salient they are."""
        return (self.question, self.saying.at, self.saying.row)


@dataclass(frozen=True, slots=True)
class Outline:
    """Messages in the order of telling."""

    messages: tuple[Message, ...]


def outlines(
    evidence: EvidencePack,
    library: Library,
    persona: Persona,
    voice: Voice,
    *,
    heard: frozenset[str],
    target: int,
    most: int,
    rng: Random,
) -> list[Outline]:
    """Outlines of the evidence: `ranked` over its `messages`."""
    return ranked(messages(evidence, library, persona, voice), heard=heard, target=target, most=most, rng=rng)


def messages(
    evidence: EvidencePack, library: Library, persona: Persona, voice: Voice, relations: Relations = NONE
) -> tuple[tuple[Message, ...], ...]:
    """For each question of the evidence all that can be said in answer, most salient first.

    `relations`: in whose words facts are told that were reached along them."""
    found: list[tuple[Message, ...]] = []
    for at, asked in enumerate(evidence.questions):
        cq = library[asked.cq].cq
        if any(factlet.way for factlet in evidence.of(cq.id)):
            legs = walked(cq, evidence.of(cq.id), persona, voice, relations)
            found.append(tuple(Message(saying, at, news(saying.factlets), leg) for saying, leg in legs))
            continue
        said = sayings(cq, evidence.of(cq.id), persona, voice, truncated=asked.truncated)
        found.append(tuple(Message(saying, at, news(saying.factlets)) for saying in said))
    return tuple(found)


def ranked(
    found: Sequence[Sequence[Message]],
    *,
    heard: frozenset[str],
    target: int,
    most: int,
    rng: Random,
    around: Around = NOWHERE,
    quoting: bool = False,
) -> list[Outline]:
    """Outlines of at most `most` of the messages for about `target` words, best first; empty where nothing new can be
    said. `around`: what a walk comes from, and what it leads to; `quoting`: only outlines that tell what a snippet
    says."""
    picked = list(_picked(found, heard, rng))
    begun = [m.leg.bunch for m in picked if m.leg is not None and _begins(m, m.leg)]
    walks = any(message.leg is not None for message in picked)
    around = replace(around, nearest=min(begun, default=0))
    weighed: list[tuple[float, tuple[tuple[int, int, int], ...], Outline]] = []
    for size in range(1, most + 1):
        sets = _strolls(picked, size, around) if walks else filter(_orderly, combinations(picked, size))
        weighed += [
            (_cost(chosen, target, around) + rng.random() * CHANCE, tuple(m.order for m in chosen), Outline(chosen))
            for chosen in sets
            if not quoting or any(message.quotes for message in chosen)
        ]
    weighed.sort(key=lambda entry: entry[:2])
    return list(islice(_unlike(outline for _, _, outline in weighed), OUTLINES))


def _unlike(outlines: Iterable[Outline]) -> Iterator[Outline]:
    """The outlines in their order, of walks that begin with the same legs only the first ALIKE: if two of these cannot
    be told one after the other, the narrator needs others."""
    begun: dict[tuple[tuple[int, int, int], ...], int] = {}
    for outline in outlines:
        way = tuple(message.order for message in outline.messages[:2])
        begun[way] = begun.get(way, 0) + 1
        if outline.messages[0].leg is None or begun[way] <= ALIKE:
            yield outline


def openers(leading: Sequence[Message], heard: frozenset[str]) -> list[Outline]:
    """What may open a beat and is new, each message alone: what is left where no richer outline can be worded.

    `leading`: the messages of the beat's first question."""
    return [Outline((m,)) for m in leading if m.saying.leads and not repeats(m.news, heard)]


@lru_cache(maxsize=65536)
def digest(statement: str) -> str:
    """A short name for a statement of the graph."""
    return blake2b(statement.encode(), digest_size=6).hexdigest()


def news(factlets: Sequence[Factlet]) -> frozenset[str]:
    """Digests of what the factlets tell."""
    return frozenset(digest(statement) for factlet in factlets for statement in factlet.told_statements)


def _picked(found: Sequence[Sequence[Message]], heard: frozenset[str], rng: Random) -> Iterator[Message]:
    for number, told in enumerate(found):
        fresh = [message for message in told if not message.told_in(heard)]
        walks = any(message.leg is not None for message in told)
        most = LEGS if walks and not number else MESSAGES
        yield from islice(_drawn(fresh, rng), most)


def _drawn(messages: list[Message], rng: Random) -> Iterator[Message]:
    """The messages in order, of each telling that speaks row by row only the rows that the seed draws."""
    rows: dict[int, list[int]] = {}
    for message in messages:
        rows.setdefault(message.saying.at, []).append(message.saying.row)
    kept = {
        at: set(sorted(found, key=lambda row: row + rng.random() * ROWS_DRAWN)[:ROWS_DRAWN])
        for at, found in rows.items()
    }
    yield from (message for message in messages if message.saying.row in kept[message.saying.at])


def _orderly(chosen: tuple[Message, ...]) -> bool:
    """The leading question comes first, each question opens with a lead telling, no aspect comes twice, rows that are
    told one by one keep their order, and a snippet adds to something."""
    if chosen[0].question != 0:
        return False
    begun: set[str] = set()
    aspects: set[tuple[str, str, int]] = set()
    for saying in (message.saying for message in chosen):
        if saying.cq.id not in begun and not saying.leads:
            return False
        begun.add(saying.cq.id)
        aspects.add((saying.cq.id, saying.telling.aspect, saying.row if saying.telling.rows == "each" else ALL_ROWS))
    # Told over all rows, an aspect is told of each.
    if len(aspects) < len(chosen) or any(
        row != ALL_ROWS and (cq, aspect, ALL_ROWS) in aspects for cq, aspect, row in aspects
    ):
        return False
    if _overlap(chosen) or _stray(chosen):
        return False
    each = [(m.saying.cq.id, m.saying.row) for m in chosen if m.saying.telling.rows == "each"]
    return all(before < after for before, after in pairwise(each) if before[0] == after[0])


def _echoes(quoted: Saying, other: Saying) -> bool:
    said = _longer_words(str(quoted.factlets[0].values["claim"].value))
    heard = frozenset(word for factlet in other.factlets for word in _longer_words(factlet.text))
    return len(said & heard) >= ECHO * len(said)


@lru_cache(maxsize=4096)
def _longer_words(text: str) -> frozenset[str]:
    return frozenset(token.text for token in tokens(text) if len(token.text) > 3)


def _stray(chosen: tuple[Message, ...]) -> bool:
    """True where a snippet adds to a question that is not told."""
    told = {message.question for message in chosen}
    return any(message.quotes and message.beside not in told for message in chosen)


def _overlap(chosen: tuple[Message, ...]) -> bool:
    """True where two questions of the beat would mostly tell the same."""
    return any(one.tells_like(other) for one, other in combinations(chosen, 2))


def _strolls(picked: Sequence[Message], size: int, around: Around) -> Iterator[tuple[Message, ...]]:
    """The STROLLS best walks of so many legs: the first one answers the leading question, each next one can be told
    after the last."""
    legs = [(message, leg) for message in picked if (leg := message.leg) is not None]
    walks: list[tuple[float, tuple[int, ...]]] = [
        (opening(leg, around), (at,)) for at, (m, leg) in enumerate(legs) if _begins(m, leg)
    ]
    for _ in range(size - 1):
        walks = [
            (cost + going_on(legs[walk[-1]][1], legs[at][1], around), (*walk, at))
            for cost, walk in sorted(walks)[:STROLLS]
            for at in range(walk[-1] + 1, len(legs))
            if leads_on(legs[walk[-1]][1], legs[at][1]) and all(_says_more(legs[one][0], legs[at][0]) for one in walk)
        ]
    return (tuple(legs[at][0] for at in walk) for _, walk in sorted(walks)[:STROLLS])


def _begins(message: Message, leg: Leg) -> bool:
    """True where a walk may begin with it: it answers the leading question, and stands alone."""
    return message.question == 0 and message.saying.leads and opens(leg)


def _says_more(message: Message, other: Message) -> bool:
    """True where `other` may be told in one beat with an earlier leg: it says something else, and of another row."""
    same = message.saying.telling.aspect == other.saying.telling.aspect
    rows = (message.saying.telling.rows, other.saying.telling.rows)
    if same and (rows != ("each", "each") or message.saying.row >= other.saying.row):
        return False
    return not shares(message.news, other.news)


def _cost(chosen: tuple[Message, ...], target: int, around: Around) -> float:
    """Lower is better: distance from the target in words, then how far down the tellings stand."""
    shortest = sum(message.saying.shortest for message in chosen)
    longest = sum(message.saying.longest for message in chosen)
    miss = max(shortest - target, target - longest, 0)
    legs = [message.leg for message in chosen if message.leg is not None]
    if legs:
        return miss * 1.5 + astray(legs, around)
    depth = sum(2.0 * question + 0.6 * telling + 0.8 * row for question, telling, row in (m.order for m in chosen))
    return miss * 1.5 + depth / len(chosen)
