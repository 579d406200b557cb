"""From a visitor's own words to a question that can be answered, or to an honest refusal with what comes closest.

The words are read here and go no further: no query, no log line and no outcome holds any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from graph_tools.candidates import Candidate, Candidates, Reading, Spoken
from graph_tools.composer import BeatComposer
from graph_tools.lexicon import Lexicon, Token, tokens
from graph_tools.linking import Linker
from graph_tools.matching import Embedder, Grade, Matcher, Weights, telling_words
from graph_tools.outcome import Case, Kind, Outcome, Refused, Routed, Unsure
from graph_tools.pack import StoryPack
from graph_tools.plan import Question
from graph_tools.terms import Iri, Literal

LONGEST = 2000
"""Characters that are read of what a visitor types."""
CHIPS = 3
"""Questions that are offered at most."""
FAR = 0.25
"""What scores less than this share of the best is not looked into."""
TRIED = 12
"""Questions whose answers are looked into."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From where on a likeness counts, found by `benchmarks/router.py --sweep` (docs/words.md)."""

    sure: float = 0.58
    """Told at once."""
    margin: float = 0.05
    """So much better than the next one, else both are offered."""
    named: float = 0.15
    """Offered where a name of the records is named, and no word is strange."""
    unsure: float = 0.3
    """Offered where none is named."""
    doubted: float = 0.25
    """Offered where a name is named, and some word is one that neither questions nor records use."""
    strange: float = 0.44
    """Offered where none is named, and there is such a word."""
    unknown: float = 0.7
    """Offered where there is a name that nobody knows, or another year."""
    outside: float = 0.5
    """Offered where there is a word of another subject that the records use too."""
    foreign: float = 0.6
    """Offered where there is a word of another subject."""
    met: float = 0.12
    """Share of what is asked, names apart, that has to be taken up."""
    nothing: float = 2.0
    """Offered where only vague words stand: never."""
    lost: float = 0.35
    """So much better fits a question that cannot be answered of them: then none is told instead."""

    def case(self, reading: Reading, short: Shortlist) -> Case:
        """Which of them decides whether something is offered."""
        named = reading.named or reading.pronoun
        if reading.vague and not (reading.content or named):
            return "nothing"
        if short.grade is Grade.FOREIGN:
            return "foreign"
        if short.grade is Grade.OUTSIDE:
            return "outside"
        if short.grade is Grade.UNKNOWN:
            return "unknown"
        if short.grade is Grade.STRANGE:
            return "doubted" if named else "strange"
        return "named" if named else "unsure"


@dataclass(frozen=True, slots=True)
class Shortlist:
    """What can be told, the best first, each with its score."""

    told: tuple[tuple[float, Question], ...]
    lost: float
    """The score of the best question that has no answer for them; 0 where the best has one."""
    akin: bool
    """True where that one shares a theme with the best that can be told."""
    share: float
    """Share of the content, by weight, that the best one takes up; 1 where there is none."""
    grade: Grade
    """How far the farthest word is from what can be answered, those apart that the best's answer speaks of."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What was read, and what it may mean, before it is decided what becomes of it."""

    found: tuple[Token, ...]
    reading: Reading
    short: Shortlist


class Router:
    """Reads visitors' words for one pack. Pure: the same words and context give the same outcome."""

    def __init__(
        self,
        pack: StoryPack,
        composers: Callable[[str], BeatComposer],
        embedder: Embedder | None = None,
        *,
        weights: Weights | None = None,
        thresholds: Thresholds | None = None,
    ) -> None:
        self._pack = pack
        self._composers = composers
        self.weights = weights or Weights()
        self.thresholds = thresholds or Thresholds()
        self._lexicon = lexicon = Lexicon(pack.words, pack.language)
        self._matcher = matcher = Matcher(pack.library, lexicon, self.weights, embedder, self._records)
        library = [template.cq for template in pack.library.values()]
        self._answers: dict[str, dict[str, frozenset[str]]] = {}
        self._spoken: dict[str, Spoken] = {}
        texts = [text for cq in library for text in (cq.question, *cq.paraphrases, *telling_words(cq))]
        linker = Linker(
            pack.graph,
            pack.entities,
            lexicon,
            lead=pack.arcs.lead_class,
            bindable={parameter.type for cq in library for parameter in cq.parameters.values()},
            hidden=pack.checks.unspoken,
            defaults=tuple(pack.defaults.values()),
            ordinary=lexicon.words | {t.text for text in texts for t in tokens(text) if not t.capital},
        )
        self._candidates = Candidates(pack, lexicon, linker, matcher)

    def route(self, text: str, persona: str, context: tuple[Iri, ...] = (), heard: Collection[str] = ()) -> Outcome:
        """What the visitor means, of all that can be told to the persona.

        `context` is whom they just heard about, best first; `heard` are keys of questions that were asked already."""
        cut = text[:LONGEST]
        kind = self._pack.replies.steered(cut)
        found = self._lexicon.meant(tokens(cut))
        if kind is not None or not found:
            return Refused(kind or "empty")
        composer = self._composers(persona)
        reading = self.read(found)
        outcome: Outcome
        if not reading.mentions and not reading.content and self._lexicon.has_guide(found):
            outcome = Refused("unrelated", self._openings(composer))
        elif reading.mentions and len(reading.units) == len(reading.titles):
            outcome = self._portrait(reading, composer)
        else:
            short = self.shortlist(reading, composer, context, heard)
            outcome = self.decide(Weighed(found, reading, short), composer, self.thresholds)
        if isinstance(outcome, Refused) and self._pack.replies.rude(cut):
            return Refused("abuse")
        if isinstance(outcome, Refused) and len(text) > LONGEST:
            return Refused("too-long", outcome.nearest)
        return outcome

    def read(self, found: Sequence[Token]) -> Reading:
        """The names and the meaning of some words."""
        return self._candidates.read(found)

    def _known(self, composer: BeatComposer) -> Mapping[str, frozenset[str]]:
        """Question -> the words of its answer, for what is asked of the pack's defaults alone; read once."""
        if composer.persona not in self._answers:
            asked = [(cq.id, composer.question(cq, None)) for cq in composer.leading()]
            told = {cq_id: question for cq_id, question in asked if question and composer.tellable(question)}
            self._answers[composer.persona] = {
                cq_id: self._spoken_in(question, composer).senses for cq_id, question in told.items()
            }
        return self._answers[composer.persona]

    def shortlist(
        self, reading: Reading, composer: BeatComposer, context: tuple[Iri, ...] = (), heard: Collection[str] = ()
    ) -> Shortlist:
        """The best of what can be told, the answers looked into."""
        told: list[tuple[float, Question]] = []
        looked: dict[str, Candidate] = {}
        lost: Candidate | None = None
        for candidate in self._candidates.ranked(reading, composer.leading(), context, self._known(composer)):
            if len(told) == TRIED or candidate.score <= FAR * (told[0][0] if told else 0.0):
                break
            question = self._question(candidate, composer)
            if question is not None:
                seen = looked[question.key] = self._looked_into(candidate, question, reading, composer)
                told.append((seen.score, question))
            elif lost is None and not told:
                lost = candidate
        told.sort(key=lambda pair: (-pair[0], pair[1].key in heard, pair[1].key))
        best = looked[told[0][1].key] if told else None
        grade = self._grade(reading, best.fit.uptake if best else None)
        whole = best.fit.content_whole if best else 0.0
        share = best.fit.content / whole if best and whole else 1.0
        if best is None or lost is None:
            return Shortlist(tuple(told), lost.score if lost else 0.0, False, share, grade)
        # A question about a group instead of its drummer, or of another theme, is another question.
        same = all(known >= named for known, named in zip(best.explained, lost.explained, strict=True))
        akin = same and not frozenset(best.cq.themes).isdisjoint(lost.cq.themes)
        return Shortlist(tuple(told), lost.score, akin, share, grade)

    def _grade(self, reading: Reading, uptake: Sequence[float] | None) -> Grade:
        """How far the farthest word is that is not taken up."""
        shares = uptake or [0.0] * len(reading.units)
        weights = self.weights
        far = (
            max(self._matcher.grade(unit), Grade.OUTSIDE if unit.outside else Grade.KNOWN)
            for number, ((unit, _), share) in enumerate(zip(reading.units, shares, strict=True))
            if share < (weights.elsewhere if unit.outside else weights.answer) and number not in reading.titles
        )
        return max(far, default=Grade.KNOWN)

    def weighed(self, text: str, persona: str) -> Weighed:
        """What was read of a text, and what it may mean."""
        found = self._lexicon.meant(tokens(text[:LONGEST]))
        reading = self.read(found)
        return Weighed(found, reading, self.shortlist(reading, self._composers(persona)))

    def decide(self, weighed: Weighed, composer: BeatComposer, limits: Thresholds) -> Outcome:
        """What becomes of what was read, under some thresholds."""
        found, reading, short = weighed.found, weighed.reading, weighed.short
        questions = tuple(question for _, question in short.told[:CHIPS])
        best, second = ((*(score for score, _ in short.told), 0.0, 0.0))[:2]
        least: float = getattr(limits, limits.case(reading, short))
        lost = short.lost > best + limits.lost and not short.akin
        if best < least or short.share < limits.met or lost:
            return Refused(self._why(found, reading), questions or self._openings(composer))
        if best >= limits.sure and short.lost <= best and best >= second + limits.margin:
            return Routed(questions[0], best, questions[1:])
        return Unsure(questions)

    def _portrait(self, reading: Reading, composer: BeatComposer) -> Outcome:
        """Where somebody is only named: what stories tell first of anybody."""
        ranked = self._candidates.ranked(reading, composer.leading(), (), self._known(composer))
        arcs = self._pack.arcs.arcs.get(composer.persona, {}).values()
        told = [cq_id for arc in arcs for beat in arc.beats if beat.about != "setting" for cq_id in beat.cqs]
        order = {cq_id: number for number, cq_id in reversed(list(enumerate(told)))}
        about = sorted(
            (candidate for candidate in ranked if any(candidate.explained)),
            key=lambda c: (-max(c.explained), order.get(c.cq.id, len(order)), c.cq.id),
        )
        asked = (self._question(candidate, composer) for candidate in about)
        questions = tuple(islice((question for question in asked if question is not None), CHIPS))
        return Unsure(questions) if questions else Refused("near")

    def _openings(self, composer: BeatComposer) -> tuple[Question, ...]:
        """What stories begin with: the nearest where nothing is near."""
        arcs = self._pack.arcs.arcs.get(composer.persona, {}).values()
        first = dict.fromkeys(cq_id for arc in arcs for beat in arc.beats[:2] for cq_id in beat.cqs)
        asked = (composer.question(self._pack.library[cq_id].cq, None) for cq_id in first)
        return tuple(islice((q for q in asked if q is not None and composer.tellable(q)), CHIPS))

    def _why(self, found: Sequence[Token], reading: Reading) -> Kind:
        """Of another subject, of an unknown name, or of this one without an answer."""
        strange = {unit.start for unit, _ in reading.units if self._matcher.grade(unit) >= Grade.STRANGE}
        if any(found[start].capital and start > 0 for start in strange if not all(t.capital for t in found)):
            return "unknown"
        known = any(not unit.asks and self._matcher.grade(unit) <= Grade.HEARD for unit, _ in reading.units)
        return "near" if reading.mentions or known else "unrelated"

    def _records(self) -> Iterator[str]:
        """What the graph says in words."""
        literals = (triple.object for triple in self._pack.graph.match())
        return (literal.lexical for literal in literals if isinstance(literal, Literal) and " " in literal.lexical)

    def _question(self, candidate: Candidate, composer: BeatComposer) -> Question | None:
        question = composer.bound(candidate.cq, candidate.bindings)
        return question if question is not None and composer.tellable(question) else None

    def _looked_into(
        self, candidate: Candidate, question: Question, reading: Reading, composer: BeatComposer
    ) -> Candidate:
        return self._candidates.looked_into(candidate, reading, self._spoken_in(question, composer))

    def _spoken_in(self, question: Question, composer: BeatComposer) -> Spoken:
        spoken = self._spoken.get(question.key)
        if spoken is None:
            spoken = self._spoken[question.key] = self._candidates.spoken(composer.evidence(question))
        return spoken
