"""Triples as canonical Turtle (https://www.w3.org/TR/turtle/): the same triples give the same bytes.

Prefixes, subjects, predicates and objects are sorted by their text; `a` comes first; one object a line.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from graph_tools.terms import RDF_TYPE, XSD, Iri, Term, Triple
from graph_tools.terms import Literal as RdfLiteral

_LOCAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_BARE = {XSD + "integer", XSD + "boolean"}


def turtle(triples: Iterable[Triple], prefixes: Mapping[str, str]) -> bytes:
    """The Turtle document of `triples`, UTF-8, with the prefixes it uses."""
    by_subject: dict[Term, dict[Term, set[Term]]] = defaultdict(lambda: defaultdict(set))
    for triple in triples:
        by_subject[triple.subject][triple.predicate].add(triple.object)
    used: set[str] = set()

    def spell(term: Term) -> str:
        if isinstance(term, Iri):
            for prefix, base in prefixes.items():
                local = term.value.removeprefix(base)
                if local != term.value and _LOCAL.fullmatch(local):
                    used.add(prefix)
                    return f"{prefix}:{local}"
            return term.n3()
        if isinstance(term, RdfLiteral) and term.datatype in _BARE:
            return term.lexical
        if isinstance(term, RdfLiteral) and term.n3().endswith(">"):
            return term.n3().removesuffix(f"<{term.datatype}>") + spell(Iri(term.datatype))
        return term.n3()

    blocks = []
    for subject in sorted(by_subject, key=lambda term: term.n3()):
        lines = []
        for predicate in sorted(by_subject[subject], key=lambda term: (term != RDF_TYPE, term.n3())):
            verb = "a" if predicate == RDF_TYPE else spell(predicate)
            objects = sorted(spell(term) for term in by_subject[subject][predicate])
            lines.append(f"{verb} " + ",\n        ".join(objects))
        blocks.append(f"{spell(subject)} " + " ;\n    ".join(lines) + " .\n")
    head = "".join(f"@prefix {prefix}: <{prefixes[prefix]}> .\n" for prefix in sorted(used))
    return "\n".join([head, *blocks]).encode("utf-8")
