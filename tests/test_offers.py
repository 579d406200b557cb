"""What a visitor is offered: of different kinds, each sure to be told, and the plan left whole."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import process_time

import pytest

from agent import visit
from agent.branches import ROOT, Tree, grown
from agent.context import StoryContext
from agent.errors import UnknownChoice
from agent.offer import Choice, Offer
from agent.standing import NOTHING_NEW, PLANNED, TOLD
from agent.story import StoryBeat
from agent.thread import Thread
from graph_tools.pack import StoryPack
from graph_tools.plan import Beat, BeatPlan, StoryRequest
from graph_tools.terms import Iri

OBSERVATORY = Path(__file__).parent / "packs" / "tiny-observatory"
BUDGET = 0.040
"""Seconds of processor time that the offer of a turn may take, warm."""


@dataclass
class Visit:
    """A visit under way, without the machine."""

    ctx: StoryContext
    request: StoryRequest
    plan: BeatPlan = field(init=False)
    thread: Thread = field(default_factory=Thread)
    beats: list[Beat] = field(default_factory=list)
    told: list[StoryBeat] = field(default_factory=list)
    offer: Offer = field(init=False)

    def __post_init__(self) -> None:
        self.plan = visit.plan(self.request, self.ctx)
        self.hear(visit.opening(self.plan))

    def hear(self, beat: Beat) -> None:
        evidence = visit.retrieve(beat, self.ctx)
        told, self.thread = visit.generate(beat, self.thread.beats, evidence, self.plan, self.thread, self.ctx)
        self.beats.append(beat)
        self.told.append(told)
        self.offer = visit.offer(self.plan, self.thread, self.ctx)

    def take(self, choice: Choice | None) -> None:
        assert choice is not None
        assert choice.beat is not None
        self.hear(choice.beat)

    @property
    def questions(self) -> list[Choice]:
        return [*self.offer.choices, *self.offer.rest]

    @property
    def next_planned(self) -> Choice | None:
        return next((choice for choice in self.offer.choices if choice.kind == "plan"), None)


@pytest.fixture(scope="session")
def observatory() -> StoryContext:
    return StoryContext.of(StoryPack.open(OBSERVATORY))


def random_visits(ctx: StoryContext, seeds: range, length: str, turns: int) -> Iterator[Visit]:
    personas = sorted(ctx.pack.personas)
    for seed in seeds:
        rng = Random(seed)
        here = Visit(ctx, StoryRequest(persona=personas[seed % len(personas)], length=length, seed=seed))
        for _ in range(turns):
            on_offer = [*here.questions, *([here.offer.surprise] if here.offer.surprise else [])]
            if not on_offer:
                break
            here.take(rng.choice(on_offer))
        yield here


@pytest.mark.slow
def test_no_choice_that_was_shown_is_ever_suppressed(ctx: StoryContext) -> None:
    """200 random visits: whatever was pressed was told, and nothing was said twice."""
    for here in random_visits(ctx, range(200), "small", 5):
        assert [told.suppressed_because for told in here.told if told.status != "told"] == []
        said = [sentence.text for told in here.told for sentence in told.sentences]
        assert len(said) == len(set(said))


def test_a_pack_without_kinds_of_its_own_suppresses_nothing_either(observatory: StoryContext) -> None:
    for here in random_visits(observatory, range(20), "small", 10):
        assert all(told.status == "told" for told in here.told)
        assert {choice.kind for choice in here.questions} <= {"plan", "more", "theme"}


def test_a_choice_off_the_plan_does_not_consume_the_plan(ctx: StoryContext) -> None:
    for seed in range(6):
        rng = Random(seed)
        here = Visit(ctx, StoryRequest(persona=["emma", "luca"][seed % 2], length="medium", seed=seed))
        for _ in range(8):
            assert here.next_planned is not None
            assert here.next_planned == here.offer.choices[0]
            here.take(rng.choice([choice for choice in here.questions if choice.kind != "plan"]))
        while here.next_planned is not None:
            here.take(here.next_planned)
        ahead = [beat.key for beat in here.beats if beat.key in {planned.key for planned in here.plan.beats}]
        assert ahead == [beat.key for beat in here.plan.beats]
        assert here.thread.aside_beats == 8
        assert all(told.status == "told" for told in here.told)


def test_a_beat_off_the_plan_takes_no_words_from_it(ctx: StoryContext) -> None:
    for seed in range(6):
        request = StoryRequest(persona="emma", length="medium", seed=seed)
        straight = visit.tell_story(request, ctx)
        here = Visit(ctx, request)
        for _ in range(5):
            here.take(here.offer.choices[1])
        while here.next_planned is not None:
            here.take(here.next_planned)
        keys = {beat.key for beat in here.plan.beats}
        on_plan = [told for beat, told in zip(here.beats, here.told, strict=True) if beat.key in keys]
        assert sum(told.words for told in on_plan) >= 0.8 * sum(told.words for told in straight.beats)


def test_the_three_that_are_shown_differ_in_kind(ctx: StoryContext) -> None:
    kinds: set[str] = set()
    for here in random_visits(ctx, range(12), "medium", 5):
        shown = [choice.kind for choice in here.offer.choices]
        assert len(shown) == len(set(shown)) == 3
        assert shown[0] == "plan" or here.next_planned is None
        kinds |= {choice.kind for choice in here.questions}
    assert kinds == {"plan", "more", "theme", *ctx.pack.arcs.choices}


def test_labels_are_short_distinct_and_name_whom_they_are_about(ctx: StoryContext) -> None:
    for here in random_visits(ctx, range(6), "medium", 5):
        labels = [choice.label.casefold() for choice in here.questions]
        assert len(labels) == len(set(labels))
        for choice in here.questions:
            assert len(choice.label) <= 72, choice.label
            assert choice.tag
            assert choice.beat is not None
            for iri in {*choice.beat.questions[0].bindings.values()} - {d.value for d in ctx.pack.defaults.values()}:
                names = {ctx.pack.entities.name(Iri(iri)), ctx.pack.entities.short(Iri(iri))} - {""}
                assert any(name in choice.label for name in names), choice.label


def test_more_is_about_whom_the_last_beats_named_whatever_class_it_has(ctx: StoryContext) -> None:
    lead = ctx.pack.arcs.lead_parameter
    parameters: set[str] = set()
    for here in random_visits(ctx, range(12), "medium", 5):
        known = {*here.thread.about, *here.thread.mentioned, *here.plan.leads}
        defaults = {iri.value for iri in ctx.pack.defaults.values()}
        for choice in here.questions:
            if choice.kind == "more":
                assert choice.beat is not None
                bound = choice.beat.questions[0].bindings
                assert {*bound.values()} - defaults <= known
                parameters |= {name for name, iri in bound.items() if iri not in defaults}
    assert lead in parameters
    assert parameters - {lead}, "only the leads of a story were asked about"


def test_another_theme_is_one_that_was_little_heard(ctx: StoryContext) -> None:
    for here in random_visits(ctx, range(8), "small", 6):
        heard: dict[str, int] = {}
        for key in here.thread.asked:
            for theme in ctx.pack.library[key.split(" ")[0]].cq.themes:
                heard[theme] = heard.get(theme, 0) + 1
        offered = [choice for choice in here.questions if choice.kind == "theme"]
        counts = [heard.get(choice.tag.removeprefix("Another theme: "), 0) for choice in offered]
        # The second question of a theme that was never heard is worth as much as the first of one that was heard once.
        assert counts[0] <= min(counts) + 1


def test_the_same_moment_has_the_same_offer(ctx: StoryContext) -> None:
    here = next(random_visits(ctx, range(3, 4), "medium", 4))
    again = next(random_visits(StoryContext.of(ctx.pack), range(3, 4), "medium", 4))
    assert here.offer == again.offer


def test_an_author_is_told_why_everything_else_is_not_on_offer(ctx: StoryContext) -> None:
    here = next(random_visits(ctx, range(5, 6), "medium", 3))
    author = visit.offer(here.plan, here.thread, ctx, author=True)
    assert author.model_copy(update={"left_out": ()}) == here.offer
    assert all(not choice.available and choice.why_not for choice in author.left_out)
    reasons = {choice.why_not.partition(":")[0] for choice in author.left_out}
    assert {TOLD, NOTHING_NEW, PLANNED, "no answer in the graph"} <= reasons
    failing = next(choice for choice in author.left_out if choice.why_not.startswith("no answer"))
    assert "?" in failing.why_not or "rows" in failing.why_not
    with pytest.raises(UnknownChoice):
        author.pick(author.left_out[0].id)


def test_a_question_for_other_personas_is_left_out_for_that_reason(observatory: StoryContext) -> None:
    reasons = {
        choice.why_not
        for persona in observatory.pack.personas
        for here in [Visit(observatory, StoryRequest(persona=persona, length="small", seed=1))]
        for choice in visit.offer(here.plan, here.thread, observatory, author=True).left_out
    }
    everybody = all({*observatory.pack.personas} <= {*t.cq.personas} for t in observatory.pack.library.values())
    assert ("not for this persona" in reasons) != everybody


@pytest.mark.slow
def test_an_offer_takes_less_than_its_budget_once_the_answers_are_known(ctx: StoryContext) -> None:
    took: list[float] = []
    for round_ in range(2):
        for persona in ("emma", "luca"):
            took.clear() if round_ == 0 else None
            here = Visit(ctx, StoryRequest(persona=persona, length="medium", seed=4))
            tree: list[dict[str, object]] = []
            for _ in range(12):
                before = here.thread
                here.take(here.offer.choices[len(tree) % 3])
                tree.append(grown(len(tree) - 1, here.told[-1], before, here.thread, voice=persona))
                started = process_time()
                visit.offer_at(Tree(tree), len(tree) - 1, (), here.plan, here.thread, ctx)
                took.append(process_time() - started)
    middle = sorted(took)[len(took) // 2]
    assert middle < BUDGET * float(os.environ.get("CUESTORY_SLOWER", "1")), f"{1000 * middle:.1f} ms"


def test_a_tree_gives_back_every_thread_and_beat(ctx: StoryContext) -> None:
    here = Visit(ctx, StoryRequest(persona="luca", length="medium", seed=2))
    nodes = [grown(ROOT, here.told[0], Thread(), here.thread, voice="luca")]
    threads = [here.thread]
    for turn in range(8):
        before = here.thread
        here.take(here.questions[(turn * 5) % len(here.questions)])
        nodes.append(grown(turn, here.told[-1], before, here.thread, voice="luca"))
        threads.append(here.thread)
    tree = Tree(json.loads(json.dumps(nodes)))
    assert [tree.thread(at) for at in range(9)] == threads
    assert [tree.beat(at) for at in range(9)] == here.told
    assert tree.path(8) == tuple(range(9))
    assert tree.ends() == (8,)
