"""The proof of a sentence in words of its own: names, bindings, roles, guarded words, and a closed vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from graph_tools.evidence import Factlet
from graph_tools.grounding import binding, roles
from graph_tools.grounding import clauses as quoting
from graph_tools.grounding.binding import Clause, Group
from graph_tools.grounding.cues import Node, order_of
from graph_tools.grounding.frames import Frames
from graph_tools.grounding.licence import Scope, content, unlicensed
from graph_tools.grounding.mentions import COUNT, Linker, Meant, Mention, nodes_of
from graph_tools.grounding.surfaces import Surfaces
from graph_tools.grounding.text import Reader
from graph_tools.grounding.verdict import Bond, Reason
from graph_tools.grounding.wider import Wider
from graph_tools.speech import words as spelled


PIECES = frozenset({"and", "but", "while", "whereas", ",", ";", ":", ".", "(", ")"})
"""Where one piece of a sentence ends and another begins."""


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence and what it cites."""

    folded: str
    original: str
    rows: tuple[Factlet, ...]
    complete: frozenset[str]
    """Questions all of whose rows are cited."""
    frames: Mapping[str, Frames]
    """Of the questions of the rows."""
    defaults: frozenset[str]
    """IRIs of what everything in the pack is part of."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of a sentence."""

    reasons: tuple[Reason, ...]
    bonds: tuple[Bond, ...]


class Rewording:
    """Proves sentences that are no wording of a curator's."""

    def __init__(self, surfaces: Surfaces, reader: Reader, wider: Wider) -> None:
        self._wider = wider
        self._surfaces = surfaces
        self._reader = reader
        self._linker = Linker(surfaces)
        self._clauses: dict[str, quoting.Clause] = {}

    def mentions(self, case: Case) -> tuple[Mention, ...]:
        """What the sentence names of the rows."""
        skipped = [frozenset(clause_slots(row, case.frames[row.cq])) for row in case.rows]
        return self._linker.link(case.folded, case.original, case.rows, skipped, _counts(case))

    def find(self, case: Case) -> Finding:
        """All that is wrong with the sentence, and what binds it."""
        mentions = self.mentions(case)
        reader = self._reader
        quoted = self._quoted(case, mentions)
        reasons = quoting.bent(case.folded, quoted, reader)
        nodes = self._nodes(case, mentions, quoted)
        own = {int(node.name) for node in nodes if node.name}
        told = binding.clauses(nodes, mentions, frozenset(range(len(case.rows))))
        if isinstance(told, Group):
            words = " ... ".join(mentions[n].text for n in told.members)
            return Finding((*reasons, Reason("binding", words, "no row holds it with the rest")), ())
        reasons += self._linked(told, nodes, mentions, quoted, case)
        order, fault = self._order(nodes, mentions, case)
        reasons += fault
        reasons += self._words(told, nodes, mentions, quoted, order, case)
        for clause in told:
            if len(clause.groups) > 0:
                reasons += roles.faults(
                    clause, nodes, mentions, case.rows, case.frames, self._wider, case.defaults, self._surfaces, reader
                )
        reasons += self._needs(told, nodes, mentions, quoted, case)
        if not own and not quoted:
            reasons.append(Reason("binding", "", "it names nothing of the evidence"))
        return Finding(tuple(dict.fromkeys(reasons)), self._bonds(told, mentions, quoted, case))

    def _quoted(self, case: Case, mentions: Sequence[Mention]) -> tuple[quoting.Restated, ...]:
        clauses: list[quoting.Clause] = []
        for number, row in enumerate(case.rows):
            for slot in clause_slots(row, case.frames[row.cq]):
                text = row.values[slot].value
                known = self._clauses.get(text)
                if known is None:
                    known = self._clauses[text] = quoting.read(0, "", text, self._reader)
                clauses.append(replace(known, row=number, slot=slot))
        if not clauses:
            return ()
        return quoting.restated(case.folded, clauses, [(m.start, m.end) for m in mentions], self._reader)

    def _nodes(self, case: Case, mentions: Sequence[Mention], quoted: Sequence[quoting.Restated]) -> list[Node]:
        nodes: list[Node] = []
        at = 0
        for one in (*quoted, None):
            nodes += nodes_of(case.folded, case.original, mentions, self._reader, at, one.start if one else None)
            if one is None:
                break
            at = one.end
        return nodes

    def _linked(
        self, told: Sequence[Clause], nodes: Sequence[Node], mentions: Sequence[Mention],
        quoted: Sequence[quoting.Restated], case: Case,
    ) -> list[Reason]:  # fmt: skip
        """Clauses about somebody whom they do not name are about whom the clause before was about."""
        named = {row.values[m.slot].value for mention in mentions for row, m in _values(mention, case)}
        reasons: list[Reason] = []
        unnamed: set[tuple[str, str]] = set()
        before: int | None = None
        for clause in told:
            if not clause.groups:
                continue
            here = {case.rows[m.row].values[m.slot].value for g in clause.groups for n in g.members
                    for m in mentions[n].meant if not m.slot.startswith(COUNT)}  # fmt: skip
            options: list[set[tuple[str, str]]] = []
            for number in sorted(clause.rows):
                row = case.rows[number]
                own = binding.parameters(row, case.frames[row.cq].cq.parameters, case.defaults)
                options.append({(name, iri) for name, iri in own.items() if iri not in here})
            least = min(options, key=lambda missing: (len(missing), sorted(missing)), default=set())
            carried = set() if before is None else {
                case.rows[m.row].values[m.slot].value for m in mentions[before].meant if not m.slot.startswith(COUNT)
            }  # fmt: skip
            following = next((c for c in told[told.index(clause) + 1 :] if c.groups), None)
            beside = {row.values[m.slot].value for g in (following.groups if following else ()) for n in g.members
                      for row, m in _values(mentions[n], case)}  # fmt: skip
            for name, iri in sorted(least):
                if before is None and iri in named and iri not in beside and following is not None:
                    reasons.append(Reason("binding", mentions[clause.groups[-1].members[-1]].text, "told of somebody else"))
                elif iri in named and iri not in carried and before is not None:
                    words = " ... ".join(mentions[n].text for g in clause.groups for n in g.members)
                    reasons.append(Reason("binding", words, "this is told of somebody else"))
                elif iri not in named:
                    unnamed.add((name, iri))
            last = clause.groups[-1].members[-1]
            before = last if _relative_next(clause, told) else binding.subject(clause, nodes, self._reader)
        reasons += self._apart(told, nodes, mentions, quoted, case)
        for one in {one.clause for one in quoted}:
            row = case.rows[one.row]
            own = binding.parameters(row, case.frames[row.cq].cq.parameters, case.defaults)
            unnamed |= {(name, iri) for name, iri in own.items() if iri not in named and not self._within(iri, one.text)}
        told_of = {
            (name, row.values[name].value)
            for mention in mentions for row, m in _values(mention, case)
            for name in case.frames[row.cq].cq.parameters
            if m.slot == name and row.values[name].value not in case.defaults
        }  # fmt: skip
        for name in sorted({name for name, _ in unnamed} & {name for name, _ in told_of}):
            reasons.append(Reason("binding", "", f"a value of another {name} than the one it names"))
        for name in sorted({name for name, _ in unnamed}):
            if len({iri for other, iri in unnamed if other == name}) > 1:
                reasons.append(Reason("binding", "", f"it speaks of more than one {name} and names none"))
        return reasons

    def _apart(
        self, told: Sequence[Clause], nodes: Sequence[Node], mentions: Sequence[Mention],
        quoted: Sequence[quoting.Restated], case: Case,
    ) -> list[Reason]:  # fmt: skip
        """Clauses that stand beside others and share nothing with them: a name or a number alone."""
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
            others = {case.rows[m.row].values[m.slot].value for c in with_groups if c is not clause
                      for g in c.groups for n in g.members for m in mentions[n].meant
                      if not m.slot.startswith(COUNT)}  # fmt: skip
            values = {row.values[m.slot] for mention in flat for row, m in _values(mention, case)}
            rows = [case.rows[number] for number in sorted(clause.rows)]
            somebody = [v for v in values if v.kind == "iri" and v.value not in case.defaults]
            bare = all(n.word is None or self._reader.is_free(n.word) for n in nodes[clause.begin : clause.end])
            if len(clause.groups) == 1 and (bare or not any(
                iri in others for row in rows
                for iri in binding.parameters(row, case.frames[row.cq].cq.parameters, case.defaults).values()
            )):  # fmt: skip
                reasons.append(Reason("binding", words, "no row holds it with the rest"))
            elif not somebody and rows and not any(self._told_of(row, others, case) for row in rows):
                reasons.append(Reason("binding", words, "it belongs to somebody who is not named"))
        return reasons

    def _told_of(self, row: Factlet, named: set[str], case: Case) -> bool:
        """True where all whom a row is about besides its parameters are named."""
        cq = case.frames[row.cq].cq
        whom = {value.value for name, value in row.values.items()
                if name in cq.results and value.kind == "iri" and self._surfaces.pronouns(value.value)}  # fmt: skip
        return whom <= named

    def _within(self, iri: str, text: str) -> bool:
        lowered = text.lower()
        return any(name in lowered for name in self._surfaces.names(iri))

    def _order(
        self, nodes: Sequence[Node], mentions: Sequence[Mention], case: Case
    ) -> tuple[bool, list[Reason]]:
        """Whether before and after is said and right: of the values of one slot by the numbers of their rows."""
        said = order_of(nodes, self._reader)
        reasons: list[Reason] = []
        right = False
        for one, other in sorted(said):
            first, second = mentions[int(one)], mentions[int(other)]
            places = _places(first, second, case)
            later = {frames for frames in case.frames}
            slots = any(
                (s, t) in frames_order
                for row in first.rows & second.rows
                for frames_order in (case.frames[case.rows[row].cq].order,)
                for s in first.slots(row)
                for t in second.slots(row)
            )
            if slots:
                right = True
            elif places and later:
                if places[0] < places[1]:
                    right = True
                else:
                    reasons.append(Reason("order", f"{first.text} ... {second.text}", "they come the other way round"))
        return right and not reasons, reasons

    def _words(
        self, told: Sequence[Clause], nodes: Sequence[Node], mentions: Sequence[Mention],
        quoted: Sequence[quoting.Restated], ordered: bool, case: Case,
    ) -> list[Reason]:  # fmt: skip
        said = frozenset(node.word.text for node in nodes if node.word)
        reasons: list[Reason] = []
        every = frozenset(m.slot for clause in told for g in clause.groups for n in g.members for m in mentions[n].meant)
        texts = {frozenset({one.clause.slot}): one.clause.row for one in quoted}
        for clause in told:
            rows = clause.rows or frozenset(texts.values())
            scopes: dict[str, Scope] = {}
            for number in sorted(rows):
                row = case.rows[number]
                frames = case.frames[row.cq]
                named = {s for g in clause.groups for n in g.members for s in mentions[n].slots(number)}
                named |= {s for slots, place in texts.items() if place == number for s in slots}
                counted = {s.removeprefix(COUNT) for s in named if s.startswith(COUNT)}
                implied = frozenset(frames.cq.parameters)
                old = scopes.get(row.cq)
                firsts, lasts = self._ends(named, number, clause, mentions, case)
                scopes[row.cq] = Scope(
                    frames, frozenset(named | counted) | (old.named if old else frozenset()), implied,
                    firsts | (old.firsts if old else frozenset()), lasts | (old.lasts if old else frozenset()),
                    frozenset(counted) | (old.counted if old else frozenset()),
                )  # fmt: skip
            words = content(nodes[clause.begin : clause.end])
            reasons += self._bare(nodes[clause.begin : clause.end], quoted)
            if not clause.groups and not rows:
                scopes = {cq: Scope(f, every, frozenset(f.cq.parameters), frozenset(), frozenset(), frozenset())
                          for cq, f in case.frames.items()}  # fmt: skip
            if _pairs(nodes[clause.begin : clause.end]):
                words = [word for word in words if word.text != "both"]
            reasons += unlicensed(words, tuple(scopes.values()), said, ordered, self._reader, self._wider)
        return reasons

    def _bare(self, nodes: Sequence[Node], quoted: Sequence[quoting.Restated]) -> list[Reason]:
        """Pieces that name nothing and yet say something: "and came on at"."""
        reasons: list[Reason] = []
        piece: list[Node] = []
        for node in (*nodes, None):
            if node is not None and not (node.word and node.word.text in PIECES):
                piece.append(node)
                continue
            said = [n.word for n in piece if n.word and not self._reader.is_free(n.word) and not self._reader.kind(n.word)]
            if piece and said and not any(n.name for n in piece):
                reasons.append(Reason("word", said[0].text, "it is said of nothing that is named"))
            named = [n for n in piece if n.name or (n.word and not n.word.is_mark)]
            last = named[-1].word if named else None
            if last is not None and last.text in self._reader.prepositions and last.text not in ("on", "in", "over"):
                reasons.append(Reason("word", last.text, "nothing follows it"))
            piece = []
        return reasons

    def _ends(
        self, named: set[str], number: int, clause: Clause, mentions: Sequence[Mention], case: Case
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Slots of which this is the first, and the last, value of a whole answer."""
        row = case.rows[number]
        if row.cq not in case.complete:
            return frozenset(), frozenset()
        rows = [other for other in case.rows if other.cq == row.cq]
        firsts, lasts = set(), set()
        for slot in named & row.values.keys():
            bound = [other.values[slot] for other in rows if slot in other.values]
            if bound[0] == row.values[slot]:
                firsts.add(slot)
            if bound[-1] == row.values[slot]:
                lasts.add(slot)
        return frozenset(firsts), frozenset(lasts)

    def _needs(
        self, told: Sequence[Clause], nodes: Sequence[Node], mentions: Sequence[Mention],
        quoted: Sequence[quoting.Restated], case: Case,
    ) -> list[Reason]:  # fmt: skip
        """What has to stand beside a value: its hedge, who says so, what kind of figure it is."""
        reasons: list[Reason] = []
        everywhere = tuple(mentions)
        for one in {one.clause for one in quoted}:
            missing = self._missing(one.slot, one.row, "", None, everywhere, case)
            if missing:
                reasons.append(Reason("needs", "", f"it has to be told with {missing}"))
        for clause in told:
            for group in clause.groups:
                for member in group.members:
                    mention = mentions[member]
                    literal = [
                        m for m in sorted(mention.meant)
                        if m.row in clause.rows and not m.slot.startswith(COUNT)
                        and case.rows[m.row].values[m.slot].kind == "literal"
                    ]  # fmt: skip
                    if not literal:
                        continue
                    lacking = [self._missing(m.slot, m.row, self._before(mention, case), mention, everywhere, case) for m in literal]
                    if all(lacking):
                        code = "hedge" if lacking[0].startswith("the hedge") else "needs"
                        reasons.append(Reason(code, mention.text, f"it has to be told with {lacking[0]}"))
        return reasons

    def _before(self, mention: Mention, case: Case) -> str:
        """The words around a value in which its hedge may stand."""
        lead = case.folded[max(0, mention.start - 60) : mention.start]
        return " ".join(lead.split()[-5:])

    @staticmethod
    def _nearest(slot: str, mention: Mention | None, mentions: Sequence[Mention]) -> frozenset[Meant]:
        """What the nearest words that fill a slot stand for; all of them where no place is given."""
        filling = [other for other in mentions if any(m.slot == slot for m in other.meant)]
        if mention is None:
            return frozenset(m for other in filling for m in other.meant)
        near = min(filling, key=lambda o: (max(o.start - mention.end, mention.start - o.end), o.start), default=None)
        return near.meant if near is not None else frozenset()

    def _missing(
        self, slot: str, number: int, before: str, mention: Mention | None, everywhere: Sequence[Mention], case: Case
    ) -> str:
        row = case.rows[number]
        frames = case.frames[row.cq]
        bound = frozenset(row.values)
        known = frames.needs.get(bound)
        if known is None:
            known = frames.needs[bound] = frames.company(bound)
        company, hedges = known.get(slot, (frozenset(), frozenset()))
        clause = slot in clause_slots(row, frames)
        if not clause and (slot in frames.ordinals or "number" not in self._surfaces.kind(row.values[slot])):
            company = frozenset(other for other in company if other in hedge_slots(frames))
        for kind in sorted(hedges):
            if not any(pattern.search(before) for pattern in self._reader.hedges[kind]) and not (
                kind in ("estimate", "total", "potential") and any(p.search(case.folded) for p in self._reader.hedges[kind])
            ):
                return f"the hedge {kind!r}"
        for other in sorted(company):
            if Meant(number, other) not in self._nearest(other, mention, everywhere) and not self._hedged_by(other, row, before):
                return other
        return ""

    def _hedged_by(self, slot: str, row: Factlet, before: str) -> bool:
        value = row.values.get(slot)
        return value is not None and value.kind == "literal" and value.value.lower() in before

    def _bonds(
        self, told: Sequence[Clause], mentions: Sequence[Mention], quoted: Sequence[quoting.Restated], case: Case
    ) -> tuple[Bond, ...]:
        found: list[tuple[int, Bond]] = []
        for clause in told:
            for group in clause.groups:
                for member in group.members:
                    mention = mentions[member]
                    meant = min((m for m in mention.meant if m.row in clause.rows), default=None)
                    if meant is not None:
                        found.append((mention.start, bond(mention.text, case.rows[meant.row], meant.slot)))
        for one in quoted:
            text = case.original[one.start : one.end]
            found.append((one.start, bond(text, case.rows[one.clause.row], one.clause.slot)))
        return tuple(step for _, step in sorted(found, key=lambda pair: pair[0]))


def clause_slots(row: Factlet, frames: Frames) -> list[str]:
    """Variables of a row whose value is told as a clause."""
    values = {slot: row.values[slot] for slot in frames.clauses & row.values.keys()}
    return sorted(slot for slot, value in values.items() if value.kind == "literal" and value.value.count(" ") > 1)


def bond(words: str, row: Factlet, slot: str) -> Bond:
    """A step of a proof, with the statements that hold the value."""
    name = slot.removeprefix(COUNT)
    value = row.values.get(name)
    held = tuple(triple for triple in row.triples if value is not None and value.value in triple)
    return Bond(words, row.id, name, held)


def hedge_slots(frames: Frames) -> frozenset[str]:
    """Variables that only say how sure another one is."""
    return frozenset(name for name in frames.cq.results if "hedge" in name or name in ("early", "late"))


def _values(mention: Mention, case: Case) -> list[tuple[Factlet, Meant]]:
    return [(case.rows[m.row], m) for m in mention.meant if not m.slot.startswith(COUNT)]


def _beside(start: int, end: int, quoted: Sequence[quoting.Restated]) -> list[quoting.Restated]:
    """The quoted clauses next to a place, before it and after it."""
    before = [one for one in quoted if one.end <= start]
    after = [one for one in quoted if one.start >= end]
    return [*before[-1:], *after[:1]]


def _pairs(nodes: Sequence[Node]) -> bool:
    """True where "and" joins two names: then "both" says no more."""
    return any(
        one.name and other.name and between.word is not None and between.word.text == "and"
        for one, between, other in zip(nodes, nodes[1:], nodes[2:], strict=False)
    )


def _relative_next(clause: Clause, told: Sequence[Clause]) -> bool:
    at = told.index(clause)
    return at + 1 < len(told) and told[at + 1].relative


def _places(first: Mention, second: Mention, case: Case) -> tuple[int, int] | None:
    """The numbers of two rows of one question that the mentions tell apart, where its rows are numbered."""
    for one in sorted(first.meant):
        for other in sorted(second.meant):
            a, b = case.rows[one.row], case.rows[other.row] if other.row < len(case.rows) else None
            if b is None or one.slot != other.slot or one.row == other.row or a.cq != b.cq:
                continue
            for slot in sorted(a.values):
                numbers = (a.values[slot].value, b.values[slot].value) if slot in b.values else ("", "")
                if numbers[0].isdigit() and numbers[1].isdigit() and numbers[0] != numbers[1]:
                    return int(numbers[0]), int(numbers[1])
    return None


@lru_cache(maxsize=1024)
def _words(count: int) -> str:
    return spelled(count)


def _counts(case: Case) -> dict[str, frozenset[Meant]]:
    """How many values a slot has, as words and figures: of slots that some wording counts, in whole answers."""
    found: dict[str, set[Meant]] = {}
    for cq in case.complete & case.frames.keys():
        rows = [(number, row) for number, row in enumerate(case.rows) if row.cq == cq]
        for slot in case.frames[cq].counted:
            count = len({row.values[slot] for _, row in rows if slot in row.values})
            for form in (_words(count), str(count)) if count else ():
                found.setdefault(form, set()).update(Meant(number, COUNT + slot) for number, _ in rows)
    return {form: frozenset(meant) for form, meant in found.items()}
