"""What a score needs besides the story: the pack's personas and themes, and the models that this installation has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.embedding import Embedder, installed_embedder
from evaluation.metrics.fit import Spans
from evaluation.metrics.proved import Judge, judge_of
from evaluation.scores import Unscored
from graph_tools.pack import StoryPack


@dataclass(frozen=True)
class Frame:
    """Without a pack, what depends on one could not be scored."""

    spans: Spans = field(default_factory=dict)
    longest: Mapping[str, int] = field(default_factory=dict)
    """Persona -> words of its longest sentence."""
    themes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Competency question -> its themes."""
    embedder: Embedder | Unscored = field(default_factory=installed_embedder)
    judge: Judge | Unscored = field(default_factory=lambda: judge_of(None))

    @classmethod
    def of(cls, pack: StoryPack) -> Frame:
        """The frame of a pack."""
        return cls(
            {(who, length): arc.words for who, arcs in pack.arcs.arcs.items() for length, arc in arcs.items()},
            {persona.id: persona.max_words for persona in pack.personas.values()},
            {cq_id: template.cq.themes for cq_id, template in pack.library.items()},
            judge=judge_of(pack),
        )
