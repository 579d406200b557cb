"""What the commands of the terminal share: the pack they open, and the nearest name for one that is mistyped."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from agent.context import StoryContext
from agent.settings import Settings
from agent.wiring import context_of
from graph_tools.errors import nearest
from graph_tools.own_pack import own_pack
from graph_tools.pack import StoryPack
from graph_tools.retrieval import known_strategy

Command = TypeVar("Command", bound=Callable[..., Any])


class SuggestingGroup(click.Group):
    """A group that names the nearest command for one that it does not know."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command, or a usage error that names the nearest ones."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise click.UsageError(f"unknown command {args[0]!r}; {nearest(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Ends calmly where the reader of a pipe has heard enough."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            write_nowhere()
            raise click.exceptions.Exit(0) from None


def one_line(told: object) -> str:
    """What is told, without the line ends that a file name may hold."""
    return " ".join(str(told).splitlines())


def write_nowhere() -> None:
    """Python would try to write at its end what it could not write before, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def pack_option(command: Command) -> Command:
    """Adds `--pack DIR`."""
    text = "story pack (default: the project's own)"
    return click.option("--pack", "pack_dir", type=click.Path(path_type=Path), metavar="DIR", help=text)(command)


def strategy_option(command: Command) -> Command:
    """Adds `--strategy NAME`, one that is known."""
    checked = click.option(
        "--strategy",
        default="kg",
        show_default=True,
        callback=lambda _context, _option, name: known_strategy(name),
        help="where the evidence comes from",
    )
    return checked(command)


def pack_path(pack_dir: Path | None) -> Path:
    """The directory that was asked for, else the one of the settings, else the project's own pack."""
    return pack_dir or Settings.from_environment().pack or own_pack()


def open_pack(pack_dir: Path | None) -> StoryPack:
    """That pack. Raises PackNotFound, InvalidPack."""
    settings = Settings.from_environment()
    return StoryPack.open(pack_path(pack_dir), cache=settings.own_records, today=settings.day)


def open_context(pack_dir: Path | None) -> StoryContext:
    """What stories of that pack are told with. Raises PackNotFound, InvalidPack."""
    return context_of(open_pack(pack_dir), Settings.from_environment())
