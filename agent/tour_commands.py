"""The terminal's commands about tours: which there are, what is wrong with them, and a walk through one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import click

from agent import touring
from agent.commands import SuggestingGroup, one_line, open_context, pack_option, pack_path, strategy_option
from agent.presenter import displayable
from agent.settings import Settings
from agent.touring import StopTold, TourWalk
from graph_tools.errors import UnknownLength, nearest
from graph_tools.plan import StoryRequest
from graph_tools.tour_beats import WORDS
from graph_tools.tour_walk import Way

QUIT = ("q", "quit")


@click.group(cls=SuggestingGroup)
def tour() -> None:
    """The authored tours.

    Example: cuestory tour walk NAME --persona PERSONA
    """


@tour.command("list")
@pack_option
@click.option("--json", "as_json", is_flag=True, help="as JSON, with every stop")
def list_(pack_dir: Path | None, as_json: bool) -> None:
    """List the tours, with their stops and how long a walk takes.

    Example: cuestory tour list
    """
    ctx = open_context(pack_dir)
    rows = []
    for name, found in ctx.pack.tours.items():
        spans = [ctx.stop_beats(name, persona).minutes("medium") for persona in found.personas]
        least, most = min(span[0] for span in spans), max(span[1] for span in spans)
        rows.append(
            {
                "name": name,
                "title": found.title,
                "tagline": found.tagline,
                "personas": found.personas,
                "minutes": [round(least, 1), round(most, 1)],
                "stops": [{"id": stop.id, "heading": stop.heading} for stop in found.stops],
            }
        )
        if not as_json:
            long = f"{round(least)} to {round(most)}" if round(least) < round(most) else f"{round(most)}"
            click.echo(f"{name}  {displayable(found.title)}")
            click.echo(f"  {displayable(found.tagline)}")
            click.echo(f"  {len(found.stops)} stops, {long} minutes, for {' and '.join(found.personas)}")
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))


@tour.command()
@click.argument("name", required=False)
@pack_option
def check(name: str | None, pack_dir: Path | None) -> None:
    """Check the tours, or one of them: every way through, for every persona, and every fault with its place.

    Example: cuestory tour check
    """
    from graph_tools.checks import check_tours

    problems, walked = check_tours(pack_path(pack_dir), name, cache=Settings.from_environment().own_records)
    for problem in problems:
        click.echo(one_line(problem))
    for tour_name, situations in walked.items():
        click.echo(f"{tour_name}: {situations} situations walked", err=True)
    click.echo(f"{len(problems)} problem{'' if len(problems) == 1 else 's'}" if problems else "no problems", err=True)
    raise click.exceptions.Exit(1 if problems else 0)


@tour.command()
@click.argument("name")
@click.option("--persona", help="whom it is told to (default: the first that the tour is for)")
@click.option("--length", default="medium", show_default=True, help="how much is told at a stop: small, medium or long")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="fixes every choice by chance")
@click.option("--at", default="", metavar="STOP", help="begin at this stop, as a code on the wall does")
@click.option("--auto", is_flag=True, help="let the seed pick the way")
@strategy_option
@pack_option
@click.option("--json", "as_json", is_flag=True, help="the story file of the walk, with all evidence")
def walk(
    name: str,
    persona: str | None,
    length: str,
    seed: int,
    at: str,
    auto: bool,
    strategy: str,
    pack_dir: Path | None,
    as_json: bool,
) -> None:
    """Walk a tour: pick the way on by its number; q ends the walk.

    Example: cuestory tour walk NAME --auto --seed 3
    """
    if length not in WORDS:
        raise UnknownLength(f"unknown length {length!r}; {nearest(length, WORDS)}")
    ctx = open_context(pack_dir)
    chosen = persona or ctx.pack.tours[name].personas[0]

    def tell(text: str) -> None:
        click.echo(text, err=as_json)

    request = StoryRequest(persona=chosen, length=length, strategy=strategy, seed=seed)
    here = touring.start(name, request, ctx, at)
    tell(displayable(ctx.pack.tours[name].title) + "\n")
    _show(here.told[-1], tell)
    while open_ways := touring.ways(here, ctx):
        way = touring.draw(here, open_ways) if auto else _asked(open_ways)
        if way is None:
            break
        tell(f"> {displayable(way.label)}\n")
        here = touring.go(here, way.id, ctx)
        if not here.state.left:
            _show(here.told[-1], tell)
    if as_json:
        click.echo(touring.to_json(here, ctx), nl=False)
    _complain(here)


def _show(stop: StopTold, tell: Callable[[str], None]) -> None:
    """Heading, staging in brackets, what is told, staging."""
    tell(displayable(stop.heading.upper()))
    if stop.say:
        tell(f"[{displayable(stop.say)}]")
    if stop.beat is not None and stop.beat.sentences:
        tell(displayable(" ".join(sentence.text for sentence in stop.beat.sentences)))
    if stop.then:
        tell(f"[{displayable(stop.then)}]")
    tell("")


def _asked(open_ways: tuple[Way, ...]) -> Way | None:
    """The way whose number is typed; None for the end of the walk, or of the input."""
    for number, way in enumerate(open_ways, start=1):
        click.echo(f"  {number}  {displayable(way.label)}", err=True)
    while True:
        click.echo("> ", nl=False, err=True)
        line = sys.stdin.readline()
        typed = line.strip().casefold()
        if not line or typed in QUIT:
            return None
        if typed.isdecimal() and 0 < int(typed) <= len(open_ways):
            return open_ways[int(typed) - 1]
        if not typed and open_ways[-1].kind == "next":
            return open_ways[-1]
        which = "1" if len(open_ways) == 1 else f"a number from 1 to {len(open_ways)}"
        click.echo(f"Type {which}, or q to end the tour.", err=True)


def _complain(here: TourWalk) -> None:
    for stop in here.told:
        if stop.beat is not None and stop.beat.status == "suppressed":
            click.echo(f"stop {stop.stop} suppressed: {stop.beat.suppressed_because}", err=True)
