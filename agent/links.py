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


def stand(saying: Saying, entities: EntityIndex) -> Stand:
    """The anchors of a saying: the values that all of its rows share."""
    anchor = saying.cq.anchor
    subject = next(
        (entities.name(Iri(v.value)) for n, v in saying.factlets[0].values.items() if n in saying.cq.parameters), ""
    )
    return Stand(*(_shared(saying, variable, subject) for variable in (anchor.time, anchor.place)))


def links(
    saying: Saying, thread: Thread, about: frozenset[str], whole: str, persona: Persona, entities: EntityIndex
) -> list[Link]:
    """The links that hold between the last beat and a beat that opens with `saying`, the most telling first.

    `about`: whom the beat follows (nobody where it is about the whole); `whole`: what everything here is part of.
    """
    now = stand(saying, entities)
    found = [
        *_time_links(saying, now.time, thread, persona),
        *_place_links(saying, now.place, thread, persona, entities),
    ]
    shared = sorted(about & set(thread.about))
    if shared:
        found += _clauses("same_entity", persona, {"entity": Value(kind="iri", value=shared[0])}, None)
    elif thread.about and not about and whole:
        found += _clauses("wider", persona, {"entity": Value(kind="iri", value=whole)}, None)
    return found


def _time_links(saying: Saying, now: Anchor | None, thread: Thread, persona: Persona) -> Iterator[Link]:
    if now is None:
        return
    try:
        if thread.time is not None and now.datatype == XSD + "dateTime" and _same_day(now, thread.time):
            here_and_there = speech.moment(now.value), speech.moment(thread.time.value)
            if here_and_there[0].utcoffset() != here_and_there[1].utcoffset():
                return  # a gap between two local times on different clocks only puzzles
            between = here_and_there[0] - here_and_there[1]
            kind: LinkKind = "later" if between > timedelta(0) else "earlier"
            figures = f"{abs(round(between.total_seconds() / 60))} minutes, or {speech.gap(between, str)}"
            yield from _gap(kind, speech.gap(between), figures, saying, now, thread.time, persona)
            return
        then = thread.day or thread.first_day
        if then is None:
            return
        if _same_day(now, then):
            text = f"{_both(then, now)} on {speech.spoken_date(now.value)}."
            yield from _clauses("same_day", persona, {}, _factlet(text, saying, now, then))
        elif now.datatype in _WHOLE_DAY and then.datatype in _WHOLE_DAY and abs(_day(now) - _day(then)).days < 700:
            between = _day(now) - _day(then)
            kind = "years_later" if between > timedelta(0) else "years_earlier"
            figures = f"{abs(between.days)} days, or {speech.gap(between, str)}"
            yield from _gap(kind, speech.gap(between), figures, saying, now, then, persona)
        else:
            here, there = int(speech.year(now.value)), int(speech.year(then.value))
            kind = "years_later" if here > there else "years_earlier"
            figures = speech.years_between(now.value, then.value, str)
            yield from _gap(kind, speech.years_between(now.value, then.value), figures, saying, now, then, persona)
    except (Unspeakable, TypeError, ValueError):
        return  # times that cannot be compared (one without an offset, one before our era) join nothing


def _gap(
    kind: LinkKind, gap: str, figures: str, saying: Saying, now: Anchor, then: Anchor, persona: Persona
) -> Iterator[Link]:
    spoken = speech.time_of_day if kind in ("later", "earlier") else speech.spoken_date
    said = [spoken(anchor.value) + (f" ({anchor.subject})" if anchor.subject else "") for anchor in (then, now)]
    text = f"From {said[0]} to {said[1]}: {figures}."
    yield from _clauses(kind, persona, {"gap": Value(kind="literal", value=gap)}, _factlet(text, saying, now, then))


def _place_links(
    saying: Saying, now: Anchor | None, thread: Thread, persona: Persona, entities: EntityIndex
) -> Iterator[Link]:
    if now is None or thread.place is None:
        return
    kind: LinkKind = "same_place" if now.value == thread.place.value else "other_place"
    here, there = (entities.name(Iri(anchor.value)) for anchor in (now, thread.place))
    text = f"{_both(thread.place, now)} at {here}." if kind == "same_place" else f"First {there}, then {here}."
    values = {"place": Value(kind="iri", value=now.value)}
    yield from _clauses(kind, persona, values, _factlet(text, saying, now, thread.place))


def _clauses(kind: LinkKind, persona: Persona, values: dict[str, Value], factlet: Factlet | None) -> Iterator[Link]:
    for text in persona.links.get(kind, ()):
        yield Link(kind, wording(text, _SLOTS), values, factlet)


def _factlet(text: str, saying: Saying, now: Anchor, then: Anchor) -> Factlet:
    return Factlet(
        id=LINK_ID,
        cq=saying.cq.id,
        text=text,
        values={},
        triples=tuple(dict.fromkeys((*then.triples, *now.triples))),
        sources=tuple(dict.fromkeys((*then.sources, *now.sources))),
    )


def _shared(saying: Saying, variable: str, subject: str) -> Anchor | None:
    values = {factlet.values[variable] for factlet in saying.factlets if variable in factlet.values}
    if len(values) != 1 or not all(variable in factlet.values for factlet in saying.factlets):
        return None
    value, proof = values.pop(), saying.factlets[0]
    return Anchor(
        value=value.value, datatype=value.datatype, subject=subject, triples=proof.triples, sources=proof.sources
    )


def _both(one: Anchor, other: Anchor) -> str:
    if one.subject == other.subject:
        return f"{one.subject}: both" if one.subject else "Both"
    return f"{one.subject} and {other.subject}: both" if one.subject and other.subject else "Both"


def _day(anchor: Anchor) -> date:
    return datetime.fromisoformat(anchor.value).date()


def _same_day(one: Anchor, other: Anchor) -> bool:
    return {one.datatype, other.datatype} <= _WHOLE_DAY and _day(one) == _day(other)
