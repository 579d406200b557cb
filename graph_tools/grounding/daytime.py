"""The part of the day that a sentence says: it has to be the one that the clock time of the evidence falls into."""

from __future__ import annotations

import re

from graph_tools import speech
from graph_tools.grounding.case import Case, Read
from graph_tools.grounding.mentions import COUNT
from graph_tools.grounding.verdict import Reason
from graph_tools.speech import Unspeakable
from graph_tools.terms import XSD

_PART = re.compile(r"(?<!\w)(morning|afternoon|evening|night|noon|midnight|a\.?m|p\.?m)(?!\w)")
_HOURS = {
    "morning": (0, 12), "am": (0, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (20, 24), "noon": (12, 13),
    "midnight": (0, 1), "pm": (12, 24),
}  # fmt: skip
"""Part of the day -> its first hour, and the first that is no longer part of it."""


def faults(read: Read) -> list[Reason]:
    """The parts of the day, in the words between the names, that no time which the sentence names falls into."""
    case = read.case
    hours: set[int] = set()
    for mention in read.mentions:
        hours |= {hour for m in mention.meant if (hour := _hour(case, m.row, m.slot)) is not None}
    if not hours:
        return []
    reasons: list[Reason] = []
    for found in _PART.finditer(case.folded):
        if any(m.start <= found.start() < m.end for m in read.mentions):
            continue
        begin, end = _HOURS[found[1].replace(".", "")]
        if not any(begin <= hour < end for hour in hours):
            words = case.original[found.start() : found.end()]
            reasons.append(Reason("number", words, "the time of the evidence is another part of the day"))
    return reasons


def _hour(case: Case, row: int, slot: str) -> int | None:
    value = case.rows[row].values.get(slot.removeprefix(COUNT))
    if value is None or value.datatype != f"{XSD}dateTime":
        return None
    try:
        return speech.moment(value.value).hour
    except (Unspeakable, ValueError):
        return None
