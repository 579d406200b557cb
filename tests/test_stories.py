"""What a told story must be, over many seeds: its length, its voice, its thread, and none of the ways stories go wrong.

The six behaviours at the end are those that the paper's Appendix 0.A.3 and 0.A.4 found in generated stories.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path
from types import ModuleType

import pytest
from rdflib import Graph

from agent import visit
from agent.context import StoryContext
from agent.story import Sentence, Story, StoryBeat
from graph_tools.evidence import Factlet
from graph_tools.plan import StoryRequest
from graph_tools.terms import Iri

PERSONAS, LENGTHS, SEEDS = ("emma", "luca"), ("small", "medium", "long"), range(12)
RANGES = {"small": (120, 160), "medium": (220, 300), "long": (400, 550)}
LONGEST = {"emma": 16, "luca": 26}


@pytest.fixture(scope="module")
def stories(ctx: StoryContext) -> list[Story]:
    return [
        visit.tell_story(StoryRequest(persona=persona, length=length, seed=seed), ctx)
        for persona in PERSONAS
        for length in LENGTHS
        for seed in SEEDS
    ]


def told(story: Story) -> list[StoryBeat]:
    return [beat for beat in story.beats if beat.status == "told"]


def sentences(story: Story) -> list[Sentence]:
    return [sentence for beat in told(story) for sentence in beat.sentences]


def cited(beat: StoryBeat, sentence: Sentence) -> list[Factlet]:
    return [factlet for factlet in beat.evidence.factlets if factlet.id in sentence.evidence]


def each_sentence(stories: list[Story]) -> Iterator[tuple[StoryBeat, Sentence, list[Factlet]]]:
    for story in stories:
        for beat in told(story):
            for sentence in beat.sentences:
                yield beat, sentence, cited(beat, sentence)


def test_a_story_has_the_words_that_its_length_promises(stories: list[Story]) -> None:
    for story in stories:
        least, most = RANGES[story.request.length]
        assert least <= len(story.text.split()) <= most, (story.request, story.text)


def test_no_sentence_is_longer_than_the_persona_likes(stories: list[Story]) -> None:
    for story in stories:
        for sentence in sentences(story):
            assert len(sentence.text.split()) <= LONGEST[story.request.persona], sentence.text


def test_hardly_any_planned_beat_is_suppressed(stories: list[Story]) -> None:
    silent = [beat for story in stories for beat in story.beats if beat.status == "suppressed"]
    assert len(silent) <= 0.02 * sum(len(story.beats) for story in stories)
    assert all(beat.suppressed_because for beat in silent)


def test_no_two_sentences_running_open_alike(stories: list[Story]) -> None:
    for story in stories:
        openings = [sentence.text.split()[0].strip("“”'\",.:").casefold() for sentence in sentences(story)]
        for one, other in pairwise(openings):
            assert one != other, (story.request, one)


def test_no_sentence_stands_twice_in_a_story(stories: list[Story]) -> None:
    for story in stories:
        texts = [sentence.text.casefold() for sentence in sentences(story)]
        assert len(texts) == len(set(texts))


def test_the_first_beat_raises_a_question_that_the_last_one_takes_up(ctx: StoryContext, stories: list[Story]) -> None:
    for story in stories:
        plan = visit.plan(story.request, ctx)
        assert told(story)[0].sentences[-1].text == plan.hook
        assert plan.hook.endswith("?")
        assert plan.hook_cq in {question.cq for question in told(story)[-1].evidence.questions}


def test_most_beats_are_joined_to_the_one_before(stories: list[Story], ctx: StoryContext) -> None:
    """By a clause from the persona's own lists, or one that turns to the question or answers it."""
    joined = possible = 0
    for story in stories:
        clauses = [c for kind in ctx.pack.personas[story.request.persona].links.values() for c in kind]
        headers = [template.cq for template in ctx.pack.library.values()]
        clauses += [c for cq in headers for c in cq.answer.get(story.request.persona, ())]
        clauses += [c for cq in headers for c in cq.lead_in.get(story.request.persona, ())]
        patterns = [re.compile(re.sub(r"\\\{\w+\\\}", ".+?", re.escape(c.strip())), re.IGNORECASE) for c in clauses]
        for beat in told(story)[1:]:
            possible += 1
            joined += any(pattern.match(beat.sentences[0].text) for pattern in patterns)
    assert joined / possible > 0.5, f"{joined} of {possible}"


def test_personas_are_told_apart_by_their_sentences(stories: list[Story]) -> None:
    words: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for story in stories:
        for sentence in sentences(story):
            words[story.request.persona] += len(sentence.text.split())
            count[story.request.persona] += 1
    assert words["emma"] / count["emma"] < 14
    assert words["luca"] / count["luca"] > 1.15 * words["emma"] / count["emma"]


def test_the_same_seed_tells_the_same_story_and_another_one_another(ctx: StoryContext, stories: list[Story]) -> None:
    again = visit.tell_story(stories[0].request, ctx)
    assert again == stories[0]
    texts = {story.text for story in stories}
    assert len(texts) == len(stories)


def test_a_story_file_states_the_names_that_it_speaks_and_the_pages_that_it_cites(
    ctx: StoryContext, stories: list[Story]
) -> None:
    for story in stories[:6]:
        for beat in json.loads(story.to_json())["beats"]:
            stated = set(beat["attestations"])
            assert stated
            assert not stated & {triple for factlet in beat["factlets"] for triple in factlet["triples"]}
            for factlet in beat["factlets"]:
                for source in factlet["sources"]:
                    assert any(source["url"] in statement for statement in stated), source["url"]
            for question in beat["questions"]:
                for iri in question["bindings"].values():
                    name = ctx.pack.entities.name(Iri(iri))
                    assert any(statement.startswith(f"<{iri}> ") and name in statement for statement in stated), iri
            for statement in stated:
                subject, predicate = (Iri(part.strip("<>")) for part in statement.split(" ", 2)[:2])
                assert statement in {triple.n3() for triple in ctx.pack.graph.match(subject, predicate)}


def test_an_independent_checker_finds_nothing(stories: list[Story], shared: Path, project: Path) -> None:
    checker = _checker(shared / "tools" / "check_story.py")
    graph = Graph().parse(project / "kg" / "liveaid.ttl")
    names = checker.name_words(graph)
    findings = [
        (story.request, *finding)
        for story in stories
        for finding in checker.check_story(json.loads(story.to_json()), graph, names)
    ]
    assert findings == []


def test_fused_facts_no_sentence_brings_two_subjects_together_that_no_row_joins(stories: list[Story]) -> None:
    """Rows of one question share its bindings; rows of two questions never stand in one sentence, links apart."""
    for _, sentence, factlets in each_sentence(stories):
        questions = {factlet.cq for factlet in factlets if not factlet.id.startswith("t")}
        assert len(questions) == 1, sentence.text


def test_tail_facts_every_sentence_answers_a_question_of_its_beat(stories: list[Story]) -> None:
    for beat, sentence, factlets in each_sentence(stories):
        assert {factlet.cq for factlet in factlets} <= {question.cq for question in beat.evidence.questions}, sentence


def test_alias_leakage_no_variable_or_identifier_is_spoken(ctx: StoryContext, stories: list[Story]) -> None:
    aliases = {name for t in ctx.pack.library.values() for name in t.variables if re.search(r"[a-z][A-Z]|_", name)}
    for _, sentence, _ in each_sentence(stories):
        assert not re.search(r"[{}]|\?\w|https?:|\bNone\b|[a-z]ex#", sentence.text), sentence.text
        assert not any(re.search(rf"\b{alias}\b", sentence.text) for alias in aliases), sentence.text


def test_mechanical_lists_are_joined_shortened_and_well_punctuated(stories: list[Story]) -> None:
    for _, sentence, _ in each_sentence(stories):
        assert not re.search(r",,|\.\.|, ,|;,|\s[,.;]|,\.$|\band one more\b", sentence.text), sentence.text
        assert sentence.text.count(", ") <= 8, sentence.text


def test_table_to_text_no_row_is_read_out_as_a_row(stories: list[Story]) -> None:
    for _, sentence, _ in each_sentence(stories):
        assert not re.search(r"\b(had|has) an? \w+ named\b|\bwas in the (city|country) named\b", sentence.text)


def test_redundancy_no_two_sentences_say_nearly_the_same(stories: list[Story]) -> None:
    """Of any two sentences, most of the longer words are the one's or the other's alone."""
    for story in stories:
        content = [(s.text, set(re.findall(r"[^\W_]{4,}", s.text.casefold()))) for s in sentences(story)]
        for (one, a), (other, b) in combinations(content, 2):
            assert len(a & b) < 0.6 * len(a | b), (one, other)


def _checker(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_story", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
