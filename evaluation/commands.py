"""`cuestory evaluate ...`: the grid, its report, and the stories of other systems on the same measures."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from agent.commands import SuggestingGroup, open_context, open_pack, pack_option
from evaluation import checkers, plots, published, results, tables
from evaluation import grid as grids
from evaluation.adapter import FORMATS, read_stories
from evaluation.errors import EvaluationError
from evaluation.frame import Frame
from evaluation.importers.rated import read_rated
from evaluation.measures import MEASURES, measure
from evaluation.ratings import agreement
from evaluation.report import report as written
from evaluation.results import Row
from graph_tools.errors import nearest
from graph_tools.retrieval import strategies


def _jobs(command: Any) -> Any:
    text = "processes (default: one for each core)"
    return click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1, help=text)(command)


@click.group(cls=SuggestingGroup, invoke_without_command=True)
@click.option("--runs", default=20, show_default=True, type=click.IntRange(min=1), help="stories in each configuration")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="directory to write to (needed to run)")
@click.option("--personas", default="", help="comma-separated; default: all of the pack")
@click.option("--lengths", default="", help="comma-separated; default: all that they have")
@click.option("--strategies", "asked", default="", help="comma-separated; default: all that there are")
@click.option("--narrator", default="template", show_default=True, help="who words the stories")
@click.option("--protocol", type=click.Choice(["ours", "paper"]), default="ours", show_default=True,
              help="paper: 20 runs for Emma, 5 for Luca, whatever --runs says")  # fmt: skip
@_jobs
@pack_option
def evaluate(out: Path | None, pack_dir: Path | None, jobs: int, **asked: Any) -> None:
    """Tell a grid of stories and score them, beside the published figures and three baselines.

    Example: cuestory evaluate --runs 20 --out results
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    if out is None:
        raise click.UsageError("say where to write: --out DIR")
    planned = _grid(pack_dir, **asked)
    total = sum(planned.runs[persona] for persona in planned.personas) * len(planned.lengths) * len(planned.strategies)
    found, kept = _collected(grids.run(planned, out, jobs), total, "telling and scoring")
    if kept:
        click.echo(f"kept {kept} of {total} story files", err=True)
    _write(found, out)


@evaluate.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@_jobs
@pack_option
def report(directory: Path, jobs: int, pack_dir: Path | None) -> None:
    """Score the stories of a grid again and write its report anew, without telling any.

    Example: cuestory evaluate report results
    """
    total = grids.stories(directory)
    found, _ = _collected(grids.rescore(directory, pack_dir, jobs), total, "scoring")
    _write(found, directory)


@evaluate.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--as", "form", type=click.Choice(sorted(FORMATS)), default="stories", show_default=True,
              help="what the file is: stories with evidence (JSONL), or a WebNLG corpus (XML, JSON)")  # fmt: skip
@pack_option
def score(file: Path, form: str, pack_dir: Path | None) -> None:
    """Score stories of other systems, or sentences beside triples, and print the means of each system.

    Example: cuestory evaluate score stories.jsonl
    """
    frame = Frame.of(open_pack(pack_dir))
    rows = [Row(story.key, measure(story, frame)) for story in read_stories(file, form)]
    systems = results.ordered((row.key.system for row in rows), ())
    head = ["Measure", "Kind", *(f"{system} ({sum(row.key.system == system for row in rows)})" for system in systems)]
    body = [
        [
            one.title,
            one.group,
            *(tables.figure(tables.mean_of(rows, system, one.key), one.decimals) for system in systems),
        ]
        for one in MEASURES
    ]
    click.echo(tables.markdown(head, body) + "\n" + "\n".join(tables.gaps(rows)))


@evaluate.command()
@click.option("--seed", default=7, show_default=True, help="of the sample and of the mutations")
@click.option("--answers", default=1, show_default=True, type=click.IntRange(min=1), help="of each question")
@click.option("--each", default=2, show_default=True, type=click.IntRange(min=1), help="sentences of each answer")
@click.option("--json", "as_json", is_flag=True, help="shares from 0 to 1, with all that it takes to do it again")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="file to write the same JSON to")
@pack_option
def mutations(seed: int, answers: int, each: int, as_json: bool, out: Path | None, pack_dir: Path | None) -> None:
    """How many false sentences of each kind the measures of sentences stop, and how many true ones.

    Example: cuestory evaluate mutations --seed 7
    """
    ctx = open_context(pack_dir)
    found = checkers.shares(list(checkers.tried(ctx, seed, answers=answers, each=each)))
    digests = {"kg_digest": ctx.pack.digests.kg, "cqs_digest": ctx.pack.digests.cqs}
    pack = {"name": ctx.pack.name, "version": ctx.pack.version, **digests}
    asked = {"seed": seed, "answers": answers, "each": each}
    document = {"format": checkers.FORMAT, "cuestory": version("cuestory"), "pack": pack, **asked, "stopped": found}
    text = json.dumps(document, ensure_ascii=False, indent=1)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text + "\n", encoding="utf-8")
    click.echo(text if as_json else checkers.table(found), nl=as_json)


@evaluate.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--good", type=float, help="a text counts as good from this rating on (default: above the median)")
def ratings(file: Path, good: float | None) -> None:
    """How far each measure agrees with people: Spearman's rho and AUROC against their ratings.

    Example: cuestory evaluate ratings rated.jsonl --good 4
    """
    click.echo(agreement(read_rated(file), Frame(), good), nl=False)


def _grid(pack_dir: Path | None, personas: str, lengths: str, asked: str, **rest: Any) -> grids.Grid:
    grids.known_narrator(rest["narrator"])
    arcs = open_pack(pack_dir).arcs.arcs
    who = _chosen(personas, list(arcs), "persona")
    long = _chosen(lengths, [length for length in arcs[who[0]] if all(length in arcs[one] for one in who)], "length")
    how = _chosen(asked, list(strategies()), "strategy")
    runs = dict.fromkeys(who, rest["runs"])
    if rest["protocol"] == "paper":
        runs = {persona: published.runs().get(persona, rest["runs"]) for persona in who}
    return grids.Grid(who, long, how, runs, rest["narrator"], pack_dir, rest["protocol"])


def _chosen(asked: str, known: Sequence[str], what: str) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(part.strip() for part in asked.split(",") if part.strip())) or tuple(known)
    for name in chosen:
        if name not in known:
            raise click.UsageError(f"unknown {what} {name!r}; {nearest(name, known)}")
    return chosen


def _collected(parts: Iterable[grids.Done], total: int, label: str) -> tuple[list[Row], int]:
    rows: list[Row] = []
    kept = 0
    with click.progressbar(length=total, label=label, file=sys.stderr) as bar:
        for part in parts:
            rows += part.rows
            kept += part.kept
            bar.update(len(part.digests))
    return results.in_order(rows), kept


def _write(rows: Sequence[Row], out: Path) -> None:
    if not rows:
        raise EvaluationError("no story was told, so that there is nothing to report")
    results.write(rows, out)
    reason = plots.why_not()
    drawn = [] if reason else plots.draw(rows, out)
    (out / "REPORT.md").write_text(written(rows, grids.read_manifest(out), drawn, reason), encoding="utf-8")
    if reason:
        click.echo(f"no plots: {reason}", err=True)
    click.echo(str(out / "REPORT.md"))
