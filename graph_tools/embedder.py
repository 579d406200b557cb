"""Texts as vectors. The default needs no model, no key and no network: weighted words and letter groups, hashed."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Protocol

from graph_tools.lexicon import tokens

DIMENSIONS = 1024
LETTERS = (3, 4, 5)
"""Lengths of the letter groups of a word, its ends marked: "sounded" and "sound" share most of theirs."""
LETTERS_WEIGH = 0.35
"""What a letter group counts beside a whole word."""
Vector = list[float]


class Embedder(Protocol):
    """Makes vectors that lie close together where texts say alike; each has length 1."""

    @property
    def name(self) -> str:
        """Another name where the same text would give another vector."""

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Texts that will be found. Raises RetrievalError where that cannot be done now."""

    def question(self, text: str) -> Vector:
        """What they are found by. Raises likewise."""


class HashedEmbedder:
    """TF-IDF over words and letter groups, folded into DIMENSIONS places by CRC-32: the same in every process."""

    def __init__(self, texts: Iterable[str]) -> None:
        """`texts`: those among which it will be searched; what many of them have says little."""
        found = [frozenset(_features(text)) for text in texts]
        self._texts = len(found)
        self._with = Counter(feature for features in found for feature in features)
        self.name = f"hashed-{DIMENSIONS}-{_digest(sorted(self._with.items()))}"

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text."""
        return [self.question(text) for text in texts]

    def question(self, text: str) -> Vector:
        """The vector of any text; what no known text has counts like what one has."""
        vector = [0.0] * DIMENSIONS
        for feature, count in sorted(Counter(_features(text)).items()):
            weight = 1.0 if feature[0] == "w" else LETTERS_WEIGH
            place = zlib.crc32(feature.encode())
            rare = math.log((1 + self._texts) / (1 + self._with.get(feature, 0))) + 1
            vector[place % DIMENSIONS] += (1 + math.log(count)) * rare * weight * (1 if place & 0x8000_0000 else -1)
        length = math.sqrt(sum(part * part for part in vector))
        return [part / length for part in vector] if length else [1.0, *vector[1:]]


def _features(text: str) -> Iterator[str]:
    for token in tokens(text):
        word = token.text
        if len(word) < 3:
            continue
        yield "w" + word
        marked = f"<{word}>"
        for size in LETTERS:
            yield from ("l" + marked[at : at + size] for at in range(len(marked) - size + 1))


def _digest(counts: Collection[tuple[str, int]]) -> str:
    return blake2b("\n".join(f"{feature} {count}" for feature, count in counts).encode(), digest_size=8).hexdigest()
