"""What a visitor may look at besides the story: the parts heard, with whom they met; and the day on the clock.

Nothing is told here that was not told before, and nothing in the visit changes.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from agent.cards import Props
from agent.context import StoryContext
from agent.errors import UnknownChoice
from agent.guide import Moment
from agent.presenter import displayable
from agent.story import StoryBeat
from graph_tools.media import shown
from graph_tools.terms import Iri
from graph_tools.timeline import happenings
from graph_tools.timeline_drawing import draw_timeline
from graph_tools.visited_drawing import draw_visited

_IRI = re.compile(r"<([^>]*)>")
HEARD, DAY = "heard", "day"
HEARD_TITLE = "What you have heard"
MET = "Whom you have met"


def pictured(beat: StoryBeat, ctx: StoryContext) -> list[Props]:
    """Links to a picture and a film of what a told beat is about, with credit: of whom its questions are bound to, then
    of what its proofs name."""
    cited = {id_ for sentence in beat.sentences for id_ in sentence.evidence}
    defaults = {iri.value for iri in ctx.pack.defaults.values()}
    bound = [iri for asked in beat.evidence.questions for iri in asked.bindings.values() if iri not in defaults]
    proofs = [line for factlet in beat.evidence.factlets if factlet.id in cited for line in factlet.triples]
    named = [iri for line in proofs for iri in _IRI.findall(line)]
    return [
        {
            "kind": medium.kind,
            "name": displayable(ctx.pack.entities.name(medium.item)),
            "page": medium.page,
            "host": displayable(urlsplit(medium.page).hostname or ""),
            "credit": displayable(medium.credit),
        }
        for medium in shown(ctx.pack.media, ctx.pack.graph, [*bound, *named])
    ]


def looks(ctx: StoryContext) -> dict[str, str]:
    """What there is to look at, by id, with its name in the menu."""
    return {HEARD: HEARD_TITLE, **({DAY: ctx.pack.timeline.title} if ctx.pack.timeline.title else {})}


def look(what: str, moment: Moment, ctx: StoryContext) -> Props:
    """What the page shows. Raises UnknownChoice for anything that is not there."""
    if what not in looks(ctx):
        raise UnknownChoice("there is no such view")
    return _heard(moment, ctx) if what == HEARD else _day(moment, ctx)


def _heard(moment: Moment, ctx: StoryContext) -> Props:
    back = {choice.to: choice.id for choice in (moment.offer.back if moment.offer else ()) if choice.available}
    parts = [
        {
            "heading": displayable(moment.tree.heading(place)),
            "text": displayable(" ".join(sentence["text"] for sentence in moment.tree.node(place).beat["sentences"])),
            "back": back.get(place, ""),
        }
        for place in moment.path
        if moment.tree.node(place).beat["status"] == "told"
    ]
    names = ctx.pack.entities.name
    everybody = {
        iri.value: displayable(names(iri)) for iri in ctx.pack.entities.of_class(Iri(ctx.pack.arcs.lead_class))
    }
    met = [everybody[iri] for iri in moment.thread.mentioned if iri in everybody]
    ordered = sorted(everybody.values(), key=str.casefold)
    sketch = draw_visited(met, ordered, MET)
    return {
        "kind": HEARD,
        "title": HEARD_TITLE,
        "parts": parts,
        "svg": sketch.svg,
        "caption": f"{MET}: {len(set(met))} of {len(ordered)}",
        "left": [name for name in ordered if name not in met],
    }


def _day(moment: Moment, ctx: StoryContext) -> Props:
    here = frozenset(map(Iri, (*moment.thread.about, *moment.thread.named)))
    rows = happenings(ctx.pack.timeline, ctx.pack.graph)
    chart = draw_timeline(rows, lambda iri: displayable(ctx.pack.entities.name(iri)), here, ctx.pack.timeline.title)
    return {
        "kind": DAY,
        "title": ctx.pack.timeline.title,
        "svg": chart.svg,
        "places": list(chart.places),
        "rows": [
            {"where": entry.where, "clocks": list(entry.clocks), "who": entry.who, "here": entry.here}
            for entry in chart.entries
        ],
    }
