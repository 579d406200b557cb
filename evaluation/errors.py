"""What can go wrong in a measurement.

CuestoryError (graph_tools.errors)
`- EvaluationError   UnreadableStory  NothingToReport
"""

from __future__ import annotations

from graph_tools.errors import CuestoryError


class EvaluationError(CuestoryError):
    """An evaluation cannot be run or written as asked."""


class UnreadableStory(EvaluationError):
    """A file is not in the format that it should have."""


class NothingToReport(EvaluationError):
    """The directory holds no stories of a grid."""
