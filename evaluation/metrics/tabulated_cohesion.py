"""Cohesion as tabulated in the paper's table 3. 0 to 1.

- global: the mean over beats of cosine(TF-IDF of the beat, tf of the whole story); tf = count / highest count, idf =
  ln((N + 1) / (df + 1)) + 1 over N beats. For k beats of one length without a common word it is 1 / sqrt(k), and for a
  single beat it is 1 whatever that says: a story without headings scores 1.000.
- local: the mean cosine of neighbouring sentences' embeddings (all-MiniLM-L6-v2), beat borders included.

The published evaluator strips suffixes and leaves out 108 function words; neither list is printed, so that
`text.stop_words` and the four endings below stand in for them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

from evaluation.embedding import Embedder
from evaluation.scores import Score, Unscored, mean
from evaluation.text import stop_words, tabulated_sentences
from evaluation.told import ToldStory

_LETTERS = re.compile(r"[a-z]+")
_ENDINGS = ("ing", "ed", "es", "s")
_SHORTEST = 4


def global_cohesion(story: ToldStory) -> Score:
    """The mean over the beats of a story."""
    return of_beats([section.text for section in story.sections])


def of_beats(beats: list[str]) -> Score:
    """The same of beats as text."""
    counts = [Counter(_words(beat)) for beat in beats]
    whole = sum(counts, Counter[str]())
    if not whole:
        return Unscored("there are no words")
    frequency = Counter(word for count in counts for word in count)
    idf = {word: math.log((len(beats) + 1) / (df + 1)) + 1 for word, df in frequency.items()}
    story = _scaled(whole)
    return mean(
        cosine({word: tf * idf[word] for word, tf in _scaled(count).items()}, story) for count in counts if count
    )


def local_cohesion(story: ToldStory, embedder: Embedder | Unscored) -> Score:
    """The mean over neighbouring sentences; without an embedding it could not be scored."""
    if isinstance(embedder, Unscored):
        return embedder
    sentences = tabulated_sentences(" ".join(section.text for section in story.sections))
    if len(sentences) < 2:
        return Unscored("there are no two sentences to compare")
    vectors = embedder.embed(sentences)
    return mean(float(sum(a * b for a, b in zip(one, other, strict=True))) for one, other in pairwise(vectors))


def cosine(one: dict[str, float], other: dict[str, float]) -> float:
    """Cosine of two sparse vectors; 0 where one of them is empty."""
    length = math.sqrt(sum(x * x for x in one.values()) * sum(x * x for x in other.values()))
    return sum(value * other.get(word, 0.0) for word, value in one.items()) / length if length else 0.0


def _scaled(count: Counter[str]) -> dict[str, float]:
    highest = max(count.values(), default=1)
    return {word: number / highest for word, number in count.items()}


def _words(text: str) -> list[str]:
    return [_stripped(word) for word in _LETTERS.findall(text.lower()) if word not in stop_words()]


def _stripped(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word[: -len(ending)]
    return word
