"""What is said where no question can be told: fixed replies, which are content (`cqs/replies.toml`)."""

from __future__ import annotations

import re
from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graph_tools.lexicon import tokens
from graph_tools.outcome import Kind, Outcome, Refused, Routed

FROZEN = ConfigDict(frozen=True, extra="forbid")

_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+")
_DIGITS = re.compile(r"\+?\d(?:[ ()./-]{0,2}\d){7,}")
_CODE = re.compile(
    r"<\s*/?\s*[a-z]+[^<>]*>|\{\s*\?|\?\w+\s+\?\w+\s+\?\w+|\bselect\b.*\bwhere\b|https?://|\{\{|\$\{", re.I | re.S
)
_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}")


class Reply(BaseModel):
    """One kind of refusal: how it is told, and by which words it is known."""

    model_config = FROZEN

    say: str = Field(min_length=1)
    phrases: tuple[str, ...] = ()
    """Words in a row: "^" before them means at the beginning, "#" is any number, "*" any word."""
    words: tuple[str, ...] = ()
    """Single words that count only where nothing else was understood."""

    @field_validator("phrases", "words")
    @classmethod
    def _has_words(cls, phrases: tuple[str, ...]) -> tuple[str, ...]:
        for phrase in phrases:
            if not tokens(phrase):
                raise ValueError(f"{phrase!r} has no word in it")
        return phrases

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The phrases, to be looked for in folded words with a blank before and behind each."""
        return _pattern(self.phrases)

    @cached_property
    def rude(self) -> re.Pattern[str]:
        """The single words, likewise."""
        return _pattern(self.words)


class Replies(BaseModel):
    """`cqs/replies.toml`."""

    model_config = FROZEN

    closest: str = "The closest I can prove:"
    """Said before the questions that can be answered."""
    unsure: str = "Is it one of these?"
    """Said before the questions that may have been meant."""
    unrelated: Reply = Reply(say="I can't prove that from our records.")
    near: Reply = Reply(say="I can't prove that from our records.")
    unknown: Reply = Reply(say="I can't prove that from our records: they know nothing of that name.")
    empty: Reply = Reply(say="I am listening.")
    too_long: Reply = Field(default=Reply(say="Please ask me one thing at a time."), alias="too-long")
    risk: Reply = Reply(say="Please talk to somebody near you now. You do not have to be alone with it.")
    abuse: Reply = Reply(say="Shall we go on?")
    personal: Reply = Reply(say="Please keep that to yourself: I need nothing about you.")
    command: Reply = Reply(say="I tell what our records can prove, and nothing else.")

    def of(self, kind: Kind) -> Reply:
        """The reply for a kind of refusal."""
        reply = getattr(self, kind.replace("-", "_"))
        assert isinstance(reply, Reply)
        return reply

    def reply(self, outcome: Outcome) -> str:
        """What is said above the questions of an outcome; "" where the answer itself is told."""
        if isinstance(outcome, Routed):
            return ""
        if isinstance(outcome, Refused):
            said = self.of(outcome.kind).say.strip()
            return f"{said} {self.closest}" if outcome.nearest else said
        return self.unsure

    def steered(self, text: str) -> Kind | None:
        """The kind of a text that asks nothing of the records: distress, abuse, personal data, an order."""
        line = _line(text)
        if self.risk.pattern.search(line):
            return "risk"
        if self.abuse.pattern.search(line):
            return "abuse"
        if self.personal.pattern.search(line) or _MAIL.search(text) or _DIGITS.search(_DATE.sub(" ", text)):
            return "personal"
        if self.command.pattern.search(line) or _CODE.search(text):
            return "command"
        return None

    def rude(self, text: str) -> bool:
        """True where a word is rude, whatever it is said of."""
        return bool(self.abuse.rude.search(_line(text)))


def _line(text: str) -> str:
    return "".join(f" {token.text}" for token in tokens(text)) + " "


def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    parts: list[str] = []
    for phrase in phrases:
        words = [
            r"\d+" if word == "#" else r"\S+" if word == "*" else re.escape("".join(t.text for t in tokens(word)))
            for word in phrase.removeprefix("^").split()
        ]
        parts.append(("^ " if phrase.startswith("^") else " ") + " ".join(words) + " ")
    return re.compile("|".join(parts) or "(?!)")


__all__ = ["Replies", "Reply"]
