"""From a persona and a length to a beat plan (the paper's 4.1): pure and seeded.

The arc gives the steps; each step becomes a beat: a leading question and, where the arc asks for more than one,
companions on the same topic. The story follows at most two lead entities, chosen by the seed among those that the
graph tells most about, and no beat mostly repeats what another one tells. Everything is sorted before it is drawn
from, so the same request gives the same bytes in any process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from graph_tools.composer import BeatComposer
from graph_tools.cq import CompetencyQuestion
from graph_tools.eligibility import Answers
from graph_tools.errors import NoEligibleBeat, UnknownLength, UnknownPersona, nearest
from graph_tools.novelty import repeats, shares
from graph_tools.pack import StoryPack
from graph_tools.persona import Arc, ArcBeat
from graph_tools.plan import Beat, BeatPlan, Question, StoryRequest
from graph_tools.retrieval.kg import KgRetriever
from graph_tools.terms import Iri

THIN = 0.5
"""A beat with room for less than this share of its words is left out: the others have more to tell."""
DRAWS = 5
"""Entities drawn by the seed for one lead; the one that the graph tells most about is taken."""


def plan_story(request: StoryRequest, pack: StoryPack, composer: BeatComposer | None = None) -> BeatPlan:
    """The plan for a request. Raises UnknownPersona, UnknownLength or NoEligibleBeat.

    A composer that is passed in shares what it remembers; it changes no plan.
    """
    arc = arc_for(request, pack)
    rng = Random(f"{request.seed}|{request.persona}|{request.length}|{request.strategy}")
    composer = composer or BeatComposer(pack, KgRetriever(pack, Answers(pack)), request.persona)
    leads = _leads(arc, composer, rng)
    draft = _Draft(composer, rng, leads, share=sum(arc.words) / 2 / len(arc.beats))
    for step in arc.beats:
        draft.add(step, closes=step is arc.beats[-1])
    if len(draft.beats) < 2:
        raise NoEligibleBeat(
            f"pack {pack.name!r} answers too few questions for {request.persona} {request.length}; see cuestory check"
        )
    closing = pack.library[draft.beats[-1].questions[0].cq].cq
    hooks = closing.hook.get(request.persona, ())
    return BeatPlan(
        request=request,
        leads=tuple(iri.value for iri in leads if draft.follows(iri)),
        hook=rng.choice(hooks) if hooks else "",
        hook_cq=closing.id if hooks else "",
        beats=tuple(draft.beats),
    )


def arc_for(request: StoryRequest, pack: StoryPack) -> Arc:
    """The arc of a request. Raises UnknownPersona or UnknownLength with the nearest valid names."""
    if request.persona not in pack.personas:
        raise UnknownPersona(f"unknown persona {request.persona!r}; {nearest(request.persona, pack.personas)}")
    lengths = pack.arcs.arcs.get(request.persona, {})
    if request.length not in lengths:
        raise UnknownLength(f"unknown length {request.length!r}; {nearest(request.length, lengths)}")
    return lengths[request.length]


@dataclass
class _Draft:
    composer: BeatComposer
    rng: Random
    leads: Sequence[Iri]
    share: float
    """Words that a beat should have room for."""
    beats: list[Beat] = field(default_factory=list)
    heard: frozenset[str] = frozenset()
    used: set[str] = field(default_factory=set)

    def add(self, step: ArcBeat, *, closes: bool) -> None:
        """Add the step's beat, or nothing where the graph answers no question that it could ask."""
        options = list(self._options(step))
        chosen: tuple[int, Beat] | None = None
        if closes:  # the last beat answers what the first one raises, so a question that has a hook goes before others
            options.sort(key=lambda option: self.composer.persona not in option[0].hook)
        for cq, lead, question in options:
            if not self.composer.tellable(question) or self._told(question):
                continue
            beat = self.composer.compose(
                step.step, question, lead, most=step.questions, heard=self.heard, used=self.used
            )
            capacity = self.composer.capacity(beat.questions)
            if chosen is None or capacity > chosen[0]:
                chosen = capacity, beat.model_copy(update={"reason": self._reason(step, cq, lead)})
            if capacity >= self.share or (closes and self.composer.persona in cq.hook):
                break
        if chosen is not None and (chosen[0] >= THIN * self.share or closes or not self.beats):
            self._take(chosen[1])

    def _told(self, question: Question) -> bool:
        statements = self.composer.statements(question)
        before = (self.composer.statements(other) for beat in self.beats for other in beat.questions)
        if self.composer.retells(question, self.heard) or repeats(statements, self.heard):
            return True
        return any(shares(statements, other) for other in before)

    def _take(self, beat: Beat) -> None:
        self.beats.append(beat)
        for told in beat.questions:
            self.used.add(told.key)
            self.heard |= self.composer.statements(told)

    def follows(self, iri: Iri) -> bool:
        """True where some beat is about that entity."""
        return any(iri.value in question.bindings.values() for beat in self.beats for question in beat.questions)

    def _options(self, step: ArcBeat) -> Iterator[tuple[CompetencyQuestion, Iri | None, Question]]:
        candidates = self.composer.candidates(step)
        self.rng.shuffle(candidates)
        for lead in self._followed(step):
            for cq in candidates:
                if self.composer.follows(cq) != (lead is not None):
                    continue
                question = self.composer.question(cq, lead)
                if question is not None and question.key not in self.used:
                    yield cq, lead, question

    def _followed(self, step: ArcBeat) -> list[Iri | None]:
        """Whom the step may follow, first choice first; nobody who was not introduced stands in for another lead."""
        if step.about == "setting":
            return [None]
        own = {"first": self.leads[:1], "second": self.leads[1:2], "either": ()}[step.about]
        return [*own, *(lead for lead in self.leads if lead not in own and self.follows(lead))]

    def _reason(self, step: ArcBeat, cq: CompetencyQuestion, lead: Iri | None) -> str:
        about = "sets the scene" if lead is None else f"follows {self.composer.pack.entities.name(lead)}"
        return f"{step.step}: {cq.id} {about}"


def _leads(arc: Arc, composer: BeatComposer, rng: Random) -> list[Iri]:
    """Up to two entities to follow: a few are drawn for each, and the one that its steps can tell most about is taken.

    Whoever cannot fill the first step that follows a lead is no lead.
    """
    followed = [step for step in arc.beats if step.about != "setting"]
    leads: list[Iri] = []
    pool = list(composer.pack.entities.of_class(Iri(composer.pack.arcs.lead_class)))
    rng.shuffle(pool)
    for role in ("first", "second"):
        steps = [step for step in followed if step.about in (role, "either")]
        drawn: list[tuple[int, Iri]] = []
        while pool and steps and len(drawn) < DRAWS:
            iri = pool.pop()
            if _fills(steps[0], iri, composer) and _known(iri, composer) >= composer.pack.arcs.lead_answers:
                drawn.append((sum(_fills(step, iri, composer) for step in steps), iri))
        if drawn:
            best = max(richness for richness, _ in drawn)
            leads.append(next(iri for richness, iri in drawn if richness == best))
            pool += [iri for _, iri in drawn if iri != leads[-1]]
    return leads


def _known(lead: Iri, composer: BeatComposer) -> int:
    """How many questions about an entity can be told, whatever the step."""
    asked = (composer.question(cq, lead) for cq in composer.leading() if composer.follows(cq))
    return sum(1 for question in asked if question is not None and composer.tellable(question))


def _fills(step: ArcBeat, lead: Iri, composer: BeatComposer) -> int:
    """How many of the step's questions can be told about an entity."""
    asked = (composer.question(cq, lead) for cq in composer.candidates(step) if composer.follows(cq))
    return sum(1 for question in asked if question is not None and composer.tellable(question))
