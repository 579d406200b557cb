"""The six failure modes of Appendix 0.A.4 (`agent.defects`), as sentences that show one; percent of all sentences.

0 to 100, lower is better. A sentence may show several modes, and is counted under each.
"""

from __future__ import annotations

from agent.defects import Ground, Kind, Line, Spoken, counts
from evaluation.scores import Score, Unscored
from evaluation.told import Section, ToldStory


def failures(story: ToldStory) -> dict[Kind, Score]:
    """Kind -> percent of the sentences."""
    sentences = sum(len(section.sentences) for section in story.sections)
    found = counts(spoken(section) for section in story.sections)
    if not sentences:
        return {kind: Unscored("there are no sentences") for kind in found}
    return {kind: 100 * count / sentences for kind, count in found.items()}


def spoken(section: Section) -> Spoken:
    """A section as the counters read it."""
    lines = tuple(Line(said.text, said.cites) for said in section.sentences)
    return Spoken(lines, {item.id: Ground(item.text, item.triples, item.source) for item in section.evidence})
