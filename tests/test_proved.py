"""Proved sentences: a story file is read back, its rows are found again, and the gate rules along their statements."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from agent import visit
from agent.context import StoryContext
from evaluation.metrics.proved import SNIPPETS, Judge, Ruling, judge_of
from evaluation.metrics.shortest import shortest
from evaluation.rows import OTHERWISE, Rows
from evaluation.scores import Unscored
from evaluation.told import Evidence, Said, Section, ToldStory, story_of
from graph_tools.evidence import Factlet
from graph_tools.grounding.verdict import Bond
from graph_tools.plan import StoryRequest

LENGTHS = ("small", "medium", "long")


@pytest.fixture(scope="module")
def judge(ctx: StoryContext) -> Judge:
    found = judge_of(ctx.pack)
    assert not isinstance(found, Unscored)
    return found


def read_back(ctx: StoryContext, persona: str, length: str, strategy: str = "kg", seed: int = 0) -> ToldStory:
    request = StoryRequest(persona=persona, length=length, strategy=strategy, seed=seed)
    return story_of(json.loads(visit.tell_story(request, ctx).to_json()))


@pytest.fixture(scope="module")
def story(ctx: StoryContext) -> ToldStory:
    return read_back(ctx, "luca", "medium")


def rulings(story: ToldStory, judge: Judge) -> list[tuple[Said, Section, Ruling | Unscored]]:
    return [(said, section, judge(said, section)) for section in story.sections for said in section.sentences]


def failed(story: ToldStory, judge: Judge) -> list[tuple[str, object]]:
    found = rulings(story, judge)
    return [(said.text, one) for said, _, one in found if not isinstance(one, Ruling) or one.status != "proved"]


def test_every_sentence_of_a_template_story_is_proved_from_its_file_alone(story: ToldStory, judge: Judge) -> None:
    assert len(rulings(story, judge)) > 10
    assert failed(story, judge) == []


@pytest.mark.slow
def test_no_true_sentence_of_sixty_template_stories_fails(ctx: StoryContext, judge: Judge) -> None:
    stories = [read_back(ctx, who, long, seed=n) for who in ("emma", "luca") for long in LENGTHS for n in range(10)]
    assert sum(len(section.sentences) for story in stories for section in story.sections) > 1000
    assert [failure for story in stories for failure in failed(story, judge)] == []


def test_a_proof_is_a_path_of_cited_statements_of_which_none_can_be_left_out(story: ToldStory, judge: Judge) -> None:
    shorter = 0
    for said, section, ruling in rulings(story, judge):
        assert isinstance(ruling, Ruling)
        cited = {line for item in section.evidence if item.id in said.cites for line in item.triples}
        assert set(ruling.path) <= cited
        assert ruling.path or not any(bond.triples for bond in ruling.bonds)
        shorter += 0 < len(ruling.path) < len(cited)
    assert shorter > 5


def about(first: str, second: str, told: str) -> str:
    return f"<http://x.example/{first}> <http://x.example/{second}> {told} ."


def test_the_shortest_path_joins_the_values_of_a_row_and_drops_what_leads_elsewhere() -> None:
    queen, slot, start = (
        about("slot", "by", "<http://x.example/queen>"),
        about("slot", "a", "<http://x.example/Slot>"),
        about("slot", "start", '"18:41"'),
    )
    row = Factlet(id="f1", cq="Q", text="Queen came on at 18:41.", values={}, triples=(slot, queen, start))
    bonds = [Bond("Queen", "f1", "artist", (queen,)), Bond("18:41", "f1", "start", (start,))]
    assert shortest(bonds, [row]) == (queen, start)
    apart = about("queen", "called", '"Queen"')
    bonds[0] = Bond("Queen", "f1", "artist", (apart,))
    longer = row.model_copy(update={"triples": (apart, queen, start)})
    assert shortest(bonds, [longer]) == (apart, queen, start), "without the middle one they do not hang together"
    assert shortest([], [row]) == ()


def listed(story: ToldStory, judge: Judge) -> tuple[Said, Section]:
    for said, section, ruling in rulings(story, judge):
        if isinstance(ruling, Ruling) and len({bond.factlet for bond in ruling.bonds}) > 2:
            return said, section
    raise AssertionError("no sentence lists three rows")


def test_a_list_is_proved_where_every_item_is_and_not_with_one_of_them_uncited(ctx: StoryContext, judge: Judge) -> None:
    said, section = listed(read_back(ctx, "emma", "long"), judge)
    assert not isinstance(judge(said, section), Unscored)
    fewer = judge(replace(said, cites=said.cites[1:]), section)
    assert isinstance(fewer, Ruling)
    assert fewer.status != "proved"


def test_a_lie_is_unproved_a_denial_contradicted_and_an_added_remark_leaves_a_part(
    ctx: StoryContext, judge: Judge
) -> None:
    found = Counter(
        ruling.status
        for story in (read_back(ctx, "emma", "medium"), read_back(ctx, "luca", "medium"))
        for said, section, _ in rulings(story, judge)
        for text in (
            said.text.replace(" was ", " was not ", 1),
            said.text[:-1] + " to thunderous applause.",
            said.text[:-1] + " with Elvis Presley.",
        )
        if text != said.text and isinstance(ruling := judge(replace(said, text=text), section), Ruling)
    )
    assert found["proved"] == 0
    assert min(found[status] for status in ("partly", "unproved", "contradicted")) > 0


def test_a_sentence_that_cites_only_a_snippet_could_not_be_judged_and_says_why(ctx: StoryContext, judge: Judge) -> None:
    found = rulings(read_back(ctx, "luca", "medium", "hybrid"), judge)
    unscored = [(said, one) for said, _, one in found if isinstance(one, Unscored)]
    assert {one.because for _, one in unscored} == {SNIPPETS}
    assert all({id_[0] for id_ in said.cites} == {"s"} for said, _ in unscored)
    assert all(one.status == "proved" for *_, one in found if isinstance(one, Ruling))


def test_evidence_that_is_not_what_the_pack_answers_now_is_not_judged(story: ToldStory, judge: Judge) -> None:
    section = story.sections[-1]
    said = section.sentences[0]
    forged = tuple(replace(item, triples=(*item.triples, about("a", "b", '"c"'))) for item in section.evidence)
    assert judge(said, replace(section, evidence=forged)) == Unscored(OTHERWISE)
    foreign = judge(said, replace(section, asked=()))
    assert isinstance(foreign, Unscored)
    strange = judge(replace(said, cites=("f99",)), section)
    assert isinstance(strange, Ruling)
    assert strange.status == "unproved"
    other = replace(section, asked=tuple(replace(one, cq="CQ-NONE") for one in section.asked))
    assert isinstance(judge(said, other), Unscored)


def links(ctx: StoryContext) -> list[Evidence]:
    stories = [read_back(ctx, who, "long", seed=seed) for who in ("emma", "luca") for seed in range(2)]
    return [item for story in stories for section in story.sections for item in section.evidence if item.id == "t1"]


def test_a_link_is_held_to_its_own_statements_and_to_the_graph(ctx: StoryContext) -> None:
    rows, found = Rows(ctx.pack), links(ctx)
    assert len(found) > 5
    assert all(rows.link_holds(link) for link in found)
    assert not any(rows.link_holds(replace(link, text=link.text[:-1] + " and a day.")) for link in found)
    forged = [replace(link, triples=(*link.triples, about("a", "b", '"c"'))) for link in found]
    assert not any(map(rows.link_holds, forged))


def test_a_story_that_walks_is_proved_in_the_words_of_its_relations(ctx: StoryContext, judge: Judge) -> None:
    story = read_back(ctx, "emma", "medium", "graph", seed=3)
    assert failed(story, judge) == []
    counted = [
        (said, section, ruling)
        for said, section, ruling in rulings(story, judge)
        if isinstance(ruling, Ruling) and len(said.cites) > 2
    ]
    assert counted
    for said, section, _ in counted:
        fewer = judge(replace(said, cites=said.cites[:1]), section)
        assert isinstance(fewer, Ruling)
        assert fewer.status != "proved"
