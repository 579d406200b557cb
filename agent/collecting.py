"""`cuestory kg collect`: asks the services, keeps the difference, and writes what was accepted of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import click

from agent.commands import pack_option, pack_path
from agent.presenter import displayable
from agent.settings import Settings
from graph_tools.errors import ServiceUnavailable, StaleReview, nearest

REVIEW = "differences"


@click.command()
@pack_option
@click.option("--source", help="ask only this service: musicbrainz or wikidata")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="keep the difference here, to review it")
@click.option("--apply", "apply_", is_flag=True, help="write what was accepted in --out; asks no service")
@click.option("--contact", help="your e-mail or web address, which both services ask for (default: CUESTORY_CONTACT)")
@click.option("--json", "as_json", is_flag=True, help="the difference as JSON")
def collect(
    pack_dir: Path | None, source: str | None, out: Path | None, apply_: bool, contact: str | None, as_json: bool
) -> None:
    """Compare the source tables with MusicBrainz and Wikidata; write what a curator accepts.

    Nothing is written but DIR/differences.json and DIR/differences.txt. Set "accept" to true in the JSON where the
    service is right, then run it again with --apply.

    Example: cuestory kg collect --source musicbrainz --contact you@museum.example --out review
    """
    settings = Settings.from_environment()
    root = pack_path(pack_dir)
    if apply_ and out is None:
        raise click.UsageError("--apply needs --out DIR with the reviewed differences.json")
    if apply_ and out is not None:
        _apply(root, out)
    else:
        _ask(root, settings, source, contact or settings.contact, out, as_json=as_json)


def _ask(
    pack_dir: Path, settings: Settings, source: str | None, contact: str, out: Path | None, *, as_json: bool
) -> None:
    """Prints the difference, and keeps it in `out` as JSON and text. Exit code 1 where a service is out."""
    from graph_tools.collect import SERVICES, addresses, load_recipe
    from graph_tools.collect import collect as ask
    from graph_tools.collect.cache import Cache
    from graph_tools.collect.web import Web, checked_contact, pauses  # the only import of a network client

    if source is not None and source not in SERVICES:
        raise click.UsageError(f"unknown source {source!r}; {nearest(source, SERVICES)}")
    if not contact:
        raise click.UsageError(
            "no contact: MusicBrainz and Wikidata ask for an e-mail or web address of whoever asks them; "
            "give it with --contact or CUESTORY_CONTACT"
        )
    recipe, _ = load_recipe(pack_dir)
    cache = Cache(settings.fetched, timedelta(days=recipe.keep_days))
    services = [name for name in SERVICES if source in (None, name)]
    with Web(checked_contact(contact), pauses(addresses(recipe)), cache) as web:
        try:
            review = ask(pack_dir, services, web)
        except ServiceUnavailable as error:
            click.echo(f"cuestory: {error}", err=True)
            click.echo("what was answered is kept; the same command goes on from there", err=True)
            raise click.exceptions.Exit(1) from None
        asked = web.requests
    click.echo(review.to_json() if as_json else displayable(review.to_text()), nl=False)
    click.echo(f"{review.summary}; {asked} requests", err=True)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{REVIEW}.json").write_text(review.to_json(), encoding="utf-8")
        (out / f"{REVIEW}.txt").write_text(review.to_text(), encoding="utf-8")
        click.echo(f'set "accept" to true in {out / REVIEW}.json where they are right, then use --apply', err=True)


def _apply(pack_dir: Path, out: Path) -> None:
    """Writes what is accepted in `out` and names the files. Exit code 1 where the tables have changed since."""
    from graph_tools.collect import accept, read_review

    review = read_review(out / f"{REVIEW}.json")
    try:
        changed = accept(pack_dir, review)
    except StaleReview as error:
        click.echo(f"cuestory: {error}", err=True)
        raise click.exceptions.Exit(1) from None
    for path in changed:
        click.echo(str(path))
    accepted = sum(proposal.accept for proposal in (*review.changes, *review.new_rows))
    follow = "; now run cuestory kg build" if changed else ": nothing was written"
    click.echo(f"{accepted} accepted{follow}", err=True)
