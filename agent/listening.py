"""A visitor's own words: read once, by a router that holds no model and asks no query, and then forgotten."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from agent.errors import NarrationError
from agent.guide import Moment
from graph_tools.outcome import Outcome
from graph_tools.router import Router
from graph_tools.terms import Iri


class NotRead(NarrationError):
    """The words could not be read. Holds none of them."""


def understood(text: str, moment: Moment, router: Router) -> Outcome:
    """What the words ask at this moment of the visit. Raises NotRead."""
    thread = moment.thread
    near = dict.fromkeys([*thread.about, *thread.named, *reversed(thread.mentioned)])
    return _read(text, moment.request.persona, [*map(Iri, near)], thread.asked, router)


def understood_first(text: str, persona: str, router: Router) -> Outcome:
    """What the words ask where nothing was told yet. Raises NotRead."""
    return _read(text, persona, (), (), router)


def _read(text: str, persona: str, near: Sequence[Iri], heard: Collection[str], router: Router) -> Outcome:
    try:
        return router.route(text, persona, tuple(near), heard)
    except Exception as error:  # noqa: BLE001 - its message might hold the visitor's words, and would reach the log
        failure = type(error).__name__
    raise NotRead(f"the router failed with {failure}")
