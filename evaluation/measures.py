"""All measures of a story, in the order of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agent.defects import KINDS
from evaluation.frame import Frame
from evaluation.metrics import (
    citations,
    failures,
    fit,
    printed_coverage,
    printed_global,
    printed_local,
    printed_support,
    proved,
    reading_ease,
    redundancy,
    tabulated_cohesion,
    tabulated_grounding,
    variety,
    wording,
)
from evaluation.scores import Score
from evaluation.told import ToldStory

Group = Literal["tabulated", "printed", "ours"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One column of scores.csv."""

    key: str
    title: str
    unit: str
    group: Group
    better: Literal["high", "low", ""] = ""
    """Which way is better; empty where neither is."""
    decimals: int = 1


MEASURES: tuple[Measure, ...] = (
    Measure("tabulated_support", "Support", "%", "tabulated", "high", 2),
    Measure("tabulated_coverage", "Coverage", "%", "tabulated", "high", 2),
    Measure("tabulated_fre", "Flesch Reading Ease", "points", "tabulated", "", 2),
    Measure("tabulated_global", "Global cohesion", "cosine", "tabulated", "high", 3),
    Measure("tabulated_local", "Local cohesion", "cosine", "tabulated", "high", 3),
    Measure("printed_support_factlet", "Support, factlets", "%", "printed", "high"),
    Measure("printed_support_triple", "Support, triples", "%", "printed", "high"),
    Measure("printed_support_fallback", "Support, fallback", "%", "printed", "high"),
    Measure("printed_coverage_factlet", "Coverage, factlets", "%", "printed", "high"),
    Measure("printed_coverage_triple", "Coverage, triples", "%", "printed", "high"),
    Measure("printed_fre", "Flesch Reading Ease", "points", "printed"),
    Measure("printed_local", "Local cohesion", "share", "printed", "high", 3),
    Measure("printed_global", "Global cohesion", "0-100", "printed", "high"),
    Measure("proved", "Proved sentences", "%", "ours", "high"),
    Measure("partly", "Partly proved sentences", "%", "ours"),
    Measure("contradicted", "Contradicted sentences", "%", "ours", "low"),
    Measure("judged", "Sentences that the gate can judge", "%", "ours"),
    Measure("own_wording", "Sentences in the museum's own wording", "%", "ours"),
    Measure("citation_recall", "Citation recall", "%", "ours", "high"),
    Measure("citation_precision", "Citation precision", "%", "ours", "high"),
    Measure("repeated", "Repeated sentences", "%", "ours", "low"),
    Measure("distinct_pairs", "Distinct word pairs", "share", "ours", "high", 3),
    Measure("entities", "Things named", "count", "ours"),
    Measure("themes", "Themes", "count", "ours"),
    Measure("words", "Words", "count", "ours"),
    Measure("in_span", "Stories of the wanted length", "%", "ours", "high"),
    Measure("too_long", "Sentences too long", "%", "ours", "low"),
    Measure("grade", "Reading grade", "years", "ours"),
    Measure("easy_enough", "Stories easy enough", "%", "ours", "high"),
    *(Measure(kind.replace(" ", "_").replace("-", "_"), kind.capitalize(), "%", "ours", "low") for kind in KINDS),
    Measure("suppressed", "Beats suppressed", "count", "ours"),
)


def measure(story: ToldStory, frame: Frame) -> dict[str, Score]:
    """Every measure of a story, by key."""
    grounding = tabulated_grounding.grounding(story)
    proof = proved.proof(story, frame.judge)
    found: dict[str, Score] = {
        "tabulated_support": grounding.support,
        "tabulated_coverage": grounding.coverage,
        "tabulated_fre": reading_ease.tabulated(story),
        "tabulated_global": tabulated_cohesion.global_cohesion(story),
        "tabulated_local": tabulated_cohesion.local_cohesion(story, frame.embedder),
        "printed_support_factlet": printed_support.factlet_mode(story),
        "printed_support_triple": printed_support.triple_mode(story),
        "printed_support_fallback": printed_support.fallback_mode(story),
        "printed_coverage_factlet": printed_coverage.factlet_mode(story),
        "printed_coverage_triple": printed_coverage.triple_mode(story),
        "printed_fre": reading_ease.printed(story),
        "printed_local": printed_local.local_cohesion(story),
        "printed_global": printed_global.global_cohesion(story),
        **proof._asdict(),
        "own_wording": wording.own(story),
        "citation_recall": citations.recall(story),
        "citation_precision": citations.precision(story),
        "repeated": redundancy.repeated(story),
        "distinct_pairs": redundancy.distinct_pairs(story),
        "entities": variety.entities(story),
        "themes": variety.themes(story, frame.themes),
        "words": fit.words(story),
        "in_span": fit.in_span(story, frame.spans),
        "too_long": fit.too_long(story, frame.longest),
        "grade": fit.grade(story),
        "easy_enough": fit.easy_enough(story, frame.longest),
        "suppressed": float(story.suppressed),
    }
    modes = {kind.replace(" ", "_").replace("-", "_"): score for kind, score in failures.failures(story).items()}
    found |= modes
    return {one.key: found[one.key] for one in MEASURES}
