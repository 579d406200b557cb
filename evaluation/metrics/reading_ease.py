"""Readability: Flesch Reading Ease, as printed (mean over sections) and as tabulated (one value on the whole text).

FRE(S) = 206.835 - 1.015 * W/S - 84.6 * syllables/W; points, about 0 (hard) to 100 (easy), open at both ends. Source:
R. Flesch, A new readability yardstick, Journal of Applied Psychology 32 (1948), as in the paper's 5.1.

Words, sentences and syllables are counted as the published evaluator counts them: words are `[A-Za-z0-9']+`; a
sentence ends at punctuation that a capital or a figure follows; syllables are groups of vowels (aeiouy), one less for
a final e, at least one, and none for a figure. So a text full of figures reads easier than it is.
"""

from __future__ import annotations

import re

from evaluation.scores import Score, Unscored, mean
from evaluation.told import ToldStory

_WORD = re.compile(r"[A-Za-z0-9']+")
_END = re.compile(r"[.!?]+[\"'”’)\]]*\s+(?=[“‘\"'(]*[A-Z0-9])")
_VOWELS = re.compile(r"[aeiouy]+")


def printed(story: ToldStory) -> Score:
    """The mean over the sections."""
    return mean(ease(section.text) for section in story.sections)


def tabulated(story: ToldStory) -> Score:
    """One value on the whole text."""
    return ease(story.text)


def ease(text: str) -> Score:
    """Flesch Reading Ease of a text."""
    words, sentences, beats = counts(text)
    if not words:
        return Unscored("there are no words")
    return 206.835 - 1.015 * words / sentences - 84.6 * beats / words


def counts(text: str) -> tuple[int, int, int]:
    """Words, sentences and syllables of a text."""
    words = _WORD.findall(text)
    sentences = len([part for part in _END.split(text.strip()) if part.strip()])
    return len(words), max(1, sentences), sum(map(syllables, words))


def syllables(word: str) -> int:
    """Groups of vowels, one less for a final e, at least one; none for a figure."""
    if any(character.isdigit() for character in word):
        return 0
    lower = word.lower()
    groups = len(_VOWELS.findall(lower))
    return max(1, groups - (lower.endswith("e") and groups > 1))
