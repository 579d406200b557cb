"""`cqs/lexicon/LANGUAGE.toml`: the words that the evidence gate knows without asking a question's own wordings."""

from __future__ import annotations

from itertools import combinations
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator


class GateWords(BaseModel):
    """The gate's words of one language. All of it is content: a curator may add to any list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    free: tuple[str, ...] = ()
    """Words that claim nothing: articles, pronouns, prepositions, forms of "to be", connectives."""
    prepositions: tuple[str, ...] = ()
    """Those of the free words that tie a name to what it does in a sentence."""
    openers: tuple[str, ...] = ()
    """Whole clauses that may open a sentence and say nothing: "as it happens", "there is more"."""
    reports: tuple[str, ...] = ()
    """Words that say that somebody said so; they need the one who did."""
    negation: tuple[str, ...] = ()
    quantity: tuple[str, ...] = ()
    """All, only, both, most: how much of a whole something is."""
    cause: tuple[str, ...] = ()
    modal: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    """Before, after, first, last: what comes where."""
    hedges: dict[str, tuple[str, ...]] = {}
    """Kind of hedge -> its words: about, at least, up to."""
    same: tuple[tuple[str, ...], ...] = ()
    """Lists of words that mean one thing; no word stands in two."""

    @model_validator(mode="after")
    def _one_meaning(self) -> Self:
        for one, other in combinations(self.same, 2):
            if twice := sorted(set(one) & set(other)):
                raise ValueError(f"{twice[0]!r} stands in two lists of `same`; keep it in one")
        return self
