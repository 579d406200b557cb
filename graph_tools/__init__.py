"""The symbolic half of Cuestory: packs, questions, evidence and plans. No language model can be imported here."""

from graph_tools.errors import CuestoryError, InvalidPack
from graph_tools.evidence import EvidencePack, Factlet
from graph_tools.pack import StoryPack
from graph_tools.plan import Beat, BeatPlan, StoryRequest
from graph_tools.planner import plan_story

__all__ = [
    "Beat",
    "BeatPlan",
    "CuestoryError",
    "EvidencePack",
    "Factlet",
    "InvalidPack",
    "StoryPack",
    "StoryRequest",
    "plan_story",
]
