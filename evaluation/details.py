"""What of a sentence can be looked up: figures, quoted titles and names; and whether given evidence holds them.

Figures are compared by value, in digits or in words ("the sixteenth" is 16, "1.9 billion" 1900000000), a time of day
on both clocks. A gap ("nine months later") and a count of what is cited are worked out, not read, so that they are
passed. Names are capitalised words that do not open a sentence, so that a wrong name in first place passes. This is
a floor: it says nothing about who did what to whom.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

from evaluation.text import REMEMBERED, stop_words
from evaluation.told import Evidence
from graph_tools import speech

_FOLDED = str.maketrans("‐‑‒–—‘’“”\u00a0", "-----''\"\" ")
_FIGURE = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_TIME = re.compile(r"(?<![\d:])(\d{1,2}):(\d\d)")
_TITLE = re.compile(r'"([^"]{2,80})"')
_CAPITAL = re.compile(r"[A-Z][\w'&.-]*")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_UNIT = r"(?:second|minute|hour|day|week|month|year|decade)s?"
_GAP = re.compile(
    rf"\b[\w-]+(?: and a half)? {_UNIT}(?: and [\w-]+ \w+)? (?:later|earlier|before|after|gone|on)\b"
    rf"|\bafter [\w-]+ {_UNIT}\b"
)
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
HIGHEST_SPELLED = 100


@cache
def _spelled() -> dict[str, int]:
    """Numbers and ordinals in words, from 2: "one" and "first" are said of too much else."""
    numbers = {speech.words(value): value for value in range(2, HIGHEST_SPELLED)}
    ordinals = {speech.ordinal(str(value)): value for value in range(2, HIGHEST_SPELLED)}
    return ordinals | numbers


@lru_cache(REMEMBERED)
def fold(text: str) -> str:
    """Without accents, with plain quotes and hyphens; capitals stay."""
    if text.isascii():
        return text
    bare = unicodedata.normalize("NFKD", text)
    return "".join(character for character in bare if not unicodedata.combining(character)).translate(_FOLDED)


@lru_cache(REMEMBERED)
def figures(text: str) -> frozenset[float]:
    """The values of all figures in a text, in digits and in words."""
    folded = fold(text)
    found: set[float] = set()
    for match in _FIGURE.finditer(folded):
        value = _value(match[0])
        scale = _SCALES.get(_next_word(folded, match.end()), 1)
        found.add(value * scale)
    words = _WORD.findall(folded.lower())
    for place, word in enumerate(words):
        if word in _spelled():
            scale = _SCALES.get(words[place + 1], 1) if place + 1 < len(words) else 1
            found.add(float(_spelled()[word] * scale))
    return frozenset(found)


@lru_cache(REMEMBERED)
def times(text: str) -> frozenset[str]:
    """The times of day in a text, on the twelve-hour clock: 18:41 is 6:41."""
    return frozenset(f"{int(hour) % 12 or 12}:{minute}" for hour, minute in _TIME.findall(fold(text)))


def titles(text: str) -> frozenset[str]:
    """What stands in double quotes, in lower case, without the punctuation at its ends."""
    return frozenset(found.strip(" .,!?'").lower() for found in _TITLE.findall(fold(text)))


def names(text: str) -> frozenset[str]:
    """Capitalised words, in lower case, but for one that opens a sentence."""
    folded = fold(text)
    found: set[str] = set()
    for match in _CAPITAL.finditer(folded):
        before = folded[: match.start()].rstrip(" \"'(")
        word = _bare(match[0])
        if before and before[-1] not in ".!?:" and len(word) > 1:
            found.add(word)
    return frozenset(found)


def missing(text: str, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """The figures, titles and names of a sentence that its evidence does not hold, sorted."""
    lower = " | ".join(fold(item.spoken) for item in evidence).lower()
    known = frozenset().union(*(_bare_words(item.spoken) for item in evidence))
    ground = frozenset().union(*(figures(item.spoken) for item in evidence))
    said = _GAP.sub(" ", fold(text))
    counts = {float(count) for count in range(len(evidence) + 1)}
    clock = times(said) - frozenset().union(*(times(item.spoken) for item in evidence))
    numbers = {f"{value:g}" for value in figures(_TIME.sub(" ", said)) - ground - counts}
    lost = {title for title in titles(text) if title not in lower}
    strange = {name for name in names(said) if name not in known and name.rstrip("s") not in known}
    return tuple(sorted(numbers | clock | lost | strange))


def in_common(text: str, item: Evidence) -> int:
    """How many content words a sentence and a piece of evidence share."""
    return len(_content(text) & _content(item.spoken))


@lru_cache(REMEMBERED)
def _content(text: str) -> frozenset[str]:
    return frozenset(word.rstrip("s") for word in _bare_words(text) if word and word not in stop_words())


@lru_cache(REMEMBERED)
def _bare_words(text: str) -> frozenset[str]:
    return frozenset(_bare(word) for word in re.findall(r"[\w'&.-]+", fold(text).lower()))


def _bare(word: str) -> str:
    return re.sub(r"'s?$", "", word.lower().strip(".'-"))


def _value(digits: str) -> float:
    plain = digits.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", digits) else digits.split(",")[0]
    return float(plain) if plain.count(".") < 2 else float(plain.split(".")[0])


def _next_word(text: str, at: int) -> str:
    match = re.match(r"[ -]([a-z]+)", text[at:])
    return match[1] if match else ""
