"""Choices that tell nothing new: the last beat in another way, the way back to an earlier one, other strategies."""

from __future__ import annotations

from agent.branches import Tree
from agent.context import StoryContext
from agent.offer import Choice
from agent.retelling import LONGER, SHORTER, Spoken, manners
from agent.thread import Thread
from graph_tools.plan import StoryRequest

MOST_BACK = 12
"""Earlier beats in the menu at most."""
LABELS = {SHORTER: "Tell it shorter", LONGER: "Tell it longer"}


def spoken(tree: Tree, at: int) -> Spoken:
    """The beat at that place as it was told there."""
    return Spoken(tree.beat(at), tree.node(at).voice, tree.thread(tree.node(tree.origin(at)).parent))


def again(tree: Tree, at: int, now: Thread, ctx: StoryContext) -> tuple[Choice, ...]:
    """Other ways to tell the beat at that place."""
    return tuple(
        Choice(
            id=f"as-{manner}",
            label=LABELS.get(manner) or f"Tell it to {ctx.pack.personas[manner].name}",
            kind="retell",
            manner=manner,
        )
        for manner in manners(spoken(tree, at), now, ctx)
    )


def back(tree: Tree, at: int) -> tuple[Choice, ...]:
    """The beats on the way here, the newest first, then the ends of branches that were left."""
    here = tree.path(at)
    before = [place for place in reversed(here) if tree.origin(place) == place and place != tree.origin(at)]
    left = [place for place in reversed(tree.ends()) if place not in here and tree.origin(place) not in before]
    told = [place for place in (*before, *left) if tree.node(place).beat["status"] == "told"]
    return tuple(
        Choice(id=f"b{place}", label=f"Back to: {tree.heading(place)}", kind="rewind", to=place)
        for place in told[:MOST_BACK]
    )


def from_here(request: StoryRequest, ctx: StoryContext) -> tuple[Choice, ...]:
    """The strategies that what comes next can be told from instead."""
    return tuple(
        Choice(id=f"by-{name}", label=label, kind="strategy", manner=name)
        for name, label in ctx.strategies.items()
        if name != request.strategy
    )
