"""Entity linking: which names of the graph stand in a visitor's words, also shortened or mistyped.

Names, short names and alternative names are content; nothing is known here about any of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import process
from rapidfuzz.distance import OSA

from graph_tools.entities import EntityIndex
from graph_tools.knowledge_graph import KnowledgeGraph
from graph_tools.lexicon import Lexicon, Token, tokens
from graph_tools.terms import Iri

LONGEST = 9
"""Words of a name at most."""
FULL, OTHER, PART = range(3)
"""How much of a name a spelling is: the whole one, a short or alternative one, a part of one."""
TITLES = 0.07
"""Where more than this share of a kind's names are ordinary words, an ordinary way of writing names is not enough."""
SHARED = 4
"""A name that more entities than this bear names none of them."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of words that names something."""

    start: int
    end: int
    entities: tuple[Iri, ...]
    """Whom it can mean, the most spoken of first."""
    bindable: bool
    """True where it can fill a parameter; else it is a thing that answers speak of, as a title is."""


@dataclass(frozen=True, slots=True)
class _Spelling:
    grade: int
    entities: tuple[Iri, ...]
    bindable: bool
    ordinary: bool
    """True where people may use its words without meaning it."""
    lead: bool
    """True where stories are about such: its full name always stands for it."""
    term: bool
    """True where it is written without capitals, as a style or an instrument is: its words mean nothing else."""


class Linker:
    """Finds names in words."""

    def __init__(
        self,
        graph: KnowledgeGraph,
        entities: EntityIndex,
        lexicon: Lexicon,
        *,
        lead: str,
        bindable: Collection[str],
        hidden: Collection[str],
        defaults: Collection[Iri],
        ordinary: Collection[str],
    ) -> None:
        """`lead` is the class that stories are about, `bindable` are the classes of parameters, `hidden` those whose
        names nobody hears, `ordinary` the folded words of questions."""
        self._graph = graph
        self._entities = entities
        self._lexicon = lexicon
        self._lead = Iri(lead)
        self._bindable = frozenset(Iri(class_) for class_ in bindable)
        self._hidden = frozenset(Iri(class_) for class_ in hidden)
        self._defaults = frozenset(defaults)
        self._ordinary = frozenset(ordinary)
        self._degrees: dict[Iri, int] = {}
        self._known_joined: dict[Iri, tuple[tuple[Iri, bool], ...]] = {}
        self._spellings = self._all()
        self._parts = frozenset(token for names in self._names.values() for _, name in names for token in name)
        self._fuzzy = [key for key in sorted(self._spellings) if len(key) >= 5]

    def mentions(self, found: Sequence[Token]) -> tuple[Mention, ...]:
        """The names in these words, from left to right; of names that overlap, the longer one."""
        taken = [False] * len(found)
        mentions: list[tuple[Mention, _Spelling]] = []
        steps = (
            (self._whole, 2, LONGEST),
            (self._full, 1, 1),
            (self._mistyped, 2, 4),
            (self._whole, 1, 1),
            (self._mistyped, 1, 1),
            (self._part, 1, 1),
        )
        for read, least, most in steps:
            for size in range(min(most, len(found)), least - 1, -1):
                for at in range(len(found) - size + 1):
                    if any(taken[at : at + size]):
                        continue
                    spelling = read(found, at, size)
                    if spelling is not None:
                        taken[at : at + size] = [True] * size
                        ranked = self._ranked(spelling.entities)
                        mentions.append((Mention(at, at + size, ranked, spelling.bindable), spelling))
        mentions.sort(key=lambda pair: pair[0].start)
        # Beside somebody's name an instrument is what they play, and a style what they are: no subject of its own.
        people = any(not spelling.term and self._is_people(spelling.entities) for _, spelling in mentions)
        named = [(mention, spelling) for mention, spelling in mentions if not (people and spelling.term)]
        strangers = {at for at in range(len(named)) if _is_stranger(named[max(0, at - 1) : at + 2], named[at])}
        return tuple(mention for at, (mention, _) in enumerate(named) if at not in strangers)

    def joined(self, iri: Iri) -> tuple[tuple[Iri, bool], ...]:
        """Bindable entities that the graph joins with this one over at most three statements, the nearest first, and
        for each whether it states the other itself, as a house does its town."""
        known = self._known_joined.get(iri)
        if known is None:
            known = self._known_joined[iri] = self._joined(iri)
        return known

    def is_lead(self, iri: Iri) -> bool:
        """True where stories are about such."""
        return self._lead in self._entities.types(iri)

    def is_bindable(self, iri: Iri) -> bool:
        """True where it can fill some parameter."""
        return not self._bindable.isdisjoint(self._entities.types(iri))

    def degree(self, iri: Iri) -> int:
        """How many statements speak of it: the measure of how well known it is here."""
        known = self._degrees.get(iri)
        if known is None:
            known = sum(1 for _ in self._graph.match(iri)) + sum(1 for _ in self._graph.match(None, None, iri))
            self._degrees[iri] = known
        return known

    def _is_people(self, entities: Iterable[Iri]) -> bool:
        return any(self.is_lead(iri) or self._entities.pronoun(iri) for iri in entities)

    def _ranked(self, entities: Iterable[Iri]) -> tuple[Iri, ...]:
        return tuple(sorted(entities, key=lambda iri: (-self.degree(iri), iri.value)))

    def _whole(self, found: Sequence[Token], at: int, size: int) -> _Spelling | None:
        """A full, short or alternative name."""
        spelling = self._spelling(found[at : at + size])
        if spelling is None or spelling.grade == PART or not self._stands(spelling, found, at, size):
            return None
        return spelling

    def _full(self, found: Sequence[Token], at: int, size: int) -> _Spelling | None:
        """The full name."""
        spelling = self._whole(found, at, size)
        return spelling if spelling is not None and spelling.grade == FULL else None

    def _part(self, found: Sequence[Token], at: int, size: int) -> _Spelling | None:
        """A first name or a surname alone: beside a word that nobody knows it is somebody else's."""
        spelling = self._spelling(found[at : at + size]) if size == 1 else None
        if spelling is None or spelling.grade != PART:
            return None
        around = (*found[max(0, at - 1) : at], *found[at + 1 : at + 2])
        alone = all(token.text in self._ordinary or token.text in self._parts for token in around)
        surname = found[at + size : at + size + 1]
        written = found[at].capital and any(token.capital and token.text not in self._parts for token in surname)
        return spelling if alone and not (written and not all(token.capital for token in found)) else None

    def _mistyped(self, found: Sequence[Token], at: int, size: int) -> _Spelling | None:
        """The nearest name, within few letters."""
        window = found[at : at + size]
        key = "".join(token.text for token in window)
        if len(key) < 4 or key.isdigit() or self._is_ordinary(window):
            return None
        if size > 1 and any(self._lexicon.stem(end.text) in self._lexicon.small for end in (window[0], window[-1])):
            return None
        if size == 1 and key in self._spellings:
            return None
        most = 1 if len(key) < 8 else 2 if len(key) < 14 else 3
        close = process.extractOne(key, self._fuzzy, scorer=OSA.distance, score_cutoff=most)
        if close is None:
            return None
        spelling = self._spellings[close[0]]
        if spelling.grade == PART and (len(key) < 6 or not window[0].capital):
            return None
        return None if spelling.ordinary and not spelling.lead else spelling

    def _spelling(self, window: Sequence[Token]) -> _Spelling | None:
        key = "".join(token.text for token in window)
        spelling = self._spellings.get(key)
        if spelling is None and len(window) <= 3 and key.endswith("s") and not self._is_ordinary(window):
            spelling = self._spellings.get(key[:-1])  # a possessive without its apostrophe
        return spelling

    def _stands(self, spelling: _Spelling, found: Sequence[Token], at: int, size: int) -> bool:
        """True where an ordinary word is meant as a name."""
        if not spelling.ordinary or spelling.term or (spelling.lead and spelling.grade == FULL):
            return True
        if spelling.bindable and size > 2:
            return True
        window = found[at : at + size]
        if window[0].quoted:
            return True
        shouted = all(token.capital for token in found)
        if not shouted and all(token.capital for token in window) and (at > 0 or size > 1):
            return True
        around = (*found[max(0, at - 1) : at], *found[at + size : at + size + 1])
        stems = [self._lexicon.stem(token.text) for token in around]
        return not spelling.lead and any(stem in self._lexicon.titles for stem in stems)

    def _is_ordinary(self, window: Sequence[Token]) -> bool:
        return all(token.text in self._ordinary for token in window)

    def _all(self) -> dict[str, _Spelling]:
        known: dict[str, dict[Iri, int]] = {}
        words: dict[str, tuple[str, ...]] = {}
        whole, titled = self._names, self._titled
        for iri, names in whole.items():
            for grade, name in names:
                for grade_, spelled in self._spelled(grade, name, person=bool(self._entities.pronoun(iri))):
                    key = "".join(spelled)
                    bearers = known.setdefault(key, {})
                    bearers[iri] = min(grade_, bearers.get(iri, PART))
                    words.setdefault(key, spelled)
        found: dict[str, _Spelling] = {}
        for key, bearers in known.items():
            best = min(bearers.values())
            entities = tuple(sorted(iri for iri, grade in bearers.items() if grade == best or grade < PART))
            bindable = tuple(iri for iri in entities if self.is_bindable(iri))
            if len(entities) > SHARED and best < PART:
                continue
            meant = bindable or entities
            one = len(words[key]) == 1 and best == FULL  # what questions say of a city makes it no ordinary word
            ordinary = all(word in (self._lexicon.words if one else self._ordinary) for word in words[key])
            lead = any(self.is_lead(iri) for iri in meant)
            ordinary |= not lead and all(self._types(iri) & titled for iri in meant)
            term = bool(bindable) and all(self._entities.name(iri).islower() for iri in meant)
            found[key] = _Spelling(best, meant, bool(bindable), ordinary, lead, term)
        return found

    def _types(self, iri: Iri) -> frozenset[Iri]:
        return frozenset(self._entities.types(iri))

    @cached_property
    def _titled(self) -> frozenset[Iri]:
        """Classes whose names are often made of ordinary words, as titles are."""
        names: dict[Iri, int] = {}
        ordinary: dict[Iri, int] = {}
        for iri, spellings in self._names.items():
            if len(spellings[0][1]) < 2:
                continue  # a place of one word may be an ordinary word of questions; it is no title for that
            for class_ in self._entities.types(iri):
                names[class_] = names.get(class_, 0) + 1
                if all(word in self._ordinary for word in spellings[0][1]):
                    ordinary[class_] = ordinary.get(class_, 0) + 1
        return frozenset(class_ for class_, count in ordinary.items() if count > TITLES * names[class_])

    def _spelled(self, grade: int, name: tuple[str, ...], *, person: bool) -> Iterator[tuple[int, tuple[str, ...]]]:
        """A name as people write it: whole, without its article, by its first or last word."""
        yield grade, name
        bare = name[1:] if name[0] == "the" and len(name) > 1 else name
        if bare != name and (len(bare) > 1 or bare[0] not in self._ordinary):
            yield grade, bare
        if person and grade == FULL and 2 <= len(bare) <= 3:
            for part in (bare[0], bare[-1]):
                if len(part) > 2 and part not in self._ordinary:
                    yield PART, (part,)

    @cached_property
    def _names(self) -> dict[Iri, list[tuple[int, tuple[str, ...]]]]:
        """What people may call things; names that are only made of other names are left out."""
        shown = [iri for iri in sorted(self._entities.named) if self._hidden.isdisjoint(self._entities.types(iri))]
        written = {iri: self._entities.name(iri) for iri in shown}
        bearers: dict[str, int] = {}
        for text in written.values():
            bearers[text] = bearers.get(text, 0) + 1
        full = {
            iri: tuple(token.text for token in tokens(text))
            for iri, text in written.items()
            if bearers[text] <= SHARED and text.count(" ") < LONGEST
        }
        subjects = {full[iri] for iri in self._defaults if full.get(iri)}
        proper = {name for iri, name in full.items() if name and self.is_bindable(iri)} | subjects
        found: dict[Iri, list[tuple[int, tuple[str, ...]]]] = {}
        for iri, name in full.items():
            if not name or len(name) > LONGEST:
                continue
            if not self.is_bindable(iri) and _holds(name, proper, subjects):
                continue
            names = [(FULL, name)]
            bare, _, more = written[iri].partition(" (")  # an album, with whose it is in brackets
            others = (self._entities.short(iri), *self._entities.aliases(iri), *([bare] if more else ()))
            for other in others:
                if other == bare and bearers.get(bare):
                    continue
                spelled = tuple(token.text for token in tokens(other))
                if spelled and spelled != name:
                    names.append((OTHER, spelled))
            found[iri] = names
        return found

    def _joined(self, iri: Iri) -> tuple[tuple[Iri, bool], ...]:
        rank: dict[Iri, tuple[float, int]] = {}
        level, seen = [iri], {iri}
        for depth in range(1, 4):
            above: list[Iri] = []
            for node in level:
                for subject, _, _ in self._graph.match(None, None, node):
                    if not isinstance(subject, Iri) or subject in seen:
                        continue
                    seen.add(subject)
                    beside = [t.object for t in self._graph.match(subject) if isinstance(t.object, Iri)]
                    for other, steps in ((subject, 0.0), *((other, 0.5) for other in beside)):
                        if other != iri and other not in self._defaults and self.is_bindable(other):
                            first, times = rank.get(other, (depth + steps, 0))
                            rank[other] = (min(first, depth + steps), times + 1)
                    if not self.is_bindable(subject):
                        above.append(subject)
            level = above if len(above) <= 60 else []
        order = sorted(rank, key=lambda other: (rank[other][0], -rank[other][1], other.value))
        return tuple((other, rank[other][0] == 1) for other in order)


def _is_stranger(around: Sequence[tuple[Mention, _Spelling]], named: tuple[Mention, _Spelling]) -> bool:
    """True for a first name beside the surname of somebody else: who is meant is neither."""
    mention, spelling = named
    return spelling.grade == PART and any(
        other.grade == PART
        and (beside.end == mention.start or beside.start == mention.end)
        and set(beside.entities).isdisjoint(mention.entities)
        for beside, other in around
    )


def _holds(name: tuple[str, ...], proper: Collection[tuple[str, ...]], subjects: Collection[tuple[str, ...]]) -> bool:
    """True where a name is put together from two names, or tells of the subject itself."""
    held = [
        name[at : at + size]
        for size in range(len(name) - 1, 0, -1)
        for at in range(len(name) - size + 1)
        if name[at : at + size] in proper
    ]
    return len(held) > 1 or any(part in subjects for part in held)
