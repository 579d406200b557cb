"""Sentences and tokens, cut as the published evaluators cut them; and the function words that count for nothing."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files

_PRINTED_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n+")
_TABULATED_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_PRINTED_TOKEN = re.compile(r"[A-Za-z][A-Za-z\-']+")
_TABULATED_TOKEN = re.compile(r"[A-Za-z0-9']+")
NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+){0,3}")
"""A name as the published evaluator finds it: up to four capitalised words, ASCII only."""
_RUN = re.compile(r"[^\W_]+")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
REMEMBERED = 50_000
"""Texts whose words are kept at hand: the stories of a grid share most of their evidence."""


@cache
def stop_words() -> frozenset[str]:
    """English function words. The publication prints no list, so that this one is our own."""
    return frozenset((files("evaluation") / "stopwords.txt").read_text(encoding="utf-8").split())


def printed_sentences(text: str) -> list[str]:
    """Cut behind every full stop, question and exclamation mark and at line ends: "John F. | Kennedy" is two."""
    return [part.strip() for part in _PRINTED_SENTENCE.split(text) if part.strip()]


def tabulated_sentences(text: str) -> list[str]:
    """Cut behind every full stop, question and exclamation mark."""
    return [part.strip() for part in _TABULATED_SENTENCE.split(text) if part.strip()]


@lru_cache(REMEMBERED)
def content(text: str) -> frozenset[str]:
    """T(.) of the paper's 5.1: words of letters, lower case, without function words. Figures are no words here."""
    return frozenset(_PRINTED_TOKEN.findall(text.lower())) - stop_words()


def tabulated_tokens(text: str) -> list[str]:
    """Words and figures in lower case, function words included."""
    return _TABULATED_TOKEN.findall(text.lower())


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Common members by all members, 0 to 1; 0 where both are empty (Jaccard 1912)."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0


@lru_cache(REMEMBERED)
def normalised(text: str) -> str:
    """Letters and figures in lower case with single blanks, a blank at each end: for whole-word look-up."""
    return f" {' '.join(_RUN.findall(text.casefold()))} "
