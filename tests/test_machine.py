"""The machine: the same story as the straight walk, choices only from its own offer, nothing lost in a restart."""

import hashlib
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver

from agent import visit
from agent.checkpoints import open_checkpoints
from agent.context import StoryContext
from agent.errors import UnknownChoice
from agent.guide import Guide, Moment
from agent.machine import build_machine
from agent.story import StoryBeat
from agent.tools import NotPlanned, answer_cq, answers, calls
from graph_tools.errors import QueryFailed
from graph_tools.evidence import EvidencePack
from graph_tools.plan import Question, StoryRequest
from graph_tools.retrieval import KgRetriever

VISIT = "a-visit"


@pytest.fixture
def guide(ctx: StoryContext) -> Guide:
    return Guide(ctx, InMemorySaver())


@pytest.fixture
async def kept(ctx: StoryContext, tmp_path: Path) -> AsyncIterator[Guide]:
    async with open_checkpoints(tmp_path / "visits.sqlite") as checkpoints:
        yield Guide(ctx, checkpoints)


def planned(moment: Moment) -> str | None:
    """The plan's own next choice."""
    assert moment.offer is not None
    return next((choice.id for choice in moment.offer.choices if choice.kind == "plan"), None)


async def walk(guide: Guide, request: StoryRequest) -> Moment:
    moment = await guide.begin(VISIT, request)
    while (choice := planned(moment)) is not None:
        moment = await guide.choose(VISIT, moment.interrupt, choice)
    return moment


@pytest.mark.parametrize("length", ["small", "medium", "long"])
@pytest.mark.parametrize("persona", ["emma", "luca"])
async def test_always_taking_the_plans_own_choice_gives_the_story_that_is_told_straight_through(
    guide: Guide, ctx: StoryContext, persona: str, length: str
) -> None:
    for seed in (0, 7):
        request = StoryRequest(persona=persona, length=length, seed=seed)
        walked = await walk(guide, request)
        assert walked.told == visit.tell_story(request, ctx).beats


async def test_the_machine_has_the_nodes_of_the_paper(ctx: StoryContext) -> None:
    assert {*build_machine(None).nodes} - {"__start__"} == {
        *("planner", "offer", "retrieve", "generate", "deliver"),
        "walk",  # of a tour, which the paper has not
    }


async def test_a_beat_becomes_one_call_a_question_with_ids_that_never_change(ctx: StoryContext) -> None:
    beat = next(
        beat
        for seed in range(20)
        for beat in visit.plan(StoryRequest(length="long", seed=seed), ctx).beats
        if len(beat.questions) > 1
    )
    first, again = calls(beat, 3), calls(beat, 3)
    assert first == again
    assert [call["id"] for call in first.tool_calls] == [f"beat-3-{n}" for n in range(len(beat.questions))]
    assert [call["args"]["cq"] for call in first.tool_calls] == [question.cq for question in beat.questions]


async def test_answers_are_merged_in_the_order_of_the_questions_however_they_came(ctx: StoryContext) -> None:
    plans = (visit.plan(StoryRequest(length="long", seed=seed), ctx) for seed in range(20))
    beat = next(beat for plan in plans for beat in plan.beats if len(beat.questions) > 1)
    messages = [
        ToolMessage("", tool_call_id=f"beat-0-{n}", artifact=visit.ask(question, ctx).model_dump(mode="json"))
        for n, question in enumerate(beat.questions)
    ]
    assert answers(reversed(messages), 0) == visit.retrieve(beat, ctx)


async def test_a_question_that_the_beat_did_not_plan_is_not_asked(ctx: StoryContext) -> None:
    class Runtime:
        context = ctx
        state: dict[str, object]

    beat, other = visit.plan(StoryRequest(), ctx).beats[:2]
    runtime = Runtime()
    runtime.state = {"beat": beat.model_dump(mode="json")}
    question = other.questions[0]
    assert isinstance(answer_cq, StructuredTool)
    assert answer_cq.coroutine is not None
    with pytest.raises(NotPlanned):
        await answer_cq.coroutine(question.cq, question.bindings, runtime)


async def test_a_choice_that_is_not_on_offer_changes_nothing(guide: Guide) -> None:
    moment = await guide.begin(VISIT, StoryRequest(seed=1))
    for interrupt, choice in [
        (moment.interrupt, "c99"),
        (moment.interrupt, ""),
        (moment.interrupt, "../../etc/passwd"),
        ("", "c1"),
        ("0" * 32, "c1"),
    ]:
        with pytest.raises(UnknownChoice):
            await guide.choose(VISIT, interrupt, choice)
    assert await guide.recall(VISIT) == moment


async def test_the_same_press_twice_tells_one_beat(guide: Guide) -> None:
    first = await guide.begin(VISIT, StoryRequest(seed=1))
    second = await guide.choose(VISIT, first.interrupt, "c1")
    with pytest.raises(UnknownChoice):
        await guide.choose(VISIT, first.interrupt, "c1")
    assert await guide.recall(VISIT) == second
    assert len(second.told) == 2


async def test_the_end_of_the_tour_is_an_end(guide: Guide) -> None:
    moment = await guide.begin(VISIT, StoryRequest(seed=1))
    ended = await guide.choose(VISIT, moment.interrupt, "end")
    assert ended.offer is None
    assert ended.told == moment.told
    with pytest.raises(UnknownChoice):
        await guide.choose(VISIT, moment.interrupt, "c1")
    assert await guide.recall(VISIT) == ended


async def test_whatever_is_chosen_the_visit_can_go_on(guide: Guide) -> None:
    moment = await guide.begin(VISIT, StoryRequest(persona="luca", length="small", seed=3))
    for turn in range(12):
        assert moment.offer is not None
        menu = [*moment.offer.choices, *moment.offer.rest, *([moment.offer.surprise] if moment.offer.surprise else [])]
        if not menu:
            break
        moment = await guide.choose(VISIT, moment.interrupt, menu[(turn * 5 + 2) % len(menu)].id)
        assert len(moment.told) == turn + 2
    texts = [sentence.text for beat in moment.told for sentence in beat.sentences]
    assert len(texts) == len(set(texts))


class Forgetful(KgRetriever):
    """Answers nothing to the questions in `forgotten`."""

    forgotten: frozenset[str] = frozenset()

    def ask(self, question: Question, *, seed: int = 0) -> EvidencePack:
        found = super().ask(question)
        return found.model_copy(update={"factlets": ()}) if question.cq in self.forgotten else found


async def test_a_beat_without_an_answer_is_suppressed_with_its_reason_and_the_visit_goes_on(ctx: StoryContext) -> None:
    retriever = Forgetful(ctx.pack, ctx.answers)
    guide = Guide(replace(ctx, retriever=retriever), InMemorySaver())
    moment = await guide.begin(VISIT, StoryRequest(seed=2))
    assert moment.offer is not None
    picked = moment.offer.choices[0]
    assert picked.beat is not None
    retriever.forgotten = frozenset(question.cq for question in picked.beat.questions)
    silent = await guide.choose(VISIT, moment.interrupt, picked.id)
    assert silent.told[-1].status == "suppressed"
    assert silent.told[-1].suppressed_because
    retriever.forgotten = frozenset()
    assert silent.offer is not None
    spoken = await guide.choose(VISIT, silent.interrupt, silent.offer.choices[0].id)
    assert spoken.told[-1].status == "told"


async def test_a_turn_that_fails_leaves_the_visit_as_it_was(ctx: StoryContext, tmp_path: Path) -> None:
    class Broken(KgRetriever):
        works = True

        def ask(self, question: Question, *, seed: int = 0) -> EvidencePack:
            if not self.works:
                raise QueryFailed("the engine broke off")
            return super().ask(question, seed=seed)

    retriever = Broken(ctx.pack, ctx.answers)
    async with open_checkpoints(tmp_path / "visits.sqlite") as checkpoints:
        guide = Guide(replace(ctx, retriever=retriever), checkpoints)
        moment = await guide.begin(VISIT, StoryRequest(seed=5))
        retriever.works = False
        for _ in range(2):
            with pytest.raises(QueryFailed):
                await guide.choose(VISIT, moment.interrupt, "c1")
            with pytest.raises(QueryFailed):
                await guide.begin(VISIT, StoryRequest(seed=6))
        retriever.works = True
        assert await guide.recall(VISIT) == moment
        onward = await guide.choose(VISIT, moment.interrupt, "c2")
    assert onward.told[:1] == moment.told
    assert len(onward.told) == 2


async def test_a_restart_loses_no_told_beat(ctx: StoryContext, tmp_path: Path) -> None:
    path = tmp_path / "visits.sqlite"
    async with open_checkpoints(path) as checkpoints:
        guide = Guide(ctx, checkpoints)
        moment = await guide.begin(VISIT, StoryRequest(seed=5))
        for _ in range(2):
            moment = await guide.choose(VISIT, moment.interrupt, "c1")
    async with open_checkpoints(path) as checkpoints:
        again = Guide(ctx, checkpoints)
        assert await again.recall(VISIT) == moment
        onward = await again.choose(VISIT, moment.interrupt, "c1")
    assert onward.told[:3] == moment.told
    assert len(onward.told) == 4


async def test_a_visit_whose_offer_was_not_written_any_more_is_offered_anew(ctx: StoryContext, tmp_path: Path) -> None:
    path = tmp_path / "visits.sqlite"
    async with open_checkpoints(path) as checkpoints:
        moment = await Guide(ctx, checkpoints).begin(VISIT, StoryRequest(seed=5))
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM writes")
    connection.close()
    async with open_checkpoints(path) as checkpoints:
        found = await Guide(ctx, checkpoints).recall(VISIT)
    assert found is not None
    assert found.told == moment.told
    assert found.offer == moment.offer


async def test_a_long_visit_stays_small_on_disk(kept: Guide, tmp_path: Path) -> None:
    moment = await kept.begin(VISIT, StoryRequest(persona="luca", length="long", seed=1))
    for _ in range(15):
        if moment.offer is None or not moment.offer.choices:
            break
        moment = await kept.choose(VISIT, moment.interrupt, moment.offer.choices[-1].id)
    with sqlite3.connect(tmp_path / "visits.sqlite") as connection:
        rows = connection.execute("SELECT count(*), max(length(checkpoint)) FROM checkpoints").fetchone()
    connection.close()
    assert rows[0] == 1
    assert rows[1] < 2_000_000


async def test_between_two_turns_the_state_is_plain_json_without_messages(ctx: StoryContext) -> None:
    checkpoints = InMemorySaver()
    machine = build_machine(checkpoints)
    config = {"configurable": {"thread_id": VISIT}}
    given = {"request": StoryRequest().model_dump(mode="json"), "told": []}
    await machine.ainvoke(given, config, context=ctx, durability="exit")  # type: ignore[call-overload]
    values = dict((await machine.aget_state(config)).values)  # type: ignore[arg-type]
    assert values.pop("messages") == []
    assert plain(values)


async def test_no_object_is_rebuilt_from_a_checkpoint(tmp_path: Path) -> None:
    async with open_checkpoints(tmp_path / "visits.sqlite") as checkpoints:
        kind, stored = checkpoints.serde.dumps_typed({"beat": Question(cq="CQ-E1", question="?", bindings={})})
        assert not isinstance(checkpoints.serde.loads_typed((kind, stored))["beat"], Question)
        # What LangChain's own message types need is the one exception, and none is kept between turns.
        assert isinstance(checkpoints.serde.loads_typed(checkpoints.serde.dumps_typed(AIMessage("hello"))), AIMessage)


async def test_a_visit_of_another_version_is_left_aside(ctx: StoryContext) -> None:
    checkpoints = InMemorySaver()
    guide = Guide(ctx, checkpoints)
    await guide.begin(VISIT, StoryRequest())
    machine = build_machine(checkpoints)
    await machine.aupdate_state({"configurable": {"thread_id": VISIT}}, {"told": [{"format": "old"}]}, "deliver")
    assert await guide.recall(VISIT) is None


async def test_going_back_gives_the_same_offer_and_keeps_the_branch_that_is_left(guide: Guide) -> None:
    first = await guide.begin(VISIT, StoryRequest(persona="luca", length="medium", seed=4))
    second = await guide.choose(VISIT, first.interrupt, "c1")
    third = await guide.choose(VISIT, second.interrupt, "c2")
    back = await guide.rewind(VISIT, third.interrupt, 0)
    assert first.offer is not None
    assert back.offer is not None
    assert back.told == first.told
    assert back.thread == first.thread
    assert (back.offer.choices, back.offer.rest) == (first.offer.choices, first.offer.rest)
    assert [choice.to for choice in back.offer.back] == [2]
    other = await guide.choose(VISIT, back.interrupt, "c3")
    assert other.told[:1] == first.told
    assert len(other.told) == 2
    assert (other.tree.beat(1), other.tree.beat(2)) == third.told[1:]
    assert other.tree.ends() == (2, 3)
    returned = await guide.choose(VISIT, other.interrupt, "b2")
    assert returned.told == third.told
    assert returned.thread == third.thread


async def test_what_was_heard_on_a_branch_that_was_left_can_be_told_again(guide: Guide) -> None:
    first = await guide.begin(VISIT, StoryRequest(seed=4))
    second = await guide.choose(VISIT, first.interrupt, "c2")
    back = await guide.rewind(VISIT, second.interrupt, 0)
    again = await guide.choose(VISIT, back.interrupt, "c2")
    assert again.told == second.told


@pytest.mark.parametrize("seed", range(4))
async def test_a_beat_told_in_another_way_stands_on_the_same_evidence(
    ctx: StoryContext, tmp_path: Path, seed: int
) -> None:
    class Counting(KgRetriever):
        asked = 0

        def ask(self, question: Question, *, seed: int = 0) -> EvidencePack:
            self.asked += 1
            return super().ask(question, seed=seed)

    retriever = Counting(ctx.pack, ctx.answers)
    guide = Guide(replace(ctx, retriever=retriever, composers={}, openings={}, ways={}), InMemorySaver())
    moment = await guide.begin(VISIT, StoryRequest(persona="luca", length="medium", seed=seed))
    for _ in range(3):
        moment = await guide.choose(VISIT, moment.interrupt, "c2")
        plain_told, before = moment.newest, moment.thread
        assert moment.offer is not None
        assert {choice.manner for choice in moment.offer.again} >= {"emma"}
        for choice in moment.offer.again:
            node, after = visit.retell_at(moment.tree, moment.at, moment.at, choice.manner, before, ctx)
            asked = retriever.asked
            told = await guide.choose(VISIT, moment.interrupt, choice.id)
            assert told.stored[-1] == node
            assert told.newest.evidence == plain_told.evidence
            assert digest_of(told.newest) == digest_of(plain_told)
            assert told.newest.index == plain_told.index
            assert told.stored[-1]["evidence"] == ""
            cited = {id_ for sentence in told.newest.sentences for id_ in sentence.evidence}
            assert cited <= {factlet.id for factlet in plain_told.evidence.factlets}
            assert {s.text for s in told.newest.sentences}.isdisjoint(s.text for s in plain_told.sentences)
            assert told.newest.words < plain_told.words or choice.manner != "shorter"
            assert told.newest.words > plain_told.words or choice.manner != "longer"
            # Nothing is heard twice, and the plan is where it was.
            assert len(after.heard) == len({*after.heard})
            assert after.heard[: len(before.heard)] == before.heard
            assert (after.words, after.beats, after.asked) == (before.words, before.beats, before.asked)
            assert told.thread == after
            assert planned(told) == planned(moment)
            assert retriever.asked >= asked  # the offer after it asks; the words of the beat do not
            moment = await guide.rewind(VISIT, told.interrupt, moment.at)


async def test_retelling_asks_the_graph_nothing(ctx: StoryContext) -> None:
    class Silent(KgRetriever):
        def ask(self, question: Question, *, seed: int = 0) -> EvidencePack:
            raise QueryFailed("nothing may be asked")

    guide = Guide(ctx, InMemorySaver())
    moment = await guide.begin(VISIT, StoryRequest(seed=6, length="medium"))
    moment = await guide.choose(VISIT, moment.interrupt, "c2")
    assert moment.offer is not None
    silent = replace(ctx, retriever=Silent(ctx.pack, ctx.answers))
    for choice in moment.offer.again:
        node, _ = visit.retell_at(moment.tree, moment.at, moment.at, choice.manner, moment.thread, silent)
        assert node["retells"] == moment.at


async def test_an_earlier_beat_can_be_retold_and_the_story_goes_on(guide: Guide) -> None:
    moment = await guide.begin(VISIT, StoryRequest(seed=7, length="medium"))
    for _ in range(2):
        moment = await guide.choose(VISIT, moment.interrupt, "c1")
    told = await guide.retell(VISIT, moment.interrupt, 0, "luca")
    assert told.newest.evidence == told.tree.beat(0).evidence
    assert told.heard == moment.heard == 3
    onward = await guide.choose(VISIT, told.interrupt, "c1")
    assert onward.newest.status == "told"
    assert onward.heard == 4
    said = [sentence.text for beat in onward.told for sentence in beat.sentences]
    assert len(said) == len(set(said))


async def test_no_turn_is_taken_that_is_none(guide: Guide) -> None:
    moment = await guide.begin(VISIT, StoryRequest(seed=1))
    forged: list[dict[str, object]] = [
        {},
        {"rewind": 7},
        {"rewind": -1},
        {"rewind": True},
        {"rewind": "0"},
        {"retell": 0, "as": "a pirate"},
        {"retell": 3, "as": "shorter"},
        {"retell": 0},
        {"ask": "CQ-XX1"},
        {"ask": "CQ-E1"},
        {"ask": "CQ-E1 event=http://example.org/elsewhere"},
        {"ask": "CQ-E1 event=http://x/> ?a ?b } #"},
        {"ask": 3},
        {"propose": ["CQ-E1", 5, None]},
        {"propose": "CQ-E1"},
        {"choice": ["c1"]},
        {"choice": "b0"},
        {"choice": "as-nobody"},
        {"choice": "q1"},
    ]
    for command in forged:
        with pytest.raises(UnknownChoice):
            await guide.take(VISIT, moment.interrupt, command)
    assert await guide.recall(VISIT) == moment


async def test_a_question_in_words_is_answered_off_the_plan_even_if_it_was_heard(guide: Guide) -> None:
    moment = await guide.begin(VISIT, StoryRequest(seed=3, length="medium"))
    asked = Question(
        cq="CQ-A1",
        question="?",
        bindings={"artist": "http://wembrewind.live/ex#Queen", "event": "http://wembrewind.live/ex#LiveAid1985"},
    )
    for _ in range(3):
        before = planned(moment)
        moment = await guide.ask(VISIT, moment.interrupt, asked)
        assert moment.newest.status == "told"
        assert moment.newest.evidence.questions[0].cq == "CQ-A1"
        assert (planned(moment) is None) == (before is None)


async def test_questions_that_are_proposed_stand_beside_the_others_until_something_is_told(guide: Guide) -> None:
    first = await guide.begin(VISIT, StoryRequest(seed=3))
    event = {"event": "http://wembrewind.live/ex#LiveAid1985"}
    near = [Question(cq=cq, question="?", bindings=event) for cq in ("CQ-L8", "CQ-E4", "CQ-L4", "CQ-B6")]
    moment = await guide.propose(VISIT, first.interrupt, near)
    assert moment.interrupt != first.interrupt
    assert moment.told == first.told
    assert moment.offer is not None
    assert first.offer is not None
    assert [choice.id for choice in moment.offer.asked] == ["q1", "q2", "q3"]
    assert moment.offer.choices == first.offer.choices
    with pytest.raises(UnknownChoice):
        await guide.choose(VISIT, first.interrupt, "c1")
    with pytest.raises(UnknownChoice):
        await guide.choose(VISIT, moment.interrupt, "q4")
    told = await guide.choose(VISIT, moment.interrupt, "q2")
    assert told.newest.evidence.questions[0].cq == "CQ-E4"
    assert told.offer is not None
    assert told.offer.asked == ()


@pytest.mark.slow
async def test_a_visit_of_a_hundred_choices_stays_small_on_disk(kept: Guide, tmp_path: Path) -> None:
    moment = await kept.begin(VISIT, StoryRequest(persona="luca", length="long", seed=1))
    for turn in range(100):
        assert moment.offer is not None
        on_offer = [*moment.offer.choices, *moment.offer.rest, *moment.offer.again, *moment.offer.back]
        moment = await kept.choose(VISIT, moment.interrupt, on_offer[(turn * 7 + 3) % len(on_offer)].id)
    with sqlite3.connect(tmp_path / "visits.sqlite") as connection:
        size = connection.execute("SELECT sum(length(checkpoint)) FROM checkpoints").fetchone()[0]
        size += connection.execute("SELECT sum(length(value)) FROM writes").fetchone()[0]
    connection.close()
    assert size < 1_000_000, size
    assert len(moment.tree) > 60


def digest_of(beat: StoryBeat) -> str:
    """Of the evidence that the beat holds."""
    return hashlib.sha256(beat.evidence.model_dump_json().encode()).hexdigest()


def plain(value: object) -> bool:
    """Whether it is made of JSON's own types alone."""
    if isinstance(value, dict):
        return all(type(key) is str and plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return value is None or type(value) in (str, int, float, bool)
