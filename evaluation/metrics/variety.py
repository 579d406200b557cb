"""Variety: how much a story is about. Counts, from 0, open above; a story is not better for a higher one.

- entities: different things of its evidence that its sentences name, by any of their names.
- themes: different themes of the questions that it answers, from the headers of the question files.
"""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.scores import Score, Unscored
from evaluation.text import normalised
from evaluation.told import ToldStory


def entities(story: ToldStory) -> Score:
    """Different things named."""
    known = {names for section in story.sections for item in section.evidence for names in item.names}
    if not known:
        return Unscored("the evidence names no things")
    words = normalised(story.text)
    return float(len({names[0] for names in known if any(normalised(name) in words for name in names)}))


def themes(story: ToldStory, of_questions: Mapping[str, tuple[str, ...]]) -> Score:
    """Different themes touched."""
    asked = {one.cq for section in story.sections for one in section.asked}
    if not asked & of_questions.keys():
        return Unscored("its questions are not in this pack")
    return float(len({theme for cq in asked for theme in of_questions.get(cq, ())}))
