"""The shortest proof: of the statements behind a sentence, those that carry its values and join them, and no more."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graph_tools.evidence import Factlet
from graph_tools.grounding.verdict import Bond

_TERMS = re.compile(r"<([^>]*)> <[^>]*> (?:<([^>]*)>)?")


def shortest(bonds: Sequence[Bond], cited: Sequence[Factlet]) -> tuple[str, ...]:
    """N-Triples statements, factlet after factlet, each once. None can be left out: a value would stand in no
    statement, or two values of one row would no longer hang together. Empty where nothing is bound."""
    found: dict[str, None] = {}
    for factlet in cited:
        held = [bond.triples for bond in bonds if bond.factlet == factlet.id and bond.triples]
        if held:
            found |= dict.fromkeys(_kept(factlet.triples, held))
    return tuple(found)


def _kept(statements: Sequence[str], held: Sequence[Sequence[str]]) -> list[str]:
    kept = list(statements)
    whole = _parts(kept)
    for statement in reversed(statements):  # from the far end, so that what the question asks about stays
        fewer = [one for one in kept if one != statement]
        carried = all(any(one in fewer for one in bond) for bond in held)
        if carried and _parts(fewer) <= whole:
            kept = fewer
    return kept


def _parts(statements: Sequence[str]) -> int:
    """Into how many parts the statements fall that share no thing."""
    parts: list[set[str]] = []
    for statement in statements:
        match = _TERMS.match(statement)
        things = {thing for thing in match.groups() if thing} if match else {statement}
        near = [part for part in parts if part & things]
        parts = [part for part in parts if not part & things] + [things.union(*near)]
    return len(parts)
