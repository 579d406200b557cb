"""Redundancy: how much of a story was said before in it.

- repeated: sentences that share at least 0.65 of their content words (Jaccard) with an earlier one / sentences;
  percent, 0 to 100. The bar is the upper one of the paper's local cohesion, above which likeness counts as repetition.
- distinct pairs: different pairs of neighbouring words / all such pairs; 0 to 1 (distinct-2; J. Li et al., A
  Diversity-Promoting Objective Function for Neural Conversation Models, NAACL 2016). It falls with length.
"""

from __future__ import annotations

from itertools import pairwise

from evaluation.metrics.printed_local import MOST
from evaluation.scores import Score, percent, share
from evaluation.text import content, jaccard, tabulated_tokens
from evaluation.told import ToldStory


def repeated(story: ToldStory) -> Score:
    """Share of sentences that mostly repeat an earlier one."""
    said = [content(one.text) for section in story.sections for one in section.sentences]
    hits = sum(any(jaccard(words, other) >= MOST for other in said[:place]) for place, words in enumerate(said))
    return percent(share(hits, len(said), nothing="there are no sentences"))


def distinct_pairs(story: ToldStory) -> Score:
    """Share of word pairs that are new."""
    pairs = [pair for section in story.sections for pair in pairwise(tabulated_tokens(section.text))]
    return share(len(set(pairs)), len(pairs), nothing="there are no two words")
