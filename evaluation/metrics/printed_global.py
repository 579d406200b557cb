"""Global cohesion as printed in the paper's 5.1: five signals, weighed. 0 to 100; no table of the paper reports it.

35 local_cohesion + 25 entity_flow + 15 bridge_rate + 15 temporal_consistency + 10 reference_stability

The paper names the signals; how each is computed is read from the published code, without its slips (a year is a whole
year here, a bridging word counts with a comma behind it too). local_cohesion is the mean over the sections, the other
four are taken over all sentences of the story in order, since the metric is to say how beats hang together.
"""

from __future__ import annotations

import re
from itertools import pairwise

from evaluation.metrics.printed_local import local_cohesion
from evaluation.scores import Score, Unscored
from evaluation.text import normalised, printed_sentences
from evaluation.told import ToldStory

WEIGHTS = (35, 25, 15, 15, 10)
_BRIDGE = re.compile(
    r"\b(because|so|therefore|as a result|thus|while|although|however|meanwhile|later|earlier|before|after)\b", re.I
)
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_LEAST_BRIDGED, _MOST_BRIDGED = 0.2, 0.6


def global_cohesion(story: ToldStory) -> Score:
    """The weighed sum of the five signals."""
    sentences = [text for section in story.sections for text in printed_sentences(section.text)]
    if not sentences:
        return Unscored("there are no sentences")
    names = _names(story)
    local = local_cohesion(story)
    signals = (
        0.0 if isinstance(local, Unscored) else local,
        entity_flow(sentences, frozenset(known[0] for known in names)),
        bridge_rate(sentences),
        temporal_consistency(sentences),
        reference_stability(story.text, names),
    )
    return sum(weight * signal for weight, signal in zip(WEIGHTS, signals, strict=True))


def entity_flow(sentences: list[str], entities: frozenset[str]) -> float:
    """0.7 * share of neighbours with an entity in common + 0.3 * mean(min(2, common)) / 2; 1.0 for one sentence."""
    known = {name: normalised(name) for name in entities}
    named = [{name for name, words in known.items() if words in normalised(sentence)} for sentence in sentences]
    common = [len(one & other) for one, other in pairwise(named)]
    if not common:
        return 1.0
    pairs = len(common)
    return 0.7 * sum(count > 0 for count in common) / pairs + 0.3 * sum(min(2, count) for count in common) / pairs / 2


def bridge_rate(sentences: list[str]) -> float:
    """(clamp(share of sentences with a bridging word; 0.2, 0.6) - 0.2) / 0.4."""
    rate = sum(bool(_BRIDGE.search(sentence)) for sentence in sentences) / len(sentences)
    inside = min(max(rate, _LEAST_BRIDGED), _MOST_BRIDGED)
    return (inside - _LEAST_BRIDGED) / (_MOST_BRIDGED - _LEAST_BRIDGED)


def temporal_consistency(sentences: list[str]) -> float:
    """1 - steps back in time / neighbours that both name a year (the first one counts); 1.0 without such neighbours."""
    years = [int(match[0]) if (match := _YEAR.search(sentence)) else None for sentence in sentences]
    dated = [(one, other) for one, other in pairwise(years) if one is not None and other is not None]
    return 1 - sum(other < one for one, other in dated) / len(dated) if dated else 1.0


def reference_stability(text: str, names: tuple[tuple[str, ...], ...]) -> float:
    """max(0, 1 - 0.25 * mean over named things of max(0, surface forms - 2)); 1.0 where nothing is named.

    The surface forms of a thing are its names in the evidence, and the last word of its main name."""
    words = normalised(text)
    forms: list[int] = []
    for known in names:
        spellings = {normalised(form) for form in (*known, known[0].split()[-1] if known[0].split() else "")}
        seen = sum(form.strip() != "" and form in words for form in spellings)
        if seen:
            forms.append(seen)
    return max(0.0, 1 - 0.25 * sum(max(0, count - 2) for count in forms) / len(forms)) if forms else 1.0


def _names(story: ToldStory) -> tuple[tuple[str, ...], ...]:
    """The names of each thing in the evidence; of other systems' statements, subject and object as they stand."""
    known = {names for section in story.sections for item in section.evidence for names in item.names}
    main = {names[0] for names in known}
    plain = {name for section in story.sections for one in section.statements for name in one.entities} - main
    return tuple(sorted(known | {(name,) for name in plain if name}))
