"""Fit: is a story as long and as hard as its listener wants it?

- words: of the whole story; a count. `in_span`: 100 if it lies in the persona's span for that length (arcs.toml), else
  0.
- too_long: sentences with more words than the persona's `max_words` (personas.toml) / sentences; percent.
- grade: Flesch-Kincaid grade level, 0.39 * W/S + 11.8 * syllables/W - 15.59; school years, open at both ends (J. P.
  Kincaid et al., Derivation of new readability formulas for Navy enlisted personnel, 1975), counted as `reading_ease`
  counts.
- easy_enough: 100 if the grade is at most the grade of a text whose sentences all have `max_words` words of 1.5
  syllables, else 0. The pack gives no grade, so that this bar is ours: about 8 for 16 words, about 12 for 26.
"""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.metrics.reading_ease import counts
from evaluation.scores import Score, Unscored, percent, share
from evaluation.told import ToldStory

SYLLABLES = 1.5
Spans = Mapping[tuple[str, str], tuple[int, int]]
"""(persona, length) -> words at least and at most."""


def words(story: ToldStory) -> Score:
    """Words of the whole story."""
    return float(len(story.text.split()))


def in_span(story: ToldStory, spans: Spans) -> Score:
    """Whether the story is as long as it was asked for."""
    span = spans.get((story.key.persona, story.key.length))
    if span is None:
        return Unscored("the pack has no such persona and length")
    return 100.0 * (span[0] <= len(story.text.split()) <= span[1])


def too_long(story: ToldStory, longest: Mapping[str, int]) -> Score:
    """Share of sentences that are longer than the persona likes."""
    most = longest.get(story.key.persona)
    if most is None:
        return Unscored("the pack has no such persona")
    lengths = [len(said.text.split()) for section in story.sections for said in section.sentences]
    return percent(share(sum(length > most for length in lengths), len(lengths), nothing="there are no sentences"))


def grade(story: ToldStory) -> Score:
    """Flesch-Kincaid grade level of the whole text."""
    total, sentences, beats = counts(story.text)
    return level(total / sentences, beats / total) if total else Unscored("there are no words")


def easy_enough(story: ToldStory, longest: Mapping[str, int]) -> Score:
    """Whether the text is no harder than the persona's longest sentences."""
    most, found = longest.get(story.key.persona), grade(story)
    if most is None:
        return Unscored("the pack has no such persona")
    return found if isinstance(found, Unscored) else 100.0 * (found <= level(most, SYLLABLES))


def level(words_a_sentence: float, syllables_a_word: float) -> float:
    """The Flesch-Kincaid formula."""
    return 0.39 * words_a_sentence + 11.8 * syllables_a_word - 15.59
