"""Could a template answer for more than it was asked? And: what proves a row?

Every solution must instantiate every pattern that made it (why-provenance), so all pattern variables are selected, all
required patterns hang together with every parameter, and nothing is joined by accident.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from graph_tools.sparql_braces import Fault
from graph_tools.sparql_tokens import Token
from graph_tools.sparql_tree import Condition, Group, Name, Pattern, Tree
from graph_tools.terms import RDF_TYPE, Iri

MAX_COMBINATIONS = 64
_JOIN = "share a ?variable or a $parameter with the others"


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a checked query is made of."""

    variables: tuple[str, ...]
    """In SELECT order."""
    required: tuple[Pattern, ...]
    optional: tuple[tuple[Pattern, ...], ...]
    """OPTIONAL blocks and UNION branches; a block inside another one repeats the outer block's patterns."""
    order: tuple[tuple[str, bool], ...]
    """(variable, descending) of ORDER BY."""
    terms: tuple[str, ...] = ()
    """IRIs of the classes and properties of all its patterns, also of those that only exclude; sorted."""
    filtered: tuple[str, ...] = ()
    """Variables at which a FILTER or MINUS of the required part looks; sorted."""


def compile_tree(
    tree: Tree, parameters: frozenset[str], tokens: tuple[Token, ...], *, shown: bool = True
) -> Compiled | tuple[Fault, ...]:
    """The parts of a query that keeps all rules, or every fault, at the line where its name first stands.

    `shown`: its rows are told, so they have to show all variables."""
    faults = tuple(_located(fault, tokens) for fault in _Scope(tree, parameters, shown=shown).faults())
    if faults:
        return tuple(dict.fromkeys(faults))
    blocks = tuple(dict.fromkeys(block for block in _blocks(tree.group, ()) if block))
    top = tree.group
    looked_at = {name for condition in top.conditions for name in _looked_at(condition)}
    looked_at |= {name for minus in top.minuses for name in _every_name(minus)}
    filtered = sorted(name.name for name in looked_at if name.sign == "?")
    required = (*top.patterns, *(p for union in top.unions if len(union) == 1 for p in union[0].patterns))
    return Compiled(tree.selected, required, blocks, tree.order, tuple(sorted(set(_terms(top)))), tuple(filtered))


def _terms(group: Group) -> Iterator[str]:
    for pattern in group.patterns:
        term = pattern.object if pattern.predicate == RDF_TYPE else pattern.predicate
        if isinstance(term, Iri):
            yield term.value
    for inner in _parts(group):
        yield from _terms(inner)


def _parts(group: Group) -> Iterator[Group]:
    """All groups that stand right in this one."""
    yield from (branch for union in group.unions for branch in union)
    yield from group.optionals
    yield from group.minuses
    yield from (nested for condition in group.conditions for nested in condition.groups)


def _every_name(group: Group) -> frozenset[Name]:
    asked = (condition.names for condition in group.conditions)
    return _of(group.patterns).union(*asked, *map(_every_name, _parts(group)))


def _looked_at(condition: Condition) -> frozenset[Name]:
    return condition.names.union(*map(_every_name, condition.groups))


def _blocks(group: Group, outer: tuple[Pattern, ...]) -> Iterator[tuple[Pattern, ...]]:
    for inner in (*(branch for union in group.unions for branch in union), *group.optionals):
        whole = tuple(dict.fromkeys((*outer, *inner.patterns)))
        yield whole
        yield from _blocks(inner, whole)


@dataclass(frozen=True, slots=True)
class _Found:
    cause: str
    remedy: str
    about: Name | None = None
    last: bool = False
    """Where the name stands last is the place, not where it stands first."""


_TOO_MANY = _Found("the UNIONs have too many combinations", "make two questions of it")


def _located(found: _Found, tokens: tuple[Token, ...]) -> Fault:
    start = next((at for at, token in enumerate(tokens) if token.text == "{"), 0)
    where = next((token.line for token in tokens if token.text.upper() == "SELECT"), None)
    if found.about is not None:
        spelled = ("?" + found.about.name, "$" + found.about.name)
        lines = [token.line for token in tokens[start:] if token.text in spelled]
        if lines:
            where = lines[-1 if found.last else 0]
    return Fault(where, found.cause, found.remedy)


class _Scope:
    def __init__(self, tree: Tree, parameters: frozenset[str], *, shown: bool) -> None:
        self._tree = tree
        self._shown = shown
        self._parameters = frozenset(Name("$", name) for name in parameters)

    def faults(self) -> Iterator[_Found]:
        top = self._tree.group
        told = {Name("?", name) for name in self._tree.selected}
        bound = {name for name in _names(top) if name.sign == "?"}
        for name in sorted(told - bound, key=str):
            yield _Found(f"{name} is selected but no pattern binds it", "correct its name, or take it out", name)
        for name in sorted(bound - told if self._shown else (), key=str):
            yield _Found(f"{name} is not in SELECT", "select it: a row must show all that proves it", name)
        for variable, _ in self._tree.order:
            if Name("?", variable) not in bound:
                yield _Found(f"ORDER BY ?{variable}: no pattern binds it", "order by a selected variable")
        yield from self._required(top)
        yield from self._inside(top, frozenset(), frozenset())

    def _required(self, top: Group) -> Iterator[_Found]:
        if not top.patterns and not top.unions:
            yield _Found("there is no required pattern", "write at least one pattern outside OPTIONAL")
            return
        if _many(top):
            yield _TOO_MANY
            return
        for patterns in _combinations(top):
            yield from _strangers(patterns, patterns[0].names if patterns else frozenset(), "")
            used = frozenset().union(*(pattern.names for pattern in patterns))
            for name in sorted(self._parameters - used, key=str):
                remedy = "use it in a required pattern, and in every branch of a UNION that stands alone"
                yield _Found(f"{name} does not limit every row", remedy, name)

    def _inside(
        self,
        group: Group,
        around: frozenset[Name],
        outside: frozenset[Name],
        barred: frozenset[Name] = frozenset(),
    ) -> Iterator[_Found]:
        """Faults of what is nested in `group`.

        `around`: names that its own FILTERs may also see; `outside`: names that stand anywhere outside it; `barred`:
        names at which its FILTERs may not look."""
        certain, own = _certain(group), _names(group)
        for name in sorted((own & outside) - certain, key=str):
            # Engines differ on a name that these braces bind only sometimes, and something outside always.
            remedy = "use it in a required pattern of the same braces too"
            yield _Found(f"{name} comes from outside, but these braces bind it only sometimes", remedy, name, last=True)
        for condition in group.conditions:
            for name in sorted(condition.names & barred, key=str):
                remedy = "compare with a name of the OPTIONAL around it, or move the FILTER"
                yield _Found(f"FILTER of an inner OPTIONAL looks at {name}, from outside", remedy, name, last=True)
            yield from self._condition(condition, own | around, outside)
        for union in group.unions:
            for branch in union:
                if not branch.patterns and not branch.unions:
                    yield _Found("a UNION branch has no required pattern", "write one, or use OPTIONAL")
                yield from self._inside(branch, frozenset(), outside | _without(group, union))
        for optional in group.optionals:
            yield from self._nested(optional, certain, "OPTIONAL")
            # rdflib 7.6 drops the rows of an OPTIONAL when the FILTER of one inside it looks at a name from outside.
            barred = frozenset(name for name in outside if name.sign == "?")
            yield from self._inside(optional, own, outside | _without(group, (optional,)), barred)
        for minus in group.minuses:
            if not {n for n in _names(minus) if n.sign == "?"} & certain:
                about = min(_names(minus), key=str, default=None)
                remedy = "use one of their variables in it"
                yield _Found("MINUS shares no ?variable with the rows before it", remedy, about, last=True)
            yield from self._nested(minus, certain, "MINUS")
            yield from self._inside(minus, frozenset(), outside | own)

    def _condition(self, condition: Condition, visible: frozenset[Name], outside: frozenset[Name]) -> Iterator[_Found]:
        for name in sorted(condition.names - visible, key=str):
            remedy = "move the FILTER, or correct the name"
            yield _Found(f"FILTER looks at {name}, which no pattern in its braces has", remedy, name)
        for group in condition.groups:
            yield from self._nested(group, visible, "EXISTS")
            yield from self._inside(group, visible, outside | visible)

    def _nested(self, group: Group, certain: frozenset[Name], what: str) -> Iterator[_Found]:
        if not group.patterns and not group.unions:
            yield _Found(f"{what} has no pattern of its own", "write one")
            return
        if _many(group):
            yield _TOO_MANY
            return
        for patterns in _combinations(group):
            yield from _strangers(patterns, certain, f" in {what}")


def _strangers(patterns: tuple[Pattern, ...], known: frozenset[Name], where: str) -> Iterator[_Found]:
    """Patterns that nothing joins to the known names: each would multiply the rows."""
    reached, rest = set(known), list(patterns)
    while True:
        joined = [pattern for pattern in rest if pattern.names & reached]
        if not joined:
            break
        reached.update(*(pattern.names for pattern in joined))
        rest = [pattern for pattern in rest if pattern not in joined]
    if rest:
        about = min(rest[0].names, key=str, default=None)
        shown = f"the pattern of {about}" if about else "a pattern without any variable"
        yield _Found(f"{shown} is not joined to the rest{where}", _JOIN, about)


def _many(group: Group) -> bool:
    """True where the group has too many combinations to go through: they multiply."""
    return _count(group) > MAX_COMBINATIONS


def _count(group: Group) -> int:
    return prod(sum(_count(branch) for branch in union) for union in group.unions)


def _combinations(group: Group) -> list[tuple[Pattern, ...]]:
    """The patterns that are required together: for each choice of UNION branches one set."""
    choices = [[patterns for branch in union for patterns in _combinations(branch)] for union in group.unions]
    return [
        tuple(pattern for patterns in (group.patterns, *chosen) for pattern in patterns) for chosen in product(*choices)
    ]


def _certain(group: Group) -> frozenset[Name]:
    """Names that every row of the group binds."""
    found = set(_of(group.patterns))
    for union in group.unions:
        found |= frozenset.intersection(*(_certain(branch) for branch in union))
    return frozenset(found)


def _names(group: Group) -> frozenset[Name]:
    """Names that some row of the group may bind."""
    inner = (*(branch for union in group.unions for branch in union), *group.optionals)
    return _of(group.patterns).union(*(_names(group) for group in inner))


def _without(group: Group, left_out: tuple[Group, ...]) -> frozenset[Name]:
    """Names of the group, but for those that stand in some of its parts only."""
    inner = (*(branch for union in group.unions for branch in union), *group.optionals)
    return _of(group.patterns).union(*(_names(part) for part in inner if not any(part is out for out in left_out)))


def _of(patterns: Iterable[Pattern]) -> frozenset[Name]:
    return frozenset().union(*(pattern.names for pattern in patterns))
