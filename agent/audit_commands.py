"""The terminal's commands about what was told: show, check, export and wipe audit logs."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agent.audit_log import open_log
from agent.audit_seal import public_key
from agent.commands import SuggestingGroup, one_line, open_context, pack_option
from agent.errors import NotALog
from agent.presenter import displayable
from agent.recorded import reading
from agent.settings import Settings

if TYPE_CHECKING:
    from agent.audit_check import Report

log_file = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.group(cls=SuggestingGroup)
def audit() -> None:
    """What was told, from which facts, by which query: replayed, checked and signed.

    Example: cuestory audit verify visit.jsonl
    """


@audit.command()
@click.argument("files", type=log_file, nargs=-1, required=True)
@pack_option
@click.option(
    "--key", default="", metavar="HEX", help="the operator's public key (default: that of this data directory)"
)
@click.option("--json", "as_json", is_flag=True, help="as JSON")
def verify(files: tuple[Path, ...], pack_dir: Path | None, key: str, as_json: bool) -> None:
    """Check the chain and the seal, tell the story again, and name sentences that the graph proves no longer.

    Example: cuestory audit verify visit.jsonl
    """
    from agent.audit_check import verify as check
    from agent.grounding import Gate
    from graph_tools.staleness import Standing

    ctx = open_context(pack_dir)
    standing, gate = Standing(ctx.pack.graph), Gate(ctx.pack)
    known = key or public_key(Settings.from_environment().data)
    failed, rows = False, []
    for file in files:
        try:
            with reading(file):
                report = check(open_log(file), ctx, known, gate, standing)
        except NotALog as error:
            failed = True
            rows.append({"file": str(file), "holds": False, "faults": [one_line(error)]})
            if not as_json:
                click.echo(f"{file}: {one_line(error)}")
            continue
        failed |= not report.holds
        rows.append(_row(file, report))
        if not as_json:
            _tell(file, report)
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
    raise click.exceptions.Exit(1 if failed else 0)


def _row(file: Path, report: Report) -> dict[str, object]:
    return {
        "file": str(file),
        "holds": report.holds,
        "state": report.log.state,
        "key": report.log.key,
        "lines": len(report.log.lines),
        "replayed": report.replayed,
        "sentences": report.sentences,
        "faults": list(report.faults),
        "notes": list(report.notes),
        "unproved": [asdict(sentence) for sentence in report.unproved],
        "recounted": [sentence._asdict() for sentence in report.recounted],
    }


def _tell(file: Path, report: Report) -> None:
    state = {"sealed": "sealed", "incomplete": "INCOMPLETE", "tampered": "TAMPERED WITH"}[report.log.state]
    verdict = "holds" if report.holds else "does not hold"
    told = f"{report.replayed} told again byte for byte" if report.replayed else "none told again"
    click.echo(f"{file}: {verdict}; {state}; {len(report.log.lines)} lines, {told}; {report.sentences} sentences")
    for line in (*report.faults, *(f"({note})" for note in report.notes)):
        click.echo(f"  {displayable(one_line(line))}")
    for sentence in report.unproved:
        click.echo(f"  no longer proved, beat {sentence.place}: {displayable(sentence.text)}")
        for statement in sentence.gone:
            click.echo(f"    gone:    {displayable(statement)}")
        for statement in sentence.instead:
            click.echo(f"    instead: {displayable(statement)}")
    for place, text, cq, before, now in report.recounted:
        click.echo(f"  told over {before} rows of {cq}, which has {now} now, beat {place}: {displayable(text)}")


@audit.command()
@click.argument("file", type=log_file)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="OUT",
    help="write a page that needs nothing else",
)
def show(file: Path, html: Path | None) -> None:
    """Show a log to people: the story, and for each sentence its facts, its sources and its query.

    Example: cuestory audit show visit.jsonl --html visit.html
    """
    from agent.audit_show import page, text

    with reading(file):
        told = (text if html is None else page)(open_log(file))
    if html is None:
        click.echo(told, nl=False)
    else:
        html.write_text(told, encoding="utf-8")
        click.echo(str(html))


@audit.command()
@click.argument("file", type=log_file)
def lint(file: Path) -> None:
    """Count the six failure modes in a log or a story file, each with its sentence; exit 1 where there is one.

    Example: cuestory audit lint visit.jsonl
    """
    from agent.defects import KINDS, Spoken, defects
    from agent.recorded import read_told
    from agent.story import StoryBeat

    with reading(file):
        beats = [
            StoryBeat(index=b.place, step=b.step, status="told", sentences=b.sentences, evidence=b.evidence)
            for b in read_told(file)
            if b.sentences
        ]
    found = defects(Spoken.of(beat) for beat in beats)
    for kind in KINDS:
        click.echo(f"{sum(defect.kind == kind for defect in found):>4}  {kind}")
    for defect in found:
        beat = beats[defect.beat]
        said = displayable(beat.sentences[defect.sentence].text)
        click.echo(f"beat {beat.index}, {defect.kind} ({displayable(defect.what)}): {said}")
    raise click.exceptions.Exit(1 if found else 0)


@audit.command()
@click.argument("file", type=log_file)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="write it there instead")
def export(file: Path, out: Path | None) -> None:
    """Print a log as RDF, to be loaded beside the graph: from each sentence to its statements and their sources.

    Example: cuestory audit export visit.jsonl --out visit.ttl
    """
    from agent.recorded import record_of
    from graph_tools.provenance import story_turtle

    log = open_log(file)
    if log.state == "tampered":
        click.echo(f"{file} was tampered with: {log.fault}; nothing of it is exported", err=True)
        raise click.exceptions.Exit(1)
    with reading(file):
        turtle = story_turtle(record_of(log))
    if out is None:
        click.echo(turtle, nl=False)
    else:
        out.write_bytes(turtle)
        click.echo(str(out))


@audit.command()
def key() -> None:
    """Print the public key that seals are checked with.

    Example: cuestory audit key
    """
    from agent.audit_seal import OperatorKey

    click.echo(OperatorKey.open(Settings.from_environment().data).public)


@audit.command()
@click.argument("visit")
def wipe(visit: str) -> None:
    """Wipe a visit, named by its digest or by one of its logs: none of its words remain in any file of the service.

    Example: cuestory audit wipe audits/0f3c-001.jsonl
    """
    path = Path(visit)
    settings, name = Settings.from_environment(), visit
    if path.is_file():
        name = str(open_log(path).head["visit"])
        settings = settings.model_copy(update={"audit": path.absolute().parent})
    if not name:
        raise click.UsageError(
            f"{visit} is the log of a story told in a terminal, which is kept nowhere else; delete it"
        )
    from agent.wiring import wiped

    found = asyncio.run(wiped(name, settings))
    click.echo(f"wiped: {'the visit' if found.kept else 'no visit was kept'}, {found.logs} logs")
    raise click.exceptions.Exit(0 if found.kept or found.logs else 1)
