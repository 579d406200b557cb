"""Strategy hybrid: which snippets a question gets, how they are told, and what happens where they cannot be found."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from rdflib import Graph

from agent import visit
from agent.context import StoryContext
from agent.generation import ATTRIBUTION
from agent.presenter import present
from agent.retelling import Spoken, manners, retell, retold
from agent.story import Story, StoryBeat
from agent.thread import Thread
from graph_tools.errors import IndexUnavailable
from graph_tools.evidence import Snippet, Value
from graph_tools.pack import StoryPack
from graph_tools.plan import Beat, Question, StoryRequest
from graph_tools.retrieval import HybridRetriever
from graph_tools.retrieval.hybrid import TOP
from graph_tools.terms import Iri
from graph_tools.wording import wording

PACKS = Path(__file__).parent / "packs"
EX = "http://wembrewind.live/ex#"
EVENT = EX + "LiveAid1985"
HOUSE = "http://observatory.example/id/fellside"
MARLOW = "http://observatory.example/id/edith-marlow"
PENHALE = "http://observatory.example/id/ruth-penhale"
ARKWRIGHT = "http://observatory.example/id/thomas-arkwright"
SMALL = range(2)
GRID = range(20)


@pytest.fixture(scope="module")
def fellside(tmp_path_factory: pytest.TempPathFactory) -> StoryContext:
    """The tiny pack, with its letters beside what it tells of its astronomers."""
    pack = tmp_path_factory.mktemp("letters") / "pack"
    shutil.copytree(PACKS / "tiny-observatory", pack)
    shutil.copytree(PACKS / "fellside-letters" / "snippets", pack / "snippets")
    for name in ("CQ-T2", "CQ-T3"):
        path = pack / "cqs" / f"{name}.rq"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("#+ sources", "#+ enrich = true\n#+ sources", 1), encoding="utf-8")
    return StoryContext.of(StoryPack.open(pack))


def question(cq: str, ctx: StoryContext, **bindings: str) -> Question:
    asked = ctx.pack.library[cq].cq
    row = {name: Value(kind="iri", value=iri) for name, iri in sorted(bindings.items())}
    text = wording(asked.question, asked.slots).render([row], ctx.plain_voice)
    return Question(cq=cq, question=text, bindings=dict(sorted(bindings.items())))


def told(story: Story) -> Iterator[StoryBeat]:
    return (beat for beat in story.beats if beat.status == "told")


def quoted(beat: StoryBeat) -> list[Snippet]:
    cited = {id_ for sentence in beat.sentences for id_ in sentence.evidence}
    return [snippet for snippet in beat.evidence.snippets if snippet.id in cited]


def stories(ctx: StoryContext, seeds: Collection[int]) -> Iterator[Story]:
    for persona in ("emma", "luca"):
        for length in ("small", "medium", "long"):
            for seed in seeds:
                yield visit.tell_story(StoryRequest(persona=persona, length=length, strategy="hybrid", seed=seed), ctx)


def test_a_question_that_is_not_to_be_enriched_gets_no_snippets(ctx: StoryContext) -> None:
    hybrid = ctx.retriever_for("hybrid")
    plain = [template.cq.id for template in ctx.pack.library.values() if not template.cq.enrich]
    for cq in plain:
        if set(ctx.pack.library[cq].cq.parameters) == {"event"}:
            asked = question(cq, ctx, event=EVENT)
            assert hybrid.ask(asked) == ctx.retriever.ask(asked)


def test_snippets_stand_beside_the_facts_and_change_none_of_them(ctx: StoryContext) -> None:
    asked = question("CQ-E24", ctx, artist=EX + "Queen", event=EVENT)
    facts, whole = ctx.retriever.ask(asked), ctx.retriever_for("hybrid").ask(asked)
    assert whole.snippets
    assert whole.model_copy(update={"snippets": ()}) == facts
    assert [snippet.id for snippet in whole.snippets] == [f"s{n}" for n in range(1, len(whole.snippets) + 1)]
    assert len(whole.snippets) <= TOP
    assert [s.score for s in whole.snippets] == sorted((s.score for s in whole.snippets), reverse=True)
    assert all(snippet.why.startswith("about Queen; number ") for snippet in whole.snippets)


@pytest.mark.parametrize("artist", ["Queen", "U2", "Madonna", "DavidBowie", "StatusQuo"])
def test_a_snippet_about_somebody_else_never_gets_in(artist: str, ctx: StoryContext) -> None:
    for template in ctx.pack.library.values():
        if template.cq.enrich and set(template.cq.parameters) == {"artist", "event"}:
            evidence = ctx.retriever_for("hybrid").ask(question(template.cq.id, ctx, artist=EX + artist, event=EVENT))
            for snippet in evidence.snippets:
                assert EX + artist in snippet.entities
                assert all(EX + artist in claim.about for claim in snippet.claims)


def test_a_question_about_the_event_alone_gets_snippets_about_its_themes(ctx: StoryContext) -> None:
    themes = {snippet.id: set(snippet.themes) for snippet in ctx.pack.snippets.told}
    found = 0
    for template in ctx.pack.library.values():
        if template.cq.enrich and set(template.cq.parameters) == {"event"}:
            for snippet in ctx.retriever_for("hybrid").ask(question(template.cq.id, ctx, event=EVENT)).snippets:
                found += 1
                assert themes[snippet.snippet] & set(template.cq.themes)
                assert all(EVENT in claim.about for claim in snippet.claims)
    assert found > 40


def test_another_field_is_served_by_the_same_rules(fellside: StoryContext) -> None:
    hybrid = fellside.retriever_for("hybrid")
    marlow = hybrid.ask(question("CQ-T3", fellside, astronomer=MARLOW, house=HOUSE))
    assert {snippet.snippet for snippet in marlow.snippets} <= {"letters-001", "letters-002"}
    assert marlow.snippets
    nobody = hybrid.ask(question("CQ-T3", fellside, astronomer=PENHALE, house=HOUSE))
    assert nobody.snippets == ()


def test_a_beat_has_each_snippet_once(ctx: StoryContext) -> None:
    asked = [question(cq, ctx, artist=EX + "Queen", event=EVENT) for cq in ("CQ-E24", "CQ-E19", "CQ-A3")]
    evidence = ctx.retriever_for("hybrid").retrieve(Beat(step="?", questions=tuple(asked)))
    names = [snippet.snippet for snippet in evidence.snippets]
    alone = [snippet.snippet for one in asked for snippet in ctx.retriever_for("hybrid").ask(one).snippets]
    assert names == list(dict.fromkeys(alone))
    assert len(names) < len(alone)
    assert [snippet.id for snippet in evidence.snippets] == [f"s{n}" for n in range(1, len(names) + 1)]


def test_without_room_for_snippets_the_graph_answers_alone(ctx: StoryContext) -> None:
    asked = question("CQ-E24", ctx, artist=EX + "Queen", event=EVENT)
    assert HybridRetriever(ctx.pack, ctx.answers, top=0).ask(asked) == ctx.retriever.ask(asked)


def test_where_snippets_cannot_be_found_the_story_goes_on_and_the_operator_reads_it_once(
    ctx: StoryContext, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(pack: StoryPack) -> ChromaDown:
        raise IndexUnavailable("there is no index here; see docs/strategies.md")

    with caplog.at_level(logging.WARNING):
        alone = HybridRetriever(ctx.pack, ctx.answers, broken)
        without = StoryContext.of(ctx.pack)
        without.retrievers["hybrid"] = alone
        request = StoryRequest(strategy="hybrid", seed=1)
        story = visit.tell_story(request, without)
    facts = visit.tell_story(request.model_copy(update={"strategy": "kg"}), ctx)
    assert story.beats == facts.beats
    assert [record.getMessage() for record in caplog.records] == [
        "there is no index here; see docs/strategies.md. Stories of strategy hybrid go on with what the graph answers."
    ]


class ChromaDown:
    """An index that breaks while it is used."""

    def nearest(self, question: str, among: Collection[str]) -> tuple[str, ...]:
        raise IndexUnavailable("the index broke; restart")


def test_an_index_that_breaks_while_it_is_used_is_no_end_of_the_story(ctx: StoryContext) -> None:
    asked = question("CQ-E24", ctx, artist=EX + "Queen", event=EVENT)
    assert HybridRetriever(ctx.pack, ctx.answers, lambda pack: ChromaDown()).ask(asked) == ctx.retriever.ask(asked)


def test_a_story_of_another_strategy_needs_no_chroma(project: Path) -> None:
    code = f"""
import sys
from agent import visit
from agent.context import StoryContext
from graph_tools.pack import StoryPack
from graph_tools.plan import StoryRequest
ctx = StoryContext.of(StoryPack.open({str(PACKS / "tiny-observatory")!r}))
ctx.retriever_for("hybrid")
visit.tell_story(StoryRequest(persona="nora", length="small"), ctx)
print(sorted({{"chromadb", "numpy"}} & set(sys.modules)))
"""
    assert run(code, project).strip() == "[]"


def run(code: str, folder: Path, **environment: str) -> str:
    """What that program prints in a process of its own."""
    whole = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=whole, capture_output=True, text=True, check=True, timeout=240
    )
    return done.stdout


@pytest.fixture(scope="module")
def few(ctx: StoryContext) -> list[Story]:
    return list(stories(ctx, SMALL))


def hold_the_rules(found: list[Story], ctx: StoryContext) -> None:
    """What every story of the strategy must be."""
    silent, missed, beats, quoting = 0, 0, 0, 0
    for story in found:
        seen: set[str] = set()
        heard: set[str] = set()
        for beat in told(story):
            persona = ctx.pack.personas[story.request.persona]
            for sentence in beat.sentences:
                room = ATTRIBUTION if any(id_.startswith("s") for id_ in sentence.evidence) else 0
                assert len(sentence.text.split()) <= persona.max_words + room, sentence.text
            here = quoted(beat)
            assert len(here) <= 1
            assert seen.isdisjoint(snippet.snippet for snippet in here), story.request
            facts = {line for f in beat.evidence.factlets if cites(beat, f.id) for line in f.told_statements}
            if beat.evidence.snippets:
                beats += 1
                quoting += bool(here)
                missed += not here and any(fresh(s, seen, heard | facts) for s in beat.evidence.snippets)
            seen |= {snippet.snippet for snippet in here}
            heard |= facts
            assert all(snippet.spoken.casefold() in beat_text(beat) for snippet in here)
        silent += not story.text
        least, most = ctx.pack.arcs.arcs[story.request.persona][story.request.length].words
        assert least <= len(story.text.split()) <= most, (story.request, len(story.text.split()))
    assert silent == 0
    assert beats > len(found)
    # The graph tells the same, or (of few) the claim is too long, or its question has nothing new to tell.
    assert quoting >= 0.85 * beats, (quoting, beats)
    assert missed <= 0.05 * beats, (missed, beats)


def cites(beat: StoryBeat, id_: str) -> bool:
    return any(id_ in sentence.evidence for sentence in beat.sentences)


def fresh(snippet: Snippet, seen: set[str], heard: set[str]) -> bool:
    """True where something of it could still be told: neither it nor what it tells was heard."""
    return snippet.snippet not in seen and any(heard.isdisjoint(claim.same) for claim in snippet.claims)


def beat_text(beat: StoryBeat) -> str:
    return " ".join(sentence.text for sentence in beat.sentences).casefold()


def test_every_beat_that_may_be_enriched_tells_one_snippet_and_none_comes_twice(
    few: list[Story], ctx: StoryContext
) -> None:
    hold_the_rules(few, ctx)


@pytest.mark.slow
def test_the_rules_hold_over_many_seeds(ctx: StoryContext, shared: Path) -> None:
    found = list(stories(ctx, GRID))
    hold_the_rules(found, ctx)
    assert unproved(found, ctx, shared) == []


def test_the_independent_checker_finds_nothing(few: list[Story], ctx: StoryContext, shared: Path) -> None:
    assert unproved(few, ctx, shared) == []


def unproved(found: list[Story], ctx: StoryContext, shared: Path) -> list[object]:
    checker = loaded(shared / "tools" / "check_story.py")
    graph = Graph()
    for path in sorted((ctx.pack.root / "kg").glob("*.ttl")):
        graph.parse(path)
    names = checker.name_words(graph)
    return [finding for story in found for finding in checker.check_story(json.loads(story.to_json()), graph, names)]


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_story", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_the_graph_tells_no_snippet_tells_again(few: list[Story]) -> None:
    for story in few:
        heard: set[str] = set()
        for beat in told(story):
            for snippet in quoted(beat):
                text = next(s.text for s in beat.sentences if snippet.id in s.evidence)
                claim = next(
                    c for c in snippet.claims if c.says[1:].replace('"', "") in text.replace("“", "").replace("”", "")
                )
                facts = {line for f in beat.evidence.factlets if cites(beat, f.id) for line in f.told_statements}
                assert (heard | facts).isdisjoint(claim.same), text
                heard |= set(claim.same)
            for factlet in beat.evidence.factlets:
                if cites(beat, factlet.id):
                    heard |= factlet.told_statements


def test_one_side_of_a_disagreement_is_told_as_one(fellside: StoryContext) -> None:
    """The graph tells when the comet was found; a letter tells it otherwise."""
    asked = Beat(step="?", questions=(question("CQ-T2", fellside, astronomer=ARKWRIGHT, house=HOUSE),))
    plan = visit.plan(StoryRequest(persona="nora", length="small", strategy="hybrid"), fellside)
    evidence = visit.retrieve(asked, fellside, "hybrid")
    letter = next(s for s in evidence.snippets if any(claim.against for claim in s.claims))
    only = letter.model_copy(update={"claims": tuple(claim for claim in letter.claims if claim.against)})
    evidence = evidence.model_copy(update={"snippets": (only,)})
    beat, _ = visit.generate(asked, 1, evidence, plan, Thread(), fellside, words=40)
    assert "not everyone agrees: thomas arkwright was looking for his glasses" in beat_text(beat)


def test_a_snippet_s_sentence_shows_its_page(few: list[Story], ctx: StoryContext) -> None:
    from agent.cards import beat_card

    beat = next(beat for story in few for beat in told(story) if quoted(beat) and quoted(beat)[0].published)
    snippet = quoted(beat)[0]
    card = beat_card(present(beat, lambda iri: ctx.pack.entities.name(Iri(iri)), {}), None, "", 1)
    note = next(note for note in card["notes"] if note["noted"])
    assert note["label"] == snippet.publisher
    assert note["facts"] == [snippet.text]
    assert (note["statements"], note["queries"]) == ([], [])
    assert note["sources"] == [
        {
            "url": snippet.source_url,
            "title": snippet.source_title,
            "publisher": snippet.publisher,
            "published": snippet.published,
            "accessed": snippet.accessed,
        }
    ]


def test_a_beat_with_a_snippet_can_be_told_anew(few: list[Story], ctx: StoryContext) -> None:
    counted = 0
    for story in few[:4]:
        for beat in told(story):
            if not quoted(beat):
                continue
            spoken, now = Spoken(beat, story.request.persona, Thread()), Thread()
            for manner in manners(spoken, now, ctx):
                again = retell(spoken, manner, now, ctx)
                assert again is not None
                counted += 1
                assert len(quoted(retold(again, again.telling, ctx)[0])) <= 1
    assert counted > 8


@pytest.mark.slow
def test_every_process_writes_the_same_bytes(project: Path, tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from agent import visit
from agent.context import StoryContext
from graph_tools.pack import StoryPack
from graph_tools.plan import StoryRequest
ctx = StoryContext.of(StoryPack.open(".", cache=Path({str(tmp_path)!r})))
print(visit.tell_story(StoryRequest(persona="luca", length="long", strategy="hybrid", seed=5), ctx).to_json())
"""
    one, other = (run(code, project, PYTHONHASHSEED=seed) for seed in ("0", "4711"))
    assert one == other
    assert '"s1"' in one
