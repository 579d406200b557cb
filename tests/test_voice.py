"""Names, short names and pronouns."""

from __future__ import annotations

import pytest

from agent.context import StoryContext
from agent.voice import StoryVoice

EX = "http://wembrewind.live/ex#"
QUEEN, BOWIE, U2, EVENT = EX + "Queen", EX + "DavidBowie", EX + "U2", EX + "LiveAid1985"


def voice(ctx: StoryContext, **state: object) -> StoryVoice:
    fresh: dict[str, object] = {"mentioned": frozenset[str](), "clock_style": "clock"}
    return StoryVoice(ctx.pack.entities, **(fresh | state))  # type: ignore[arg-type]


def test_the_first_mention_is_the_full_name_and_a_later_one_the_short_name(ctx: StoryContext) -> None:
    assert voice(ctx).refer(BOWIE, "") == "David Bowie"
    assert voice(ctx, mentioned=frozenset({BOWIE})).refer(BOWIE, "") == "Bowie"
    assert voice(ctx, mentioned=frozenset({BOWIE})).refer(BOWIE, "name") == "David Bowie"


def test_a_second_mention_in_the_sentence_is_a_pronoun(ctx: StoryContext) -> None:
    speaker = voice(ctx)
    assert [speaker.refer(BOWIE, form) for form in ("", "", "poss", "obj")] == ["David Bowie", "he", "his", "him"]


def test_the_subject_of_the_sentence_before_becomes_a_pronoun(ctx: StoryContext) -> None:
    state = {"mentioned": frozenset({QUEEN}), "before": (QUEEN,), "subject_before": QUEEN}
    assert voice(ctx, **state).refer(QUEEN, "") == "they"
    assert voice(ctx, **state).refer(QUEEN, "poss") == "their"


def test_no_pronoun_where_it_could_mean_somebody_else(ctx: StoryContext) -> None:
    state = {"mentioned": frozenset({QUEEN, U2}), "before": (QUEEN, U2), "subject_before": QUEEN}
    assert voice(ctx, **state).refer(QUEEN, "") == "Queen"


def test_no_pronoun_opens_two_sentences_running(ctx: StoryContext) -> None:
    state = {"mentioned": frozenset({QUEEN}), "before": (QUEEN,), "subject_before": QUEEN, "pronoun_before": True}
    assert voice(ctx, **state).refer(QUEEN, "") == "Queen"


@pytest.mark.parametrize(("iri", "said"), [(QUEEN, "they"), (BOWIE, "he"), (EX + "Madonna", "she"), (EVENT, "it")])
def test_the_pronoun_is_the_graph_s(ctx: StoryContext, iri: str, said: str) -> None:
    assert voice(ctx).refer(iri, "they") == said


def test_the_article_of_a_group_s_name_is_small_inside_a_sentence(ctx: StoryContext) -> None:
    speaker = voice(ctx)
    said = f"{speaker.refer(EX + 'TheWho', '')} came on, and The Guardian saw {speaker.title(EX + 'TheBeachBoys')}."
    assert speaker.set_articles(said) == "The Who came on, and The Guardian saw the Beach Boys."


def test_the_subject_is_whom_the_sentence_names_first(ctx: StoryContext) -> None:
    speaker = voice(ctx)
    speaker.refer(QUEEN, "poss")
    speaker.refer(EVENT, "")
    assert (speaker.subject, speaker.named) == (QUEEN, [QUEEN, EVENT])
