"""`cuestory ...` in a terminal. Results on stdout, talk on stderr; exit 0 done, 1 a check failed, 2 used wrongly.

`tell` and `plan` call the plain functions straight through: no LangGraph, no chat is imported for them.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from contextlib import closing, nullcontext
from functools import wraps
from pathlib import Path
from time import perf_counter, time
from typing import Any, TypeVar

import click

from agent import footnotes, visit
from agent.asking import ask
from agent.audit_commands import audit
from agent.collecting import collect
from agent.commands import (
    OpenGroup,
    one_line,
    open_context,
    open_pack,
    pack_option,
    strategy_option,
    write_nowhere,
)
from agent.context import StoryContext
from agent.graph_commands import check, kg
from agent.library_commands import cqs
from agent.presenter import displayable
from agent.settings import Settings
from agent.sign_off import every_sentence
from agent.story import Story
from agent.tour_commands import tour
from agent.wiring import context_of, model_line, model_narrator
from graph_tools.errors import CuestoryError, InvalidPack, UnknownPersona, nearest
from graph_tools.plan import StoryRequest

Command = TypeVar("Command", bound=Callable[..., Any])


def main() -> None:
    """The entry point: every known failure is one line and an exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # the same bytes in every locale, and never an encoding that cannot
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = cli.main(standalone_mode=False, prog_name="cuestory")  # outside standalone mode click returns it
    except click.Abort:
        code = 130
    except click.ClickException as error:
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "cuestory"
        click.echo(f"cuestory: {one_line(error.format_message())} (see {where} --help)", err=True)
        code = 2
    except InvalidPack as error:
        for problem in error.problems:
            click.echo(one_line(problem), err=True)
        code = 1
    except CuestoryError as error:
        click.echo(f"cuestory: {one_line(error)}", err=True)
        code = 2
    except OSError as error:
        write_nowhere()
        click.echo(f"cuestory: cannot read or write: {one_line(error)}", err=True)
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


@click.group(cls=OpenGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="cuestory")
def cli() -> None:
    """A museum guide that tells only what its knowledge graph can prove.

    Example: cuestory tell --persona emma --length small
    """


def story_options(command: Command) -> Command:
    """Adds what makes a story request, and passes it as `request`."""

    @wraps(command)
    def with_request(persona: str, length: str, strategy: str, seed: int, lang: str, **rest: Any) -> Any:
        if lang != "en":
            raise click.UsageError(f"unknown language {lang!r}; {nearest(lang, ('en',))}")
        request = StoryRequest(persona=persona, length=length, strategy=strategy, seed=seed, lang="en")
        return command(request=request, **rest)

    options = [
        click.option("--persona", default="emma", show_default=True, help="whom it is told to"),
        click.option("--length", default="medium", show_default=True, help="small, medium or long"),
        strategy_option,
        click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="fixes every choice"),
        click.option("--lang", default="en", show_default=True, help="language of the story"),
    ]
    for option in reversed(options):
        with_request = option(with_request)
    return with_request  # type: ignore[return-value]


@cli.command()
@story_options
@pack_option
@click.option("--json", "as_json", is_flag=True, help="the story file, with all evidence")
@click.option("--narrator", default="template", show_default=True, help="who words it: template, or model")
@click.option("--timings", type=click.Path(path_type=Path, dir_okay=False), help="write timings to this file")
@click.option("--audit", "log", type=click.Path(path_type=Path, dir_okay=False), help="write an audit log to this file")
@click.option("--format", "form", type=click.Choice(["text", "markdown", "html"]), default="text", show_default=True,
              help="markdown and html: to take away, with footnotes")  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="every sentence that can be told to the persona, to sign off")
def tell(
    request: StoryRequest,
    pack_dir: Path | None,
    as_json: bool,
    narrator: str,
    timings: Path | None,
    log: Path | None,
    form: str,
    everything: bool,
) -> None:
    """Tell a whole story.

    Example: cuestory tell --persona luca --length long --seed 7
    """
    if everything:
        tell_all(request.persona, pack_dir, as_json)
        return
    if narrator not in ("template", "model"):
        raise click.UsageError(f"unknown narrator {narrator!r}; {nearest(narrator, ['model', 'template'])}")
    for option, file in (("--timings", timings), ("--audit", log)):
        if file is not None and not file.absolute().parent.is_dir():
            raise click.UsageError(f"{option} {str(file)!r}: there is no such directory; make it first")
    if as_json and form != "text":
        raise click.UsageError("--json and --format exclude each other; take one of them")
    started = perf_counter()
    settings = Settings.from_environment()
    line = model_line(settings) if narrator == "model" else None  # before the pack: what is missing is said at once
    pack = open_pack(pack_dir)
    with closing(model_narrator(settings, pack, line)) if line else nullcontext() as model:
        ctx = context_of(pack, settings, model)
        opened = perf_counter()
        story = visit.tell_story(request, ctx) if log is None else _recorded(request, ctx, log)
        told = perf_counter()
    if form != "text":
        click.echo(footnotes.taken_away(story.beats, ctx.pack.title, form), nl=False)
    else:
        click.echo(story.to_json() if as_json else displayable(story.text) + "\n", nl=False)
    if worded := [str(beat.index) for beat in story.beats if beat.by_model]:
        click.echo(
            f"in beat {', '.join(worded)} a language model worded what was proved ({story.narrator.model})", err=True
        )
    for beat in story.beats:
        if beat.status == "suppressed":
            click.echo(f"beat {beat.index} ({beat.step}) suppressed: {beat.suppressed_because}", err=True)
    if timings is not None:
        seconds = {"open_seconds": round(opened - started, 4), "tell_seconds": round(told - opened, 4)}
        timings.write_text(json.dumps(seconds, indent=1) + "\n", encoding="utf-8")


def _recorded(request: StoryRequest, ctx: StoryContext, path: Path) -> Story:
    """The story, each beat written to a new log before the next is told."""
    from agent.audit_file import AuditFile
    from agent.audit_seal import OperatorKey
    from agent.replay import tell_straight

    key = OperatorKey.open(Settings.from_environment().data)
    try:
        log = AuditFile.create(path, key, time)
    except FileExistsError:
        raise click.UsageError(f"--audit {str(path)!r}: a log is never written over; name a new file") from None
    story = tell_straight(request, ctx, lambda told, seconds: log.add([told], seconds))
    log.seal()
    return story


def tell_all(persona: str, pack_dir: Path | None, as_json: bool) -> None:
    """Every sentence that can be told to the persona, under its question: as text, or one JSON object a line."""
    ctx = StoryContext.of(open_pack(pack_dir))
    if persona not in ctx.pack.personas:
        raise UnknownPersona(f"unknown persona {persona!r}; {nearest(persona, ctx.pack.personas)}")
    for question, sentences in every_sentence(persona, ctx):
        if as_json:
            found = {**question.model_dump(), "sentences": sentences}
            click.echo(json.dumps(found, ensure_ascii=False))
        else:
            click.echo(displayable("\n".join([f"{question.question} ({question.cq})", *sentences, ""])))


@cli.command()
@story_options
@pack_option
def plan(request: StoryRequest, pack_dir: Path | None) -> None:
    """Print the beat plan as JSON.

    Example: cuestory plan --persona emma --length medium --strategy kg --seed 7
    """
    planned = visit.plan(request, open_context(pack_dir))
    click.echo(planned.model_dump_json(indent=1))


@cli.command()
@pack_option
@click.option("--host", help="address to listen on (default: HOST or 127.0.0.1)")
@click.option("--port", type=click.IntRange(0, 65535), help="port to listen on (default: PORT or 8000)")
def serve(pack_dir: Path | None, host: str | None, port: int | None) -> None:
    """Start the chat and print its address.

    Example: cuestory serve --port 8000
    """
    from agent.server import serve as run  # the chat is imported only to serve it

    changes = {"pack": pack_dir, "host": host, "port": port}
    given = {name: value for name, value in changes.items() if value is not None}
    settings = Settings.from_environment().model_copy(update=given)
    run(settings.host, settings.port, settings)


cli.add_command(ask)
cli.add_command(audit)
cli.add_command(check)
kg.add_command(collect)
cli.add_command(kg)
cli.add_command(cqs)
cli.add_command(tour)
