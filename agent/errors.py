"""What can go wrong in the conversational half.

CuestoryError (graph_tools.errors)
`- NarrationError   UnknownChoice
"""

from __future__ import annotations

from graph_tools.errors import CuestoryError


class NarrationError(CuestoryError):
    """A beat cannot be told or chosen as asked."""


class UnknownChoice(NarrationError):
    """The choice is not among those on offer now: forged, repeated or from an earlier offer."""
