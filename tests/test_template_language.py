"""Random templates of the language on random graphs: what the strict check promises holds for all that it accepts.

Both engines give the same rows, and every row is proven by statements of the graph in which all of its values occur.
"""

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from graph_tools.errors import InvalidPack
from graph_tools.graph_files import GraphFile
from graph_tools.knowledge_graph import EmbeddedGraph, RdflibGraph
from graph_tools.template import Template, load_template
from graph_tools.terms import Iri, Row

ENTITIES = [Iri(f"http://x/e{number}") for number in range(5)]
VARIABLES = ["?x", "?y", "?z", "?w"]
HEADER = """#+ id = "CQ-X1"
#+ question = "What?"
#+ steps = ["s"]
#+ personas = ["p"]
#+ factlet = "It."
#+ [parameters.a]
#+ class = "x:C"
#+ [results]
#+ {first} = "a result"
#+ [[telling]]
#+ aspect = "t"
#+ say = ["It is so."]
PREFIX x: <http://x/>
"""


class Everybody:
    """Lets every entity pass."""

    def check(self, iri: Iri, class_iri: str) -> None: ...


@dataclass
class Author:
    """Writes queries and graphs at random."""

    rng: random.Random

    def patterns(self, count: int, known: list[str]) -> str:
        """Triple patterns, each of which mostly takes up a name that stands before it; adds its names to `known`."""
        lines = []
        for _ in range(count):
            ends = [self.rng.choice(known), self.rng.choice([*VARIABLES, "$a", "x:e1", "2"])]
            if self.rng.random() < 0.5 and ends[1] != "2":
                ends.reverse()
            known += [end for end in ends if end[0] in "?$"]
            lines.append(f"{ends[0]} x:{self.rng.choice('pqr')} {ends[1]} . ")
        return "".join(lines)

    def group(self, known: list[str], depth: int = 0) -> str:
        chance = self.rng.random
        text = self.patterns(self.rng.randint(1, 2), known)
        if depth < 2:
            if chance() < 0.35:
                text += f"{{ {self.group(known, depth + 1)}}} UNION {{ {self.group(known, depth + 1)}}} "
            for _ in range(2):
                if chance() < 0.4:
                    text += f"OPTIONAL {{ {self.group(known, depth + 1)}}} "
            if chance() < 0.2:
                text += f"MINUS {{ {self.patterns(1, list(known))}}} "
            if chance() < 0.2:
                inner = list(known)
                text += f"FILTER NOT EXISTS {{ {self.patterns(1, inner)}"
                text += f"FILTER({self.rng.choice(inner)} != {self.rng.choice(inner)}) }} " if chance() < 0.3 else "} "
        if chance() < 0.3:
            text += f"FILTER({self.rng.choice(known)} != {self.rng.choice([*known, 'x:e2'])}) "
        if chance() < 0.1:
            text += f"FILTER(!BOUND({self.rng.choice(VARIABLES)})) "
        return text

    def template(self) -> Template:
        """The next query that the strict check accepts."""
        while True:
            known = ["$a"]
            body = self.group(known)
            selected = sorted(set(known) - {"$a"})
            if not selected:
                continue
            query = f"SELECT {' '.join(selected)} WHERE {{ {body}}} ORDER BY {selected[0]}\n"
            try:
                return load_template(Path("CQ-X1.rq"), HEADER.replace("{first}", selected[0][1:]) + query)
            except InvalidPack:
                continue

    def graph(self) -> GraphFile:
        lines = ["@prefix x: <http://x/> ."]
        for _ in range(self.rng.randint(6, 18)):
            object_ = self.rng.choice(ENTITIES).n3() if self.rng.random() < 0.85 else str(self.rng.randint(1, 3))
            lines.append(f"{self.rng.choice(ENTITIES).n3()} x:{self.rng.choice('pqr')} {object_} .")
        return GraphFile("kg.ttl", "\n".join(lines).encode())


def plain(rows: list[Row]) -> list[list[tuple[str, str]]]:
    return sorted(sorted((name, term.n3()) for name, term in row.items()) for row in rows)


def holds(template: Template, file: GraphFile) -> None:
    graph, problems = EmbeddedGraph.load([file])
    assert graph is not None, problems
    other = RdflibGraph([file])
    for entity in ENTITIES:
        query = template.bind({"a": entity}, Everybody())
        rows = graph.select(query)
        assert plain(rows) == plain(other.select(query)), query
        for row in rows:
            proof = template.prove(row, {"a": entity}, graph)
            assert all(graph.contains(triple) for triple in proof)
            assert set(row.values()) <= {term for triple in proof for term in triple}, query


def test_a_few_random_templates_keep_the_promises() -> None:
    author = Author(random.Random(1))
    for _ in range(15):
        holds(author.template(), author.graph())


@pytest.mark.slow
def test_many_random_templates_keep_the_promises() -> None:
    author = Author(random.Random(2))
    for _ in range(75):
        holds(author.template(), author.graph())
