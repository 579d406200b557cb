"""Clauses that open a sentence and are the pack's own: links, lead-ins, hooks, answers. They say nothing new.

A link that says something (a gap of time, a place) is held to the factlet that proves it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from graph_tools import speech
from graph_tools.evidence import Factlet, Value
from graph_tools.grounding.restating import Said
from graph_tools.grounding.surfaces import Surfaces
from graph_tools.grounding.text import fold
from graph_tools.library import Library
from graph_tools.persona import Persona
from graph_tools.wording import Slot, wording

_SPAN = re.compile(
    r"(?:about )?[\w -]+ (?:minute|hour|day|month|year)s?(?: and a half)?|(?:about )?a (?:minute|day|year)"
)
_IN_FIGURES = {speech.words(number): str(number) for number in range(1, 100)}
_SLOTS = frozenset({"gap", "place", "entity"})


class Openers:
    """All opening clauses of a pack."""

    def __init__(self, library: Library, personas: Mapping[str, Persona], further: Iterable[str]) -> None:
        """`further`: clauses of the lexicon, which end in a comma where the sentence goes on."""
        plain: set[str] = {fold(clause) + ", " for clause in further}
        slotted: set[str] = set()
        self.hooks: set[str] = set()
        for template in library.values():
            for texts in (*template.cq.lead_in.values(), *template.cq.answer.values()):
                plain |= {fold(text) for text in texts}
            self.hooks |= {fold(text) for texts in template.cq.hook.values() for text in texts}
        for persona in personas.values():
            for texts in persona.links.values():
                slotted |= {text for text in texts if "{" in text}
                plain |= {fold(text) for text in texts if "{" not in text}
        self._plain: dict[str, list[str]] = {}
        for text in sorted(plain, key=lambda text: (-len(text), text)):
            self._plain.setdefault(text[:3], []).append(text)
        self._slotted = tuple(Said.of(wording(text, _SLOTS)) for text in sorted(slotted))

    def ends(self, text: str, cited: Sequence[Factlet], surfaces: Surfaces) -> Iterator[int]:
        """Where the rest of a folded text may begin: after an opening clause, and at its very beginning."""
        yield 0
        for clause in self._plain.get(text[:3], ()):
            if text.startswith(clause):
                yield len(clause)
        for said in self._slotted:
            end = _along(said.parts, text, cited, surfaces) if said.may_open(text, 0) else 0
            if end:
                yield end


def _along(parts: Sequence[str | Slot], text: str, cited: Sequence[Factlet], surfaces: Surfaces) -> int:
    """Where a clause with slots ends in the text; 0 where it does not open it, or nothing proves it."""
    at = 0
    for number, part in enumerate(parts):
        if isinstance(part, str):
            if not text.startswith(part, at):
                return 0
            at += len(part)
            continue
        following = parts[number + 1] if number + 1 < len(parts) else ""
        stop = text.find(following, at) if isinstance(following, str) and following else len(text)
        if stop <= at or not _holds(part.name, text[at:stop], cited, surfaces):
            return 0
        at = stop
    return at


def _holds(slot: str, said: str, cited: Sequence[Factlet], surfaces: Surfaces) -> bool:
    # Only the proof of a link has no values of its own.
    texts = [fold(factlet.text) for factlet in cited if not factlet.values]
    if slot == "gap":
        return bool(_SPAN.fullmatch(said)) and any(_figures(said) in _figures(text) for text in texts)
    names = {name for factlet in cited for value in factlet.values.values() for name in _names(value, surfaces)}
    return said in names or said.removeprefix("the ") in names or any(said in text for text in texts)


def _names(value: Value, surfaces: Surfaces) -> tuple[str, ...]:
    return surfaces.names(value.value) if value.kind == "iri" else ()


def _figures(text: str) -> str:
    """The text with its spelled numbers in figures."""
    return " ".join(_IN_FIGURES.get(word, word) for word in text.split())
