"""The thread of a story: what a visitor has heard, so that nothing is said twice and each beat can join the one before.

Frozen, and plain JSON when dumped: it lives in the machine's state.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from graph_tools.evidence import Source

FROZEN = ConfigDict(frozen=True, extra="forbid")


class Anchor(BaseModel):
    """A time or a place that a told beat stands at, with the statements that prove it."""

    model_config = FROZEN

    value: str
    """A date or time (lexical form), or the place's IRI."""
    datatype: str = ""
    fact: str = ""
    """What stands there, as its factlet says it."""
    triples: tuple[str, ...]
    sources: tuple[Source, ...] = ()
    """Where these were read."""


class Thread(BaseModel):
    """What was heard so far."""

    model_config = FROZEN

    words: int = 0
    beats: int = 0
    """Beats told or suppressed."""
    aside_words: int = 0
    """Words of the beats that were told off the plan."""
    aside_beats: int = 0
    """Beats off the plan, told or suppressed."""
    named: tuple[str, ...] = ()
    """IRIs of the entities that the last beat named, in order."""
    mentioned: tuple[str, ...] = ()
    """IRIs of the entities that were named, in order of first mention."""
    heard: tuple[str, ...] = ()
    """Digests of the statements that cited factlets told."""
    asked: tuple[str, ...] = ()
    """Keys of the questions of past beats."""
    openings: tuple[str, ...] = ()
    """First words of the last two sentences, folded."""
    shape: str = ""
    """Shape of the last sentence."""
    said: tuple[str, ...] = ()
    """Digests of the sentences."""
    worded: tuple[str, ...] = ()
    """Digests of the wordings that were used."""
    links: tuple[str, ...] = ()
    """Clauses that joined past beats; the same one is not used twice in a row."""
    about: tuple[str, ...] = ()
    """IRIs that the last beat's questions were bound to."""
    place: Anchor | None = None
    """Where the last beat left off."""
    time: Anchor | None = None
    """At what time of day the last beat left off."""
    day: Anchor | None = None
    """At what date the last beat left off: what "years later" counts from."""
    first_day: Anchor | None = None
    """The first whole date told: the story's own day, which stands in where the last beat has no date."""
    stops: tuple[str, ...] = ()
    """IRIs of what the last sentence was about, where it was a leg of a walk."""
    arrived: bool = False
    """True once a time of day was told: the story has come to the day, and does not come to it again."""
