"""What the chat's two cards are given: plain JSON for public/elements/BeatCard.jsx and WelcomeCard.jsx."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from agent.offer import Choice
from agent.presenter import ChatMessage, Choices, Note, displayable
from graph_tools.pack import StoryPack

Props = dict[str, Any]


def beat_card(message: ChatMessage | None, choices: Choices | None, interrupt: str, issued: int) -> Props:
    """The proof of a beat, and what may come next; without a message, the choices alone.

    `issued` rises from card to card: the page lets only the newest one be pressed.
    """
    return {
        "issued": issued,
        "notes": [_note(note) for note in message.notes] if message else [],
        "reason": message.reason if message else "",
        "offer": _offer(choices, interrupt) if choices else None,
    }


def welcome_card(
    pack: StoryPack, portraits: Container[str], strategies: Mapping[str, str], ticket: str, heard: int, issued: int
) -> Props:
    """The personas and lengths of a pack. `portraits`: personas that have one of their own.

    `strategies`: those that a visitor may choose, with their names.

    `heard`: beats of an earlier visit that can be continued, or 0.
    """
    return {
        "issued": issued,
        "ticket": ticket,
        "heard": heard,
        "strategies": [{"id": name, "label": displayable(label)} for name, label in strategies.items()],
        "personas": [
            {
                "id": persona.id,
                "name": displayable(persona.name),
                "tagline": displayable(persona.tagline),
                "portrait": persona.id if persona.id in portraits else "visitor",
                "lengths": [_length(pack, persona.id, length) for length in lengths(pack, persona.id)],
            }
            for persona in pack.personas.values()
        ],
    }


def lengths(pack: StoryPack, persona: str) -> list[str]:
    """The lengths that the persona has arcs for, the shortest first."""
    arcs = pack.arcs.arcs.get(persona, {})
    return sorted(arcs, key=lambda length: (arcs[length].words, length))


def _length(pack: StoryPack, persona: str, length: str) -> Props:
    arc = pack.arcs.arcs[persona][length]
    about = round(sum(arc.words) / 20) * 10
    minutes = "1 minute" if arc.minutes == 1 else f"{arc.minutes} minutes"
    return {"id": length, "name": length.capitalize(), "about": f"about {about} words, {minutes}"}


def _offer(choices: Choices, interrupt: str) -> Props:
    return {
        "interrupt": interrupt,
        "shown": _choices(choices.shown),
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
