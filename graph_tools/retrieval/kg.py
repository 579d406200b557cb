"""Strategy `kg`: templates run against the graph; their rows, in words and with their proof, are the evidence."""

from __future__ import annotations

from collections.abc import Mapping

from graph_tools.cq import CompetencyQuestion
from graph_tools.eligibility import Answers
from graph_tools.evidence import Asked, EvidencePack, Factlet
from graph_tools.pack import StoryPack
from graph_tools.plain_voice import PlainVoice
from graph_tools.plan import Beat, Question
from graph_tools.retrieval.merge import merged
from graph_tools.retrieval.stating import stated
from graph_tools.terms import Iri, Row
from graph_tools.wording import wording


class KgRetriever:
    """Answers questions from the graph alone."""

    def __init__(self, pack: StoryPack, answers: Answers) -> None:
        self._pack = pack
        self._answers = answers
        self._voice = PlainVoice(pack)
        self._asked: dict[tuple[str, str], EvidencePack] = {}

    def retrieve(self, beat: Beat, *, seed: int = 0) -> EvidencePack:
        """The evidence for all questions of a beat, merged."""
        return merged(self.ask(question, seed=seed) for question in beat.questions)

    def ask(self, question: Question, *, seed: int = 0) -> EvidencePack:  # noqa: ARG002
        """The evidence for one question; remembered, since neither pack nor graph changes while a process runs.

        Nothing of it is left to chance, so `seed` changes nothing."""
        key = (question.key, question.question)  # the evidence says how it was asked
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
        wordings = [wording(text, cq.slots) for text in cq.factlet_wordings]
        told = {name: term for name, term in row.items() if name in cq.background | cq.results.keys()}
        return stated(cq.id, wordings, told | dict(bindings), cq.background, proof, self._pack, self._voice)
