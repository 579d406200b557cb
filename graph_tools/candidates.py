"""Candidates: which questions a visitor's words may mean, bound to whom they name, and how well each one fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import log

from graph_tools.cq import CompetencyQuestion
from graph_tools.evidence import EvidencePack
from graph_tools.lexicon import Lexicon, Token, Unit
from graph_tools.linking import Linker, Mention
from graph_tools.matching import MASK, Fit, Matcher
from graph_tools.pack import StoryPack
from graph_tools.terms import Iri

CHOICES = 4
"""Entities that are tried for one slot at most."""
FEW = 3
"""Whom the graph joins with more leads than this is asked about for none of them: a publisher, a town."""
USUAL = 10
"""From so many questions on it is usual that one is about somebody of a class."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A visitor's words, read."""

    units: tuple[tuple[Unit, float], ...]
    """What they say, each unit with its weight."""
    mentions: tuple[Mention, ...]
    """Whom they name, but for the pack's defaults."""
    names: tuple[str, ...]
    """For each mention, its last word, as a question or an answer may say it itself."""
    titles: dict[int, int]
    """Unit -> mention, for names that fill no slot themselves."""
    subject: bool
    """True where they name one of the pack's defaults."""
    vague: int
    """Words that were left out because they say nothing of what is asked."""
    pronoun: bool
    """True where somebody is meant who was just heard about."""
    masked: str
    """The words without names, for an embedder."""

    @property
    def named(self) -> bool:
        """True where they name somebody or something of the records."""
        return bool(self.mentions) or self.subject

    @property
    def content(self) -> bool:
        """True where there is more in it than names and question words."""
        return any(not unit.asks for unit, _ in self.units)


@dataclass(frozen=True, slots=True)
class Fill:
    """What may fill a slot: an entity, how surely it is meant, and the number of the mention that names it."""

    entity: Iri
    surety: float
    mention: int | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bound question and how well it fits."""

    cq: CompetencyQuestion
    bindings: dict[str, str]
    fit: Fit
    explained: tuple[float, ...]
    """For each mention, how surely the question is about it."""
    said: float
    """How much of the question is asked, 0 to 1."""
    score: float


@dataclass(frozen=True, slots=True)
class Spoken:
    """What an answer speaks of."""

    senses: frozenset[str]
    entities: frozenset[str]
    rows: int

    def names(self, mention: Mention, name: str) -> bool:
        """True where the answer is about somebody who is named."""
        return name in self.senses or any(iri.value in self.entities for iri in mention.entities)


class Candidates:
    """Reads words, and ranks the questions that they may mean."""

    def __init__(self, pack: StoryPack, lexicon: Lexicon, linker: Linker, matcher: Matcher) -> None:
        self._pack = pack
        self._lexicon = lexicon
        self._linker = linker
        self._matcher = matcher
        self._weights = matcher.weights
        self._takers: dict[str, int] = {}
        for template in pack.library.values():
            for parameter in template.cq.parameters.values():
                self._takers[parameter.type] = self._takers.get(parameter.type, 0) + 1

    def read(self, found: Sequence[Token]) -> Reading:
        """The names and the words of a text."""
        mentions = self._linker.mentions(found)
        masked: list[Token | None] = list(found)
        for mention in mentions:
            masked[mention.start : mention.end] = [None] * (mention.end - mention.start)
        units, vague = self._matcher.read(masked)
        titles: dict[int, int] = {}
        about: list[Mention] = []
        names: list[str] = []
        for mention in mentions:
            if any(iri in mention.entities for iri in self._pack.defaults.values()):
                continue
            inner = tuple(self._lexicon.units(found[mention.start : mention.end]))
            names.append(inner[-1].key.split()[-1] if inner else "")
            if not mention.bindable:
                key = " ".join(unit.key for unit in inner)
                senses = frozenset(sense for unit in inner for sense in unit.senses) | {key}
                titles[len(units)] = len(about)
                units.append((Unit(key, senses, mention.start), self._weights.title))
            about.append(mention)
        starts = {mention.start for mention in mentions}
        said = (token.text if token else MASK for at, token in enumerate(masked) if token or at in starts)
        text = " ".join(said)
        pronoun = self._lexicon.has_pronoun(found)
        return Reading(
            tuple(units), tuple(about), tuple(names), titles, len(about) < len(mentions), vague, pronoun, text
        )

    def ranked(
        self,
        reading: Reading,
        questions: Iterable[CompetencyQuestion],
        context: tuple[Iri, ...],
        answers: Mapping[str, frozenset[str]],
    ) -> list[Candidate]:
        """Every one of these questions that can be bound, the best fitting first."""
        fits = self._matcher.fits(reading.units, frozenset(reading.names) - {""}, answers, reading.masked)
        fills: dict[tuple[str, str], list[Fill]] = {}
        found: list[Candidate] = []
        for cq in questions:
            options: list[list[Fill]] = []
            for name, parameter in cq.parameters.items():
                slot = name, parameter.type
                if slot not in fills:
                    fills[slot] = self._fills(name, Iri(parameter.type), reading, context)[:CHOICES]
                options.append(fills[slot])
            found += self._bound(cq, fits[cq.id], options, reading)
        return sorted(found, key=lambda c: (-c.score, c.cq.id, tuple(c.bindings.values())))

    def spoken(self, evidence: EvidencePack) -> Spoken:
        """What an answer speaks of."""
        values = (value for factlet in evidence.factlets for value in factlet.values.values())
        return Spoken(
            self._matcher.senses(factlet.text for factlet in evidence.factlets),
            frozenset(value.value for value in values if value.kind == "iri"),
            max(1, len(evidence.factlets)),
        )

    def looked_into(self, candidate: Candidate, reading: Reading, spoken: Spoken) -> Candidate:
        """The candidate with what its answer speaks of counted in."""
        least = self._weights.answer
        named = self._weights.named / (1 + 0.5 * log(spoken.rows))
        uptake = tuple(
            known if known >= least or unit.outside or unit.senses.isdisjoint(spoken.senses) else least
            for (unit, _), known in zip(reading.units, candidate.fit.uptake, strict=True)
        )
        explained = tuple(
            max(known, (named if mention.bindable else 0.9) if spoken.names(mention, name) else 0.0)
            for mention, name, known in zip(reading.mentions, reading.names, candidate.explained, strict=True)
        )
        fit = self._matcher.refit(candidate.fit, uptake, reading.units)
        return replace(candidate, fit=fit, score=self._score(reading, fit, explained, candidate.said))

    def _bound(
        self, cq: CompetencyQuestion, fits: Sequence[Fit], options: Sequence[Sequence[Fill]], reading: Reading
    ) -> Iterator[Candidate]:
        slot = self._weights.slot
        for chosen in product(*options):
            sureties = {fill.mention: fill.surety for fill in chosen if fill.mention is not None}
            if len(sureties) < sum(fill.mention is not None for fill in chosen):
                continue  # one name cannot fill two slots
            bound = dict(zip(cq.parameters, chosen, strict=True))
            asked = [fill.surety for name, fill in bound.items() if fill.entity != self._pack.defaults.get(name)]
            explained = tuple(sureties.get(number, 0.0) for number in range(len(reading.mentions)))
            best: tuple[float, float, Fit, tuple[float, ...]] | None = None
            for fit in fits:
                said_of = tuple(
                    1.0 if name in fit.phrasing.keys else known
                    for name, known in zip(reading.names, explained, strict=True)
                )
                whole = fit.phrasing.whole + slot * len(asked)
                said = (fit.got + slot * sum(asked)) / whole if whole else 0.0
                score = self._score(reading, fit, said_of, said)
                if best is None or score > best[0]:
                    best = score, said, fit, said_of
            if best is not None:
                bindings = {name: fill.entity.value for name, fill in sorted(bound.items())}
                yield Candidate(cq, bindings, best[2], best[3], best[1], best[0])

    def _fills(self, name: str, class_: Iri, reading: Reading, context: tuple[Iri, ...]) -> list[Fill]:
        """What may fill a slot, the surest first: who is named, whom the graph joins with them, who was heard about."""
        types = self._pack.entities.types
        found: list[Fill] = []
        for number, mention in enumerate(reading.mentions):
            fitting = [iri for iri in mention.entities if class_ in types(iri)]
            found += [Fill(iri, 1.0 - 0.03 * rank, number) for rank, iri in enumerate(fitting)]
            if fitting or name in self._pack.defaults:
                continue
            lead = name == self._pack.arcs.lead_parameter
            joined = self._weights.lead if lead else self._weights.joined
            for iri in mention.entities[:2]:
                if lead and self._linker.is_lead(iri):
                    continue  # a soloist is asked about as such, and not for everybody who ever played with them
                near = [other for other, own in self._linker.joined(iri) if class_ in types(other) and own != lead]
                if len(near) > (FEW if lead else 1):
                    continue
                found += [Fill(other, joined - 0.05 * rank, number) for rank, other in enumerate(near)]
        default = self._pack.defaults.get(name)
        if default is not None and class_ in types(default):
            found.append(Fill(default, 1.0))
        elif not any(fill.surety > 0.9 for fill in found):
            close = [iri for iri in context if class_ in types(iri)]
            found += [Fill(iri, (0.9 if reading.pronoun else 0.4) - 0.1 * rank) for rank, iri in enumerate(close[:2])]
        return sorted(found, key=lambda fill: -fill.surety)

    def _score(self, reading: Reading, fit: Fit, explained: Sequence[float], said: float) -> float:
        """How well what is asked is taken up and what the question says is asked, 0 to 1."""
        weights = self._weights
        got, whole, content = fit.taken, fit.whole, fit.content
        for number, mention in reading.titles.items():
            more = weights.title * max(0.0, explained[mention] - fit.uptake[number])
            got += more
            content += more
        missed: list[float] = []
        for mention_, known in zip(reading.mentions, explained, strict=True):
            if mention_.bindable:
                whole += weights.name
                got += weights.name * known
                missed.append((1 - known) * self._usual(mention_))
        covered = got / whole if whole else 0.0
        rest = fit.content_whole
        taken_up = weights.floor + (1 - weights.floor) * content / rest if rest else 1.0
        asks = fit.whole - fit.content_whole
        met = weights.floor + (1 - weights.floor) * (fit.taken - fit.content) / asks if asks else 1.0
        score = covered**weights.asked * said ** (1 - weights.asked) * taken_up**weights.content
        score = float(score * met**weights.asks)
        if fit.likeness is not None:
            score += weights.likeness * (fit.likeness - score)
        return score * (1 - (1 - weights.missed) * sum(missed) / len(missed)) if missed else score

    def _usual(self, mention: Mention) -> float:
        """How usual it is that questions are about somebody of the kind, 0 to 1."""
        types = self._pack.entities.types(mention.entities[0])
        return min(1.0, sum(self._takers.get(type_.value, 0) for type_ in types) / USUAL)
