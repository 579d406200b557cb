"""How values are spoken."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_tools import speech
from graph_tools.speech import Unspeakable
from graph_tools.terms import XSD


@pytest.mark.parametrize(
    ("lexical", "said"),
    [
        ("1985-07-13", "13 July 1985"),
        ("1985-07", "July 1985"),
        ("1985", "1985"),
        ("-0044", "44 BC"),
        ("1985-07-13T18:41:00+01:00", "13 July 1985"),
    ],
)
def test_a_date_is_spoken_at_the_precision_that_it_has(lexical: str, said: str) -> None:
    assert speech.spoken_date(lexical) == said


@pytest.mark.parametrize("lexical", ["1985-02-30", "yesterday", "", "13 July 1985", "85"])
def test_an_ill_typed_date_is_never_spoken(lexical: str) -> None:
    with pytest.raises(Unspeakable):
        speech.spoken_date(lexical)


@pytest.mark.parametrize(
    ("lexical", "said"),
    [("6", "six"), ("20", "twenty"), ("21", "21"), ("89484", "89,484"), ("1900000000", "1.9 billion"),
     ("150000000", "150 million"), ("150000001", "150,000,001"), ("1.90", "1.9"), ("-3", "-3")],
)  # fmt: skip
def test_a_number_is_spoken_without_being_rounded(lexical: str, said: str) -> None:
    assert speech.number(lexical) == said


@pytest.mark.parametrize("lexical", ["1,900", "many", "1.9E9", ""])
def test_what_is_no_plain_number_is_never_spoken_as_one(lexical: str) -> None:
    with pytest.raises(Unspeakable):
        speech.number(lexical)


def test_money_carries_its_own_currency() -> None:
    assert speech.money("150000000", "GBP") == "£150 million"
    assert speech.money("127000000", "USD") == "$127 million"
    assert speech.money("11500000", "GBP") == "£11.5 million"


@pytest.mark.parametrize(
    ("time", "clock"),
    [("12:00", "noon"), ("00:00", "midnight"), ("08:51", "8:51 in the morning"), ("17:20", "5:20 in the afternoon"),
     ("18:41", "6:41 in the evening"), ("22:15", "10:15 at night"), ("18:00", "6 in the evening")],
)  # fmt: skip
def test_a_time_of_day_is_local_time_in_either_style(time: str, clock: str) -> None:
    lexical = f"1985-07-13T{time}:00-04:00"
    assert speech.clock(lexical) == clock
    assert speech.time_of_day(lexical) == time


@pytest.mark.parametrize(
    ("minutes", "said"),
    [(1, "a minute"), (7, "seven minutes"), (40, "forty minutes"), (41, "about forty minutes"), (58, "about an hour"),
     (60, "an hour"), (90, "an hour and a half"), (150, "two and a half hours"), (125, "about two hours")],
)  # fmt: skip
def test_a_gap_is_hedged_where_it_is_rounded(minutes: int, said: str) -> None:
    assert speech.gap(timedelta(minutes=minutes)) == said


@given(st.integers(min_value=1, max_value=19 * 60))
def test_a_gap_without_a_hedge_is_exact(minutes: int) -> None:
    said = speech.gap(timedelta(minutes=minutes))
    if not said.startswith("about"):
        assert minutes % 30 == 0 or minutes % 5 == 0 or minutes <= 10


def test_the_dots_of_a_title_are_one_character_so_that_no_mark_stands_doubled() -> None:
    assert speech.quoted("Is This the World We Created...?") == "“Is This the World We Created…?”"


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [("1985-07-13", "2005-07-13", "twenty years"), ("1985-07-13T18:41:00+01:00", "1945-11-12", "about forty years"),
     ("1985-07-13", "1976", "about nine years"), ("1985-07-13", "1984-07", "about a year"),
     ("1985-07-13", "1941-01-09", "about 45 years")],
)  # fmt: skip
def test_years_between_are_hedged_unless_they_are_anniversaries(one: str, other: str, said: str) -> None:
    assert speech.years_between(one, other, str if "45" in said else speech.words) == said
    assert speech.years_between(other, one, str if "45" in said else speech.words) == said


def test_there_are_no_years_within_one() -> None:
    with pytest.raises(Unspeakable):
        speech.years_between("1985", "1985-07-13")


def test_lists_say_truthfully_how_many_more_there_are() -> None:
    assert speech.joined(["a", "b", "c"]) == "a, b and c"
    assert speech.joined(["a", "b"], more=14) == "a, b and fourteen more"
    assert speech.joined(["Crosby, Stills & Nash", "Queen", "U2"]) == "Crosby, Stills & Nash; Queen; and U2"


def test_names_take_the_possessive_that_they_need() -> None:
    assert speech.possessive("Queen") == "Queen's"
    assert speech.possessive("Dire Straits") == "Dire Straits'"


def test_durations_are_spoken_in_their_units() -> None:
    assert speech.duration("PT16H") == "sixteen hours"
    assert speech.duration("PT1H20M") == "one hour and twenty minutes"
    with pytest.raises(Unspeakable):
        speech.duration("P")


def test_a_literal_is_spoken_by_its_datatype() -> None:
    assert speech.literal("007", XSD + "string") == "007"
    assert speech.literal("1970", XSD + "gYear") == "1970"
    assert speech.literal("1985-07-13T18:41:00+01:00", XSD + "dateTime", clock_style="clock") == "6:41 in the evening"


@given(st.text(min_size=1, max_size=30))
def test_a_quoted_title_has_one_pair_of_quotation_marks(title: str) -> None:
    said = speech.quoted(title)
    assert said.startswith("“")
    assert said.endswith("”")
    assert not re.search(r"^““|””$", said)
