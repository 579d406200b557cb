"""Scores in words: why a choice was made, and why another one was not."""

from __future__ import annotations

from graph_tools.cq import CompetencyQuestion
from graph_tools.persona import Persona
from graph_tools.plan import Reason
from graph_tools.scoring import Score

SAYS = {
    "turn": "its turn has come",
    "continuity": "it hangs together with what stands beside it",
    "novelty": "its facts are new",
    "balance": "the story has had little of it",
    "salience": "it is notable and well attested",
    "interest": "it is what the persona asks for",
    "room": "there is enough to tell",
}
"""What speaks for a choice where the part is high."""
MOST = 3
"""Parts named in words at most."""


def reason(subject: str, score: Score, cq: CompetencyQuestion | None = None, persona: Persona | None = None) -> Reason:
    """Why it was chosen; with a question and a persona, for which of her user stories too."""
    asked = [story for story in persona.stories if story.id in cq.stories] if cq and persona else []
    best = sorted((name for name in score.parts if score.gains[name] > 0), key=lambda name: -score.gains[name])
    said = ", ".join(f"{SAYS[name]} ({score.parts[name]:.2f})" for name in best[:MOST])
    return Reason(
        words=f"{subject}: {said}" if said else subject,
        story=asked[0].id if asked else "",
        wants=asked[0].wants if asked else "",
        scores=dict(score.parts),
        total=score.total,
    )


def because(score: Score, taken: Score) -> str:
    """Why one choice lost against another: the part that it lost most by, or the seed's draw."""
    lost = {name: gain - score.gains[name] for name, gain in taken.gains.items()}
    worst = max(lost, key=lambda name: lost[name])
    if score.total > taken.total or lost[worst] <= 0:
        return "the one that was taken could be told"
    if worst == "noise":
        return "the seed drew the other one"
    return f"less {worst}: {score.parts[worst]:.2f} against {taken.parts[worst]:.2f}"
