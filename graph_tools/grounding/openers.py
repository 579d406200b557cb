"""Clauses that open a sentence and are the pack's own: links, lead-ins, hooks, answers. They say nothing new.

A link that says something (a gap of time, a place) is held to the factlet that proves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from graph_tools.evidence import Factlet, Value
from graph_tools.grounding.restating import Said
from graph_tools.grounding.surfaces import Surfaces
from graph_tools.grounding.text import fold
from graph_tools.library import Library
from graph_tools.persona import Persona
from graph_tools.wording import Slot, wording

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
        self._plain = tuple(sorted(plain, key=lambda text: (-len(text), text)))
        self._slotted = tuple(Said(wording(text, _SLOTS), None, None) for text in sorted(slotted))

    def ends(self, text: str, cited: Sequence[Factlet], surfaces: Surfaces) -> Iterator[int]:
        """Where the rest of a folded text may begin: after an opening clause, and at its very beginning."""
        yield 0
        for clause in self._plain:
            if text.startswith(clause):
                yield len(clause)
        for said in self._slotted:
            end = _along(said.wording.parts, text, cited, surfaces)
            if end:
                yield end


def _along(parts: Sequence[str | Slot], text: str, cited: Sequence[Factlet], surfaces: Surfaces) -> int:
    """Where a clause with slots ends in the text; 0 where it does not open it, or nothing proves it."""
    at = 0
    for number, part in enumerate(parts):
        if isinstance(part, str):
            literal = fold(part)
            if not text.startswith(literal, at):
                return 0
            at += len(literal)
            continue
        following = parts[number + 1] if number + 1 < len(parts) else ""
        stop = text.find(fold(following), at) if isinstance(following, str) and following else len(text)
        if stop <= at or not _holds(part.name, text[at:stop], cited, surfaces):
            return 0
        at = stop
    return at


def _holds(slot: str, said: str, cited: Sequence[Factlet], surfaces: Surfaces) -> bool:
    texts = [fold(factlet.text) for factlet in cited]
    if slot == "gap":
        return any(_figures(said) in _figures(text) for text in texts)
    names = {name for factlet in cited for value in factlet.values.values() for name in _names(value, surfaces)}
    return said in names or said.removeprefix("the ") in names or any(said in text for text in texts)


def _names(value: Value, surfaces: Surfaces) -> tuple[str, ...]:
    return surfaces.names(value.value) if value.kind == "iri" else ()


def _figures(text: str) -> str:
    """The text with its spelled numbers in figures."""
    from graph_tools import speech

    words = {speech.words(number): str(number) for number in range(1, 100)}
    return " ".join(words.get(word, word) for word in text.replace("half hours", "half hours").split())
