"""Sentences that count, compare or rank rest on every row of an answer: has the graph other rows there now?

A row that came leaves all the statements of the proof standing, and makes "72 acts played" untrue all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agent import visit
from agent.context import StoryContext
from agent.recorded import ToldBeat
from agent.story import Sentence
from graph_tools.errors import CuestoryError
from graph_tools.evidence import Asked
from graph_tools.plan import Question


class Recounted(NamedTuple):
    """A sentence that rests on all rows of an answer which has other rows now."""

    place: int
    text: str
    cq: str
    before: int
    now: int
    """How many rows there are; 0 also where it cannot be asked of this graph."""


def recounted(beats: Iterable[ToldBeat], ctx: StoryContext) -> Iterator[Recounted]:
    """Those sentences, each once a question, in order."""
    for beat in beats:
        for asked in beat.evidence.questions:
            resting = [sentence for sentence in beat.sentences if _rests_on_all(beat, sentence, asked)]
            if resting and asked.cq in ctx.pack.library:
                now = _rows(asked, ctx)
                if now != asked.total_rows:
                    for sentence in resting:
                        yield Recounted(beat.place, sentence.text, asked.cq, asked.total_rows, now)


def _rests_on_all(beat: ToldBeat, sentence: Sentence, asked: Asked) -> bool:
    """Whether it cites several rows, and every one that there was."""
    rows = {factlet.id for factlet in beat.evidence.of(asked.cq)}
    return 2 <= asked.total_rows == len(rows) and rows <= {*sentence.evidence}


def _rows(asked: Asked, ctx: StoryContext) -> int:
    """How many rows the question has in this graph; each strategy asks it of the graph the same way."""
    try:
        (again,) = visit.ask(Question(cq=asked.cq, question=asked.question, bindings=asked.bindings), ctx).questions
    except (CuestoryError, ValueError):
        return 0
    return again.total_rows
