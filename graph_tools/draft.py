"""A plan while it grows: the beats that it has so far, what they tell, and what another one would repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from graph_tools.composer import BeatComposer
from graph_tools.novelty import repeats, shares
from graph_tools.plan import Beat, Question


@dataclass
class Draft:
    """Beats by the place of their step in the skeleton."""

    composer: BeatComposer
    placed: dict[int, Beat] = field(default_factory=dict)

    def beats(self) -> tuple[Beat, ...]:
        """In the order of telling."""
        return tuple(beat for _, beat in sorted(self.placed.items()))

    def told(self) -> Iterator[tuple[int, Question]]:
        """Every question with the place of its beat, in the order of telling."""
        for place, beat in sorted(self.placed.items()):
            for question in beat.questions:
                yield place, question

    def used(self) -> frozenset[str]:
        """Keys of all questions."""
        return frozenset(question.key for _, question in self.told())

    def bound(self, before: int | None = None) -> frozenset[str]:
        """IRIs that questions are bound to, in all beats or in those before a place."""
        return frozenset(iri for at, q in self.told() if before is None or at < before for iri in q.bindings.values())

    def heard(self) -> frozenset[str]:
        """Statements that all beats tell."""
        return frozenset[str]().union(*(self.composer.statements(question) for _, question in self.told()))

    def beside(self, place: int) -> list[frozenset[str]]:
        """The entities of the beats on either side of a place, as far as there are any yet."""
        before = max((at for at in self.placed if at < place), default=None)
        after = min((at for at in self.placed if at > place), default=None)
        return [self.entities(*self.placed[at].questions) for at in (before, after) if at is not None]

    def entities(self, *questions: Question) -> frozenset[str]:
        """What the answers to these questions name."""
        return frozenset[str]().union(*(self.composer.prospect(question).entities for question in questions))

    def tally(self) -> Counter[str]:
        """In how many beats each topic, entity and question (whomever it is asked about) stands."""
        tally: Counter[str] = Counter()
        for beat in self.placed.values():
            topics = frozenset(q.cq for q in beat.questions).union(
                *(self.composer.prospect(q).topics for q in beat.questions)
            )
            tally.update(sorted(topics | self.entities(*beat.questions)))
        return tally

    def tells_already(self, question: Question) -> str:
        """Why the question would tell nothing new, in words; "" where it would."""
        statements, heard = self.composer.statements(question), self.heard()
        for place, other in self.told():
            if shares(statements, self.composer.statements(other)):
                return f"tells much of what {self._beat_at(place)} tells"
        if self.composer.retells(question, heard) or repeats(statements, heard):
            return "tells again what other beats tell"
        return ""

    def left_without_news(self, place: int, beat: Beat) -> str:
        """Which later beat would only repeat this one at that place, in words; "" where none would."""
        before = (question for at, question in self.told() if at < place)
        heard = frozenset[str]().union(*(self.composer.statements(q) for q in (*before, *beat.questions)))
        for at, question in self.told():
            if at > place:
                statements = self.composer.statements(question)
                if self.composer.retells(question, heard) or repeats(statements, heard):
                    return f"would leave {self._beat_at(at)} nothing new"
                heard |= statements
        return ""

    def _beat_at(self, place: int) -> str:
        return f"the beat on {self.placed[place].questions[0].cq}"
