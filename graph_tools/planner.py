"""From a persona and a length to a beat plan (the paper's 4.1): pure and seeded.

A plan grows from the shortest length to the one that was asked for, so that a longer story has every beat of a shorter
one. Each step of the skeleton becomes a beat: of the questions that may lead it, the one with the highest score
(docs/planning.md) that tells nothing twice and has room for its words, and companions on the same topic. The same
request gives the same bytes in any process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from graph_tools import scoring
from graph_tools.casting import Role, cast
from graph_tools.composer import BeatComposer
from graph_tools.cq import CompetencyQuestion
from graph_tools.draft import Draft
from graph_tools.eligibility import Answers
from graph_tools.errors import NoEligibleBeat, UnknownLength, UnknownPersona, nearest
from graph_tools.pack import StoryPack
from graph_tools.persona import Arc, ArcBeat, Skeleton
from graph_tools.plan import Alternative, Beat, BeatPlan, Followed, Question, StoryRequest
from graph_tools.reasons import because, reason
from graph_tools.retrieval.kg import KgRetriever
from graph_tools.scoring import Score
from graph_tools.terms import Iri

THIN = 0.5
"""A beat with room for less than this share of its words is left out: the others have more to tell."""
OTHERS = 3
"""Questions named that were not taken, at most."""


def plan_story(request: StoryRequest, pack: StoryPack, composer: BeatComposer | None = None) -> BeatPlan:
    """The plan for a request. Raises UnknownPersona, UnknownLength or NoEligibleBeat.

    A composer that is passed in shares what it remembers; it changes no plan.
    """
    arc_for(request, pack)
    skeleton = pack.arcs.skeletons[request.persona]
    composer = composer or BeatComposer(pack, KgRetriever(pack, Answers(pack)), request.persona)
    growing = _Growing(composer, request, skeleton, Draft(composer))
    for length in skeleton.lengths:
        growing.grow(length)
        if length == request.length:
            break
    beats = growing.draft.beats()
    if len(beats) < 2:
        raise NoEligibleBeat(
            f"pack {pack.name!r} answers too few questions for {request.persona} {request.length}; see cuestory check"
        )
    closing = pack.library[beats[-1].questions[0].cq].cq
    hooks = closing.hook.get(request.persona, ())
    bound = growing.draft.bound()
    followed = tuple(lead for lead in growing.leads.values() if lead is not None and lead.iri in bound)
    return BeatPlan(
        request=request,
        leads=tuple(lead.iri for lead in followed),
        followed=followed,
        hook=Random(f"{request.seed}|{request.persona}|{closing.id}").choice(hooks) if hooks else "",
        hook_cq=closing.id if hooks else "",
        beats=beats,
    )


def arc_for(request: StoryRequest, pack: StoryPack) -> Arc:
    """The arc of a request. Raises UnknownPersona or UnknownLength with the nearest valid names."""
    if request.persona not in pack.personas:
        raise UnknownPersona(f"unknown persona {request.persona!r}; {nearest(request.persona, pack.personas)}")
    lengths = pack.arcs.arcs.get(request.persona, {})
    if request.length not in lengths:
        raise UnknownLength(f"unknown length {request.length!r}; {nearest(request.length, lengths)}")
    return lengths[request.length]


@dataclass(frozen=True, slots=True)
class _Option:
    """A question that could lead a beat."""

    cq: CompetencyQuestion
    question: Question
    score: Score


@dataclass(frozen=True, slots=True)
class _Scene:
    """What a beat would stand in, and what it should fill."""

    place: int
    step: ArcBeat
    words: float
    """Its share of the story's words."""
    beside: Sequence[frozenset[str]]
    """Entities of the beats on either side."""
    heard: frozenset[str]
    tally: Mapping[str, int]


@dataclass
class _Growing:
    composer: BeatComposer
    request: StoryRequest
    skeleton: Skeleton
    draft: Draft
    leads: dict[str, Followed | None] = field(default_factory=dict)
    """"first" and "second" -> whom the story follows, None where nobody fits; chosen when first wanted."""

    def grow(self, length: str) -> None:
        """Add the beats that the story has from this length on: its two ends first, since what it raises and answers
        goes before what stands between."""
        words, draft, last = self.skeleton.arc(length).share, self.draft, len(self.skeleton.beats) - 1
        for place in (0, last, *range(1, last)):
            step = self.skeleton.beats[place]
            if self.skeleton.since(step) == length:
                scene = _Scene(place, step, words, draft.beside(place), draft.heard(), draft.tally())
                beats = (self._beat(scene, lead) for lead in self._followed(scene))
                beat = next((beat for beat in beats if beat is not None), None)
                if beat is not None:
                    draft.placed[place] = beat

    def _followed(self, scene: _Scene) -> Iterator[Iri | None]:
        """Whom the step may follow, first choice first; nobody who was not introduced stands in for another lead."""
        about = scene.step.about
        if about == "setting":
            yield None
            return
        own = None if about == "either" else self._lead(about)
        if own is not None:
            yield own
        introduced = self.draft.bound(before=scene.place)
        for lead in reversed(self.leads.values()):
            if lead is not None and lead.iri in introduced and Iri(lead.iri) != own:
                yield Iri(lead.iri)

    def _lead(self, role: str) -> Iri | None:
        if role not in self.leads:
            entry = next(step for step in self.skeleton.beats if step.about == role)
            first = self._lead("first") if role == "second" else None
            self.leads[role] = cast(Role(entry, first), self.request, self.composer)
        lead = self.leads[role]
        return Iri(lead.iri) if lead is not None else None

    def _beat(self, scene: _Scene, lead: Iri | None) -> Beat | None:
        """The step's beat about that lead, or None where the graph answers no question that it could ask."""
        ranked = sorted(self._options(scene, lead), key=_best_first)
        if scene.step.cqs:
            ranked.sort(key=lambda option: option.cq.id not in scene.step.cqs)
        closes = scene.place == len(self.skeleton.beats) - 1
        if closes:  # it answers what the first beat raises, so a question that has a hook goes before others
            ranked.sort(key=lambda option: self.request.persona not in option.cq.hook)
        refused: dict[str, str] = {}
        for option in ranked:
            beat, fault = self._composed(scene, option.question, lead)
            if not fault and not closes and self.draft.placed:
                fault = self._thin(scene, beat)
            if not fault:
                about = f"follows {self.composer.pack.entities.name(lead)}" if lead is not None else "sets the scene"
                persona = self.composer.pack.personas[self.request.persona]
                why = reason(about, option.score, option.cq, persona)
                others = _others(option, ranked, refused)
                return beat.model_copy(update={"reason": why, "alternatives": others})
            refused[option.question.key] = fault
        return None

    def _options(self, scene: _Scene, lead: Iri | None) -> Iterator[_Option]:
        used = self.draft.used()
        for cq in self.composer.candidates(scene.step):
            question = self.composer.asks(cq, lead)
            if question is not None and question.key not in used:
                words = self.composer.room(question, lead, scene.step.questions)
                yield _Option(cq, question, self._score(scene, question, scene.beside, words))

    def _score(self, scene: _Scene, question: Question, beside: Iterable[frozenset[str]], words: int) -> Score:
        prospect, request, pack = self.composer.prospect(question), self.request, self.composer.pack
        groups = (prospect.topics, prospect.entities, (question.cq,))
        parts = {
            "continuity": scoring.continuity(prospect.entities, beside),
            "novelty": scoring.novelty(prospect.statements, scene.heard),
            "balance": scoring.balance(groups, scene.tally, len(self.draft.placed)),
            "salience": scoring.salience(len(prospect.statements), prospect.publishers),
            "interest": scoring.interest(prospect.topics, pack.personas[request.persona].interests),
            "room": scoring.room(words, scene.words),
        }
        noise = scoring.drawn(request.seed, request.persona, scene.place, question.key)
        return Score.of(parts, pack.arcs.scoring.questions, noise)

    def _composed(self, scene: _Scene, question: Question, lead: Iri | None) -> tuple[Beat, str]:
        """The beat that the question would lead, with the most companions that leave later beats something to tell;
        and why it cannot stand there, or ""."""

        def ranked(companion: Question, chosen: Sequence[Question]) -> float:
            words = self.composer.capacity([companion])
            return self._score(scene, companion, [self.draft.entities(*chosen)], words).total

        beat, fault = Beat(step=scene.step.step, questions=(question,)), self.draft.tells_already(question)
        for most in () if fault else dict.fromkeys((scene.step.questions, 1)):
            beat = self.composer.compose(
                beat.step, question, lead, most=most, heard=scene.heard, used=self.draft.used(), ranked=ranked
            )
            fault = self.draft.left_without_news(scene.place, beat)
            if not fault:
                break
        return beat, fault

    def _thin(self, scene: _Scene, beat: Beat) -> str:
        words = self.composer.capacity(beat.questions)
        if words >= THIN * scene.words:
            return ""
        return f"has room for {words} words, where about {scene.words:.0f} are wanted"


def _best_first(option: _Option) -> tuple[float, str]:
    """Of equal scores, the smaller id."""
    return -option.score.total, option.question.key


def _others(taken: _Option, ranked: Iterable[_Option], refused: Mapping[str, str]) -> tuple[Alternative, ...]:
    others = [option for option in ranked if option is not taken]
    others.sort(key=_best_first)
    return tuple(
        Alternative(
            question=option.question,
            total=option.score.total,
            because=refused.get(option.question.key) or because(option.score, taken.score),
        )
        for option in others[:OTHERS]
    )
