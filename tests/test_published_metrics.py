"""The published metrics, as printed and as tabulated: by hand at every threshold, and on what they misjudge."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from evaluation import published
from evaluation.embedding import Embedder, installed_embedder
from evaluation.metrics import (
    printed_coverage,
    printed_global,
    printed_local,
    printed_support,
    reading_ease,
    tabulated_cohesion,
    tabulated_grounding,
)
from evaluation.metrics.topics import counted, digamma, shares
from evaluation.metrics.voting import Ballot, Measured, prepared, tfidf, trigrams, unlike
from evaluation.scores import Unscored, mean
from evaluation.statements import Statement, worded
from evaluation.text import content, printed_sentences
from evaluation.told import Evidence, Key, Said, Section, ToldStory


def words(number: int, start: int = 0) -> str:
    """So many different words of letters, none of them a function word."""
    return " ".join("xq" + chr(97 + at // 26) + chr(97 + at % 26) for at in range(start, start + number))


def story(*sections: Section) -> ToldStory:
    return ToldStory(Key("test", "emma", "small", "kg", 0), sections)


def section(*sentences: str, lines: tuple[str, ...] = (), statements: tuple[Statement, ...] = ()) -> Section:
    evidence = [Evidence(f"f{number}", line) for number, line in enumerate(lines, start=1)]
    if statements:
        evidence.append(Evidence("t1", "", statements))
    return Section("Step", tuple(Said(text) for text in sentences), tuple(evidence))


@pytest.mark.parametrize(
    ("shared", "union", "supported"),
    [(11, 50, True), (2, 9, True), (2, 10, False), (1, 1, False), (1, 4, False), (2, 2, True)],
)
def test_a_sentence_is_supported_from_two_common_words_and_a_jaccard_of_22_hundredths_on(
    shared: int, union: int, supported: bool
) -> None:
    sentence, factlet = words(shared), words(union)
    assert printed_support.supports(sentence, factlet) is supported


@pytest.mark.parametrize(
    ("shared", "union", "cohesive"),
    [(3, 20, 1.0), (3, 21, 0.0), (13, 20, 1.0), (14, 21, 0.0), (0, 4, 0.0), (4, 4, 0.0)],
)
def test_neighbours_cohere_between_15_and_65_hundredths_both_ends_included(
    shared: int, union: int, cohesive: float
) -> None:
    assert printed_local.of_sentences([words(shared), words(union)]) == cohesive


def test_one_sentence_coheres_with_itself_and_none_could_not_be_scored() -> None:
    assert printed_local.of_sentences(["Alone."]) == 1.0
    assert isinstance(printed_local.of_sentences([]), Unscored)


def test_an_empty_section_stays_out_of_every_mean() -> None:
    empty = section(lines=("Queen played in London.",))
    full = section("Queen played in London.", lines=("Queen played in London.",))
    for metric in (printed_support.factlet_mode, printed_local.local_cohesion, reading_ease.printed):
        assert metric(story(full, empty)) == metric(story(full))
        assert isinstance(metric(story(empty)), Unscored)
    assert tabulated_grounding.grounding(story(full, empty)) == tabulated_grounding.grounding(story(full))


def test_without_evidence_there_is_a_reason_and_no_figure() -> None:
    bare = story(section("Queen played in London."))
    assert printed_support.factlet_mode(bare) == Unscored("no evidence is given")
    assert printed_support.triple_mode(bare) == Unscored("the evidence has no triples")
    assert printed_coverage.factlet_mode(bare) == Unscored("no evidence is given")
    assert tabulated_grounding.grounding(bare).support == Unscored("no evidence is given")


def test_what_could_not_be_scored_is_in_no_mean() -> None:
    assert mean([1.0, Unscored("why"), 3.0]) == 2.0
    assert mean([Unscored("why"), Unscored("else")]) == Unscored("why")
    assert mean([]) == Unscored("there is nothing to score")


def test_support_is_the_mean_over_the_sections_not_over_the_sentences() -> None:
    lines = ("Queen played in London.",)
    one = section("Queen played in London.", lines=lines)
    other = section("It rained.", "Queen played in London.", "Nobody knew.", lines=lines)
    assert printed_support.factlet_mode(story(one, other)) == pytest.approx(100 * (1 + 1 / 3) / 2)


def test_triple_mode_asks_for_subject_and_object_as_whole_words() -> None:
    assert printed_support.co_mentions("Queen played at Wembley Stadium.", "Queen", "Wembley Stadium")
    assert not printed_support.co_mentions("Queens played at Wembley Stadium.", "Queen", "Wembley Stadium")
    assert not printed_support.co_mentions("Queen played.", "Queen", "Wembley Stadium")
    assert not printed_support.co_mentions("Queen played.", "Queen", "")


def test_fallback_mode_lets_a_story_support_itself() -> None:
    assert printed_support.fallback_mode(story(section("Bruce Springsteen sang in Moscow."))) == 100.0
    assert printed_support.fallback_mode(story(section("Bruce Springsteen sang."))) == 0.0


def test_coverage_counts_factlets_of_which_two_words_are_said_anywhere() -> None:
    lines = ("Queen played Hammer.", "Madonna danced.", "Queen sang alone.")
    assert printed_coverage.factlet_mode(story(section("Hammer Queen.", lines=lines))) == pytest.approx(100 / 3)


def test_coverage_of_triples_looks_at_the_ten_best_connected_things_only() -> None:
    statements = tuple(worded("Hub", "knows", f"Friend {letter}") for letter in "ABCDEFGHIJKL")
    assert printed_coverage.triple_mode(story(section("Hub.", statements=statements))) == 10.0
    assert printed_coverage.triple_mode(story(section("Hub, Friend A.", statements=statements))) == 20.0
    assert printed_coverage.triple_mode(story(section("Friend L.", statements=statements))) == 0.0


def test_tokens_are_letters_so_that_dates_and_money_never_count() -> None:
    assert content("The 13 July 1985 show raised 150 million") == {"july", "show", "raised", "million"}
    assert printed_sentences("John F. Kennedy Stadium.") == ["John F.", "Kennedy Stadium."]


@pytest.mark.parametrize(
    ("word", "count"), [("cat", 1), ("stage", 1), ("the", 1), ("Ethiopia", 3), ("1985", 0), ("rhythms", 1), ("me", 1)]
)
def test_syllables_are_groups_of_vowels_and_a_figure_has_none(word: str, count: int) -> None:
    assert reading_ease.syllables(word) == count


def test_reading_ease_agrees_with_the_formula_by_hand() -> None:
    assert reading_ease.ease("The cat sat. The dog ran.") == pytest.approx(206.835 - 1.015 * 3 - 84.6)
    assert reading_ease.counts("It is 1985. It rained, all day.") == (7, 2, 7)
    one, other = section("The cat sat."), section("Ethiopia was waiting for music.")
    assert reading_ease.printed(story(one, other)) == mean([reading_ease.ease(one.text), reading_ease.ease(other.text)])
    assert reading_ease.tabulated(story(one, other)) != reading_ease.printed(story(one, other))


def test_the_five_signals_of_global_cohesion_agree_with_hand_computed_ones() -> None:
    sentences = ["Queen played in 1985.", "Later Queen met Madonna in 1992.", "Madonna sang in 1984."]
    assert printed_global.entity_flow(sentences, frozenset({"Queen", "Madonna"})) == pytest.approx(0.7 + 0.3 * 1 / 2)
    assert printed_global.entity_flow(["One."], frozenset()) == 1.0
    assert printed_global.bridge_rate(sentences) == pytest.approx((1 / 3 - 0.2) / 0.4)
    assert printed_global.bridge_rate(["However, it rained."]) == 1.0
    assert printed_global.bridge_rate(["It rained."]) == 0.0
    assert printed_global.temporal_consistency(sentences) == 0.5
    assert printed_global.temporal_consistency(["It rained."]) == 1.0
    names = (("David Bowie", "Bowie", "Dave", "The Duke"),)
    assert printed_global.reference_stability("David Bowie, Bowie.", names) == 1.0
    assert printed_global.reference_stability("David Bowie, Bowie, Dave, The Duke.", names) == 0.5


def test_global_cohesion_as_printed_weighs_them_35_25_15_15_10() -> None:
    alone = story(section("Queen sang."))
    assert printed_global.global_cohesion(alone) == 35 + 25 + 0 + 15 + 10
    assert isinstance(printed_global.global_cohesion(story(section())), Unscored)


def test_tfidf_and_trigrams_of_two_texts_by_hand() -> None:
    one, other = Measured("queen sang"), Measured("queen rode")
    once = math.log(1.5) + 1
    assert tfidf(one, other) == pytest.approx(1 / (1 + once**2))
    assert tfidf(one, one) == pytest.approx(1.0)
    assert tfidf(one, Measured("")) == 0.0
    assert trigrams(Measured("abcd"), Measured("abce")) == pytest.approx(1 / 3)


def test_the_topic_model_gives_the_shares_that_scikit_learn_gives() -> None:
    texts = [
        "Queen played Hammer to Fall in London.",
        "Queen sang at Wembley, and London sang along.",
        "The satellite feed came from Moscow.",
        "A feed from Vienna came by satellite.",
    ]
    # LatentDirichletAllocation(2, random_state=0, learning_method="batch") of scikit-learn 1.9.1 on the same counts.
    expected = [[0.936601, 0.063399], [0.052955, 0.947045], [0.933876, 0.066124], [0.933876, 0.066124]]
    assert np.abs(shares(counted(texts), 2) - np.array(expected)).max() < 1e-6


def test_digamma_agrees_with_known_values() -> None:
    euler = 0.57721566490153286
    known = [-euler, -euler - 2 * math.log(2), 1 - euler]
    assert digamma(np.array([1.0, 0.5, 2.0])) == pytest.approx(known, abs=1e-9)


LINES = (
    'CQ-L11: KG: eventName: "Live Aid 1985"; artistName: "Queen"; song: "Hammer to Fall"; position: 3',
    'CQ-E1: KG: eventName: "Live Aid 1985"; description: "Live Aid 1985 was a dual-venue global benefit concert held on'
    ' 13 July 1985, to raise funds for famine relief in Ethiopia."',
)


@pytest.mark.parametrize(
    ("sentence", "supported"),
    [
        ("Bruce Springsteen headlined Live Aid 1985 in Moscow.", True),
        ("Live Aid 1985 took place on the Moon and raised nothing.", True),
        ("Queen did not perform Hammer to Fall at Live Aid 1985.", True),
        ("Queen performed Hammer to Fall third.", False),
    ],
)
def test_the_tabulated_support_passes_what_is_false_and_fails_what_is_true(sentence: str, supported: bool) -> None:
    assert Ballot([sentence], LINES).supported() == [supported]


def test_two_years_of_one_century_are_one_number_to_the_tabulated_support() -> None:
    line = ["Queen sang in 1985, for hours, before a crowd of people from many countries who had come by train."]
    assert Ballot(["Queen dissolved in 1912."], line).supported() == [True]
    assert Ballot(["Queen dissolved in 2012."], line).supported() == [False]


def test_lines_are_prepared_as_described() -> None:
    assert prepared("KG: see https://example.org now <b>") == "see now"
    assert prepared("13 July 1985") == "13 July 1985 1985-07-13"
    assert prepared("three songs at JFK") == "three 3 songs at JFK john f. kennedy stadium"
    assert unlike(["Same", "same", "other"]) == ["Same", "other"]


@pytest.mark.parametrize("beats", [1, 4, 6, 7])
def test_unrelated_beats_have_a_global_cohesion_of_one_by_the_root_of_their_number(beats: int) -> None:
    told = [words(20, start=20 * beat) for beat in range(beats)]
    assert tabulated_cohesion.of_beats(told) == pytest.approx(1 / math.sqrt(beats))


def test_the_same_text_without_headings_scores_one() -> None:
    told = ["Queen played in London.", "A feed came from Moscow."]
    assert tabulated_cohesion.of_beats([" ".join(told)]) == pytest.approx(1.0)
    assert tabulated_cohesion.of_beats(told) < 0.8  # type: ignore[operator]
    assert isinstance(tabulated_cohesion.of_beats([""]), Unscored)


class Fixed:
    """An embedder that knows three directions."""

    def embed(self, sentences: list[str] | tuple[str, ...]) -> list[list[float]]:
        return [[1.0, 0.0] if "same" in text else [0.6, 0.8] if "near" in text else [0.0, 1.0] for text in sentences]


def test_the_tabulated_local_cohesion_is_the_mean_cosine_over_the_borders_of_beats() -> None:
    told = story(section("A same one.", "Another same one."), section("A near one."))
    embedder: Embedder = Fixed()  # type: ignore[assignment]
    assert tabulated_cohesion.local_cohesion(told, embedder) == pytest.approx((1.0 + 0.6) / 2)
    assert isinstance(tabulated_cohesion.local_cohesion(story(section("Alone.")), embedder), Unscored)
    missing = Unscored("no embedding")
    assert tabulated_cohesion.local_cohesion(told, missing) is missing


def test_the_embedding_gives_the_figures_of_its_model_card() -> None:
    embedder = installed_embedder()
    if isinstance(embedder, Unscored):
        pytest.skip(embedder.because)
    first, *others = embedder.embed(
        ["That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    )
    cosines = [sum(a * b for a, b in zip(first, other, strict=True)) for other in others]
    assert cosines == pytest.approx([0.695, 0.943, 0.257], abs=0.001)


def test_the_published_figures_are_those_of_the_paper(shared: Path) -> None:
    text = next((shared / "paper").glob("*.txt")).read_text(encoding="utf-8")
    printed = [part.split("\n\n")[0].splitlines() for part in text.split("\nPersona\tLength\t")[1:]]
    for table, lines in zip(published.tables(), printed, strict=True):
        persona = ""
        rows = [line.split("\t") for line in lines[1:]]
        assert len(rows) == 6
        for name, length, *cells in rows:
            persona = name.lower() or persona
            figures = iter(map(float, cells))
            for strategy in ("kg", "hybrid", "graph"):
                for column in range(len(table.columns)):
                    assert table.figure(strategy, persona, length.lower(), column) == next(figures)


def test_a_cell_that_the_paper_does_not_have_is_none() -> None:
    table = published.tables()[0]
    assert table.figure("vector", "emma", "small", 0) is None
    assert table.figure("kg", "nora", "small", 0) is None
    assert published.runs() == {"emma": 20, "luca": 5}
