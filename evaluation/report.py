"""REPORT.md: what a grid found, from its scores and its run.json alone. The same scores give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation import published, tables
from evaluation.measures import MEASURES
from evaluation.results import STRATEGIES, Row, ordered

BASELINES_SAID = """\
**copier** prints all its evidence; **shuffled** deals the story's own sentences anew over its beats, under notes that
are not theirs; **exchanged** swaps the story's figures, titles and names for others of the same story, so that nearly
every sentence is false. A measure on which one of them comes near the story, or goes past it, does not tell a good
story from that. What each number does and does not tell is written in docs/evaluation.md."""

ALIKE = """\
On the same persona, length and seed. A measure on which no pair differs is left out. d_z: the mean difference in
standard deviations of the differences; "higher in": the share of pairs in which the first is higher, ties half."""


def report(rows: Sequence[Row], manifest: Mapping[str, Any], plots: Sequence[str], why_no_plots: str) -> str:
    """The report as Markdown. `plots`: files below the report; `why_no_plots`: the reason where there are none."""
    strategies = ordered((row.key.strategy for row in rows), STRATEGIES)
    parts = ["# Evaluation", "\n".join([*_facts(manifest, strategies), *_unheard(rows, manifest)]), BASELINES_SAID]
    for table in published.tables():
        parts += [f"## Table {table.number}: {table.caption}", _origin(table, manifest)]
        parts.append(tables.paper_table(table, rows))
    ours = [measure for measure in MEASURES if measure.group == "ours"]
    printed = [measure for measure in MEASURES if measure.group == "printed"]
    for strategy in strategies:
        parts += [f"## Our own measures: {strategy}", "Means with 95 % intervals (bootstrap over stories)."]
        parts.append(tables.own_table(rows, strategy, ours))
    for strategy in strategies:
        parts += [
            f"## The paper's formulas as printed: {strategy}",
            "Section 5.1. No table of the paper reports these.",
        ]
        parts.append(tables.own_table(rows, strategy, printed))
    compared = tables.strategy_table(rows)
    parts += [
        "## Strategies compared",
        f"{ALIKE}\n\n{compared}" if compared else "There is only one strategy to compare.",
    ]
    parts += ["## Stories against the baselines made of them", ALIKE, tables.baseline_table(rows)]
    missing = "\n".join(tables.gaps(rows)) or "Everything could be scored."
    parts += ["## What could not be scored", f"It stands as a dash, and is in no mean.\n\n{missing}\n"]
    shown = "\n\n".join(f"![{name.rpartition('/')[2].removesuffix('.png')}]({name})" for name in plots)
    parts += ["## Plots", (shown or f"There are none: {why_no_plots}.") + "\n"]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _unheard(rows: Sequence[Row], manifest: Mapping[str, Any]) -> list[str]:
    """For stories that a model worded: in how many of its sentences it was not heard."""
    if manifest["narrator"]["kind"] == "template":
        return []
    share = tables.figure(tables.mean_of(rows, "cuestory", "own_wording"), 1)
    return [f"- sentences in the museum's own wording, where the model was not heard: {share} % (mean over stories)"]


def _facts(manifest: Mapping[str, Any], strategies: Sequence[str]) -> list[str]:
    pack, narrator = manifest["pack"], manifest["narrator"]
    runs = ", ".join(f"{count} for {persona}" for persona, count in manifest["runs"].items())
    worded = narrator["kind"] + (f" ({narrator['model']})" if narrator["model"] else "")
    return [
        f"- {len(manifest['stories'])} stories: {', '.join(manifest['personas'])};"
        f" {', '.join(manifest['lengths'])}; {', '.join(strategies)};"
        f" runs in each configuration: {runs} (seeds from 0)",
        f"- narrator: {worded}; Cuestory {manifest['cuestory']}; protocol: {manifest['protocol']}",
        f"- pack {pack['name']} {pack['version']}: graph `{pack['kg_digest']}`, questions `{pack['cqs_digest']}`,"
        f" snippets `{pack['snippets_digest']}`",
        "- `run.json` has the digest of every story file; the same seeds, digests and version give the same files",
    ]


def _origin(table: published.Table, manifest: Mapping[str, Any]) -> str:
    return (
        f"Published: {table.place}, stories worded by {published.narrator()}. Ours: the same measures, rebuilt from the"
        f" published evaluator, on stories by the {manifest['narrator']['kind']} narrator from another graph."
        " The difference (ours - published) is therefore one of whole systems."
    )
