"""Local cohesion as printed in the paper's 5.1: the share of neighbouring sentences that are alike, but not too much.

local_cohesion(S) = |{i : 0.15 <= Jaccard(T(s_i), T(s_i+1)) <= 0.65}| / (m - 1); 0 to 1, the mean over the sections.
A section of one sentence counts as 1.0 (published code).
"""

from __future__ import annotations

from itertools import pairwise

from evaluation.scores import Score, Unscored, mean
from evaluation.text import content, jaccard, printed_sentences
from evaluation.told import ToldStory

LEAST, MOST = 0.15, 0.65


def local_cohesion(story: ToldStory) -> Score:
    """The mean over the sections of a story."""
    return mean(of_sentences(printed_sentences(section.text)) for section in story.sections)


def of_sentences(sentences: list[str]) -> Score:
    """Local cohesion of one section."""
    if not sentences:
        return Unscored("a section without a sentence")
    pairs = list(pairwise(map(content, sentences)))
    return sum(LEAST <= jaccard(*pair) <= MOST for pair in pairs) / len(pairs) if pairs else 1.0
