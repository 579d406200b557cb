"""What the graph answers now: the rows of a bound question, and for which entities a question has an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graph_tools.pack import StoryPack
from graph_tools.row_order import in_order
from graph_tools.template import tellable
from graph_tools.terms import Iri, Row, Triple

_Asked = tuple[str, str, tuple[tuple[str, Iri], ...]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the graph says to one bound question."""

    query: str
    """The SPARQL that ran, parameters bound."""
    rows: tuple[Row, ...]
    """At most the question's cap, in ORDER BY order; rows that would need a blank node as proof are left out."""
    total: int
    """All rows that the graph has."""

    @property
    def truncated(self) -> bool:
        """True where the graph has more rows than are here."""
        return self.total > len(self.rows)


class Answers:
    """Runs questions of one pack, each once: neither pack nor graph changes while a process runs."""

    def __init__(self, pack: StoryPack) -> None:
        self._pack = pack
        self._known: dict[_Asked, Answer] = {}
        self._counted: dict[_Asked, tuple[Iri, ...]] = {}

    def rows(self, cq_id: str, bindings: Mapping[str, Iri]) -> Answer:
        """The answer to a question with every parameter bound.

        Raises UnknownQuestion, a BindingError, or QueryFailed."""
        key = (cq_id, "", tuple(sorted(bindings.items())))
        known = self._known.get(key)
        if known is None:
            template = self._pack.library[cq_id]
            query = template.bind(bindings, self._pack.entities)
            found = self._pack.graph.select(query)
            rows = in_order(filter(tellable, found), template.compiled.order)[: template.cq.cap]
            known = self._known[key] = Answer(query, tuple(rows), len(found))
        return known

    def proof(self, cq_id: str, bindings: Mapping[str, Iri]) -> frozenset[Triple]:
        """The statements that prove its rows. Raises as `rows` does."""
        template, rows = self._pack.library[cq_id], self.rows(cq_id, bindings).rows
        return frozenset(triple for row in rows for triple in template.prove(row, bindings, self._pack.graph))

    def answered(self, cq_id: str, bindings: Mapping[str, Iri]) -> bool:
        """True where the graph has rows enough for the question."""
        return len(self.rows(cq_id, bindings).rows) >= self._pack.library[cq_id].cq.min_evidence

    def entities_for(self, cq_id: str, parameter: str, fixed: Mapping[str, Iri]) -> tuple[Iri, ...]:
        """The entities for which the graph has rows enough when `parameter` is bound to them, sorted.

        `fixed` binds every other parameter."""
        key = (cq_id, parameter, tuple(sorted(fixed.items())))
        known = self._counted.get(key)
        if known is None:
            members = self._pack.entities.of_class(Iri(self._pack.library[cq_id].cq.parameters[parameter].type))
            found = (iri for iri in members if self.answered(cq_id, {parameter: iri, **fixed}))
            known = self._counted[key] = tuple(found)
        return known
