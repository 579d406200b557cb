"""Support and Coverage as tabulated in the paper's table 2: by the vote of `voting`. Percent, 0 to 100.

Support: the mean over beats of 100 * carried sentences / sentences. Coverage: the same test with sentence and line
exchanged; the mean over beats of 100 * carried lines / lines, beats without lines left out.

Neither says that a sentence is true: the vote passes false sentences with a known name and a year in them.
"""

from __future__ import annotations

from typing import NamedTuple

from evaluation.metrics.voting import Ballot
from evaluation.scores import Score, Unscored, mean, percent, share
from evaluation.text import tabulated_sentences
from evaluation.told import Section, ToldStory


class Grounding(NamedTuple):
    """Both come from one ballot, which is the costly part."""

    support: Score
    coverage: Score


def grounding(story: ToldStory) -> Grounding:
    """Support and coverage of a story."""
    counted = [_of(section) for section in story.sections]
    return Grounding(
        percent(mean(support for support, _ in counted)),
        percent(mean(coverage for _, coverage in counted)),
    )


def _of(section: Section) -> Grounding:
    sentences = tabulated_sentences(section.text)
    if not section.lines or not sentences:
        nothing = Unscored("no evidence is given" if sentences else "a section without a sentence")
        return Grounding(nothing, nothing)
    ballot = Ballot(sentences, section.lines)
    supported, covered = ballot.supported(), ballot.covered()
    return Grounding(
        share(sum(supported), len(supported), nothing="a section without a sentence"),
        share(sum(covered), len(covered), nothing="no evidence is given"),
    )
