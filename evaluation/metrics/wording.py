"""Whose words: the share of sentences in the wording of the content files. Percent, 0 to 100.

For a story that a language model words these are the sentences in which it was not heard: what it said was not proved,
did not fit, or did not come.
"""

from __future__ import annotations

from evaluation.scores import Score, Unscored, percent, share
from evaluation.told import ToldStory


def own(story: ToldStory) -> Score:
    """Share of sentences worded by a content file, where each sentence says who worded it."""
    by = [said.worded_by for section in story.sections for said in section.sentences]
    if not all(by):
        return Unscored("nothing says who worded the sentences")
    return percent(share(by.count("template"), len(by), nothing="there are no sentences"))
