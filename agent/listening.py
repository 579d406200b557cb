"""A visitor's own words: read once, by a router that holds no model and asks no query, and then forgotten."""

from __future__ import annotations

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
    try:
        return router.route(text, moment.request.persona, tuple(map(Iri, near)), thread.asked)
    except Exception as error:  # noqa: BLE001 - its message might hold the visitor's words, and would reach the log
        failure = type(error).__name__
    raise NotRead(f"the router failed with {failure}")
