"""Beats for one persona: which questions can be told, and which go together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from graph_tools.cq import CompetencyQuestion
from graph_tools.evidence import EvidencePack, Value
from graph_tools.novelty import repeats, shares
from graph_tools.pack import StoryPack
from graph_tools.persona import ArcBeat
from graph_tools.plain_voice import PlainVoice
from graph_tools.plan import Beat, Question
from graph_tools.retrieval.kg import KgRetriever
from graph_tools.sayable import Saying, can_open, sayings
from graph_tools.terms import Iri
from graph_tools.wording import wording

Said = TypeVar("Said")

SENTENCES = 3
"""Sentences of a beat at most."""


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
        self._questions: dict[tuple[str, Iri | None], Question | None] = {}

    def question(self, cq: CompetencyQuestion, lead: Iri | None) -> Question | None:
        """The question with its parameters bound to the pack's defaults and the lead; None where one stays open."""
        if (cq.id, lead) not in self._questions:
            self._questions[cq.id, lead] = self._bound(cq, lead)
        return self._questions[cq.id, lead]

    def _bound(self, cq: CompetencyQuestion, lead: Iri | None) -> Question | None:
        bindings: dict[str, str] = {}
        for name, parameter in sorted(cq.parameters.items()):
            if name == self.pack.arcs.lead_parameter and lead is not None:
                entity = lead
            elif name in self.pack.defaults:
                entity = self.pack.defaults[name]
            else:
                return None
            if parameter.type not in {type_.value for type_ in self.pack.entities.types(entity)}:
                return None
            bindings[name] = entity.value
        return self.worded(cq, bindings)

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

    def retells(self, question: Question, heard: frozenset[str]) -> bool:
        """True where some fact of the answer was told before, whole."""
        return any(factlet.told_statements <= heard for factlet in self._retriever.ask(question).factlets)

    def candidates(self, step: ArcBeat) -> list[CompetencyQuestion]:
        """The questions that may lead a step, sorted by id: they serve it and can open a beat for the persona."""
        ids = step.cqs or tuple(sorted(self.pack.library))
        found = [self.pack.library[cq_id].cq for cq_id in sorted(ids)]
        return [cq for cq in found if cq.serves(self.persona, "" if step.cqs else step.step) and self.opens(cq)]

    def leading(self) -> list[CompetencyQuestion]:
        """All questions that may lead a beat for the persona, sorted by id."""
        found = (template.cq for _, template in sorted(self.pack.library.items()))
        return [cq for cq in found if cq.serves(self.persona) and self.opens(cq)]

    def compose(
        self,
        step: str,
        question: Question,
        lead: Iri | None,
        *,
        most: int,
        heard: frozenset[str],
        used: Iterable[str] = (),
    ) -> Beat:
        """A beat led by `question`, with companions that can be told, are new and not `used` (keys of questions)."""
        chosen = [question]
        told = heard | self.statements(question)
        taken = {*used, question.key}
        for companion_id in self.pack.library[question.cq].cq.companions:
            if len(chosen) >= most:
                break
            companion = self.pack.library[companion_id].cq
            asked = self.question(companion, lead) if companion.serves(self.persona) else None
            if asked is None or asked.key in taken or not self.tellable(asked):
                continue
            statements = self.statements(asked)
            if self.retells(asked, told):
                continue
            if not repeats(statements, told) and not any(shares(statements, self.statements(q)) for q in chosen):
                chosen.append(asked)
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
