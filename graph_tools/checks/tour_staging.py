"""The staging of a tour: about the room, never about the subject. Headings and labels name what is proved there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graph_tools.checks.tour_structure import Finding
from graph_tools.entities import EntityIndex
from graph_tools.retrieval import KgRetriever
from graph_tools.toml_source import Path as Place
from graph_tools.tour import Stop, Tour
from graph_tools.tour_beats import StopBeats

_FIGURE = re.compile(r"\d+(?:[.:,]\d+)*")
STAGING = ("say", "then", "back")


def staging_findings(tour: Tour, beats: StopBeats, retriever: KgRetriever, entities: EntityIndex) -> Iterator[Finding]:
    """Figures and names in staging; those in a heading or label that the evidence of its stop does not hold."""
    proved = {stop.id: _proved(stop, beats, retriever) for stop in tour.stops}
    for index, stop in enumerate(tour.stops):
        at = ("stops", index)
        for key in STAGING:
            text: str = getattr(stop, key)
            if named := _named(text, "", entities):
                cause = f"the staging of stop {stop.id!r} speaks of {named[0]}"
                yield Finding((*at, key), "tour-staging", cause, "say where to go, and leave facts to the questions")
        lines: list[tuple[Place, str, str]] = [((*at, "heading"), stop.heading, stop.id)]
        lines += [((*at, "branches", n, "label"), branch.label, branch.to) for n, branch in enumerate(stop.branches)]
        for place, line, about in lines:
            if named := _named(line, proved[about], entities):
                cause = f"{line!r} speaks of {named[0]}, which stop {about!r} does not tell"
                yield Finding(place, "tour-staging", cause, "name only what the questions of that stop prove")


def _named(text: str, proved: str, entities: EntityIndex) -> list[str]:
    """The figures and entities that a text speaks of and the proved one does not."""
    figures = set(_FIGURE.findall(proved))
    known = set(entities.spoken_of(proved))
    found = [figure for figure in _FIGURE.findall(text) if figure not in figures]
    return found + [entities.name(iri) for iri in entities.spoken_of(text) if iri not in known]


def _proved(stop: Stop, beats: StopBeats, retriever: KgRetriever) -> str:
    """What the evidence of a fixed stop says, in words."""
    if not stop.cq:
        return ""
    questions = beats.questions(stop)
    return " ".join(
        text for q in questions for text in (q.question, *(factlet.text for factlet in retriever.ask(q).factlets))
    )
