"""A model that lies in every way it can: what reaches a visitor."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from agent import visit
from agent.adversary import AdversaryChatModel
from agent.breaker import Breaker
from agent.budget import Budget, Limits, Spent
from agent.context import StoryContext
from agent.lies import HONEST, KINDS, SPOILED, WHOLE, Request, told
from agent.model_line import ModelLine
from agent.model_narrator import ChatModelNarrator
from agent.narrator import Brief, Telling
from agent.phrasebook import Phrasebook
from agent.thread import Thread
from graph_tools.grounding import Gate
from graph_tools.plan import StoryRequest

PLENTY = Spent(10**6, 10**9)
FORM = (
    "link invented", "bare address", "ids leaked", "Markdown image", "Markdown heading", "HTML", "variable leaked",
    "direction reversed", "instruction obeyed", "another language",
)  # fmt: skip
"""No sentence of a visitor's looks like this: never shown, whatever the evidence."""
CLAIMS = (
    "object swapped", "negated", "number changed", "date changed", "time changed", "entity added",
    "hedge dropped", "all for some", "only for some", "cause added", "purpose added", "extra claim", "praise added",
    "modal added", "quotation invented", "promise to the visitor", "alias name", "name changed",
)  # fmt: skip
"""Claims that no fact makes."""
DRAFTS = (
    ("Nora opened with “Rain” at 18:41 on 13 July 1985.", ("f1",)),
    ("About two thousand people heard Max, then the Twins, and the Choir.", ("f2",)),
)
REQUEST = Request(
    {"f1": DRAFTS[0][0], "f2": DRAFTS[1][0]}, DRAFTS, ("the Choir", "the Twins", "Nora", "Rain", "Moon", "Max")
)  # fmt: skip


@pytest.fixture(scope="module")
def beats(ctx: StoryContext) -> list[tuple[Telling, Brief]]:
    """The beats of two stories in the museum's own wording."""
    found: list[tuple[Telling, Brief]] = []
    for persona in ("emma", "luca"):
        plan = visit.plan(StoryRequest(persona=persona, length="medium", seed=5), ctx)
        thread = Thread()
        for index, beat in enumerate(plan.beats):
            drafted = visit.draft(beat, index, visit.retrieve(beat, ctx), plan, thread, ctx)
            _, thread = visit.finished(drafted, drafted.telling, ctx)
            if drafted.telling is not None and drafted.brief is not None:
                found.append((drafted.telling, drafted.brief))
    return found


@pytest.fixture(scope="module")
def gate(ctx: StoryContext) -> Gate:
    return Gate(ctx.pack)


@pytest.fixture(scope="module")
def names(ctx: StoryContext) -> tuple[str, ...]:
    entities = ctx.pack.entities
    return tuple(sorted({name for iri in entities.named if (name := entities.name(iri))}))


def against(kind: str, beats: list[tuple[Telling, Brief]], gate: Gate, names: tuple[str, ...]) -> Counter[str]:
    """How many bad sentences were said and shown, and on how many beats the museum's own wording stood in."""
    found: Counter[str] = Counter()
    for number, (telling, brief) in enumerate(beats):
        model = AdversaryChatModel(model=kind, names=names, seed=number)
        book = Phrasebook(None)
        budget = Budget(Limits(PLENTY, PLENTY), book, lambda: 0.0)
        narrator = ChatModelNarrator(ModelLine(model, kind, book, budget, Breaker(lambda: 0.0)), gate, seconds=20)
        worded = narrator.reword(telling, brief).result()
        narrator.close()
        bad = {text for lie in model.lies for text in lie.bad if text}
        by_model = [sentence.text for sentence in worded.sentences if sentence.worded_by == "model"]
        found["said"] += len(bad)
        found["shown"] += sum(any(text.endswith(lie[1:]) for lie in bad) for text in by_model)
        found["own"] += not by_model
    return found


def test_there_are_more_than_twenty_five_kinds_of_lies() -> None:
    assert len(set(KINDS)) == len(KINDS) > 25


@pytest.mark.parametrize("kind", sorted(SPOILED))
def test_a_spoiled_sentence_differs_from_the_honest_one_and_is_named_as_bad(kind: str) -> None:
    lie = told(kind, REQUEST, Random("a"))
    honest = told(HONEST[0], REQUEST, Random("a"))
    if kind in ("unit changed", "two facts fused", "reversed", "only for some", "negated", "name changed"):
        assert lie.bad or lie.answer == honest.answer  # these two sentences give no hold for every kind
        return
    assert len(lie.bad) == 1
    assert not lie.bad & {text for text, _ in DRAFTS}


def test_the_same_prompt_gets_the_same_lie() -> None:
    for kind in KINDS:
        assert told(kind, REQUEST, Random("a")) == told(kind, REQUEST, Random("a"))


@pytest.mark.parametrize("kind", sorted(WHOLE))
def test_nothing_of_a_broken_answer_is_shown(
    kind: str, beats: list[tuple[Telling, Brief]], gate: Gate, names: tuple[str, ...]
) -> None:
    assert against(kind, beats[:4], gate, names)["own"] == 4


@pytest.mark.parametrize("kind", FORM)
def test_no_markup_no_link_and_no_order_of_a_fact_is_shown(
    kind: str, beats: list[tuple[Telling, Brief]], gate: Gate, names: tuple[str, ...]
) -> None:
    found = against(kind, beats, gate, names)
    assert found["said"] >= len(beats) // 2
    assert found["shown"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLAIMS)
def test_no_claim_that_no_fact_makes_is_shown(
    kind: str, beats: list[tuple[Telling, Brief]], gate: Gate, names: tuple[str, ...]
) -> None:
    assert against(kind, beats, gate, names)["shown"] == 0


def test_a_model_that_says_what_is_proved_is_heard(
    beats: list[tuple[Telling, Brief]], gate: Gate, names: tuple[str, ...]
) -> None:
    found = against(HONEST[0], beats, gate, names)
    assert found["said"] == 0
    assert found["own"] <= len(beats) // 3
