"""Clauses that join a beat to the one before, computed from a difference in time or from what both share.

A link that says something (a gap of time, the same stage) comes with a factlet of its own, proved by the statements of
both beats; one that only takes up a shared entity needs none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from agent.thread import Anchor, Thread
from graph_tools import speech
from graph_tools.entities import EntityIndex
from graph_tools.evidence import Factlet, Value
from graph_tools.persona import LinkKind, Persona
from graph_tools.sayable import Saying
from graph_tools.speech import Unspeakable
from graph_tools.terms import XSD, Iri
from graph_tools.wording import Wording, wording

LINK_ID = "t1"
_SLOTS = frozenset({"gap", "place", "entity"})
NEAR = timedelta(days=700)
"""Days closer than this are told apart in months, others in years."""
_WHOLE_DAY = {XSD + "date", XSD + "dateTime"}


@dataclass(frozen=True, slots=True)
class Link:
    """One way to join a beat to the one before."""

    kind: str
    clause: Wording
    values: dict[str, Value]
    factlet: Factlet | None
    """What proves it, where it says something."""


@dataclass(frozen=True, slots=True)
class Stand:
    """When and where a saying stands."""

    time: Anchor | None
    place: Anchor | None


def stand(saying: Saying) -> Stand:
    """The anchors of a saying: the values that all of its rows share."""
    return Stand(_shared(saying, saying.cq.anchor.time), _shared(saying, saying.cq.anchor.place))


def links(
    saying: Saying, thread: Thread, about: frozenset[str], whole: str, persona: Persona, entities: EntityIndex
) -> list[Link]:
    """The links that hold between the last beat and a beat that opens with `saying`, the most telling first.

    `about`: whom the beat follows (nobody where it is about the whole); `whole`: what everything here is part of.
    """
    now = stand(saying)
    shared = sorted(about & set(thread.about))
    found: list[Link] = []
    if now.time is not None:
        # A date in somebody's life is a measure for that somebody alone; one of the whole, for everybody.
        then = thread.day if shared or not thread.about else None
        found += [
            link
            for link in _time_links(saying, now.time, thread.time, then or thread.first_day, persona)
            if link.kind != "same_day" or not thread.arrived
        ]
    if now.place is not None and thread.place is not None:
        found += _place_links(saying, now.place, thread.place, persona, entities)
    if shared:
        found += _clauses("same_entity", persona, {"entity": Value(kind="iri", value=shared[0])}, None)
    elif thread.about and not about and whole:
        found += _clauses("wider", persona, {"entity": Value(kind="iri", value=whole)}, None)
    if whole and not about:
        found += [Link("topic", wording(text, _SLOTS), {}, None) for text in saying.cq.lead_in.get(persona.id, ())]
    return found


def _time_links(
    saying: Saying, now: Anchor, clock: Anchor | None, day: Anchor | None, persona: Persona
) -> Iterator[Link]:
    try:
        if clock is not None and now.datatype == XSD + "dateTime" and _same_day(now, clock):
            here, there = speech.moment(now.value), speech.moment(clock.value)
            if here.utcoffset() == there.utcoffset():  # a gap between two local times on different clocks only puzzles
                yield from _clock_gap(saying, now, clock, here - there, persona)
        elif day is not None and _same_day(now, day):
            proof = _factlet(f"Both were on {speech.spoken_date(now.value)}.", saying, now, day)
            yield from _clauses("same_day", persona, {}, proof)
        elif day is not None:
            yield from _date_gap(saying, now, day, persona)
    except (Unspeakable, TypeError, ValueError):
        return  # times that cannot be compared (one without an offset, one before our era) join nothing


def _clock_gap(saying: Saying, now: Anchor, then: Anchor, between: timedelta, persona: Persona) -> Iterator[Link]:
    minutes = abs(round(between.total_seconds() / 60))
    figures = f"{minutes} minutes, or {speech.gap(between, str)}"
    kind: LinkKind = "later" if between > timedelta(0) else "earlier"
    yield from _gap(kind, speech.gap(between), figures, saying, now, then, persona)


def _date_gap(saying: Saying, now: Anchor, then: Anchor, persona: Persona) -> Iterator[Link]:
    if {now.datatype, then.datatype} <= _WHOLE_DAY and abs(_day(now) - _day(then)) < NEAR:
        between = _day(now) - _day(then)
        gap, figures = speech.gap(between), f"{abs(between.days)} days, or {speech.gap(between, str)}"
        later = between > timedelta(0)
    else:
        gap, figures = (speech.years_between(now.value, then.value, spell) for spell in (speech.words, str))
        later = int(speech.year(now.value)) > int(speech.year(then.value))
    yield from _gap("years_later" if later else "years_earlier", gap, figures, saying, now, then, persona)


def _gap(
    kind: LinkKind, gap: str, figures: str, saying: Saying, now: Anchor, then: Anchor, persona: Persona
) -> Iterator[Link]:
    proof = _factlet(f"Between the two lie {figures}.", saying, now, then)
    yield from _clauses(kind, persona, {"gap": Value(kind="literal", value=gap)}, proof)


def _place_links(saying: Saying, now: Anchor, then: Anchor, persona: Persona, entities: EntityIndex) -> Iterator[Link]:
    kind: LinkKind = "same_place" if now.value == then.value else "other_place"
    here, there = (entities.name(Iri(anchor.value)) for anchor in (now, then))
    told = f"Both were at {here}." if kind == "same_place" else f"One was at {there}, the other at {here}."
    values = {"place": Value(kind="iri", value=now.value)}
    yield from _clauses(kind, persona, values, _factlet(told, saying, now, then))


def _clauses(kind: LinkKind, persona: Persona, values: dict[str, Value], factlet: Factlet | None) -> Iterator[Link]:
    for text in persona.links.get(kind, ()):
        yield Link(kind, wording(text, _SLOTS), values, factlet)


def _factlet(told: str, saying: Saying, now: Anchor, then: Anchor) -> Factlet:
    return Factlet(
        id=LINK_ID,
        cq=saying.cq.id,
        text=" ".join(part for part in (then.fact, now.fact, told) if part),
        values={},
        triples=tuple(dict.fromkeys((*then.triples, *now.triples))),
        sources=tuple(dict.fromkeys((*then.sources, *now.sources))),
    )


def _shared(saying: Saying, variable: str) -> Anchor | None:
    values = {factlet.values.get(variable) for factlet in saying.factlets}
    value = values.pop()
    if value is None or values:
        return None
    first = saying.factlets[0]
    return Anchor(
        value=value.value, datatype=value.datatype, fact=first.text, triples=first.triples, sources=first.sources
    )


def _day(anchor: Anchor) -> date:
    return datetime.fromisoformat(anchor.value).date()


def _same_day(one: Anchor, other: Anchor) -> bool:
    return {one.datatype, other.datatype} <= _WHOLE_DAY and _day(one) == _day(other)
