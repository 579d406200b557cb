"""How the clauses of a sentence hang together: each is about somebody whom the sentence names, or nobody is."""

from __future__ import annotations

from collections.abc import Sequence

from graph_tools.evidence import Factlet
from graph_tools.grounding import binding
from graph_tools.grounding.binding import Clause
from graph_tools.grounding.case import Case, Read
from graph_tools.grounding.clauses import Restated
from graph_tools.grounding.surfaces import Surfaces
from graph_tools.grounding.text import Reader
from graph_tools.grounding.verdict import Reason


def faults(read: Read, surfaces: Surfaces, reader: Reader) -> list[Reason]:
    """Clauses about somebody whom they do not name are about whom the clause before was about."""
    told, nodes, mentions, quoted, case = read.told, read.nodes, read.mentions, read.quoted, read.case
    named = {row.values[m.slot].value for mention in mentions for row, m in read.values(mention)}
    reasons: list[Reason] = []
    unnamed: set[tuple[str, str]] = set()
    before: int | None = None
    for clause in told:
        if not clause.groups:
            continue
        here = read.named(clause)
        options: list[set[tuple[str, str]]] = []
        for number in sorted(clause.rows):
            row = case.rows[number]
            own = binding.parameters(row, case.frames[row.cq].cq.parameters, case.defaults)
            options.append({(name, iri) for name, iri in own.items() if iri not in here})
        least = min(options, key=lambda missing: (len(missing), sorted(missing)), default=set())
        carried = set() if before is None else {r.values[m.slot].value for r, m in read.values(mentions[before])}
        following = next((c for c in told[told.index(clause) + 1 :] if c.groups), None)
        beside = read.named(following) if following else set()
        for name, iri in sorted(least):
            if before is None and iri in named and iri not in beside and following is not None:
                reasons.append(Reason("binding", mentions[clause.groups[-1].members[-1]].text, "told of somebody else"))
            elif iri in named and iri not in carried and before is not None:
                words = " ... ".join(mentions[n].text for g in clause.groups for n in g.members)
                reasons.append(Reason("binding", words, "this is told of somebody else"))
            elif iri not in named:
                unnamed.add((name, iri))
        last = clause.groups[-1].members[-1]
        before = last if _relative_next(clause, told) else binding.subject(clause, nodes, reader)
    reasons += _apart(read, surfaces, reader)
    for one in {one.clause for one in quoted}:
        row = case.rows[one.row]
        own = binding.parameters(row, case.frames[row.cq].cq.parameters, case.defaults)
        unnamed |= {
            (name, iri) for name, iri in own.items() if iri not in named and not _within(iri, one.text, surfaces)
        }
    told_of = {
        (name, row.values[name].value)
        for mention in mentions for row, m in read.values(mention)
        for name in case.frames[row.cq].cq.parameters
        if m.slot == name and row.values[name].value not in case.defaults
    }  # fmt: skip
    for name in sorted({name for name, _ in unnamed} & {name for name, _ in told_of}):
        reasons.append(Reason("binding", "", f"a value of another {name} than the one it names"))
    for name in sorted({name for name, _ in unnamed}):
        if len({iri for other, iri in unnamed if other == name}) > 1:
            reasons.append(Reason("binding", "", f"it speaks of more than one {name} and names none"))
    return reasons


def _apart(read: Read, surfaces: Surfaces, reader: Reader) -> list[Reason]:
    """Clauses that stand beside others and share nothing with them: a name or a number alone."""
    told, nodes, mentions, quoted, case = read.told, read.nodes, read.mentions, read.quoted, read.case
    reasons: list[Reason] = []
    with_groups = [clause for clause in told if clause.groups]
    for clause in with_groups:
        flat = [mentions[n] for g in clause.groups for n in g.members]
        words = " ... ".join(mention.text for mention in flat)
        near = _beside(flat[0].start, flat[-1].end, quoted)
        own = frozenset.union(*(mention.rows for mention in flat))
        if near and not any(one.clause.row in own for one in near):
            reasons.append(Reason("binding", words, "what is quoted is not theirs"))
        if len(with_groups) == 1 or near:
            continue
        others = {value for c in with_groups if c is not clause for value in read.named(c)}
        values = {row.values[m.slot] for mention in flat for row, m in read.values(mention)}
        rows = [case.rows[number] for number in sorted(clause.rows)]
        somebody = [v for v in values if v.kind == "iri" and v.value not in case.defaults]
        bare = all(n.word is None or reader.is_free(n.word) for n in nodes[clause.begin : clause.end])
        if len(clause.groups) == 1 and (bare or not any(
            iri in others for row in rows
            for iri in binding.parameters(row, case.frames[row.cq].cq.parameters, case.defaults).values()
        )):  # fmt: skip
            reasons.append(Reason("binding", words, "no row holds it with the rest"))
        elif not somebody and rows and not any(_told_of(row, others, case, surfaces) for row in rows):
            reasons.append(Reason("binding", words, "it belongs to somebody who is not named"))
    return reasons


def _told_of(row: Factlet, named: set[str], case: Case, surfaces: Surfaces) -> bool:
    """True where all whom a row is about besides its parameters are named."""
    cq = case.frames[row.cq].cq
    whom = {value.value for name, value in row.values.items()
            if name in cq.results and value.kind == "iri" and surfaces.pronouns(value.value)}  # fmt: skip
    return whom <= named


def _within(iri: str, text: str, surfaces: Surfaces) -> bool:
    lowered = text.lower()
    return any(name in lowered for name in surfaces.names(iri))


def _beside(start: int, end: int, quoted: Sequence[Restated]) -> list[Restated]:
    """The quoted clauses next to a place, before it and after it."""
    before = [one for one in quoted if one.end <= start]
    after = [one for one in quoted if one.start >= end]
    return [*before[-1:], *after[:1]]


def _relative_next(clause: Clause, told: Sequence[Clause]) -> bool:
    at = told.index(clause)
    return at + 1 < len(told) and told[at + 1].relative
