"""What the lines of an audit log tell: pure, the same for the same visit, pack and version.

A log begins with `visit` and, but for a tour, `plan`; then `beat`, `offer`, `choice` in the order in which they came
about; then `end`, and the seal (agent.audit_seal).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any, Literal

from agent import visit
from agent.audit_line import FORMAT, Json
from agent.branches import ROOT, Tree
from agent.context import StoryContext
from agent.narrator import Telling
from agent.offer import Choice, Offer
from agent.presenter import UNTOLD, displayable
from agent.story import StoryBeat
from graph_tools.attestation import attestations
from graph_tools.plan import BeatPlan, StoryRequest

Mode = Literal["straight", "visit"]
"""`straight`: the plan from its first beat to its last; `visit`: beat by beat, each one chosen."""


def opened(
    mode: Mode,
    request: StoryRequest,
    ctx: StoryContext,
    name: str,
    *,
    from_start: bool = True,
    tour: str = "",
    asked: str = "",
) -> Json:
    """Who asked for what, which pack it is told from, and by whom. `name`: the visit's digest; "" without a visit.

    `tour`: the name of the tour that the visit is; `asked`: the key of the question that it began with."""
    begins = {key: value for key, value in (("tour", tour), ("asked", asked)) if value}
    return {
        "kind": "visit",
        "format": FORMAT,
        "cuestory": version("cuestory"),
        "mode": mode,
        "visit": name,
        "from_start": from_start,
        "request": request.model_dump(mode="json"),
        "pack": visit.story_of(request, (), ctx).pack.model_dump(mode="json"),
        "narrator": ctx.narrator.card.model_dump(mode="json"),
        "strategies": [[name, label] for name, label in ctx.strategies.items()],
        **begins,
    }


def planned(plan: BeatPlan) -> Json:
    """The plan, with the reason for each beat."""
    return {"kind": "plan", "plan": plan.model_dump(mode="json")}


def told_straight(place: int, beat: StoryBeat, telling: Telling | None, ctx: StoryContext) -> Json:
    """A beat of a story that nobody chose from."""
    return {**_beat(place, beat, telling, ctx), "parent": place - 1}


def told_in(tree: Tree, place: int, telling: Telling | None, ctx: StoryContext) -> Json:
    """The beat at that place of a visit."""
    node, beat = tree.node(place), tree.beat(place)
    way = {"parent": node.parent, "voice": node.voice, "manner": node.manner, "retells": node.retells}
    told = _beat(place, beat, telling, ctx) | way
    if node.retells is not None:
        told["evidence"] = None
    return told


def offered(offer: Offer, at: int, strategy: str) -> Json:
    """What could be chosen at that place; the ids are those that a choice names."""
    return {"kind": "offer", "at": at, "strategy": strategy, "choices": [_choice(choice) for choice in offer.all]}


def chosen(command: Json, offer: Offer, words: str = "") -> Json:
    """What the visitor did. `words`: what they typed, where the operator keeps that."""
    label = next((choice.label for choice in offer.all if choice.id == command.get("choice")), "")
    typed = {"typed": words} if words else {}
    return {"kind": "choice", "command": command, "label": displayable(label), **typed}


def turned(
    tree: Tree,
    new: Sequence[int],
    at: int,
    strategy: str,
    offer: Offer | None,
    tellings: Sequence[Telling | None],
    ctx: StoryContext,
) -> Iterator[Json]:
    """What a turn brought: its new beats, and the offer after them, or the end."""
    worded = {**dict.fromkeys(new), **dict(zip(new, tellings, strict=False))}
    yield from (told_in(tree, place, worded[place], ctx) for place in new)
    yield offered(offer, at, strategy) if offer else ended()


def ended(because: str = "told") -> Json:
    """The end: "told" to it, "begun anew", or "left"."""
    return {"kind": "end", "because": because}


def _beat(place: int, beat: StoryBeat, telling: Telling | None, ctx: StoryContext) -> Json:
    return {
        "kind": "beat",
        "place": place,
        "parent": ROOT,
        "step": beat.step,
        "status": beat.status,
        "suppressed_because": beat.suppressed_because,
        "sentences": [sentence.model_dump(mode="json") for sentence in beat.sentences],
        "shown": [displayable(sentence.text) for sentence in beat.sentences] or [UNTOLD],
        "outline": _outline(telling),
        "answers": [answer.model_dump(mode="json") for answer in telling.answers] if telling else [],
        "evidence": beat.evidence.model_dump(mode="json"),
        "attestations": _attestations(beat, ctx),
    }


def _attestations(beat: StoryBeat, ctx: StoryContext) -> list[str]:
    """What names the things that the sentences rest on, and says where these were read."""
    cited = {id_ for sentence in beat.sentences for id_ in sentence.evidence}
    proof = (line for factlet in beat.evidence.factlets if factlet.id in cited for line in factlet.triples)
    return list(attestations(proof, ctx.pack))


def _outline(telling: Telling | None) -> list[Json]:
    """The messages that were chosen, in order: which telling of which question, over which rows."""
    if telling is None:
        return []
    sayings = [message.saying for message in telling.messages]
    return [
        {"cq": s.cq.id, "telling": s.at, "row": s.row, "factlets": [factlet.id for factlet in s.factlets]}
        for s in sayings
    ]


def _choice(choice: Choice) -> dict[str, Any]:
    told: Json = {"id": choice.id, "label": displayable(choice.label), "kind": choice.kind}
    if choice.tag:
        told["tag"] = choice.tag
    if choice.beat:
        told["questions"] = [question.key for question in choice.beat.questions]
    if choice.to is not None:
        told["to"] = choice.to
    if choice.manner:
        told["manner"] = choice.manner
    return told
