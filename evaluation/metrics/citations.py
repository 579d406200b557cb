"""Citation recall and precision: do the notes under a story carry what it says? Percent, 0 to 100, over all sentences.

- recall: sentences of which every figure, quoted title and name stands in the evidence that they cite / sentences.
- precision: citations that are at work / citations. One is at work if it, or a row of the same question that is cited
  beside it, shares two content words with the sentence: who counts rows has to cite them all.

The idea is that of T. Gao et al., Enabling Large Language Models to Generate Text with Citations (ALCE), EMNLP 2023;
in place of their entailment model stands the look-up of `details`, which passes a sentence whose names are right and
whose relation is wrong. A story that cites nothing has recall 0 and no precision.
"""

from __future__ import annotations

from evaluation import details
from evaluation.scores import Score, percent, share
from evaluation.told import Evidence, Said, Section, ToldStory

SHARED = 2


def recall(story: ToldStory) -> Score:
    """Share of sentences whose details stand in their own citations."""
    carried = [carries(said, section) for section in story.sections for said in section.sentences]
    return percent(share(sum(carried), len(carried), nothing="there are no sentences"))


def precision(story: ToldStory) -> Score:
    """Share of citations that have to do with the sentence."""
    works = [work for section in story.sections for said in section.sentences for work in _at_work(said, section)]
    return percent(share(sum(works), len(works), nothing="nothing is cited"))


def carries(said: Said, section: Section) -> bool:
    """Whether the sentence cites evidence that holds all its details and a word of it; a question claims no words."""
    cited = cited_by(said, section)
    if not cited or details.missing(said.text, cited):
        return False
    return said.text.endswith("?") or any(details.in_common(said.text, item) for item in cited)


def cited_by(said: Said, section: Section) -> list[Evidence]:
    """The evidence that a sentence cites, in the order of the section."""
    return [item for item in section.evidence if item.id in said.cites]


def _at_work(said: Said, section: Section) -> list[bool]:
    cited = cited_by(said, section)
    alone = [details.in_common(said.text, item) >= SHARED for item in cited]
    working = {item.question for item, works in zip(cited, alone, strict=True) if works and item.question}
    return [works or item.question in working for item, works in zip(cited, alone, strict=True)]
