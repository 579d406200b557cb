"""All questions of a pack: loaded one by one, checked against each other."""

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

from agent.context import StoryContext
from graph_tools.errors import nearest
from graph_tools.library import Library, cross_check, dead_questions, load_library, theme_problems
from graph_tools.pack import StoryPack

TINY = Path(__file__).parent / "packs" / "tiny-observatory"


def test_a_library_is_in_the_order_of_ids() -> None:
    library, broken, problems = load_library(TINY)
    assert list(library) == sorted(library)
    assert (broken, problems) == ((), ())


def test_one_bad_file_does_not_hide_the_others(tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path / "pack")
    (tmp_path / "pack/cqs/CQ-T2.rq").write_bytes(b"\xff\xfe\x00")
    library, broken, problems = load_library(tmp_path / "pack")
    assert list(library) == ["CQ-T1", "CQ-T3", "CQ-T4", "CQ-T5"]
    assert broken == ("CQ-T2",)
    assert [str(problem) for problem in problems] == [
        "cqs/CQ-T2.rq: is not UTF-8 (invalid start byte); save it as UTF-8"
    ]


def test_what_refers_to_a_broken_file_is_no_fault_of_its_own(tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path / "pack")
    (tmp_path / "pack/cqs/CQ-T3.rq").write_text("#+ id =\n", encoding="utf-8")
    library, broken, _ = load_library(tmp_path / "pack")
    pack = StoryPack.open(TINY)
    assert list(cross_check(library, broken, pack.personas, None, None)) == []


def test_a_pack_without_questions_says_so(tmp_path: Path) -> None:
    library, _, problems = load_library(tmp_path)
    assert len(library) == 0
    assert "there is no question" in str(problems[0])


def test_a_question_that_links_out_of_the_pack_is_refused(tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path / "pack")
    outside = tmp_path / "CQ-T1.rq"
    shutil.move(tmp_path / "pack/cqs/CQ-T1.rq", outside)
    (tmp_path / "pack/cqs/CQ-T1.rq").symlink_to(outside)
    _, _, problems = load_library(tmp_path / "pack")
    assert "leads out of the pack" in str(problems[0])


def test_getting_an_unknown_question_with_a_default_gives_the_default() -> None:
    assert Library([]).get("CQ-T1") is None


def test_every_question_has_themes_that_the_concept_scheme_of_its_graph_has(ctx: StoryContext) -> None:
    pack = ctx.pack
    assert [cq_id for cq_id, template in pack.library.items() if not template.cq.themes] == []
    told = {theme for template in pack.library.values() for theme in template.cq.themes}
    assert len(told) == 11
    assert list(theme_problems(pack.library, pack.graph)) == []


def test_a_theme_that_no_concept_scheme_has_is_named_with_the_nearest(ctx: StoryContext) -> None:
    pack = ctx.pack
    cq = pack.library["CQ-B4"].cq.model_copy(update={"themes": ("critism",)})
    changed = Library([replace(pack.library["CQ-B4"], cq=cq)])
    assert [str(problem) for problem in theme_problems(changed, pack.graph)] == [
        "cqs/CQ-B4.rq:5: theme 'critism' is in no concept scheme of the graph; did you mean criticism?"
    ]


def test_of_many_valid_names_it_is_said_that_only_some_are_named() -> None:
    assert nearest("zzz", ["one", "two"]) == "there are one, two"
    assert nearest("zzz", [f"n{number}" for number in range(9)]) == "among 9: n0, n1, n2, n3, n4, n5, n6, n7"
    assert nearest("onne", ["one", "two"]) == "did you mean one?"


def test_a_question_that_only_a_tour_names_is_not_dead() -> None:
    pack = StoryPack.open(TINY)
    cq = pack.library["CQ-T3"].cq.model_copy(update={"id": "CQ-T6", "steps": ("The Workshop",)})
    library = Library([*pack.library.values(), replace(pack.library["CQ-T3"], cq=cq)])
    (problem,) = dead_questions(library, pack.arcs, ())
    assert "no arc of its personas has a step that CQ-T6 serves, and no tour names it" in problem.cause
    assert list(dead_questions(library, pack.arcs, {"CQ-T6"})) == []
    assert {cq_id for tour in pack.tours.values() for cq_id in tour.questions} <= set(pack.library)


def test_every_question_says_how_else_it_is_asked_who_asked_for_it_and_what_it_needs(ctx: StoryContext) -> None:
    pack = ctx.pack
    told = {persona.id: {story.id for story in persona.stories} for persona in pack.personas.values()}
    for cq_id, cq in ((cq_id, template.cq) for cq_id, template in pack.library.items()):
        assert 3 <= len(set(cq.paraphrases)) <= 30, cq_id
        assert cq.question not in cq.paraphrases, cq_id
        assert cq.needs.endswith("."), cq_id
        whose = {persona for persona, stories in told.items() if stories & set(cq.stories)}
        assert set(cq.stories) <= set().union(*told.values()), cq_id
        assert whose == set(cq.personas), cq_id


def test_no_two_questions_are_asked_in_the_same_words(ctx: StoryContext) -> None:
    pack = ctx.pack
    asked = Counter(
        words for template in pack.library.values() for words in (template.cq.question, *template.cq.paraphrases)
    )
    assert [words for words, times in asked.items() if times > 1] == []


def test_every_user_story_is_served_by_some_question(ctx: StoryContext) -> None:
    pack = ctx.pack
    served = {story for template in pack.library.values() for story in template.cq.stories}
    assert {story.id for persona in pack.personas.values() for story in persona.stories} == served


def test_most_questions_can_be_asked_about_something_besides_the_event(ctx: StoryContext) -> None:
    pack = ctx.pack
    beside = [cq_id for cq_id, template in pack.library.items() if set(template.cq.parameters) - {"event"}]
    assert len(beside) >= 50
    classes = {p.type.split("/")[-1] for cq_id in beside for p in pack.library[cq_id].cq.parameters.values()}
    assert len(classes) >= 10
