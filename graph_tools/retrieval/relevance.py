"""How near a fact of the graph is to a question: by the question's own terms, themes and words.

The question's query is not run. What it asks for is read off its text: the classes and properties of its pattern, the
things and words that it holds them against, its themes, and the words of the question itself.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from graph_tools.lexicon import plain
from graph_tools.library import SKOS_PREF_LABEL
from graph_tools.pack import StoryPack
from graph_tools.relations import positive
from graph_tools.sparql_tokens import tokenize
from graph_tools.template import Template, prefixes
from graph_tools.terms import Iri, Literal, Triple

CONSTANT, TERMS, THEME, WORD = 3.0, 4.0, 1.0, 0.4
"""What a named thing, all of the terms, a theme and a word that both have are worth."""
MOST_CONSTANTS, MOST_WORDS = 2, 3
"""How many of them count at most."""
BESIDE = 0.2
"""What a term counts that not every answer has."""
SHORTEST = 4
"""Letters of a word that says something."""


class Relevance:
    """The nearness of facts to the questions of one pack."""

    def __init__(self, pack: StoryPack) -> None:
        self._pack = pack
        self._asked: dict[str, Asked] = {}
        uses = Counter(term for template in pack.library.values() for term in template.compiled.terms)
        self._rarity = {term: math.log(1 + len(pack.library) / count) for term, count in uses.items()}
        self._themes: dict[str, set[str]] = {}
        for triple in pack.graph.match(predicate=SKOS_PREF_LABEL):
            if isinstance(triple.object, Literal) and isinstance(triple.subject, Iri):
                self._themes.setdefault(triple.object.lexical, set()).add(triple.subject.value)

    def of_terms(self, cq: str, terms: Iterable[str]) -> float:
        """The share of the question's classes and properties, rare ones for more, that a relation's pattern has."""
        asked = self.asked(cq)
        worth = {term: self._rarity.get(term, 0.0) * asked.weight(term) for term in asked.terms}
        whole = math.fsum(worth.values())  # exact, so that no order of a set shows
        both = math.fsum(worth[term] for term in asked.terms & frozenset(terms))
        return TERMS * both / whole if whole else 0.0

    def of_fact(self, cq: str, proof: Iterable[Triple], text: str) -> float:
        """What the proof and the words of one fact have of the question's."""
        asked = self.asked(cq)
        objects = {triple.object for triple in proof}
        iris = {term.value for term in objects if isinstance(term, Iri)}
        words = {term.lexical for term in objects if isinstance(term, Literal)}
        constants = min(MOST_CONSTANTS, len(asked.things & iris) + len(asked.literals & words))
        themed = bool(asked.themes & iris)
        said = min(MOST_WORDS, len(asked.words & spoken(text)))
        return CONSTANT * constants + THEME * themed + WORD * said

    def asked(self, cq: str) -> Asked:
        """What a question asks for."""
        known = self._asked.get(cq)
        if known is None:
            known = self._asked[cq] = Asked(self._pack.library[cq], self._themes)
        return known


class Asked:
    """What one question asks for, read off its text."""

    def __init__(self, template: Template, themes: Mapping[str, set[str]]) -> None:
        declared = dict(prefixes(template.query))
        tokens = positive(tokenize(template.query))
        named = {_whole(token.text, declared) for token in tokens if token.kind in ("iri", "name")}
        self.terms = frozenset(template.compiled.terms)
        self.things = frozenset(named - self.terms - set(declared.values()))
        self.literals = frozenset(token.text.strip("\"'") for token in tokens if token.kind == "string")
        told = template.required or tuple(pattern for block in template.optional for pattern in block)
        self._asked = {place.value for pattern in told for place in pattern if isinstance(place, Iri)}
        cq = template.cq
        self.themes = frozenset(iri for theme in cq.themes for iri in themes.get(theme, ()))
        texts = " ".join((cq.question, *cq.paraphrases, *cq.results.values()))
        self.words = spoken(re.sub(r"\{[^{}]*\}", " ", texts))

    def weight(self, term: str) -> float:
        """1 for what every answer has, less for what an answer may have or must not have."""
        return 1.0 if term in self._asked else BESIDE


def spoken(text: str) -> frozenset[str]:
    """The words of a text that say something, without letter case, accents and a plural's s."""
    return frozenset(
        word.removesuffix("s") for word in re.findall(r"[^\W\d_]+", plain(text).casefold()) if len(word) >= SHORTEST
    )


def _whole(name: str, declared: Mapping[str, str]) -> str:
    if name.startswith("<"):
        return name[1:-1]
    prefix, _, local = name.partition(":")
    return declared.get(prefix, "") + local
