"""Proved: the share of sentences that the path-aware gate proves from what they cite. Percent, 0 to 100.

This is the measure that the other ones stand in for: it reads relations, order, negation and counts along the
statements of the graph, not words. Without a gate it could not be scored.
"""

from __future__ import annotations

from collections.abc import Callable

from evaluation.scores import Score, Unscored, percent, share
from evaluation.told import Said, Section, ToldStory
from graph_tools.pack import StoryPack

Judge = Callable[[Said, Section], bool]
"""Whether what a sentence cites proves it."""


def proved(story: ToldStory, judge: Judge | Unscored) -> Score:
    """Share of proved sentences over the whole story."""
    if isinstance(judge, Unscored):
        return judge
    verdicts = [judge(said, section) for section in story.sections for said in section.sentences]
    return percent(share(sum(verdicts), len(verdicts), nothing="there are no sentences"))


def judge_of(pack: StoryPack | None) -> Judge | Unscored:
    """The gate of a pack: the one place where it is plugged in.

    A section has what a gate needs: the texts and statements of its evidence, and its questions with their bindings
    (`Section.asked`), by which the rows are found again with their values. Without a pack there is no gate."""
    if pack is None:
        return Unscored("a gate reads the words of a pack, and there is none")
    return Unscored("there is no path-aware gate yet")
