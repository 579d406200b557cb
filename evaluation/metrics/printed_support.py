"""Support as printed in the paper's 5.1, in its three modes. Percent, 0 to 100; the mean over the sections.

support_ratio(S) = (1/m) * sum over i of 1[supported(s_i)], where s_i is supported
- factlet mode: if it shares at least two content tokens with a factlet, at a Jaccard similarity of at least 0.22;
- triple mode: if it co-mentions the subject and the object of an evidence triple;
- fallback mode: if it co-mentions at least two mined entities. The published code mines them from the story itself, so
  that a story supports itself; they are mined likewise here, for comparison only.

Sentences are cut as the published code cuts them (`text.printed_sentences`).
"""

from __future__ import annotations

from collections.abc import Callable

from evaluation.scores import Score, Unscored, mean, percent, share
from evaluation.text import NAME, content, jaccard, normalised, printed_sentences
from evaluation.told import Section, ToldStory

SHARED = 2
JACCARD = 0.22


def factlet_mode(story: ToldStory) -> Score:
    """Support over the words of the evidence."""
    return _over(story, _by_factlets)


def triple_mode(story: ToldStory) -> Score:
    """Support over subjects and objects of the statements."""
    return _over(story, _by_triples)


def fallback_mode(story: ToldStory) -> Score:
    """Support over names that are mined from the story itself."""
    mined = frozenset(NAME.findall(story.text))
    return _over(story, lambda section: _by_names(section, mined))


def supports(sentence: str, factlet: str) -> bool:
    """Factlet mode for one sentence and one factlet."""
    one, other = content(sentence), content(factlet)
    return len(one & other) >= SHARED and jaccard(one, other) >= JACCARD


def co_mentions(sentence: str, subject: str, told: str) -> bool:
    """Triple mode for one sentence and one statement: both stand in it, as whole words, whatever their case."""
    words, one, other = normalised(sentence), normalised(subject), normalised(told)
    return bool(one.strip() and other.strip()) and one in words and other in words


def _over(story: ToldStory, ratio: Callable[[Section], Score]) -> Score:
    return percent(mean(ratio(section) for section in story.sections))


def _by_factlets(section: Section) -> Score:
    if not section.evidence:
        return Unscored("no evidence is given")
    sentences = printed_sentences(section.text)
    hits = sum(any(supports(sentence, line) for line in section.lines) for sentence in sentences)
    return share(hits, len(sentences), nothing="a section without a sentence")


def _by_triples(section: Section) -> Score:
    pairs = {(statement.subject, statement.object) for statement in section.statements}
    if not pairs:
        return Unscored("the evidence has no triples")
    sentences = printed_sentences(section.text)
    hits = sum(any(co_mentions(sentence, *pair) for pair in pairs) for sentence in sentences)
    return share(hits, len(sentences), nothing="a section without a sentence")


def _by_names(section: Section, mined: frozenset[str]) -> Score:
    sentences = printed_sentences(section.text)
    hits = sum(sum(name in sentence for name in mined) >= SHARED for sentence in sentences)
    return share(hits, len(sentences), nothing="a section without a sentence")
