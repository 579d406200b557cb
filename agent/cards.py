"""What the chat's two cards are given: plain JSON for public/elements/BeatCard.jsx and WelcomeCard.jsx."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from agent.context import StoryContext
from agent.offer import Choice
from agent.presenter import ChatMessage, Choices, Note, displayable
from graph_tools.pack import StoryPack
from graph_tools.tour_walk import begin

Props = dict[str, Any]
TOUR_LENGTH = "medium"
"""How much is told at a stop of a tour in the chat."""


def beat_card(
    message: ChatMessage | None,
    choices: Choices | None,
    interrupt: str,
    issued: int,
    progress: str = "",
    *,
    media: Sequence[Props] = (),
    lang: str = "en",
    looks: Mapping[str, str] = MappingProxyType({}),
    look: Props | None = None,
) -> Props:
    """The proof of a beat, how far the visit has come, and what may come next; without a message, the choices alone.

    `media`: links to pictures and films of it. `lang`: language of what is told, for a voice that reads it aloud.
    `looks`: what there is to look at besides, by id, with its name; `look`: what the visitor looks at now. `issued`
    rises from card to card: the page lets only the newest one be pressed.
    """
    return {
        "issued": issued,
        "notes": [_note(note) for note in message.notes] if message else [],
        "reason": message.reason if message else "",
        "media": list(media),
        "spoken": {"text": message.spoken, "lang": lang} if message else None,
        "progress": progress,
        "look": look,
        "looks": [{"id": name, "label": displayable(label)} for name, label in looks.items()] if choices else [],
        "offer": _offer(choices, interrupt) if choices else None,
    }


def welcome_card(
    ctx: StoryContext,
    portraits: Container[str],
    ticket: str,
    heard: int,
    issued: int,
    near: Sequence[str] = (),
    *,
    keep_days: int,
) -> Props:
    """The personas and lengths of a pack. `portraits`: personas that have one of their own.

    `heard`: beats of an earlier visit that can be continued, or 0. `near`: questions that come close to what was asked
    before any story; the first is taken as q1.
    `keep_days`: how long a visit is kept after the last one.
    """
    pack = ctx.pack
    return {
        "issued": issued,
        "ticket": ticket,
        "stored": (
            "What is kept: the parts that you hear and your choices, under one cookie on this device, until "
            f"{keep_days} day{'' if keep_days == 1 else 's'} after your last visit, so that you can go on here. What "
            "you write is read once and not kept. No name, no account, no tracking."
        ),
        "heard": heard,
        "strategies": [{"id": name, "label": displayable(label)} for name, label in ctx.strategies.items()],
        "near": [{"id": f"q{n}", "label": displayable(question)} for n, question in enumerate(near, start=1)],
        "personas": [
            {
                "id": persona.id,
                "name": displayable(persona.name),
                "tagline": displayable(persona.tagline),
                "portrait": persona.id if persona.id in portraits else "visitor",
                "lengths": [_length(pack, persona.id, length) for length in lengths(pack, persona.id)],
                "tours": [_tour(name, persona.id, ctx) for name in tours(pack, persona.id)],
            }
            for persona in pack.personas.values()
        ],
    }


def lengths(pack: StoryPack, persona: str) -> list[str]:
    """The lengths that the persona has arcs for, the shortest first."""
    arcs = pack.arcs.arcs.get(persona, {})
    return sorted(arcs, key=lambda length: (arcs[length].words, length))


def tours(pack: StoryPack, persona: str) -> list[str]:
    """The tours that are for the persona, by name."""
    return [name for name, tour in sorted(pack.tours.items()) if persona in tour.personas]


def _tour(name: str, persona: str, ctx: StoryContext) -> Props:
    """A tour as it is chosen: stops and minutes on its shortest and its longest way, by many seeded walks."""
    tour, beats = ctx.pack.tours[name], ctx.stop_beats(name, persona)
    left, minutes = beats.left(begin(tour, persona), TOUR_LENGTH), beats.minutes(TOUR_LENGTH)
    stops = _span(left.least + 1, left.most + 1, "stop")
    return {
        "id": name,
        "title": displayable(tour.title),
        "tagline": displayable(tour.tagline),
        "about": f"{stops}, about {_span(max(1, round(minutes[0])), max(1, round(minutes[1])), 'minute')}",
    }


def _span(least: int, most: int, noun: str) -> str:
    number = f"{least}" if least == most else f"{least} to {most}"
    return f"{number} {noun}{'' if most == 1 else 's'}"


def _length(pack: StoryPack, persona: str, length: str) -> Props:
    arc = pack.arcs.arcs[persona][length]
    about = round(sum(arc.words) / 20) * 10
    minutes = "1 minute" if arc.minutes == 1 else f"{arc.minutes} minutes"
    return {"id": length, "name": length.capitalize(), "about": f"about {about} words, {minutes}"}


def _offer(choices: Choices, interrupt: str) -> Props:
    return {
        "interrupt": interrupt,
        "shown": _ways(choices.ways) if choices.ways else _choices(choices.shown),
        "menu": _choices(choices.menu),
        "asked": _choices(choices.asked),
        "again": _choices(choices.again),
        "back": _choices(choices.back),
        "from": _choices(choices.from_here),
        "surprise": _choice(choices.surprise) if choices.surprise else None,
        "end": _choice(choices.end),
    }


def _choices(choices: Iterable[Choice]) -> list[Props]:
    return [_choice(choice) for choice in choices]


def _ways(ways: tuple[Choice, ...]) -> list[Props]:
    """Ways on from a stop; a single one is pressed without a thought."""
    return [_choice(way) | {"planned": len(ways) == 1} for way in ways]


def _choice(choice: Choice) -> Props:
    return {"id": choice.id, "label": choice.label, "tag": choice.tag, "planned": choice.kind == "plan"}


def _note(note: Note) -> Props:
    return {
        "number": note.number,
        "label": displayable(note.label),
        "sentences": list(note.sentences),
        "facts": list(note.facts),
        "noted": not note.statements,
        "sources": [
            *(_page(s.url, s.title, s.publisher, s.accessed) for s in note.sources),
            *(_page(s.source_url, s.source_title, s.publisher, s.accessed, s.published) for s in note.snippets),
        ],
        "drawing": note.drawing.svg if note.drawing else "",
        "statements": [[s.subject, s.predicate, s.object, s.ntriples] for s in note.statements],
        "queries": [{"question": q.question, "sparql": q.sparql, "told": q.told} for q in note.queries],
    }


def _page(url: str, title: str, publisher: str, accessed: str, published: str = "") -> Props:
    return {
        "url": url,
        "title": displayable(title or url),
        "publisher": displayable(publisher),
        "published": published,
        "accessed": accessed,
    }
