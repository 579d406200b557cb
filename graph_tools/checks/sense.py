"""What makes sense: times in order and in their place, values within reach, nothing linked to itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from graph_tools.checks.examined import Examined
from graph_tools.checks.spans import Span, offset, read, span
from graph_tools.errors import Problem
from graph_tools.sense_tables import Bounds, Offsets, Order, Rising
from graph_tools.terms import RDF_TYPE, Iri, Literal, Term

_Dated = tuple[Literal, Span]
_Placed = tuple[int, Iri, _Dated]
"""Number, thing, and when it begins."""


def sense_problems(graph: Examined) -> Iterator[Problem]:
    """Everything that cannot be as it is said, by the conventions and by the tables of the pack."""
    paths = _Paths(graph)
    checks, known = graph.checks, graph.conventions
    for order in dict.fromkeys((*known.order, *checks.order)):
        yield from _order(graph, paths, order)
    for rising in checks.rising:
        yield from _rising(graph, paths, rising)
    for offsets in checks.offsets:
        yield from _offsets(graph, paths, offsets)
    for bounds in checks.bounds:
        yield from _bounds(graph, paths, bounds)
    yield from _selves(graph)
    for property_ in dict.fromkeys((*known.acyclic, *checks.acyclic)):
        yield from _rounds(graph, paths, property_)
    yield from _idle(graph, paths)


class _Paths:
    """The properties of a graph, followed both ways."""

    def __init__(self, graph: Examined) -> None:
        found: dict[str, dict[Term, tuple[Term, ...]]] = defaultdict(dict)
        for subject, said in graph.about.items():
            for predicate, values in said.items():
                found[predicate.value][subject] = values
        self._steps: dict[str, Mapping[Term, tuple[Term, ...]]] = dict(found)
        self._spans: dict[Literal, Span | None] = {}

    def step(self, property_: str) -> Mapping[Term, tuple[Term, ...]]:
        """From -> to, along the property, or with ^ against it."""
        if property_.startswith("^") and property_ not in self._steps:
            turned: dict[Term, list[Term]] = defaultdict(list)
            for subject, values in self.step(property_[1:]).items():
                for value in values:
                    turned[value].append(subject)
            self._steps[property_] = {value: tuple(subjects) for value, subjects in turned.items()}
        return self._steps.get(property_, {})

    def ends(self, start: Term, path: Iterable[str]) -> tuple[Term, ...]:
        """Where the path leads from there, each once."""
        here: dict[Term, None] = {start: None}
        for property_ in path:
            step = self.step(property_)
            here = dict.fromkeys(value for term in here for value in step.get(term, ()))
        return tuple(here)

    def dated(self, start: Term, path: Iterable[str]) -> list[_Dated]:
        """The dates, durations and numbers to which the path leads from there."""
        found = []
        for value in self.ends(start, path):
            if isinstance(value, Literal):
                if value not in self._spans:
                    self._spans[value] = span(value)
                known = self._spans[value]
                if known is not None:
                    found.append((value, known))
        return found

    def starts(self, path: Sequence[str]) -> list[Iri]:
        """Every IRI from which the path can be followed a step, sorted."""
        return sorted(term for term in self.step(path[0]) if isinstance(term, Iri))


def _shown(path: Iterable[str]) -> str:
    return " / ".join(f"^<{step[1:]}>" if step.startswith("^") else f"<{step}>" for step in path)


def _order(graph: Examined, paths: _Paths, order: Order) -> Iterator[Problem]:
    for thing in paths.starts(order.earlier):
        later = paths.dated(thing, order.later)
        for value, when in paths.dated(thing, order.earlier) if later else ():
            for other, then in later:
                if when.beyond(then):
                    cause = f"has {value.lexical} ({_shown(order.earlier)}), after {other.lexical}"
                    remedy = "correct one of them: the first cannot come after the second"
                    yield graph.problem(thing, "time-order", f"{cause} ({_shown(order.later)})", remedy)


def _rising(graph: Examined, paths: _Paths, rising: Rising) -> Iterator[Problem]:
    groups: dict[Term, list[_Placed]] = defaultdict(list)
    for thing in paths.starts((rising.along,)):
        numbers = [known.low for _, known in paths.dated(thing, (rising.along,)) if known.kind == "number"]
        times = paths.dated(thing, (rising.by,))
        if len(numbers) == 1 and len(times) == 1:
            for group in paths.ends(thing, rising.within):
                groups[group].append((int(numbers[0]), thing, times[0]))
    for group in sorted(groups, key=lambda term: term.n3()):
        members = sorted(groups[group], key=lambda placed: placed[:2])
        kept = _longest_rise(members)
        for placed in (member for member in members if member not in kept):
            other = next(other for other in kept if _falls(*sorted((placed, other), key=members.index)))
            cause = f"is number {placed[0]} ({_shown((rising.along,))}) with {placed[2][0].lexical}"
            side = "comes before" if other[0] < placed[0] else "comes after"
            cause += f", which {side} {other[2][0].lexical} of {other[1].n3()}, number {other[0]}"
            yield graph.problem(placed[1], "time-rising", cause, "correct the time or the number of one of them")


def _falls(first: _Placed, second: _Placed) -> bool:
    return first[2][1].beyond(second[2][1])


def _longest_rise(members: Sequence[_Placed]) -> list[_Placed]:
    """As many of them as can be kept so that no time falls."""
    best: list[tuple[int, int]] = []  # length of the rise that ends there, and the member before
    for at, member in enumerate(members):
        before = [(best[n][0], n) for n in range(at) if not _falls(members[n], member)]
        length, last = max(before, default=(0, -1), key=lambda found: (found[0], -found[1]))
        best.append((length + 1, last))
    at = max(range(len(members)), key=lambda n: (best[n][0], -n))
    kept = []
    while at >= 0:
        kept.append(members[at])
        at = best[at][1]
    return kept[::-1]


def _offsets(graph: Examined, paths: _Paths, offsets: Offsets) -> Iterator[Problem]:
    for thing in paths.starts((offsets.time,)):
        for place in paths.ends(thing, offsets.place):
            allowed = offsets.allowed.get(place.value, ()) if isinstance(place, Iri) else ()
            for value in paths.step(offsets.time)[thing] if allowed else ():
                stated = offset(value) if isinstance(value, Literal) else ""
                if stated and stated not in allowed and isinstance(value, Literal):
                    cause = f"has {value.lexical} for <{offsets.time}>, but {place.n3()} is at {' or '.join(allowed)}"
                    yield graph.problem(
                        thing, "time-offset", cause, "write the local time with the offset of the place"
                    )


def _bounds(graph: Examined, paths: _Paths, bounds: Bounds) -> Iterator[Problem]:
    for thing in paths.starts((bounds.value,)):
        if bounds.of and bounds.of not in graph.classes(thing):
            continue
        for value, known in paths.dated(thing, (bounds.value,)):
            least, most = (read(text, known.kind) if text else None for text in (bounds.least, bounds.most))
            low, high = least is not None and least.beyond(known), most is not None and known.beyond(most)
            if low or high:
                limit = f"less than {bounds.least}" if low else f"more than {bounds.most}"
                cause = f"has {value.lexical} for <{bounds.value}>, {limit}"
                remedy = "correct it; where it is right, move the bound in [[checks.bounds]]"
                yield graph.problem(thing, "value-bounds", cause, remedy)


def _selves(graph: Examined) -> Iterator[Problem]:
    for subject, predicate, value in graph.triples:
        if subject == value and isinstance(subject, Iri):
            cause = f"has itself for {predicate.n3()}"
            yield graph.problem(subject, "link-self", cause, "name what was meant, or take the statement out")


def _rounds(graph: Examined, paths: _Paths, property_: str) -> Iterator[Problem]:
    """Each round of two things or more, once, at the first of them."""
    step = paths.step(property_)
    done: set[Term] = set()
    for start in paths.starts((property_,)):
        way: list[Term] = []
        on_way: set[Term] = set()
        open_steps: list[Iterator[Term]] = [iter((start,))]
        while open_steps:
            here = next(open_steps[-1], None)
            if here is None:
                open_steps.pop()
                if way:
                    on_way.discard(way[-1])
                    done.add(way.pop())
            elif here in on_way and here != way[-1]:
                yield _round(graph, way[way.index(here) :], property_)
            elif here not in done and here not in on_way:
                way.append(here)
                on_way.add(here)
                open_steps.append(iter(step.get(here, ())))


def _round(graph: Examined, members: list[Term], property_: str) -> Problem:
    named = [term for term in members if isinstance(term, Iri)]
    first = min(named, default=Iri(property_))
    at = members.index(first) if named else 0
    shown = " -> ".join(term.n3() for term in (*members[at + 1 :], *members[: at + 1]))
    cause = f"comes back to itself over <{property_}>: {shown}"
    return graph.problem(first, "link-cycle", cause, "take out the link that is wrong")


def _idle(graph: Examined, paths: _Paths) -> Iterator[Problem]:
    """Tables of the pack that meet nothing: they would pass whatever the graph held."""
    checks = graph.checks
    tables: tuple[Order | Rising | Offsets | Bounds, ...]
    tables = (*checks.order, *checks.rising, *checks.offsets, *checks.bounds)
    asked = [(type(table).__name__.lower(), step.removeprefix("^")) for table in tables for step in table.steps]
    asked += [("acyclic", property_) for property_ in checks.acyclic]
    for key, property_ in dict.fromkeys(asked):
        if not paths.step(property_):
            yield _at(property_, f"[checks] {key} names <{property_}>, which the graph does not use")
    classes = {class_ for thing in paths.step(RDF_TYPE.value) for class_ in graph.classes(thing)}
    for bounds in checks.bounds:
        if bounds.of and bounds.of not in classes:
            yield _at(bounds.of, f"[checks] bounds names <{bounds.of}>, of which the graph has none")
    for place in dict.fromkeys(place for offsets in checks.offsets for place in offsets.allowed):
        if Iri(place) not in graph.about:
            yield _at(place, f"[checks] offsets names <{place}>, of which the graph says nothing")


def _at(iri: str, cause: str) -> Problem:
    return Problem("pack.toml", None, cause, "correct it: such a rule could never find anything", "sense-idle", iri)
