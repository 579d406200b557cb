"""Vetted snippets: short texts about what a page says, with the page, and the claims that may be told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from graph_tools.lexicon import tokens

FROZEN = ConfigDict(frozen=True, extra="forbid")


def _written(value: Any) -> Any:
    """A date of TOML's own as it is written."""
    return value["a TOML date"] if isinstance(value, dict) and list(value) == ["a TOML date"] else value


def _a_day(text: str) -> str:
    """Raises ValueError for a day, a month or a year that never was."""
    parts = text.split("-")
    try:
        date(int(parts[0]), *(int(part) for part in (*parts[1:], "1", "1")[:2]))
    except ValueError:
        raise ValueError(f"{text!r} is no date that ever was") from None
    return text


Day = Annotated[str, BeforeValidator(_written), Field(pattern=r"^\d{4}-\d\d-\d\d$"), AfterValidator(_a_day)]
"""A whole date: 2004-08-27, with or without quotation marks."""
About = Annotated[str, BeforeValidator(_written), Field(pattern=r"^\d{4}(-\d\d(-\d\d)?)?$"), AfterValidator(_a_day)]
"""A date, or only its year or month."""


class Claim(BaseModel):
    """One thing that the page says, as a clause that can follow "that": a sentence is made of it by the wordings."""

    model_config = FROZEN

    says: str = Field(min_length=10, max_length=300)
    about: tuple[str, ...] = Field(min_length=1)
    """Whom it is about: some of the snippet's entities, as IRIs."""
    same_as: tuple[str, ...] = ()
    """Things of the graph that tell the same: of the two only one is told in a story."""
    against: tuple[str, ...] = ()
    """Things of the graph that tell otherwise: it is told as one side of a disagreement."""
    year: int | None = None
    """When it was said; told where the page's date or the text has it too."""


class VettedSnippet(BaseModel):
    """`[[snippet]]` of a file in `snippets/`."""

    model_config = FROZEN

    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    text: str = Field(min_length=20)
    topic: str = Field(min_length=1)
    themes: tuple[str, ...] = ()
    """Labels of concepts in the graph's SKOS scheme, where it has one."""
    entities: tuple[str, ...] = Field(min_length=1)
    """Whom and what it is about, as IRIs."""
    source_url: str
    source_title: str = Field(min_length=1)
    publisher: str = Field(min_length=1)
    published: About | None = None
    accessed: Day
    """The day on which the page was read."""
    licence: str = Field(min_length=1)
    tier: Literal[1, 2]
    """1: press, broadcasters, scholars, those who were there; 2: fans, blogs, shops."""
    state: Literal["checked-against-claims", "reviewed", "withdrawn"]
    reviewed_by: str = ""
    reviewed_on: Day | None = None
    withdrawn_because: str = ""
    expires: Day | None = None
    """The last day on which it may be told."""
    spoken: str = Field(min_length=1)
    """The source as a sentence names it: "the BBC"."""
    claims: tuple[Claim, ...] = Field(alias="claim", min_length=1)

    def may_be_told(self, today: date | None) -> bool:
        """False for what was withdrawn, or has expired on that day (None: nothing expires)."""
        if self.state == "withdrawn":
            return False
        return today is None or self.expires is None or today <= date.fromisoformat(self.expires)

    @property
    def searched(self) -> str:
        """What it is found by: its words, its topic and its themes."""
        return " ".join((self.text, self.topic, *self.themes))


class VoiceWordings(BaseModel):
    """`[[voice]]` of `snippets/wording.toml`: how one persona tells a claim. Slots: {source}, {claim}, {year}."""

    model_config = FROZEN

    persona: str
    tells: tuple[str, ...] = Field(min_length=1)
    """Of a source of tier 1."""
    hears: tuple[str, ...] = Field(min_length=1)
    """Of a source of tier 2."""
    relays: tuple[str, ...] = Field(min_length=1)
    """Of a claim that itself names who said it: no second "that" goes before it."""
    differs: tuple[str, ...] = Field(min_length=1)
    """Of a source that says otherwise than the graph."""


@dataclass(frozen=True)
class Snippets:
    """All snippets of a pack."""

    held: tuple[VettedSnippet, ...] = field(default=(), repr=False)
    """By id; also those that are never told."""
    wordings: Mapping[str, VoiceWordings] = field(default_factory=dict, repr=False)
    """Persona -> how it tells a claim."""
    speakers: frozenset[str] = field(default=frozenset(), repr=False)
    """Words by which a claim is known that itself names who said it."""
    today: date | None = None
    """The day by which snippets expire; None: none does, so that a story stays as it was."""

    @property
    def told(self) -> tuple[VettedSnippet, ...]:
        """Those that may be told, by id."""
        return tuple(snippet for snippet in self.held if snippet.may_be_told(self.today))

    def names_its_speaker(self, says: str) -> bool:
        """True for a claim like "the sound was bad, one of them said"."""
        return any(token.text in self.speakers for token in tokens(says))
