"""The six failure modes of the paper's appendix: each is found in the paper's own example, and not in good telling."""

from __future__ import annotations

import pytest

from agent import visit
from agent.context import StoryContext
from agent.defects import (
    KINDS,
    Ground,
    Line,
    Spoken,
    counts,
    defects,
    fused,
    leaked_alias,
    mechanical_list,
    repeated,
    table_to_text,
    tail_fact,
)
from graph_tools.plan import StoryRequest

FAITHFUL = (
    "Live Aid 1985 was a dual-venue global benefit concert held on 13 July 1985.",
    "It was inspired by the Band Aid charity single “Do They Know It’s Christmas?” to raise funds for famine relief in"
    " Ethiopia.",
    "Bob Geldof and Midge Ure conceived Live Aid 1985.",
)
"""Appendix 0.A.2: told well."""


@pytest.mark.parametrize(
    "text",
    [
        "KG's eventName was Live Aid 1985.",
        "Live Aid 1985’s locationName was John F. Kennedy Stadium.",
        "The answer is ?artist.",
        "It was ex:LiveAid1985.",
        "RogerTaylor played the drums.",
    ],
)
def test_an_alias_of_a_query_is_found(text: str) -> None:
    assert leaked_alias(text, ())


def test_a_name_that_is_spelled_so_in_the_evidence_is_no_alias() -> None:
    assert leaked_alias("AllMusic praised McCartney.", [Ground("McCartney sang.", source="AllMusic")]) == ""
    assert leaked_alias("AllMusic praised McCartney.", [Ground("McCartney sang.")]) == "AllMusic"
    assert leaked_alias("At 18:41 the set began: six songs.", ()) == ""


ROWS = {
    "f1": Ground("Madonna gave a career-defining set in Philadelphia with quips about keeping the jacket on."),
    "f2": Ground("Phil Collins was the only artist to play both Wembley and Philadelphia the same day, by Concorde."),
}


def test_two_rows_in_one_sentence_without_the_name_of_one_are_fused() -> None:
    told = (
        "By artists not specified, the event included a career-defining set in Philadelphia, which featured quips about"
        " keeping the jacket on, and the only artist to play both Wembley and Philadelphia the same day by Concorde."
    )
    assert "jacket" in fused(Line(told, ("f1", "f2")), ROWS)
    assert fused(Line(told), ROWS)


def test_two_rows_that_both_have_their_name_are_not_fused() -> None:
    told = "Madonna joked about keeping the jacket on; Phil Collins was the only artist to play both the same day."
    assert fused(Line(told, ("f1", "f2")), ROWS) == ""
    assert fused(Line(told, ("f1",)), ROWS) == ""


QUEEN = "<x:Queen> <x:review> <x:Legacy> ."
MADONNA = '<x:Madonna> <x:born> "1958-08-16" .'


def test_a_last_sentence_about_something_else_is_a_tail() -> None:
    grounds = {"f1": Ground("Critics praised Queen.", (QUEEN,)), "f2": Ground("Madonna was born in 1958.", (MADONNA,))}
    tail = Line("Madonna was born in Bay City.", ("f2",))
    assert tail_fact(Spoken((Line("Critics praised Queen.", ("f1",)), tail), grounds)) == tail.text
    assert tail_fact(Spoken((Line("Critics praised Queen.", ("f1",)), Line("They stole it.", ("f1",))), grounds)) == ""
    assert tail_fact(Spoken((Line("Then Madonna and Queen met.", ("f1",)), tail), grounds)) == ""
    assert tail_fact(Spoken((tail,), grounds)) == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The acts were Adam Ant, Ultravox, INXS, Nik Kershaw, Sade, Sting and Queen.", True),
        ("The acts were Adam Ant, Ultravox and two more.", False),
        ("Phil Collins. , Bryan Ferry played.", True),
        ("They opened with “Radio Ga Ga” , it is said.", True),
        ("On 13 July 1985, in London, before a crowd, with no rehearsal, and in the heat, they played.", False),
    ],
)
def test_a_list_is_mechanical_from_six_items_on_or_with_the_debris_of_a_field(text: str, found: bool) -> None:
    assert bool(mechanical_list(text)) is found


def test_a_graph_read_aloud_step_by_step_is_table_to_text() -> None:
    first, second = "Live Aid 1985 had a location named John F. Kennedy Stadium.", "John F. Kennedy Stadium was large."
    assert table_to_text(first)
    assert table_to_text(second, first) == "John F. Kennedy Stadium"
    assert table_to_text("It was large.", first) == ""


def test_a_sentence_that_says_an_earlier_one_again_is_a_repetition() -> None:
    said = "Live Aid became a landmark in humanitarian fundraising and popular culture."
    assert repeated("The concert became a landmark in humanitarian fundraising and popular culture.", [said]) == said
    assert repeated("Bob Geldof founded it.", [said]) == ""


def test_the_faithful_example_of_the_paper_shows_none_of_them() -> None:
    grounds = {"f1": Ground(" ".join(FAITHFUL))}
    assert defects([Spoken(tuple(Line(text, ("f1",)) for text in FAITHFUL), grounds)]) == ()


def test_findings_say_where_they_are_and_every_kind_is_counted() -> None:
    beats = [
        Spoken((Line("Queen played six songs.", ("f1",)),), {"f1": Ground("Queen played six songs.")}),
        Spoken((Line("Queen played six songs.", ("f1",)), Line("The songName was it.", ("f1",))), {"f1": Ground("x")}),
    ]
    assert [(found.kind, found.beat, found.sentence) for found in defects(beats)] == [
        ("repetition", 1, 0),
        ("alias leakage", 1, 1),
    ]
    assert counts(beats) == dict.fromkeys(KINDS, 0) | {"repetition": 1, "alias leakage": 1}


def test_a_beat_in_hand_and_the_same_beat_of_a_story_file_are_read_alike(ctx: StoryContext) -> None:
    import json

    story = visit.tell_story(StoryRequest(persona="luca", length="medium", seed=3), ctx)
    forms = json.loads(story.to_json())["beats"]
    assert [Spoken.of(beat) for beat in story.beats] == [Spoken.of_form(form) for form in forms]


def test_our_stories_leak_no_alias_and_fuse_nothing(ctx: StoryContext) -> None:
    for persona in ("emma", "luca"):
        story = visit.tell_story(StoryRequest(persona=persona, length="medium", seed=5), ctx)
        found = counts(Spoken.of(beat) for beat in story.beats)
        assert (found["alias leakage"], found["fusion"], found["repetition"]) == (0, 0, 0)
