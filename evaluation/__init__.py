"""Measurement: how good finished stories are, on the published metrics and on ours. The service never imports it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.frame import Frame
    from evaluation.measures import Measure, measure
    from evaluation.scores import Score, Unscored
    from evaluation.told import ToldStory, read_story

__all__ = ["Frame", "Measure", "Score", "ToldStory", "Unscored", "measure", "read_story"]

_PLACES = {"Frame": "frame", "Measure": "measures", "measure": "measures", "ToldStory": "told", "read_story": "told"}


def __getattr__(name: str) -> Any:
    """A public name on demand: one metric does not need the whole of it."""
    if name in __all__:
        return getattr(import_module(f"evaluation.{_PLACES.get(name, 'scores')}"), name)
    raise AttributeError(f"module 'evaluation' has no attribute {name!r}")
