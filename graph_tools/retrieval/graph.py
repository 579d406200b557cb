"""Strategy `graph`: the facts around the entities of a question, relation by relation, at most two steps out.

No query is made up, and the question's own query is not run: what is near it among the facts that were reached is told
first (`relevance`). Each fact has the statements that prove it, and the walk by which it was reached.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from graph_tools.eligibility import Answers
from graph_tools.errors import UnknownStrategy
from graph_tools.evidence import Asked, EvidencePack, Factlet, Step
from graph_tools.pack import StoryPack
from graph_tools.plain_voice import PlainVoice
from graph_tools.plan import Beat, Question
from graph_tools.retrieval.merge import merged
from graph_tools.retrieval.relevance import Relevance
from graph_tools.retrieval.stating import stated
from graph_tools.retrieval.subgraph import Bunch, Fact, Ways
from graph_tools.terms import Iri, Triple
from graph_tools.wording import wording

FARTHER = 1.5
"""What a step away from the question costs, in relevance."""
OF_THE_BEST = 0.4
"""How relevant what begins at a hub has to be, as a share of the most relevant."""
REMEMBERED = 500
"""Packs of evidence that are remembered at most; each run may have a seed of its own."""
OF_A_BUNCH = 8
"""Facts of one kind from one thing that are kept at most: the most relevant ones."""


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A bunch with what can be said of it."""

    bunch: Bunch
    score: float
    facts: tuple[tuple[float, Fact, Factlet], ...]
    """Those that can be said, in the order of their relation, each with its own relevance."""


@dataclass(frozen=True, slots=True)
class _Reached:
    """All that was reached for one question, whatever the seed: by relation and thing."""

    asked: Asked
    weighed: tuple[_Weighed, ...]


class GraphRetriever:
    """Answers questions from the part of the graph around their entities."""

    def __init__(self, pack: StoryPack, answers: Answers) -> None:  # noqa: ARG002
        """`answers` is not used: no question's own query is run. Raises UnknownStrategy."""
        if not pack.relations:
            cause = f"pack {pack.name!r} names no relations, so strategy 'graph' has no way to walk"
            raise UnknownStrategy(f"{cause}; write them in cqs/relations.toml, or choose another strategy")
        self._pack = pack
        self._voice = PlainVoice(pack)
        self._ways = Ways(pack)
        self._relevance = Relevance(pack)
        self._stated: dict[tuple[str, Fact], tuple[Factlet | None, tuple[Triple, ...]]] = {}
        self._reached: dict[str, _Reached] = {}
        self._packs: dict[tuple[str, str, int], EvidencePack] = {}

    def retrieve(self, beat: Beat, *, seed: int = 0) -> EvidencePack:
        """The evidence for all questions of a beat, merged."""
        return merged(self.ask(question, seed=seed) for question in beat.questions)

    def ask(self, question: Question, *, seed: int = 0) -> EvidencePack:
        """The evidence for one question. Raises UnknownQuestion, a BindingError, or QueryFailed.

        `seed` settles which of equally relevant facts are kept. Factlets come as a walk: the most relevant bunch
        first, each followed by what was reached through it."""
        key = (question.key, question.question, seed)
        known = self._packs.get(key)
        if known is None:
            if len(self._packs) >= REMEMBERED:
                del self._packs[next(iter(self._packs))]
            known = self._packs[key] = self._ask(question, seed)
        return known

    def _ask(self, question: Question, seed: int) -> EvidencePack:
        reached = self._reached.get(question.key)
        if reached is None:
            reached = self._reached[question.key] = self._reach(question)
        kept = self._kept(reached, Random(f"{seed}|{question.key}"))
        factlets = [factlet for bunch in self._walk(kept) for factlet in bunch]
        asked = reached.asked
        cut = asked.total_rows > len(factlets)
        return EvidencePack(
            questions=(asked.model_copy(update={"question": question.question, "truncated": cut}),),
            factlets=tuple(
                factlet.model_copy(update={"id": f"f{n}", "cq": question.cq}) for n, factlet in enumerate(factlets, 1)
            ),
            kg_digest=self._pack.digests.kg,
        )

    def _reach(self, question: Question) -> _Reached:
        bindings = {name: Iri(iri) for name, iri in question.bindings.items()}
        self._pack.library[question.cq].bind(bindings, self._pack.entities)  # the query is not run, but must be one
        bunches = tuple(self._ways.around(self._seeds(question)))
        weighed = tuple(w for bunch in bunches if (w := self._weigh(question.cq, bunch)).facts)
        asked = Asked(
            cq=question.cq,
            question=question.question,
            bindings=question.bindings,
            query=self._query(question, bunches),
            total_rows=len({fact for bunch in bunches for fact in bunch.facts}),
            truncated=False,
        )
        return _Reached(asked, weighed)

    def _seeds(self, question: Question) -> tuple[Iri, ...]:
        """The entities that the question is about: what the pack binds by default only where there is nothing else."""
        default = {iri.value for iri in self._pack.defaults.values()}
        own = [iri for iri in question.bindings.values() if iri not in default]
        return tuple(map(Iri, sorted(set(own or question.bindings.values()))))

    def _weigh(self, cq: str, bunch: Bunch) -> _Weighed:
        connection, way = self._ways.relations.way(bunch.way)
        facts: list[tuple[float, Fact, Factlet]] = []
        for fact in bunch.facts:
            factlet, proof = self._state(bunch.way, fact)
            if factlet is not None:
                facts.append((self._relevance.of_fact(cq, proof, factlet.text), fact, factlet))
        nearest = max((score for score, _, _ in facts), default=0.0)
        if self._ways.is_hub(bunch.start):
            facts = [entry for entry in facts if entry[0] >= OF_THE_BEST * nearest]
        terms = self._relevance.of_terms(cq, connection.compiled.terms)
        return _Weighed(bunch, terms + nearest + way.weight - FARTHER * (bunch.distance - 1), tuple(facts))

    def _kept(self, reached: _Reached, rng: Random) -> dict[int, tuple[_Weighed, tuple[Fact, ...]]]:
        """Bunches by place, the most relevant first, with the facts of each that are kept."""
        best = max((w.score for w in reached.weighed if self._ways.is_hub(w.bunch.start)), default=0.0)
        places = [at for at, weighed in enumerate(reached.weighed) if weighed.score >= self._least(weighed, best)]
        rng.shuffle(places)
        places.sort(key=lambda at: (-reached.weighed[at].score, reached.weighed[at].bunch.distance))
        known: set[tuple[str, Fact]] = set()
        chosen: dict[int, tuple[_Weighed, tuple[Fact, ...]]] = {}
        left = self._pack.walk.most
        for at in places:
            weighed = reached.weighed[at]
            through = weighed.bunch.through
            if left <= 0 or (through is not None and through not in known):
                continue  # a fact is told only where the way to it can be told too
            facts = _nearest(weighed, min(left, OF_A_BUNCH), rng)
            left -= len(facts)
            chosen[at] = weighed, facts
            known |= {(weighed.bunch.way, fact) for fact in facts}
        return chosen

    def _least(self, weighed: _Weighed, best: float) -> float:
        """How relevant a bunch has to be: at a hub facts of all kinds begin, and most of them are beside the point."""
        return min(best, OF_THE_BEST * best) if self._ways.is_hub(weighed.bunch.start) else -math.inf

    def _walk(self, kept: Mapping[int, tuple[_Weighed, tuple[Fact, ...]]]) -> list[list[Factlet]]:
        """The factlets of the bunches, each bunch followed by those that were reached through it."""
        onwards: dict[tuple[str, Fact], list[int]] = {}
        for at, (weighed, _) in kept.items():
            if weighed.bunch.through is not None:
                onwards.setdefault(weighed.bunch.through, []).append(at)
        found: list[list[Factlet]] = []
        for weighed, facts in kept.values():
            if weighed.bunch.through is not None:
                continue
            found.append(self._told(weighed, facts, ()))
            for fact in facts:
                for at in onwards.get((weighed.bunch.way, fact), ()):
                    further, more = kept[at]
                    step = self._step(weighed.bunch.way, fact, weighed.bunch.start, further.bunch.start)
                    found.append(self._told(further, more, (step,)))
        return found

    def _told(self, weighed: _Weighed, facts: Sequence[Fact], before: tuple[Step, ...]) -> list[Factlet]:
        bunch, said = weighed.bunch, {fact: factlet for _, fact, factlet in weighed.facts}
        told: list[Factlet] = []
        for fact in facts:
            end = next(iter(self._ways.ends(bunch.way, fact)), None)
            step = self._step(bunch.way, fact, bunch.start, end)
            told.append(said[fact].model_copy(update={"path": (*before, step), "out_of": len(bunch.facts)}))
        return told

    def _step(self, way: str, fact: Fact, start: Iri, end: Iri | None) -> Step:
        factlet, _ = self._state(way, fact)
        assert factlet is not None  # only what can be said is kept
        return Step(
            start=start.value,
            relation=fact.relation,
            end=end.value if end is not None else "",
            words=factlet.text,
            triples=factlet.triples,
        )

    def _state(self, key: str, fact: Fact) -> tuple[Factlet | None, tuple[Triple, ...]]:
        """A fact in words, said along a way, and its proof; the same for every question."""
        known = self._stated.get((key, fact))
        if known is None:
            connection, way = self._ways.relations.way(key)
            anchors = {connection.relation.anchor.time, connection.relation.anchor.place}
            row, proof = self._ways.row(fact), self._ways.proof(fact)
            told = {name: term for name, term in row.items() if name in connection.names | anchors}
            wordings = [wording(text, connection.names) for text in way.factlet]
            background = {way.start, *way.context, *(anchors - connection.names)}
            factlet = stated("", wordings, told, background, proof, self._pack, self._voice)
            if factlet is not None:
                factlet = factlet.model_copy(update={"way": key})
            known = self._stated[key, fact] = (factlet, proof)
        return known

    def _query(self, question: Question, bunches: Sequence[Bunch]) -> str:
        """One query that gives all facts that were reached: each relation's pattern, held to where it was walked."""
        bound = ", ".join(f"{name} = <{iri}>" for name, iri in question.bindings.items())
        starts: dict[str, dict[str, set[Iri]]] = {}
        taken = [(bunch.way, bunch.start) for bunch in bunches]
        if not taken:  # nothing was reached: this is where it was looked for
            ways = [(c.key(way)) for c in self._ways.relations for way in c.relation.way if 1 in way.hops]
            taken = [(key, seed) for key in ways for seed in self._seeds(question)]
        for key, start in taken:
            connection, way = self._ways.relations.way(key)
            starts.setdefault(connection.id, {}).setdefault(way.start, set()).add(start)
        branches = []
        for connection in self._ways.relations:
            if connection.id in starts:
                held = " || ".join(
                    f"?{name} IN ({', '.join(sorted(iri.n3() for iri in iris))})"
                    for name, iris in sorted(starts[connection.id].items())
                )
                branches.append(f"  {{ # {connection.id}\n{connection.body()}\n  FILTER ({held})\n  }}")
        declared = "".join(f"PREFIX {p}: <{iri}>\n" for p, iri in sorted(self._ways.relations.prefixes.items()))
        head = f"# {question.cq} ({bound}), by strategy graph: at most {self._pack.walk.hops} relations away\n"
        return head + declared + "SELECT * WHERE {\n" + "\n  UNION\n".join(branches) + "\n}\n"


def _nearest(weighed: _Weighed, most: int, rng: Random) -> tuple[Fact, ...]:
    """The facts of a bunch that are kept, in the order of their relation; none says what another one says."""
    said: dict[str, tuple[float, Fact]] = {}
    for score, fact, factlet in weighed.facts:
        if factlet.text not in said:
            said[factlet.text] = (score, fact)
    places = list(said.values())
    drawn = [(score, rng.random(), fact) for score, fact in places] if len(places) > most else []
    best = {fact for _, _, fact in sorted(drawn, key=lambda entry: (-entry[0], entry[1]))[:most]}
    return tuple(fact for _, fact in places if not drawn or fact in best)
