"""Plans: pure, seeded, without repetition, about at most two."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent import visit
from agent.context import StoryContext
from graph_tools.errors import UnknownLength, UnknownPersona
from graph_tools.pack import StoryPack
from graph_tools.plan import BeatPlan, StoryRequest
from graph_tools.planner import plan_story
from graph_tools.terms import Iri

PERSONAS, LENGTHS, SEEDS = ("emma", "luca"), ("small", "medium", "long"), (0, 7, 42)


def planned(ctx: StoryContext, persona: str, length: str, seed: int) -> BeatPlan:
    return visit.plan(StoryRequest(persona=persona, length=length, seed=seed), ctx)


@pytest.mark.parametrize("persona", PERSONAS)
@pytest.mark.parametrize("length", LENGTHS)
def test_plans_are_the_reviewed_ones(
    ctx: StoryContext, golden: Callable[[str, str], None], persona: str, length: str
) -> None:
    for seed in SEEDS:
        plan = planned(ctx, persona, length, seed)
        golden(f"plans/{persona}-{length}-{seed}.json", plan.model_dump_json(indent=1) + "\n")


def test_a_plan_needs_nothing_but_the_request_and_the_pack(ctx: StoryContext, project: Path) -> None:
    request = StoryRequest(persona="luca", length="medium", seed=3)
    assert plan_story(request, StoryPack.open(project)) == visit.plan(request, ctx)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["plan", "tell"])
def test_the_same_request_gives_the_same_bytes_in_any_process(project: Path, command: str) -> None:
    ask = [sys.executable, "-c", "from agent.cli import main; main()", command, "--length", "long", "--seed", "11"]
    ask += ["--json"] if command == "tell" else []
    said = {
        subprocess.run(
            ask, cwd=project, env=os.environ | {"PYTHONHASHSEED": hash_seed}, check=True, capture_output=True
        ).stdout
        for hash_seed in ("0", "1", "2", "random")
    }
    assert len(said) == 1


@pytest.mark.parametrize("persona", PERSONAS)
@pytest.mark.parametrize("length", LENGTHS)
def test_no_plan_tells_a_fact_twice_or_follows_more_than_two(ctx: StoryContext, persona: str, length: str) -> None:
    """A fact is what a row tells: the statements with its told values, the way there apart."""
    defaults = {iri.value for iri in ctx.pack.defaults.values()}
    for seed in range(12):
        plan = planned(ctx, persona, length, seed)
        heard: set[str] = set()
        followed: set[str] = set()
        for question in (question for beat in plan.beats for question in beat.questions):
            followed |= set(question.bindings.values()) - defaults
            factlets = ctx.retriever.ask(question).factlets
            assert factlets, f"{question.question} has no answer"
            again = [factlet.text for factlet in factlets if factlet.told_statements <= heard]
            assert again == [], f"{persona} {length} {seed}: {question.question} tells again {again}"
            heard |= {statement for factlet in factlets for statement in factlet.told_statements}
        assert followed == set(plan.leads)
        assert len(followed) <= 2


@pytest.mark.parametrize("length", LENGTHS)
def test_every_length_begins_with_an_introduction_and_ends_with_what_it_raised(ctx: StoryContext, length: str) -> None:
    for persona in PERSONAS:
        for seed in range(6):
            plan = planned(ctx, persona, length, seed)
            assert plan.beats[0].step == "Introduction"
            assert plan.beats[-1].step == "Legacy & Reflection"
            assert plan.hook
            assert plan.hook_cq == plan.beats[-1].questions[0].cq


@pytest.mark.parametrize("length", LENGTHS)
def test_the_beats_of_a_plan_come_in_the_order_of_its_arc(ctx: StoryContext, length: str) -> None:
    for persona in PERSONAS:
        for seed in range(6):
            steps = iter(step.step for step in ctx.pack.arcs.arcs[persona][length].beats)
            for beat in planned(ctx, persona, length, seed).beats:
                assert beat.step in steps, "a step is out of order"


def test_plans_are_about_many_different_acts(ctx: StoryContext) -> None:
    leads = {lead for seed in range(40) for lead in planned(ctx, "emma", "small", seed).leads}
    assert len(leads) >= 20


def test_questions_are_bound_to_entities_of_the_class_that_they_ask_for(ctx: StoryContext) -> None:
    for seed in range(6):
        for beat in planned(ctx, "luca", "long", seed).beats:
            for question in beat.questions:
                parameters = ctx.pack.library[question.cq].cq.parameters
                for name, iri in question.bindings.items():
                    assert Iri(parameters[name].type) in ctx.pack.entities.types(Iri(iri))
                assert "{" not in question.question


def test_an_unknown_persona_or_length_names_the_nearest(ctx: StoryContext) -> None:
    with pytest.raises(UnknownPersona, match="unknown persona 'ema'; did you mean emma"):
        planned(ctx, "ema", "small", 0)
    with pytest.raises(UnknownLength, match="unknown length 'huge'; there are long, medium, small"):
        planned(ctx, "emma", "huge", 0)
