"""The conversational half of Cuestory: it words evidence and leads a visit. No query can be run here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent.context import StoryContext
from agent.story import Story
from agent.visit import tell_story

if TYPE_CHECKING:
    from agent.machine import build_machine

__all__ = ["Story", "StoryContext", "build_machine", "tell_story"]


def __getattr__(name: str) -> Any:
    """`build_machine` on demand: LangGraph takes two seconds to import, and a told story does without it."""
    if name == "build_machine":
        from agent.machine import build_machine

        return build_machine
    raise AttributeError(f"module 'agent' has no attribute {name!r}")
