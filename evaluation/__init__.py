"""Measurement: how good finished stories are, on the published metrics and on ours. The service never imports it."""

from evaluation.frame import Frame
from evaluation.measures import Measure, measure
from evaluation.scores import Score, Unscored
from evaluation.told import ToldStory, read_story

__all__ = ["Frame", "Measure", "Score", "ToldStory", "Unscored", "measure", "read_story"]
