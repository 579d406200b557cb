"""Coverage as printed in the paper's 5.1, in two modes. Percent, 0 to 100; the mean over the sections.

- factlet mode: (1/|F|) * sum over i of 1[|T(S) & T(f_i)| >= 2]: factlets of which two content tokens stand anywhere in
  the section. No order, no relation: a list of words covers everything.
- triple mode: the share of the ten entities of highest degree that are named in the section (ten: published code).
"""

from __future__ import annotations

from collections import Counter

from evaluation.scores import Score, Unscored, mean, percent, share
from evaluation.text import content, normalised
from evaluation.told import Section, ToldStory

SHARED = 2
TOP = 10


def factlet_mode(story: ToldStory) -> Score:
    """Coverage over the words of the evidence."""
    return percent(mean(_factlets(section) for section in story.sections))


def triple_mode(story: ToldStory) -> Score:
    """Coverage over the entities of the evidence."""
    return percent(mean(_entities(section) for section in story.sections))


def _factlets(section: Section) -> Score:
    said = content(section.text)
    hits = sum(len(said & content(line)) >= SHARED for line in section.lines)
    return share(hits, len(section.lines), nothing="no evidence is given")


def _entities(section: Section) -> Score:
    degree = Counter(name for statement in section.statements for name in statement.entities)
    if not degree:
        return Unscored("the evidence has no triples")
    top = sorted(degree, key=lambda name: (-degree[name], name))[:TOP]
    words = normalised(section.text)
    return sum(normalised(name) in words for name in top) / len(top)
