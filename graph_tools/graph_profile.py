"""How big a graph is and how much of it is told: the figures of the usual size table, for any graph."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from graph_tools.attestation import attestations
from graph_tools.knowledge_graph import KnowledgeGraph
from graph_tools.pack import StoryPack
from graph_tools.proofs import proofs
from graph_tools.terms import RDF_TYPE, Blank, Iri, Term

_SAME_AS = "sameAs"


@dataclass(frozen=True, slots=True)
class GraphProfile:
    """The figures of one graph."""

    triples: int
    classes: int
    predicates: int
    """Without rdf:type."""
    typed_subjects: int
    """Blank nodes count too."""
    dual_typed: int
    """Subjects with two or more classes."""
    untyped_subjects: int
    blank_nodes: int
    by_class: dict[str, int]
    """Class IRI -> members."""
    told: int | None = None
    """Triples that stand in some question's proof; None where no pack was given."""
    attested: int | None = None
    """`told`, with the statements that name what the proofs speak of and say where they were read."""
    links: int | None = None
    """Triples that only say which identifier a thing has elsewhere."""

    @property
    def told_share(self) -> float | None:
        """`told` as a share of all triples that are no identifier links."""
        if self.told is None or self.links is None or self.triples == self.links:
            return None
        return self.told / (self.triples - self.links)

    @property
    def attested_share(self) -> float | None:
        """`attested` as a share of all triples that are no identifier links."""
        if self.attested is None or self.links is None or self.triples == self.links:
            return None
        return self.attested / (self.triples - self.links)


def profile(graph: KnowledgeGraph, pack: StoryPack | None = None) -> GraphProfile:
    """The figures; with a pack, also how much of the graph its questions tell."""
    classes: dict[Term, set[Term]] = defaultdict(set)
    predicates: set[Term] = set()
    subjects: set[Term] = set()
    blanks: set[Term] = set()
    links = 0
    for triple in graph.match():
        subjects.add(triple.subject)
        blanks |= {term for term in (triple.subject, triple.object) if isinstance(term, Blank)}
        links += is_link(triple.predicate)
        if triple.predicate == RDF_TYPE:
            classes[triple.subject].add(triple.object)
        else:
            predicates.add(triple.predicate)
    members = Counter(class_ for found in classes.values() for class_ in found)
    told = attested = None
    if pack is not None:
        proven = {triple for found in proofs(pack).values() for triple in found if not is_link(triple.predicate)}
        proof = {triple.n3() for triple in proven}
        told, attested = len(proof), len(proof.union(attestations(proof, pack)))
    return GraphProfile(
        triples=len(graph),
        classes=len(members),
        predicates=len(predicates),
        typed_subjects=len(classes),
        dual_typed=sum(len(found) > 1 for found in classes.values()),
        untyped_subjects=len(subjects - classes.keys()),
        blank_nodes=len(blanks),
        by_class={c.value: n for c, n in sorted(members.items(), key=_most_first) if isinstance(c, Iri)},
        told=told,
        attested=attested,
        links=links if pack is not None else None,
    )


def is_link(predicate: Term) -> bool:
    """True for the properties that say: this is the same thing elsewhere."""
    return isinstance(predicate, Iri) and predicate.value.endswith((f"/{_SAME_AS}", f"#{_SAME_AS}", "#exactMatch"))


def _most_first(item: tuple[Term, int]) -> tuple[int, str]:
    return -item[1], item[0].n3()
