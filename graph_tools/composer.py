"""Beats for one persona: which questions can be told, and which go together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from graph_tools.cq import CompetencyQuestion
from graph_tools.evidence import EvidencePack, Value
from graph_tools.novelty import repeats, shares
from graph_tools.pack import StoryPack
from graph_tools.persona import ArcBeat
from graph_tools.plain_voice import PlainVoice
from graph_tools.plan import Beat, Question
from graph_tools.retrieval.kg import KgRetriever
from graph_tools.sayable import ROWS_EACH, Saying, can_open, sayings
from graph_tools.speech import Unspeakable
from graph_tools.terms import Iri
from graph_tools.wording import wording

Said = TypeVar("Said")

SENTENCES = 3
"""Sentences of a beat at most."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a question would bring to a story."""

    statements: frozenset[str]
    """What its evidence tells, as statements of the graph."""
    entities: frozenset[str]
    """IRIs of the people, places and works that its first rows name; the pack's defaults apart."""
    topics: frozenset[str]
    """Its themes, and the kinds of its entities."""
    publishers: int
    """How many publishers say so."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How an entity stands in the graph, found without asking a question."""

    facts: int
    """Statements that it stands in."""
    publishers: int
    """Publishers of the sources of whatever speaks of it."""
    related: frozenset[str]
    """IRIs of the people, places and works that those speak of too; the pack's defaults apart."""


class BeatComposer:
    """Composes beats for one persona: which questions can be told, and which go together.

    It remembers what it found out: neither pack nor graph changes while a process runs.
    """

    def __init__(self, pack: StoryPack, retriever: KgRetriever, persona: str) -> None:
        self.pack = pack
        self._retriever = retriever
        self.persona = persona
        self._voice = PlainVoice(pack)
        self._tellable: dict[str, bool] = {}
        self._sayings: dict[str, tuple[Saying, ...]] = {}
        self._statements: dict[str, frozenset[str]] = {}
        self._prospects: dict[str, Prospect] = {}
        self._standings: dict[Iri, Standing] = {}
        self._rooms: dict[tuple[str, int], int] = {}
        self._questions: dict[tuple[str, Iri | None], Question | None] = {}
        self._leading: tuple[CompetencyQuestion, ...] | None = None

    def question(self, cq: CompetencyQuestion, entity: Iri | None) -> Question | None:
        """The question with its one open parameter, if it has one, bound to the entity, the others to the defaults.

        None where a parameter stays open, or a thing is of another class than its parameter asks for."""
        if (cq.id, entity) not in self._questions:
            filled = {name: self.pack.defaults.get(name, entity) for name in cq.parameters}
            bindings = {name: iri.value for name, iri in filled.items() if iri is not None}
            fits = len(self.open_parameters(cq)) <= 1
            self._questions[cq.id, entity] = self.bound(cq, bindings) if fits else None
        return self._questions[cq.id, entity]

    def about(self, cq: CompetencyQuestion, entity: Iri) -> Question | None:
        """The question about that entity; None where no parameter is open, or it is of another class."""
        return self.question(cq, entity) if self.open_parameters(cq) else None

    def open_parameters(self, cq: CompetencyQuestion) -> tuple[str, ...]:
        """The parameters that no default of the pack fills, sorted."""
        return tuple(sorted(cq.parameters.keys() - self.pack.defaults.keys()))

    def bound(self, cq: CompetencyQuestion, bindings: dict[str, str]) -> Question | None:
        """The question with just these bindings; None unless they fill every parameter with a thing of its class."""
        types = {name: self.pack.entities.types(Iri(iri)) for name, iri in bindings.items()}
        if types.keys() != cq.parameters.keys() or any(Iri(cq.parameters[n].type) not in types[n] for n in types):
            return None
        try:
            return self.worded(cq, bindings)
        except Unspeakable:
            return None

    def worded(self, cq: CompetencyQuestion, bindings: dict[str, str]) -> Question:
        """The question with these bindings, in words. Raises Unspeakable where one of them has no name."""
        text = wording(cq.question, frozenset(cq.parameters)).render([self._values(bindings)], self._voice)
        return Question(cq=cq.id, question=text, bindings=dict(sorted(bindings.items())))

    def evidence(self, question: Question) -> EvidencePack:
        """What the graph answers, remembered."""
        return self._retriever.ask(question)

    def tellable(self, question: Question) -> bool:
        """True where the graph has evidence enough, and some telling can open a beat with it."""
        known = self._tellable.get(question.key)
        if known is None:
            known = self._tellable[question.key] = self._said(question, can_open, False)
        return known

    def asks(self, cq: CompetencyQuestion, lead: Iri | None) -> Question | None:
        """The question about that lead, or with None about the pack's defaults alone, if it can be told."""
        question = self.question(cq, lead) if self.follows(cq) == (lead is not None) else None
        return question if question is not None and self.tellable(question) else None

    def sayings(self, question: Question) -> tuple[Saying, ...]:
        """What can be said in answer, in the persona's voice; nothing where the evidence is too thin."""
        known = self._sayings.get(question.key)
        if known is None:
            known = self._sayings[question.key] = self._said(question, sayings, ())
        return known

    def _said(self, question: Question, finder: Callable[..., Said], nothing: Said) -> Said:
        cq, evidence = self.pack.library[question.cq].cq, self._retriever.ask(question)
        if len(evidence.factlets) < cq.min_evidence:
            return nothing
        truncated = any(asked.truncated for asked in evidence.questions)
        persona = self.pack.personas[self.persona]
        return finder(cq, evidence.factlets, persona, self._voice, truncated=truncated)

    def capacity(self, questions: Iterable[Question]) -> int:
        """How many words a beat of these questions can have at most."""
        words: list[int] = []
        for question in questions:
            aspects: dict[tuple[str, int], int] = {}
            for saying in self.sayings(question):
                aspect = (saying.telling.aspect, saying.row)
                aspects[aspect] = max(aspects.get(aspect, 0), saying.longest)
            words += aspects.values()
        return sum(sorted(words)[-SENTENCES:])

    def statements(self, question: Question) -> frozenset[str]:
        """What the question's evidence tells, as statements of the graph."""
        known = self._statements.get(question.key)
        if known is None:
            factlets = self._retriever.ask(question).factlets
            known = frozenset(statement for factlet in factlets for statement in factlet.told_statements)
            self._statements[question.key] = known
        return known

    def prospect(self, question: Question) -> Prospect:
        """What the question would bring to a story."""
        known = self._prospects.get(question.key)
        if known is None:
            factlets = self._retriever.ask(question).factlets
            shown = factlets[:ROWS_EACH]
            named = {value.value for factlet in shown for value in factlet.values.values() if value.kind == "iri"}
            named |= {iri.value for factlet in shown for iri in self.pack.entities.spoken_of(factlet.text)}
            entities = frozenset(named & self._kinds.keys()) - self._given
            known = self._prospects[question.key] = Prospect(
                statements=self.statements(question),
                entities=entities,
                topics=frozenset(self.pack.library[question.cq].cq.themes) | {self._kinds[iri] for iri in entities},
                publishers=len({source.publisher or source.url for f in factlets for source in f.sources}),
            )
        return known

    def standing(self, iri: Iri) -> Standing:
        """How an entity stands in the graph."""
        known = self._standings.get(iri)
        if known is None:
            graph = self.pack.graph
            own, speaking = list(graph.match(iri)), [triple.subject for triple in graph.match(object_=iri)]
            subjects = {iri, *(subject for subject in speaking if isinstance(subject, Iri))}
            sources = {source for subject in subjects for source in self.pack.entities.sources(subject)}
            beside = {triple.object for subject in subjects for triple in graph.match(subject)}
            named = {term.value for term in beside if isinstance(term, Iri)} & self._kinds.keys()
            known = self._standings[iri] = Standing(
                facts=len(own) + len(speaking),
                publishers=len({source.publisher or source.url for source in sources}),
                related=frozenset(named) - self._given - {iri.value},
            )
        return known

    def kind(self, iri: str) -> str:
        """The kind of an entity that a story is kept in balance over, or ""."""
        return self._kinds.get(iri, "")

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """IRI -> kind, the first that has one of its classes."""
        entities, kinds = self.pack.entities, self.pack.arcs.scoring.kinds
        if not kinds:
            return {iri.value: types[0].value for iri, types in entities.typed.items() if iri in entities.named}
        found: dict[str, str] = {}
        for kind, classes in kinds.items():
            for class_ in classes:
                for iri in entities.of_class(Iri(class_)):
                    found.setdefault(iri.value, kind)
        return found

    @cached_property
    def _given(self) -> frozenset[str]:
        return frozenset(iri.value for iri in self.pack.defaults.values())

    def room(self, question: Question, lead: Iri | None, most: int) -> int:
        """How many words a beat led by it could have, with the first of its companions that can be told."""
        key = (question.key, most)
        if key not in self._rooms:
            companions = self._companions(question, lead)
            self._rooms[key] = self.capacity([question, *companions[: most - 1]])
        return self._rooms[key]

    def _companions(self, question: Question, lead: Iri | None) -> list[Question]:
        """Its companions that can be told, in the order of its file."""
        found = (self.pack.library[companion].cq for companion in self.pack.library[question.cq].cq.companions)
        asked = (self.question(cq, lead) for cq in found if cq.serves(self.persona))
        return [companion for companion in asked if companion is not None and self.tellable(companion)]

    def retells(self, question: Question, heard: frozenset[str]) -> bool:
        """True where some fact of the answer was told before, whole."""
        return any(factlet.told_statements <= heard for factlet in self._retriever.ask(question).factlets)

    def candidates(self, step: ArcBeat) -> list[CompetencyQuestion]:
        """The questions that may lead a step, sorted by id: they serve it and can open a beat for the persona."""
        ids = step.named or tuple(sorted(self.pack.library))
        found = [self.pack.library[cq_id].cq for cq_id in sorted(ids)]
        return [cq for cq in found if cq.serves(self.persona, "" if step.named else step.step) and self.opens(cq)]

    def leading(self) -> tuple[CompetencyQuestion, ...]:
        """All questions that may lead a beat for the persona, sorted by id."""
        if self._leading is None:
            found = (template.cq for _, template in sorted(self.pack.library.items()))
            self._leading = tuple(cq for cq in found if cq.serves(self.persona) and self.opens(cq))
        return self._leading

    def compose(
        self,
        step: str,
        question: Question,
        lead: Iri | None,
        *,
        most: int,
        heard: frozenset[str],
        used: Iterable[str] = (),
        ranked: Callable[[Question, Sequence[Question]], float] | None = None,
    ) -> Beat:
        """A beat led by `question`, with companions that can be told, are new and not `used` (keys of questions).

        Companions come in the order of the question's file, or the best first by `ranked`, which is given a companion
        and the questions that the beat has so far."""
        chosen = [question]
        told = heard | self.statements(question)
        left = [other for other in self._companions(question, lead) if other.key not in {*used, question.key}]
        while left and len(chosen) < most:
            best = max(left, key=lambda other: ranked(other, chosen)) if ranked else left[0]  # the first of equals
            left.remove(best)
            statements = self.statements(best)
            if self.retells(best, told) or repeats(statements, told):
                continue
            if not any(shares(statements, self.statements(other)) for other in chosen):
                chosen.append(best)
                told |= statements
        return Beat(step=step, questions=tuple(chosen))

    def follows(self, cq: CompetencyQuestion) -> bool:
        """True where the question is about a lead entity."""
        return self.pack.arcs.lead_parameter in cq.parameters

    def opens(self, cq: CompetencyQuestion) -> bool:
        """True where some telling may open a beat in the persona's voice."""
        return any(telling.role == "lead" for telling in cq.tellings_for(self.persona))

    def _values(self, bindings: dict[str, str]) -> dict[str, Value]:
        return {name: Value(kind="iri", value=iri) for name, iri in bindings.items()}
