"""What can be said of an answer: which tellings of a question fit its rows, in a persona's voice and sentence length.

The planner uses it to ask only questions that can be told; the content pass chooses among what it finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graph_tools.cq import CompetencyQuestion, Telling
from graph_tools.evidence import Factlet
from graph_tools.persona import Persona
from graph_tools.speech import Unspeakable
from graph_tools.wording import Voice, Wording, wording

ROWS_EACH = 8
"""Rows that a telling with `rows = "each"` offers at most: the most notable ones come first."""
LIST_LIMITS = (None, 8, 6, 5, 4, 3, 2)
"""How many things a list names, tried in this order until the sentence is short enough."""


@dataclass(frozen=True, slots=True)
class Saying:
    """One thing that can be said: a telling over some rows of the answer."""

    cq: CompetencyQuestion
    telling: Telling
    at: int
    """Place of the telling in the question's file: earlier ones are more salient."""
    row: int
    """Place of its row among all rows of the answer; 0 where it ranges over all."""
    factlets: tuple[Factlet, ...]
    shortest: int
    """Words of its shortest wording with full names."""
    longest: int

    @property
    def leads(self) -> bool:
        """True where it may open a beat."""
        return self.telling.role == "lead"

    @property
    def wordings(self) -> tuple[Wording, ...]:
        """Its wordings, parsed."""
        return _wordings(self.cq, self.telling)

    @property
    def item(self) -> Wording | None:
        """The wording of one row, where it lists rows."""
        return _item(self.cq, self.telling)


def sayings(
    cq: CompetencyQuestion, factlets: Sequence[Factlet], persona: Persona, voice: Voice, *, truncated: bool
) -> tuple[Saying, ...]:
    """All that can be said of an answer in that persona's voice and sentence length, most salient first.

    `truncated`: rows were cut off, so nothing is said that ranges over all of them.
    """
    found: list[Saying] = []
    for at, telling in enumerate(cq.tellings_for(persona.id)):
        if truncated and telling.rows == "all":
            continue
        for row, told in _ranges(telling, tuple(factlets)):
            words = [n for w in _wordings(cq, telling) if (n := _words(w, cq, telling, told, voice, persona.max_words))]
            if words:
                found.append(Saying(cq, telling, at, row, told, min(words), max(words)))
    return tuple(found)


def can_open(
    cq: CompetencyQuestion, factlets: Sequence[Factlet], persona: Persona, voice: Voice, *, truncated: bool
) -> bool:
    """True where some of `sayings` may open a beat; found out without wording the others."""
    return any(
        _words(text, cq, telling, told, voice, persona.max_words)
        for telling in cq.tellings_for(persona.id)
        if telling.role == "lead" and not (truncated and telling.rows == "all")
        for _, told in _ranges(telling, tuple(factlets))
        for text in _wordings(cq, telling)
    )


def _wordings(cq: CompetencyQuestion, telling: Telling) -> tuple[Wording, ...]:
    return tuple(wording(text, cq.slots | {"items"}) for text in telling.say)


def _item(cq: CompetencyQuestion, telling: Telling) -> Wording | None:
    return wording(telling.item, cq.slots) if telling.item else None


def _ranges(telling: Telling, factlets: tuple[Factlet, ...]) -> Iterator[tuple[int, tuple[Factlet, ...]]]:
    """The rows that a telling may be said of, each time with the place of the first among all rows of the answer."""
    if len(factlets) < telling.min_rows or (telling.max_rows is not None and len(factlets) > telling.max_rows):
        return
    fitting = [(row, factlet) for row, factlet in enumerate(factlets) if _fits(telling, factlet)]
    if telling.rows == "each":
        yield from ((row, (factlet,)) for row, factlet in fitting[:ROWS_EACH])
    elif len(fitting) == len(factlets):
        yield 0, factlets


def _fits(telling: Telling, factlet: Factlet) -> bool:
    bound = factlet.values.keys()
    return bound >= set(telling.needs) and not bound & set(telling.lacks)


def _words(
    wording: Wording, cq: CompetencyQuestion, telling: Telling, told: tuple[Factlet, ...], voice: Voice, limit: int
) -> int:
    """Words of a wording with full names, lists shortened to fit; 0 where it cannot be said in that many."""
    rows = [factlet.values for factlet in told]
    for most in LIST_LIMITS if wording.lists else (None,):
        try:
            words = len(wording.render(rows, voice, item=_item(cq, telling), most=most).split())
        except Unspeakable:
            return 0
        if words <= limit:
            return words
    return 0
