"""Strategy `kg`: templates run against the graph; their rows, in words and with their proof, are the evidence."""

from __future__ import annotations

from collections.abc import Mapping

from graph_tools import speech
from graph_tools.cq import CompetencyQuestion
from graph_tools.eligibility import Answers
from graph_tools.evidence import Asked, EvidencePack, Factlet, Source, Value
from graph_tools.novelty import news
from graph_tools.pack import StoryPack
from graph_tools.plan import Beat, Question
from graph_tools.retrieval.merge import merged
from graph_tools.speech import Unspeakable
from graph_tools.terms import Blank, Iri, Literal, Row, Term, Triple
from graph_tools.wording import wording


class KgRetriever:
    """Answers questions from the graph alone."""

    def __init__(self, pack: StoryPack, answers: Answers) -> None:
        self._pack = pack
        self._answers = answers
        self._voice = PlainVoice(pack)
        self._asked: dict[tuple[str, tuple[tuple[str, str], ...]], EvidencePack] = {}

    def retrieve(self, beat: Beat) -> EvidencePack:
        """The evidence for all questions of a beat, merged."""
        return merged(self.ask(question) for question in beat.questions)

    def ask(self, question: Question) -> EvidencePack:
        """The evidence for one question; remembered, since neither pack nor graph changes while a process runs."""
        key = (question.cq, tuple(sorted(question.bindings.items())))
        known = self._asked.get(key)
        if known is None:
            known = self._asked[key] = self._ask(question)
        return known

    def _ask(self, question: Question) -> EvidencePack:
        cq = self._pack.library[question.cq].cq
        bindings = {name: Iri(iri) for name, iri in question.bindings.items()}
        answer = self._answers.rows(question.cq, bindings)
        factlets = [self._factlet(cq, row, bindings) for row in answer.rows]
        told = [factlet for factlet in factlets if factlet is not None]
        return EvidencePack(
            questions=(
                Asked(
                    cq=cq.id,
                    question=question.question,
                    bindings=question.bindings,
                    query=answer.query,
                    total_rows=answer.total,
                    truncated=answer.truncated or len(told) < len(answer.rows),
                ),
            ),
            factlets=tuple(f.model_copy(update={"id": f"f{n}"}) for n, f in enumerate(told, start=1)),
            kg_digest=self._pack.digests.kg,
        )

    def _factlet(self, cq: CompetencyQuestion, row: Row, bindings: Mapping[str, Iri]) -> Factlet | None:
        proof = self._pack.library[cq.id].prove(row, bindings, self._pack.graph)
        if not proof or any(isinstance(term, Blank) for triple in proof for term in triple):
            return None  # what has no name cannot be cited
        spoken = cq.background | cq.results.keys()
        told = {name: term for name, term in row.items() if name in spoken} | dict(bindings)
        if any(isinstance(term, Blank) for term in told.values()):
            return None
        values = {name: as_value(term) for name, term in sorted(told.items())}
        fresh = news(proof, {term for name, term in told.items() if name not in cq.background})
        for text in cq.factlet_wordings:
            try:
                said = wording(text, cq.slots).render([values], self._voice)
            except Unspeakable:
                continue
            return Factlet(
                id="f0",
                cq=cq.id,
                text=speech.upper_first(said),
                values=values,
                triples=tuple(triple.n3() for triple in proof),
                news=fresh,
                sources=self._sources(proof),
            )
        return None

    def _sources(self, proof: tuple[Triple, ...]) -> tuple[Source, ...]:
        found: dict[Source, None] = {}
        for subject in dict.fromkeys(triple.subject for triple in proof):
            if isinstance(subject, Iri):
                found |= dict.fromkeys(self._pack.entities.sources(subject))
        return tuple(found)


class PlainVoice:
    """Full names everywhere: the voice of factlets and questions, which stand alone."""

    clock_style = "time"

    def __init__(self, pack: StoryPack) -> None:
        self._entities = pack.entities

    def refer(self, iri: str, form: str) -> str:
        """The full name, unless the short one is asked for."""
        if form == "they":
            return self._entities.pronoun(Iri(iri)) or "it"
        name = (self._entities.short(Iri(iri)) if form == "short" else "") or self.title(iri)
        return speech.possessive(name) if form == "poss" else name

    def opens(self, text: str) -> bool:
        """True where a name that the graph knows opens the text."""
        return self._entities.opens(text)

    def title(self, iri: str) -> str:
        """The full name. Raises Unspeakable where the graph has none."""
        name = self._entities.name(Iri(iri))
        if not name:
            raise Unspeakable(f"{iri} has no name")
        return name


def as_value(term: Term) -> Value:
    """A term as plain JSON."""
    if isinstance(term, Literal):
        return Value(kind="literal", value=term.lexical, datatype=term.datatype, language=term.language)
    return Value(kind="iri", value=term.value if isinstance(term, Iri) else term.label)
