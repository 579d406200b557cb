"""Plots of a grid as PNG and SVG, through matplotlib of the extra `plots`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation import published
from evaluation.measures import MEASURES
from evaluation.results import LENGTHS, STRATEGIES, SYSTEMS, Row, ordered
from evaluation.scores import Score, Unscored, mean
from evaluation.stats import Interval, interval
from evaluation.tables import strata_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {
    "cuestory": "#1b4f72",
    "copier": "#f5b041",
    "shuffled": "#8e8e8e",
    "exchanged": "#b03a2e",
    "published": "#ffffff",
}
TOLD_APART = (
    "tabulated_support",
    "printed_support_factlet",
    "tabulated_coverage",
    "citation_recall",
    "citation_precision",
)
"""Measures that are to tell true from false; the plot shows which of them do."""


def why_not() -> str:
    """Why no plot can be drawn; "" where it can."""
    return "" if find_spec("matplotlib") else "matplotlib is not installed (the extra plots has it)"


def draw(rows: Sequence[Row], out: Path) -> list[str]:
    """Writes all plots below `out`/plots and returns the PNGs' names, relative to `out`. Needs matplotlib."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "cuestory"  # the same bytes every time
    folder = out / "plots"
    folder.mkdir(parents=True, exist_ok=True)
    names: list[str] = []
    for strategy in ordered((row.key.strategy for row in rows), STRATEGIES):
        for what, width, panels in (("tables", 15.0, len(_paper_columns())), ("told-apart", 10.0, 1)):
            figure = Figure(figsize=(width, 4.2), layout="constrained")
            axes = [figure.add_subplot(1, panels, place + 1) for place in range(panels)]
            if what == "tables":
                for axis, (table, number) in zip(axes, _paper_columns(), strict=True):
                    _against_paper(axis, rows, strategy, table, number)
            else:
                _told_apart(axes[0], rows, strategy)
            axes[-1].legend(
                *axes[0].get_legend_handles_labels(), fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0)
            )
            path = folder / f"{what}-{strategy}"
            figure.savefig(path.with_suffix(".svg"), metadata={"Date": None, "Creator": None})
            figure.savefig(path.with_suffix(".png"), dpi=110, metadata={"Software": None})
            names.append(f"plots/{path.name}.png")
    return names


def _paper_columns() -> list[tuple[published.Table, int]]:
    return [(table, number) for table in published.tables() for number in range(len(table.columns))]


def _against_paper(axis: Axes, rows: Sequence[Row], strategy: str, table: published.Table, number: int) -> None:
    """A column of the paper over its six configurations, ours and the baselines beside it."""
    own = [row for row in rows if row.key.strategy == strategy]
    cells = [
        (persona, length)
        for persona in ordered((row.key.persona for row in own), ())
        for length in ordered((row.key.length for row in own), LENGTHS)
    ]
    column = table.columns[number]
    for system in ordered((row.key.system for row in own), SYSTEMS):
        scores: list[Score] = [
            mean(
                row.scores[column.metric]
                for row in own
                if (row.key.system, row.key.persona, row.key.length) == (system, *c)
            )
            for c in cells
        ]
        _line(axis, scores, system)
    printed = [table.figure(strategy, *cell, number) for cell in cells]
    _line(axis, [Unscored("not printed") if value is None else value for value in printed], "published")
    axis.set_title(f"{column.title} ({strategy})", fontsize=9)
    axis.set_xticks(range(len(cells)), [f"{persona[:1]}-{length[:1]}".upper() for persona, length in cells], fontsize=7)
    axis.tick_params(labelsize=7)


def _line(axis: Axes, scores: Sequence[Score], system: str) -> None:
    shown = [(place, score) for place, score in enumerate(scores) if not isinstance(score, Unscored)]
    axis.plot(
        [place for place, _ in shown], [score for _, score in shown], marker="o", markersize=5, linewidth=1,
        color="#444444" if system == "published" else COLOURS.get(system), markerfacecolor=COLOURS.get(system),
        linestyle="--" if system == "published" else "-", label=system,
    )  # fmt: skip


def _told_apart(axis: Axes, rows: Sequence[Row], strategy: str) -> None:
    """What each measure makes of the story and of the baselines, with 95 % intervals."""
    titles = {measure.key: f"{measure.title}\n({measure.group})" for measure in MEASURES}
    systems = ordered((row.key.system for row in rows if row.key.strategy == strategy), SYSTEMS)
    width = 0.8 / max(1, len(systems))
    for number, system in enumerate(systems):
        for place, key in enumerate(TOLD_APART):
            found = interval(strata_of(rows, system, strategy, key), f"{system} {strategy} {key}")
            if isinstance(found, Interval):
                spread = [[max(0.0, found.mean - found.low)], [max(0.0, found.high - found.mean)]]
                axis.bar(
                    place + (number - (len(systems) - 1) / 2) * width, found.mean, width, yerr=spread, capsize=2,
                    color=COLOURS.get(system, "#5d6d7e"), label=system if place == 0 else None,
                )  # fmt: skip
    axis.set_xticks(range(len(TOLD_APART)), [titles[key] for key in TOLD_APART], fontsize=8)
    axis.set_ylabel("%")
    axis.set_ylim(0, 105)
    axis.set_title(f"Which measure tells the story from what nobody should want? ({strategy})", fontsize=9)
