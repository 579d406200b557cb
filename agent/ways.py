"""Ways on from a moment of a visit: every question that could come next, about whom, and of which kind it is.

Whether a way can be taken now is not asked here (agent/standing.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from random import Random

from agent.thread import Thread
from graph_tools.composer import BeatComposer
from graph_tools.cq import CompetencyQuestion
from graph_tools.pack import StoryPack
from graph_tools.persona import ChoiceKind
from graph_tools.plan import BeatPlan, Question
from graph_tools.terms import Iri

RECENT = 6
"""Entities named last that further questions are tried for."""
LABEL, TAG = 60, 24
"""Characters of a button, and of a name above its question, where a short name can bring them down to that."""


@dataclass(frozen=True, slots=True)
class Way:
    """One question that could come next."""

    kind: str
    tag: str
    cq: CompetencyQuestion
    question: Question
    entity: Iri | None
    """Whom or what it is about; None where only the pack's defaults are bound."""
    label: str


class Ways:
    """The ways on for one persona. What does not change from moment to moment is found out once."""

    def __init__(self, composer: BeatComposer) -> None:
        self._composer = composer
        self._pack = composer.pack
        self._lead = Iri(composer.pack.arcs.lead_class)
        self._known: dict[Iri, tuple[Way, ...]] = {}

    def at(self, plan: BeatPlan, thread: Thread, rng: Random) -> dict[str, list[Way]]:
        """Kind -> its ways, best first. The kinds: more, then the pack's own, then theme."""
        found: dict[str, list[Way]] = {"more": [], **{name: [] for name in self._pack.arcs.choices}, "theme": []}
        last = {*thread.about, *thread.named}
        near = [_shuffled(self.about(entity), rng) for entity in self.recent(plan, thread)]
        for way in (way for round_ in zip_longest(*near) for way in round_ if way is not None):
            if way.kind == "more" or (way.entity is not None and way.entity.value in last):
                found[way.kind].append(way)
        for way in _shuffled(self._setting, rng):
            found[way.kind].append(way)
        found["theme"] = _least_heard(found["theme"], thread, self._pack)
        return found

    def recent(self, plan: BeatPlan, thread: Thread) -> list[Iri]:
        """Whom and what further questions may be about: those of the last beat first, whoever was named before, the
        plan's leads. Only what some question can be asked about."""
        types = self._pack.entities.types
        said = [*thread.about, *thread.named, *reversed(thread.mentioned), *plan.leads]
        named = [Iri(iri) for iri in dict.fromkeys(said) if not self._classes.isdisjoint(types(Iri(iri)))]
        newest = {*thread.about, *thread.named}
        # Of what was named a while ago, whom the story can follow is more worth a question than each song.
        return [iri for iri in named if iri.value in newest or self._lead in types(iri)][:RECENT]

    def about(self, entity: Iri) -> tuple[Way, ...]:
        """Every question about an entity, by id."""
        if entity not in self._known:
            self._known[entity] = tuple(self._about(entity))
        return self._known[entity]

    def surprising(self, plan: BeatPlan, thread: Thread, rng: Random) -> Iterator[Way]:
        """Ways to entities that a story may follow and that nobody has named yet, drawn."""
        known = {*thread.mentioned, *thread.about, *plan.leads}
        pool = [iri for iri in self._pack.entities.of_class(self._lead) if iri.value not in known]
        for entity in rng.sample(pool, min(RECENT, len(pool))):
            yield from _shuffled(self.about(entity), rng)

    def _about(self, entity: Iri) -> Iterator[Way]:
        full, short = self._pack.entities.name(entity), self._pack.entities.short(entity)
        name = full if len(full) <= TAG else short or full
        for cq in self._composer.leading():
            question = self._composer.about(cq, entity)
            if question is not None:
                yield self._way(cq, question, entity, "more", f"More about {name}")

    @cached_property
    def _classes(self) -> frozenset[Iri]:
        """Classes of what some question can be asked about."""
        names = [(cq, self._composer.open_parameters(cq)) for cq in self._composer.leading()]
        return frozenset(Iri(cq.parameters[open_[0]].type) for cq, open_ in names if len(open_) == 1)

    @cached_property
    def _setting(self) -> tuple[Way, ...]:
        """Every question about the whole, by id."""
        closed = [cq for cq in self._composer.leading() if not self._composer.open_parameters(cq)]
        asked = [(cq, self._composer.question(cq, None)) for cq in closed]
        return tuple(self._way(cq, question, None, "theme", "Something else") for cq, question in asked if question)

    def _way(self, cq: CompetencyQuestion, question: Question, entity: Iri | None, kind: str, tag: str) -> Way:
        kinds = self._pack.arcs.choices
        own = _kind(cq, kinds)
        return Way(
            own or kind, kinds[own].name if own else tag, cq, question, entity, label(question, entity, self._pack)
        )


def label(question: Question, entity: Iri | None, pack: StoryPack) -> str:
    """What its button says: the question, with the short name where the full one is too long."""
    short = pack.entities.short(entity) if entity is not None else ""
    if entity is None or not short or len(question.question) <= LABEL:
        return question.question
    return question.question.replace(pack.entities.name(entity), short)


def _shuffled(found: Sequence[Way], rng: Random) -> list[Way]:
    return rng.sample(found, len(found))


def _kind(cq: CompetencyQuestion, kinds: dict[str, ChoiceKind]) -> str:
    """The first of the pack's kinds that the question belongs to, or "": those that name it go before the others."""
    named = (name for name, kind in kinds.items() if cq.id in kind.cqs)
    shared = (
        name
        for name, kind in kinds.items()
        if not {*kind.steps}.isdisjoint(cq.steps) or not {*kind.themes}.isdisjoint(cq.themes)
    )
    return next(named, "") or next(shared, "")


def _least_heard(found: list[Way], thread: Thread, pack: StoryPack) -> list[Way]:
    """By how often each theme was heard, one question of a theme after the other; each with its theme as tag."""
    heard: dict[str, int] = {}
    for key in thread.asked:
        for theme in pack.library[key.split(" ")[0]].cq.themes:
            heard[theme] = heard.get(theme, 0) + 1
    ranked: list[tuple[int, Way]] = []
    for way in found:
        theme = min(way.cq.themes, key=lambda theme: (heard.get(theme, 0), theme), default="")
        tag = f"Another theme: {theme}" if theme else way.tag
        ranked.append((heard.get(theme, 0), replace(way, tag=tag)))
        heard[theme] = heard.get(theme, 0) + 1
    return [way for _, way in sorted(ranked, key=lambda entry: entry[0])]
