"""What can go wrong in the conversational half.

CuestoryError (graph_tools.errors)
`- NarrationError   UnknownChoice  ModelUnavailable  MalformedReply  NoModel
"""

from __future__ import annotations

from graph_tools.errors import CuestoryError


class NarrationError(CuestoryError):
    """A beat cannot be told or chosen as asked."""


class UnknownChoice(NarrationError):
    """The choice is not among those on offer now: forged, repeated or from an earlier offer."""


class ModelUnavailable(NarrationError):
    """No finished answer came from the language model: an outage, a refusal, a budget, a limit of time."""


class MalformedReply(NarrationError):
    """The language model's answer is not what it was asked for."""


class NoModel(NarrationError):
    """No language model is configured, or its package or key is missing."""
