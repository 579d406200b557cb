"""The terminal's commands about the competency questions: one of them, all of them, and whom they are answered for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agent import visit
from agent.commands import SuggestingGroup, open_context, open_pack, pack_option, strategy_option
from agent.presenter import displayable
from graph_tools.errors import nearest
from graph_tools.evidence import Value
from graph_tools.plan import Question
from graph_tools.terms import Iri
from graph_tools.wording import wording

if TYPE_CHECKING:
    from graph_tools.checks import Cell


@click.group(cls=SuggestingGroup)
def cqs() -> None:
    """The competency questions.

    Example: cuestory cqs run ID --bind PARAMETER=ENTITY
    """


@cqs.command("list")
@pack_option
@click.option("--json", "as_json", is_flag=True, help="as JSON")
def list_(pack_dir: Path | None, as_json: bool) -> None:
    """List the questions.

    Example: cuestory cqs list
    """
    pack = open_pack(pack_dir)
    questions = [pack.library[cq_id].cq for cq_id in sorted(pack.library)]
    if as_json:
        rows = [
            {
                "id": cq.id,
                "question": cq.question,
                "parameters": sorted(cq.parameters),
                "themes": cq.themes,
                "stands_for": cq.stands_for,
            }
            for cq in questions
        ]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    for cq in questions:
        click.echo(f"{cq.id:9} {cq.question}")


@cqs.command()
@click.argument("cq_id")
@pack_option
@click.option("--json", "as_json", is_flag=True, help="as JSON")
def show(cq_id: str, pack_dir: Path | None, as_json: bool) -> None:
    """Show one question: its header and its query.

    Example: cuestory cqs show ID
    """
    pack = open_pack(pack_dir)
    template = pack.library.find(cq_id)
    if as_json:
        click.echo(json.dumps(template.cq.model_dump() | {"query": template.query}, ensure_ascii=False, indent=1))
    else:
        click.echo((pack.root / template.file).read_text(encoding="utf-8"), nl=False)


@cqs.command()
@click.argument("cq_id")
@click.option("--bind", "binds", multiple=True, metavar="NAME=ENTITY", help="a parameter and its entity: IRI or name")
@strategy_option
@pack_option
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="settles what is left to chance")
@click.option("--json", "as_json", is_flag=True, help="the evidence pack as JSON")
@click.option(
    "--draw", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="draw the walk of graph: *.svg"
)
def run(
    cq_id: str,
    binds: tuple[str, ...],
    strategy: str,
    pack_dir: Path | None,
    seed: int,
    as_json: bool,
    draw: Path | None,
) -> None:
    """Run one question and print its evidence.

    Example: cuestory cqs run ID --bind PARAMETER=ENTITY
    """
    ctx = open_context(pack_dir)
    pack = ctx.pack
    cq = pack.library.find(cq_id).cq
    pairs = [_pair(text) for text in binds]
    given = dict(pairs)
    if len(given) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise click.UsageError(f"--bind {twice} is given twice; bind each parameter once")
    unknown = sorted(set(given) - set(cq.parameters))
    if unknown:
        raise click.UsageError(f"{cq.id} has no parameter {unknown[0]!r}; {nearest(unknown[0], cq.parameters)}")
    bindings = {name: pack.entities.find(text, Iri(cq.parameters[name].type)).value for name, text in given.items()}
    for name in cq.parameters:
        if name in pack.defaults:
            bindings.setdefault(name, pack.defaults[name].value)
    question = Question(cq=cq.id, question=cq.question, bindings=dict(sorted(bindings.items())))
    evidence = visit.ask(question, ctx, strategy, seed)
    if draw is not None:
        from graph_tools.walk_drawing import subgraph

        values = {name: Value(kind="iri", value=iri) for name, iri in bindings.items()}
        title = wording(cq.question, cq.slots).render([values], ctx.plain_voice)
        subgraph(title, evidence, pack.entities).write(draw)
    if as_json:
        click.echo(evidence.model_dump_json(indent=1))
        return
    for factlet in evidence.factlets:
        click.echo(displayable(f"[{factlet.id}] {factlet.text}"))
    asked = evidence.questions[0]
    cut = f", {len(evidence.factlets)} of them used" if asked.truncated else ""
    click.echo(f"{asked.total_rows} rows{cut}", err=True)


@cqs.command()
@pack_option
@click.option("--json", "as_json", is_flag=True, help="every question with every choice of entities, as JSON")
@click.option("--draw", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="draw it: *.svg or *.png")
def coverage(pack_dir: Path | None, as_json: bool, draw: Path | None) -> None:
    """Ask every question about everything that it can be asked about, and count the answers.

    Of each question: answered, of those that it applies to; in brackets, all of the class. --json lists those beyond,
    which are answered though the question was not meant for them.

    Example: cuestory cqs coverage --draw matrix.svg
    """
    from graph_tools.checks import coverage as cover

    pack = open_pack(pack_dir)
    found = cover(pack)
    if draw is not None:
        from graph_tools.matrix_drawing import draw_matrix

        draw_matrix(found, pack).write(draw)
    if as_json:
        rows = [
            {
                "id": covered.id,
                "answered": covered.answered,
                "applicable": covered.applicable,
                "of": len(covered.cells),
                "beyond": [_bound(cell) for cell in covered.beyond],
                "cells": [
                    {
                        "bindings": _bound(cell),
                        "applies": cell.applies,
                        "rows": cell.rows,
                        "missing": cell.missing or None,
                    }
                    for cell in covered.cells
                ],
            }
            for covered in found
        ]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    for covered in found:
        parameters = pack.library[covered.id].cq.parameters
        shown = [f"{name}: {p.applies_to}" if p.applies_to else name for name, p in sorted(parameters.items())]
        counts = f"{covered.answered:>5} of {covered.applicable:<5} {covered.share:>5.0%}"
        told = ", ".join(shown) or "no parameter"
        click.echo(f"{covered.id:9} {counts}  ({len(covered.cells)} of the class)  {told}")


@cqs.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@pack_option
@click.option("--json", "as_json", is_flag=True, help="the files written, as JSON")
def export(folder: Path, pack_dir: Path | None, as_json: bool) -> None:
    """Write the library as RDF (library.ttl), as a table (library.csv) and as plain queries (queries/*.rq).

    Example: cuestory cqs export DIR
    """
    from graph_tools.export import write_library

    written = [path.as_posix() for path in write_library(open_pack(pack_dir), folder)]
    click.echo(json.dumps({"files": written}, ensure_ascii=False, indent=1) if as_json else "\n".join(written))


def _bound(cell: Cell) -> dict[str, str]:
    return {name: iri.value for name, iri in sorted(cell.bindings.items())}


def _pair(text: str) -> tuple[str, str]:
    name, equals, entity = text.partition("=")
    if not (name and equals and entity):
        raise click.UsageError(f"--bind takes NAME=ENTITY, not {text!r}")
    return name.strip(), entity.strip()
