"""The scores of many stories: rows, and their files scores.csv (figures) and unscored.csv (why a figure is missing)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.measures import MEASURES
from evaluation.scores import Score, Unscored
from evaluation.told import Key

KEY_COLUMNS = ("system", "persona", "length", "strategy", "seed")
SYSTEMS = ("cuestory", "copier", "shuffled", "exchanged")
"""In the order of the report; others follow, sorted."""
LENGTHS = ("small", "medium", "long")
STRATEGIES = ("kg", "hybrid", "graph")
"""In the paper's order; others follow, sorted."""


@dataclass(frozen=True)
class Row:
    """One story's scores."""

    key: Key
    scores: dict[str, Score]


def ordered(found: Iterable[str], first: Sequence[str]) -> list[str]:
    """Those of `first` that were found, in its order, then the others, sorted."""
    names = set(found)
    return [name for name in first if name in names] + sorted(names - set(first))


def in_order(rows: Iterable[Row]) -> list[Row]:
    """By system, strategy, persona, length and seed: the same order however they were made."""
    found = list(rows)
    systems = ordered((row.key.system for row in found), SYSTEMS)
    strategies = ordered((row.key.strategy for row in found), STRATEGIES)
    lengths = ordered((row.key.length for row in found), LENGTHS)

    def place(row: Row) -> tuple[int, int, str, int, int]:
        key = row.key
        return (
            systems.index(key.system),
            strategies.index(key.strategy),
            key.persona,
            lengths.index(key.length),
            key.seed,
        )

    return sorted(found, key=place)


def write(rows: Sequence[Row], out: Path) -> None:
    """Both files. A figure has six decimals; what could not be scored is an empty cell here, with its reason there."""
    keys = [measure.key for measure in MEASURES]
    scores, reasons = io.StringIO(), io.StringIO()
    table, gaps = csv.writer(scores, lineterminator="\n"), csv.writer(reasons, lineterminator="\n")
    table.writerow([*KEY_COLUMNS, *keys])
    gaps.writerow([*KEY_COLUMNS, "measure", "reason"])
    for row in rows:
        key = [row.key.system, row.key.persona, row.key.length, row.key.strategy, row.key.seed]
        table.writerow([*key, *(_cell(row.scores[name]) for name in keys)])
        for name in keys:
            score = row.scores[name]
            if isinstance(score, Unscored):
                gaps.writerow([*key, name, score.because])
    (out / "scores.csv").write_text(scores.getvalue(), encoding="utf-8")
    (out / "unscored.csv").write_text(reasons.getvalue(), encoding="utf-8")


def _cell(score: Score) -> str:
    return "" if isinstance(score, Unscored) else f"{score + 0.0:.6f}"
