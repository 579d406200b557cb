"""From a visitor's own words to a question that can be answered, or to an honest refusal with what comes closest.

The words are read here and go no further: no query, no log line and no outcome holds any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from graph_tools.candidates import Candidate, Candidates, Reading, Spoken
from graph_tools.composer import BeatComposer
from graph_tools.lexicon import Lexicon, Token, tokens
from graph_tools.linking import Linker
from graph_tools.matching import Embedder, Matcher, Weights, telling_words
from graph_tools.outcome import Kind, Outcome, Refused, Routed, Unsure
from graph_tools.pack import StoryPack
from graph_tools.plan import Question
from graph_tools.terms import Iri

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
    """From where on a likeness counts, found on `tests/words/tuning.tsv` and the paraphrases (docs/words.md)."""

    sure: float = 0.58
    """Told at once."""
    margin: float = 0.05
    """So much better than the next one, else both are offered."""
    unsure: float = 0.28
    """Offered."""
    strange: float = 0.44
    """Offered where some word is one that no question uses."""
    lost: float = 0.2
    """So much better fits a question that cannot be answered of them: then none is told instead."""


@dataclass(frozen=True, slots=True)
class Shortlist:
    """What can be told, the best first, each with its score."""

    told: tuple[tuple[float, Question], ...]
    lost: float
    """The score of the best question that has no answer for them; 0 where the best has one."""
    akin: bool
    """True where that one shares a theme with the best that can be told."""


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
        self._matcher = matcher = Matcher(pack.library, lexicon, self.weights, embedder)
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
        found = tokens(cut)
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
            outcome = self._decide(found, reading, self.shortlist(reading, composer, context, heard), composer)
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
        sureties: dict[str, tuple[float, ...]] = {}
        lost: Candidate | None = None
        for candidate in self._candidates.ranked(reading, composer.leading(), context, self._known(composer)):
            if len(told) == TRIED or candidate.score <= FAR * (told[0][0] if told else 0.0):
                break
            question = self._question(candidate, composer)
            if question is not None:
                told.append((self._looked_into(candidate, question, reading, composer).score, question))
                sureties[question.key] = candidate.explained
            elif lost is None and not told:
                lost = candidate
        told.sort(key=lambda pair: (-pair[0], pair[1].key in heard, pair[1].key))
        if not told or lost is None:
            return Shortlist(tuple(told), lost.score if lost else 0.0, False)
        best = told[0][1]
        # A question about a group instead of its drummer, or of another theme, is another question.
        same = all(known >= named for known, named in zip(sureties[best.key], lost.explained, strict=True))
        themes = self._pack.library[best.cq].cq.themes
        return Shortlist(tuple(told), lost.score, same and not frozenset(themes).isdisjoint(lost.cq.themes))

    def _decide(self, found: Sequence[Token], reading: Reading, short: Shortlist, composer: BeatComposer) -> Outcome:
        limits = self.thresholds
        questions = tuple(question for _, question in short.told[:CHIPS])
        best, second = ((*(score for score, _ in short.told), 0.0, 0.0))[:2]
        strange = any(self._matcher.strange(unit) for unit, _ in reading.units)
        if best < (limits.strange if strange else limits.unsure) or (
            short.lost > best + limits.lost and not short.akin
        ):
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
        strange = {unit.start for unit, _ in reading.units if self._matcher.strange(unit)}
        if any(found[start].capital and start > 0 for start in strange if not all(t.capital for t in found)):
            return "unknown"
        known = any(not unit.asks and not self._matcher.strange(unit) for unit, _ in reading.units)
        return "near" if reading.mentions or known else "unrelated"

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
