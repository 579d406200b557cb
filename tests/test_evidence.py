"""Evidence packs: the contract of every retriever, held over both packs, and what must not be told twice."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from rdflib import Graph

from agent import visit
from agent.context import StoryContext
from graph_tools.evidence import EvidencePack, Factlet
from graph_tools.novelty import repeats, shares
from graph_tools.pack import StoryPack
from graph_tools.plan import Beat, Question, StoryRequest
from graph_tools.retrieval import Retriever, merged, strategies

OBSERVATORY = Path(__file__).parent / "packs" / "tiny-observatory"


@pytest.fixture(scope="module", params=["own", "observatory"])
def any_ctx(request: pytest.FixtureRequest, ctx: StoryContext) -> StoryContext:
    return ctx if request.param == "own" else StoryContext.of(StoryPack.open(OBSERVATORY))


@pytest.fixture(scope="module", params=strategies())
def retriever(request: pytest.FixtureRequest, any_ctx: StoryContext) -> Retriever:
    return any_ctx.retriever_for(request.param)


def planned_beats(ctx: StoryContext) -> Iterator[Beat]:
    for persona, arcs in sorted(ctx.pack.arcs.arcs.items()):
        for length in sorted(arcs):
            for seed in range(3):
                yield from visit.plan(StoryRequest(persona=persona, length=length, seed=seed), ctx).beats


def test_every_triple_of_a_factlet_stands_in_the_graph_term_for_term(
    any_ctx: StoryContext, retriever: Retriever
) -> None:
    """Read and compared by another engine than the one that answered."""
    graph = Graph()
    for path in sorted((any_ctx.pack.root / "kg").glob("*.ttl")):
        graph.parse(path)
    statements = {
        line for beat in planned_beats(any_ctx) for f in retriever.retrieve(beat).factlets for line in f.triples
    }
    assert statements
    for line in sorted(statements):
        assert next(iter(Graph().parse(data=line, format="nt"))) in graph, line


def test_ids_are_numbered_in_order_and_the_same_on_every_call(any_ctx: StoryContext, retriever: Retriever) -> None:
    for beat in planned_beats(any_ctx):
        evidence = retriever.retrieve(beat)
        assert [f.id for f in evidence.factlets] == [f"f{n}" for n in range(1, len(evidence.factlets) + 1)]
        assert retriever.retrieve(beat) == evidence
        assert EvidencePack.model_validate_json(evidence.model_dump_json()) == evidence


def test_the_query_that_ran_is_in_the_evidence_and_gives_its_rows_again(
    any_ctx: StoryContext, retriever: Retriever
) -> None:
    for beat in planned_beats(any_ctx):
        for question, asked in zip(beat.questions, retriever.retrieve(beat).questions, strict=True):
            assert "$" not in asked.query
            for iri in asked.bindings.values():
                assert f"<{iri}>" in asked.query
            assert len(any_ctx.pack.graph.select(asked.query)) == asked.total_rows
            assert asked.truncated == (asked.total_rows > len(retriever.ask(question).factlets))


def test_a_factlet_says_its_row_in_words_without_identifiers(any_ctx: StoryContext, retriever: Retriever) -> None:
    for beat in planned_beats(any_ctx):
        for factlet in retriever.retrieve(beat).factlets:
            assert factlet.text[0].isupper() or not factlet.text[0].isalpha()
            assert not re.search(r"http|[{}]|\bNone\b|(?<!\.)\.\.(?!\.)", factlet.text), factlet.text
            assert factlet.news
            assert set(factlet.news) <= set(range(len(factlet.triples)))


def test_no_answer_is_an_empty_pack_and_no_error(ctx: StoryContext) -> None:
    quiet = Question(
        cq="CQ-A2",
        question="Who joined Adam Ant on stage?",
        bindings={"artist": "http://wembrewind.live/ex#AdamAnt", "event": "http://wembrewind.live/ex#LiveAid1985"},
    )
    evidence = ctx.retriever.ask(quiet)
    assert evidence.factlets == ()
    assert evidence.questions[0].total_rows == 0


def test_rows_that_no_wording_fits_make_an_answer_one_that_was_cut(tmp_path: Path) -> None:
    root = tmp_path / "pack"
    shutil.copytree(OBSERVATORY, root)
    path = root / "cqs" / "CQ-T4.rq"
    text = path.read_text(encoding="utf-8")
    assert "{aperture} centimetres" in text
    path.write_text(text.replace("{aperture} centimetres", "{aperture|date}"), encoding="utf-8")
    house = "http://observatory.example/id/fellside"
    evidence = StoryContext.of(StoryPack.open(root)).retriever.ask(
        Question(cq="CQ-T4", question="?", bindings={"house": house})
    )
    assert evidence.factlets == ()
    assert (evidence.questions[0].total_rows, evidence.questions[0].truncated) == (4, True)


@pytest.mark.parametrize("strategy", strategies())
def test_merging_numbers_the_evidence_of_all_questions_in_one_row(strategy: str, ctx: StoryContext) -> None:
    retriever = ctx.retriever_for(strategy)
    beat = next(beat for beat in planned_beats(ctx) if len(beat.questions) > 1)
    packs = [retriever.ask(question) for question in beat.questions]
    whole = merged(packs)
    assert whole == retriever.retrieve(beat)
    assert len(whole.factlets) == sum(len(pack.factlets) for pack in packs)
    with pytest.raises(ValueError, match="at least one question"):
        merged([])


@pytest.mark.parametrize("strategy", strategies())
def test_every_sourced_row_of_the_own_pack_names_its_page(strategy: str, ctx: StoryContext) -> None:
    unsourced: list[Factlet] = []
    for beat in planned_beats(ctx):
        unsourced += [factlet for factlet in ctx.retriever_for(strategy).retrieve(beat).factlets if not factlet.sources]
    assert unsourced == []


def test_what_was_heard_counts_by_share() -> None:
    assert repeats(["a", "b"], {"a"})
    assert not repeats(["a", "b", "c"], {"a"})
    assert not repeats([], {"a"})
    assert shares(frozenset("abc"), frozenset("bcdefg"))
    assert not shares(frozenset("abc"), frozenset("cdefgh"))
    assert not shares(frozenset(), frozenset("a"))
