"""Our own measures by hand, the baselines that every measure has to stand beside, and the statistics."""

from __future__ import annotations

from collections import Counter

import pytest

from agent import visit
from agent.context import StoryContext
from evaluation import details
from evaluation.baselines import BASELINES, copier, exchanged, shuffled
from evaluation.frame import Frame
from evaluation.measures import MEASURES, measure
from evaluation.metrics import citations, failures, fit, proved, redundancy, variety, wording
from evaluation.metrics.proved import Ruling
from evaluation.scores import Unscored
from evaluation.statements import naming, read
from evaluation.stats import Interval, Paired, auroc, interval, paired, ranks, spearman
from evaluation.told import Asked, Evidence, Key, Said, Section, ToldStory, story_of
from graph_tools.plan import StoryRequest

SET = Evidence("f1", "Queen came on at 18:41 at Wembley Stadium.", source="The Guardian", question="CQ-A1")
SONG = Evidence("f2", "Queen played “Radio Ga Ga” as number two of the set.", question="CQ-A2")
CROWD = Evidence("f3", "An estimated 1.9 billion people watched.", question="CQ-L20")


def told(*sentences: Said, evidence: tuple[Evidence, ...] = (SET, SONG, CROWD), persona: str = "emma") -> ToldStory:
    return ToldStory(Key("test", persona, "small", "kg", 0), (Section("Step", sentences, evidence, (Asked("CQ-A1"),)),))


@pytest.mark.parametrize(
    ("text", "evidence", "lost"),
    [
        ("Queen came on at 6:41 in the evening, says The Guardian.", [SET], ()),
        ("Queen came on at 6:42 in the evening.", [SET], ("6:42",)),
        ("As the second song, Queen played “Radio Ga Ga”.", [SONG], ()),
        ("As the third song, Queen played “Radio Ga Ga”.", [SONG], ("3",)),
        ("They played “Hammer to Fall”.", [SONG], ("fall", "hammer", "hammer to fall")),
        ("About 1.9 billion people watched.", [CROWD], ()),
        ("About 1.5 billion people watched.", [CROWD], ("1.5e+09",)),
        ("Then Madonna came on.", [SET], ("madonna",)),
        ("Nine minutes later they had gone.", [SET], ()),
        ("Queen had two entries.", [SET, SONG], ()),
    ],
)
def test_what_can_be_looked_up_in_a_sentence_is_looked_up(
    text: str, evidence: list[Evidence], lost: tuple[str, ...]
) -> None:
    assert details.missing(text, evidence) == lost


def test_recall_wants_each_sentence_carried_by_its_own_citations() -> None:
    right, wrong = Said("Queen came on at 18:41.", ("f1",)), Said("Queen came on at 18:41.", ("f2",))
    silent, empty = Said("Queen came on at 18:41."), Said("Nothing like that was ever heard.", ("f1",))
    assert citations.recall(told(right)) == 100.0
    assert citations.recall(told(right, wrong)) == 50.0
    assert citations.recall(told(right, silent, empty, right)) == 50.0
    assert isinstance(citations.recall(told()), Unscored)


def test_precision_wants_each_citation_at_work_and_counts_rows_of_one_question_together() -> None:
    assert citations.precision(told(Said("Queen came on at Wembley Stadium.", ("f1", "f3")))) == 50.0
    rows = (SET, Evidence("f2", "Sting sang.", question="CQ-A1"))
    assert citations.precision(told(Said("Queen came on at Wembley.", ("f1", "f2")), evidence=rows)) == 100.0
    assert isinstance(citations.precision(told(Said("Queen came on."))), Unscored)


def test_a_false_relation_between_right_names_passes_the_look_up() -> None:
    # The floor that docs/evaluation.md speaks of: only a gate that reads relations can refuse this.
    assert citations.recall(told(Said("Wembley Stadium came on at 18:41 at Queen.", ("f1",)))) == 100.0


def test_without_a_gate_proved_could_not_be_scored_and_with_one_it_is_the_share_it_proves() -> None:
    story = told(Said("Queen came on."), Said("Sting sang."))
    assert isinstance(proved.proof(story, Unscored("no gate")).proved, Unscored)
    assert proved.proof(story, lambda said, _section: Ruling("proved" if "Queen" in said.text else "partly")) == (
        50.0, 50.0, 0.0, 100.0,
    )  # fmt: skip


def test_what_cannot_be_judged_is_in_no_share_but_in_the_one_of_the_judged() -> None:
    story = told(Said("Queen came on."), Said("Sting sang."))
    found = proved.proof(story, lambda said, _: Ruling("contradicted") if "Queen" in said.text else Unscored("a page"))
    assert found == (0.0, 0.0, 100.0, 50.0)
    assert proved.proof(story, lambda _said, _section: Unscored("a page")).proved == Unscored("a page")


def test_own_wording_is_the_share_that_no_model_worded_and_has_to_be_said() -> None:
    story = told(Said("Queen came on.", worded_by="model"), Said("Sting sang.", worded_by="template"))
    assert wording.own(story) == 50.0
    assert isinstance(wording.own(told(Said("Queen came on."))), Unscored)


def test_redundancy_counts_sentences_that_mostly_say_what_was_said() -> None:
    one, again = Said("Queen played six songs in London."), Said("Queen played six songs in London then.")
    assert redundancy.repeated(told(one, again, Said("It rained."), Said("Nobody left."))) == 25.0
    assert redundancy.distinct_pairs(told(Said("one two one two"))) == pytest.approx(2 / 3)


def test_variety_counts_things_by_any_of_their_names_and_themes_of_the_questions() -> None:
    named = Evidence("f1", "x", names=(("John F. Kennedy Stadium", "JFK"), ("Queen",), ("Sting",)))
    story = told(Said("Queen watched JFK."), Said("John F. Kennedy Stadium was far."), evidence=(named,))
    assert variety.entities(story) == 2.0
    assert variety.themes(story, {"CQ-A1": ("on stage", "technology")}) == 2.0
    assert isinstance(variety.themes(story, {}), Unscored)


def test_fit_holds_a_story_to_its_persona() -> None:
    story = told(Said("Queen came on."), Said("They played in the sun for a long while and went."))
    assert fit.words(story) == 14.0
    assert fit.in_span(story, {("emma", "small"): (10, 14)}) == 100.0
    assert fit.in_span(story, {("emma", "small"): (10, 13)}) == 0.0
    assert fit.too_long(story, {"emma": 10}) == 50.0
    assert fit.grade(told(Said("The cat sat."))) == pytest.approx(0.39 * 3 + 11.8 - 15.59)
    assert fit.easy_enough(story, {"emma": 16}) == 100.0
    assert fit.level(16, 1.5) == pytest.approx(8.35)
    assert isinstance(fit.in_span(story, {}), Unscored)
    assert isinstance(fit.too_long(story, {}), Unscored)


def test_failures_are_counted_in_percent_of_the_sentences() -> None:
    found = failures.failures(told(Said("The songName was it.", ("f1",)), Said("Queen came on.", ("f1",))))
    assert found["alias leakage"] == 50.0
    assert found["fusion"] == 0.0


@pytest.fixture(scope="module")
def story(ctx: StoryContext) -> ToldStory:
    import json

    return story_of(json.loads(visit.tell_story(StoryRequest(persona="luca", seed=3), ctx).to_json()))


@pytest.fixture(scope="module")
def scored(story: ToldStory, ctx: StoryContext) -> dict[str, dict[str, object]]:
    frame = Frame.of(ctx.pack)
    systems = {"cuestory": story} | {name: made(story) for name, made in BASELINES.items()}
    return {name: dict(measure(one, frame)) for name, one in systems.items()}


def test_every_measure_is_taken_of_every_story(scored: dict[str, dict[str, object]]) -> None:
    for scores in scored.values():
        assert list(scores) == [one.key for one in MEASURES]


def test_the_copier_prints_its_evidence_and_beats_the_story_on_the_published_metrics(
    story: ToldStory, scored: dict[str, dict[str, object]]
) -> None:
    lines = [item.text for section in story.sections for item in section.evidence]
    assert [said.text.rstrip(".") for section in copier(story).sections for said in section.sentences] == [
        line.rstrip(".") for line in lines
    ]
    ours, theirs = scored["cuestory"], scored["copier"]
    for key in ("tabulated_support", "tabulated_coverage", "printed_support_factlet", "printed_coverage_factlet"):
        assert theirs[key] > ours[key]  # type: ignore[operator]


def test_the_shuffled_story_has_the_same_sentences_and_loses_its_citations(
    story: ToldStory, scored: dict[str, dict[str, object]]
) -> None:
    def sentences(one: ToldStory) -> Counter[str]:
        return Counter(said.text for section in one.sections for said in section.sentences)

    assert sentences(shuffled(story)) == sentences(story)
    assert shuffled(story) == shuffled(story) != story
    assert scored["shuffled"]["citation_recall"] < 60 < scored["cuestory"]["citation_recall"]  # type: ignore[operator]
    assert scored["shuffled"]["tabulated_fre"] == scored["cuestory"]["tabulated_fre"]


def test_the_exchanged_story_is_false_and_only_some_measures_see_it(
    story: ToldStory, scored: dict[str, dict[str, object]]
) -> None:
    twin = exchanged(story)
    assert twin == exchanged(story)
    assert twin.text != story.text
    assert [len(section.sentences) for section in twin.sections] == [
        len(section.sentences) for section in story.sections
    ]
    assert scored["exchanged"]["citation_recall"] < 60  # type: ignore[operator]
    assert scored["exchanged"]["tabulated_global"] == pytest.approx(scored["cuestory"]["tabulated_global"], abs=0.06)


def test_statements_are_read_in_words() -> None:
    names = naming(
        [
            '<x:jfk> <x:alternateName> "JFK" .',
            '<x:jfk> <http://schema.org/name> "John F. Kennedy Stadium"@en .',
            "<x:jfk> <x:source> <x:page> .",
        ]
    )
    assert names == {"x:jfk": ("John F. Kennedy Stadium", "JFK")}
    found = read("<x:q/Queen> <x:at#playedAt> <x:jfk> .", names)
    assert found is not None
    assert found[:3] == ("Queen", "playedAt", "John F. Kennedy Stadium")
    literal = read('<x:jfk> <x:says> "a \\"quoted\\" l\\u00e4rm\\n"@en .', names)
    assert literal is not None
    assert literal.object == 'a "quoted" lärm\n'
    assert literal.entities == ("John F. Kennedy Stadium",)
    assert read("no statement", {}) is None


def test_an_interval_holds_the_mean_and_comes_out_the_same_every_time() -> None:
    strata = {"a": [1.0, 2.0, 3.0], "b": [5.0]}
    found = interval(strata, "name")
    assert isinstance(found, Interval)
    assert found == interval(dict(reversed(strata.items())), "name")
    assert found.mean == 2.75
    assert found.low <= found.mean <= found.high
    assert found.high - found.low <= 1.5 + 1e-9  # within strata: the lone story of b never leaves
    assert isinstance(interval({}, "name"), Unscored)


def test_an_effect_is_the_mean_difference_in_standard_deviations() -> None:
    found = paired({"a": [1.0, 3.0], "b": [0.0, 0.0]}, "name")
    assert isinstance(found, Paired)
    assert found.difference.mean == 1.0
    assert found.effect == pytest.approx(1 / 2**0.5)
    assert found.higher == 0.75
    alike = paired({"a": [2.0, 2.0]}, "name")
    assert isinstance(alike, Paired)
    assert isinstance(alike.effect, Unscored)


def test_rank_correlation_and_auroc_by_hand() -> None:
    assert list(ranks([10.0, 20.0, 10.0])) == [1.5, 3.0, 1.5]
    assert spearman([1.0, 2.0, 3.0], [10.0, 20.0, 30.0]) == pytest.approx(1.0)
    assert spearman([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]) == pytest.approx(-1.0)
    assert spearman([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]) == pytest.approx(0.8)
    assert isinstance(spearman([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]), Unscored)
    assert isinstance(spearman([1.0, 2.0], [1.0, 2.0]), Unscored)
    assert auroc([0.9, 0.8, 0.1], [True, True, False]) == 1.0
    assert auroc([0.5, 0.5], [True, False]) == 0.5
    assert auroc([0.9, 0.5, 0.4, 0.1], [True, False, True, False]) == 0.75
    assert isinstance(auroc([0.5], [True]), Unscored)
