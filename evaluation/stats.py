"""Means with intervals, paired comparisons with effect sizes, and agreement with ratings. Seeded, so reproducible.

- interval: 95 % percentile bootstrap, 2000 resamples of the stories, within each configuration (B. Efron 1979).
- effect size: Cohen's d_z, mean of the paired differences / their standard deviation (J. Cohen 1988).
- Spearman's rho: Pearson's r of the ranks, ties sharing the mean rank (C. Spearman 1904); -1 to 1.
- AUROC: the share of (good, bad) pairs that a score puts in that order, ties counting half (J. Hanley, B. McNeil
  1982); 0.5 is chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from evaluation.scores import Score, Unscored

RESAMPLES = 2000
Strata = Mapping[str, Sequence[float]]
"""Configuration -> the figures of its stories."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float
    stories: int


@dataclass(frozen=True, slots=True)
class Paired:
    """How much one way differs from another on the same plans and seeds."""

    difference: Interval
    effect: Score
    """Cohen's d_z."""
    higher: float
    """Share of pairs in which the first one is higher; ties count half."""


def interval(strata: Strata, name: str) -> Interval | Unscored:
    """The mean over all stories; `name` seeds the draws."""
    groups = [np.array(values, dtype=np.float64) for _, values in sorted(strata.items()) if len(values)]
    if not groups:
        return Unscored("there is nothing to score")
    total = sum(len(group) for group in groups)
    draw = np.random.RandomState(_seed(name))
    means = np.zeros(RESAMPLES)
    for group in groups:
        picked = draw.randint(0, len(group), (RESAMPLES, len(group)))
        means += group[picked].sum(axis=1) / total
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(np.concatenate(groups).mean()), float(low), float(high), total)


def paired(strata: Strata, name: str) -> Paired | Unscored:
    """From the differences first - second, by configuration."""
    found = interval(strata, name)
    if isinstance(found, Unscored):
        return found
    differences = np.array([value for values in strata.values() for value in values])
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    effect = found.mean / spread if spread > 1e-12 else Unscored("all pairs differ alike")
    return Paired(found, effect, float(((differences > 0) + 0.5 * (differences == 0)).mean()))


def spearman(one: Sequence[float], other: Sequence[float]) -> Score:
    """Spearman's rank correlation."""
    if len(one) < 3:
        return Unscored("fewer than three rated texts")
    a, b = ranks(one), ranks(other)
    if a.std() == 0 or b.std() == 0:
        return Unscored("all values are the same")
    return float(((a - a.mean()) * (b - b.mean())).mean() / (a.std() * b.std()))


def auroc(scores: Sequence[float], good: Sequence[bool]) -> Score:
    """Area under the receiver operating characteristic."""
    count = sum(good)
    if count in (0, len(good)):
        return Unscored("all texts are good, or none is")
    place = ranks(scores)[np.array(good)].sum()
    return float((place - count * (count + 1) / 2) / (count * (len(good) - count)))


def ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Ranks from 1; equal values share the mean of theirs."""
    array = np.array(values, dtype=np.float64)
    _, inverse, counts = np.unique(array, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    result: NDArray[np.float64] = ((ends - counts + 1 + ends) / 2)[inverse]
    return result


def _seed(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:4], "big")
