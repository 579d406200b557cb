"""The parts of a score: each from 0 to 1, by the formula that its docstring gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.context import StoryContext
from graph_tools import scoring
from graph_tools.scoring import LeadWeights, QuestionWeights, Score

NAMES = st.frozensets(st.sampled_from("abcdef"))


def test_continuity_is_half_for_one_shared_entity_and_whole_for_two() -> None:
    assert scoring.continuity({"a", "b"}, []) == 0
    assert scoring.continuity({"a", "b"}, [{"c"}]) == 0
    assert scoring.continuity({"a", "b"}, [{"a", "c"}]) == 0.5
    assert scoring.continuity({"a", "b", "c"}, [{"a", "b", "c"}]) == 1
    assert scoring.continuity({"a", "b"}, [{"a", "b"}, {"c"}]) == 0.5, "the mean over both sides"


def test_novelty_is_the_share_that_was_not_heard() -> None:
    assert scoring.novelty({"a", "b", "c", "d"}, {"a"}) == 0.75
    assert scoring.novelty(set(), {"a"}) == 0


def test_balance_prefers_what_few_beats_have() -> None:
    told = {"broadcast": 2, "Queen": 4}
    assert scoring.balance([{"broadcast"}], told, 4) == 0.5
    assert scoring.balance([{"broadcast"}, {"Queen", "U2"}], told, 4) == 0.5
    assert scoring.balance([{"technology"}, ()], told, 4) == 1
    assert scoring.balance([{"anything"}], {}, 0) == 1, "the first beat"
    assert scoring.balance([(), ()], told, 4) == 0


def test_salience_reaches_a_half_at_few_facts_and_few_sources() -> None:
    assert scoring.salience(0, 0) == 0
    assert scoring.salience(scoring.FEW_FACTS, scoring.FEW_SOURCES) == 0.5
    assert scoring.salience(30, 9) > scoring.salience(30, 3) > scoring.salience(3, 3)


def test_interest_is_the_greatest_among_the_themes() -> None:
    assert scoring.interest(["legacy", "broadcast"], {"legacy": 0.3, "broadcast": 0.8}) == 0.8
    assert scoring.interest(["audience"], {"legacy": 0.3}) == 0


def test_room_is_full_at_the_words_that_are_wanted() -> None:
    assert [scoring.room(words, 40) for words in (0, 20, 40, 90)] == [0, 0.5, 1, 1]


def test_every_place_in_a_round_has_its_turn() -> None:
    for called in range(10):
        turns = [scoring.turn(place, called, 10) for place in range(10)]
        assert turns[called] == max(turns) == 1
        assert sum(turn > 0 for turn in turns) == scoring.TURNS


@given(NAMES, st.lists(NAMES, max_size=3), st.integers(0, 9), st.integers(0, 9))
def test_every_part_lies_between_nothing_and_one(
    names: frozenset[str], groups: list[frozenset[str]], few: int, many: int
) -> None:
    told = {name: min(few, many) for name in names}
    parts = (
        scoring.continuity(names, groups),
        scoring.novelty(names, frozenset().union(*groups)),
        scoring.balance(groups, told, many),
        scoring.salience(few, many),
        scoring.room(few, many),
        scoring.turn(few, many, 10),
        scoring.drawn(few, many),
    )
    assert all(0 <= part <= 1 for part in parts), parts


def test_a_score_is_the_weighted_sum_and_the_noise() -> None:
    weights = LeadWeights(turn=2, salience=0.5, continuity=1, balance=1, noise=0.1)
    score = Score.of({"turn": 0.5, "salience": 1.0}, weights, 0.5)
    assert score.total == pytest.approx(2 * 0.5 + 0.5 * 1 + 0.1 * 0.5)
    assert dict(score.parts) == {"turn": 0.5, "salience": 1.0}, "what has no value is not shown"


def test_the_noise_is_small_beside_what_it_is_added_to(ctx: StoryContext) -> None:
    for weights in (QuestionWeights(), LeadWeights(), ctx.pack.arcs.scoring.questions, ctx.pack.arcs.scoring.leads):
        others = sum(value for name, value in weights.model_dump().items() if name != "noise")
        assert weights.noise <= others / 4
