"""Strategy `graph`: what is reached is connected, by the ways of the pack and never through a hub; it is told as a
walk; the same seed gives the same bytes in any process."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from rdflib import Graph

from agent import visit
from agent.context import StoryContext
from agent.generation import digest, messages
from agent.retelling import Spoken, manners, retell, retold
from agent.story import Story
from agent.thread import Thread
from graph_tools.checks import check_pack
from graph_tools.eligibility import Answers
from graph_tools.errors import CannotDraw, InvalidPack, MissingParameter, UnknownStrategy
from graph_tools.evidence import EvidencePack
from graph_tools.pack import StoryPack
from graph_tools.plan import Beat, Question, StoryRequest
from graph_tools.retrieval import GraphRetriever
from graph_tools.retrieval.subgraph import Ways
from graph_tools.terms import Iri
from graph_tools.walk_drawing import subgraph

EX = "http://wembrewind.live/ex#"
OB = "http://observatory.example/id/"
ROOT = Path(__file__).resolve().parent.parent
OBSERVATORY = ROOT / "tests" / "packs" / "tiny-observatory"
QUEEN = Question(
    cq="CQ-E24",
    question="Why is Queen's set remembered?",
    bindings={"artist": EX + "Queen", "event": EX + "LiveAid1985"},
)


@pytest.fixture(scope="module")
def graph(ctx: StoryContext) -> GraphRetriever:
    found = ctx.retriever_for("graph")
    assert isinstance(found, GraphRetriever)
    return found


@pytest.fixture(scope="module")
def stories(ctx: StoryContext) -> list[Story]:
    return [
        visit.tell_story(StoryRequest(persona=persona, length=length, seed=seed, strategy="graph"), ctx)
        for persona, length in (("emma", "small"), ("emma", "long"), ("luca", "medium"), ("luca", "long"))
        for seed in range(2)
    ]


def beats(ctx: StoryContext, seeds: int = 3) -> Iterator[Beat]:
    for persona in ("emma", "luca"):
        for seed in range(seeds):
            yield from visit.plan(StoryRequest(persona=persona, length="long", seed=seed), ctx).beats


def named(factlet_triples: tuple[str, ...]) -> str:
    return " ".join(factlet_triples)


# --- what is reached ---------------------------------------------------------------------------------------------


def test_every_walk_begins_at_an_entity_of_its_question_and_each_step_stands_in_its_triples(
    ctx: StoryContext, graph: GraphRetriever
) -> None:
    longest = 0
    for beat in beats(ctx):
        for question in beat.questions:
            for factlet in graph.ask(question).factlets:
                assert factlet.path[0].start in question.bindings.values()
                for before, step in zip(factlet.path, factlet.path[1:], strict=False):
                    ends = {before.end, *re.findall(r"<([^<>]*)>", named(before.triples))}
                    assert step.start in ends
                for step in factlet.path:
                    assert f"<{step.start}>" in named(step.triples)
                    assert not step.end or f"<{step.end}>" in named(step.triples)
                assert factlet.path[-1].triples == factlet.triples
                assert factlet.path[-1].words == factlet.text
                longest = max(longest, len(factlet.path))
    assert longest == ctx.pack.walk.hops == 2


def test_no_walk_goes_through_a_hub(ctx: StoryContext, graph: GraphRetriever) -> None:
    ways = Ways(ctx.pack)
    hubs = [EX + name for name in ("LiveAid1985", "LiveAid1985_Wembley", "WembleyStadium", "JFKStadium")]
    assert all(ways.is_hub(Iri(hub)) for hub in hubs)
    assert not any(ways.is_hub(Iri(EX + name)) for name in ("Queen", "BobGeldof", "BrianMay"))
    through = {step.start for beat in beats(ctx) for f in graph.retrieve(beat).factlets for step in f.path[1:]}
    assert len(through) > 50
    assert [iri for iri in through if ways.is_hub(Iri(iri))] == []


def test_the_guard_is_what_keeps_walks_out_of_the_hubs(ctx: StoryContext) -> None:
    walk = ctx.pack.walk.model_copy(update={"hubs": (), "degree": 10_000})
    unguarded = Ways(replace(ctx.pack, walk=walk))
    seen = {bunch.start.value for bunch in unguarded.around([Iri(EX + "BobGeldof")]) if bunch.distance == 2}
    assert EX + "LiveAid1985" in seen
    guarded = {bunch.start.value for bunch in Ways(ctx.pack).around([Iri(EX + "BobGeldof")]) if bunch.distance == 2}
    assert EX + "LiveAid1985" not in guarded
    assert guarded < seen


def test_what_is_kept_is_capped_and_what_was_cut_is_said(ctx: StoryContext, graph: GraphRetriever) -> None:
    cut = 0
    for beat in beats(ctx):
        for question in beat.questions:
            evidence = graph.ask(question)
            assert len(evidence.factlets) <= ctx.pack.walk.most
            asked = evidence.questions[0]
            assert asked.truncated == (asked.total_rows > len(evidence.factlets))
            cut += asked.truncated
            bunches: dict[tuple[str, str, int], int] = {}
            for factlet in evidence.factlets:
                key = (factlet.way, factlet.path[-1].start, len(factlet.path))
                bunches[key] = bunches.get(key, 0) + 1
                assert bunches[key] <= factlet.out_of
    assert cut


def test_what_ranges_over_all_facts_of_a_kind_is_said_only_where_all_are_there(
    ctx: StoryContext, graph: GraphRetriever
) -> None:
    ranged = 0
    for beat in beats(ctx):
        evidence = graph.retrieve(beat)
        for found in messages(
            evidence, ctx.pack.library, ctx.pack.personas["emma"], ctx.plain_voice, ctx.pack.relations
        ):
            for message in found:
                if message.saying.telling.rows == "all":
                    ranged += 1
                    assert len(message.saying.factlets) == message.saying.factlets[0].out_of
    assert ranged > 50


def test_the_seed_alone_settles_what_is_left_to_chance(ctx: StoryContext, graph: GraphRetriever) -> None:
    event = Question(cq="CQ-E1", question="?", bindings={"event": EX + "LiveAid1985"})
    fresh = GraphRetriever(ctx.pack, Answers(ctx.pack))
    packs = [graph.ask(event, seed=seed) for seed in range(6)]
    assert packs == [fresh.ask(event, seed=seed) for seed in (0, 1, 2, 3, 4, 5)]
    assert len({pack.model_dump_json() for pack in packs}) > 1


def test_a_question_without_its_entity_is_refused_as_by_any_strategy(graph: GraphRetriever) -> None:
    with pytest.raises(MissingParameter, match="artist"):
        graph.ask(Question(cq="CQ-E24", question="?", bindings={"event": EX + "LiveAid1985"}))


SAME = """
import hashlib, sys
from pathlib import Path
from agent import visit
from agent.context import StoryContext
from graph_tools.pack import StoryPack
from graph_tools.plan import Question, StoryRequest
ctx = StoryContext.of(StoryPack.open(Path(sys.argv[1])))
whole = hashlib.sha256()
for persona in sorted(ctx.pack.personas):
    request = StoryRequest(persona=persona, length="long", seed=3, strategy="graph")
    for beat in visit.plan(request, ctx).beats:
        whole.update(visit.retrieve(beat, ctx, "graph", 3).model_dump_json().encode())
    whole.update(visit.tell_story(request, ctx).to_json().encode())
print(whole.hexdigest())
"""


@pytest.mark.slow
def test_every_process_walks_and_tells_the_same() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SAME, str(ROOT)],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "4242")
    }
    assert len(said) == 1


# --- relations ---------------------------------------------------------------------------------------------------


def observatory(tmp_path: Path, old: str = "", new: str = "", *, every: bool = False) -> Path:
    """A copy of the observatory with a change in its relations."""
    root = tmp_path / "pack"
    shutil.copytree(OBSERVATORY, root)
    path = root / "cqs" / "relations.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, -1 if every else 1), encoding="utf-8")
    return root


def test_a_way_that_the_pack_does_not_name_is_not_walked(tmp_path: Path) -> None:
    def ways(root: Path) -> set[str]:
        pack = StoryPack.open(root)
        bindings = {"astronomer": OB + "edith-marlow", "house": OB + "fellside"}
        marlow = Question(cq="CQ-T3", question="?", bindings=bindings)
        return {factlet.way for factlet in GraphRetriever(pack, Answers(pack)).ask(marlow).factlets}

    assert "discovery.telescope" in ways(OBSERVATORY)
    one_way = observatory(tmp_path)
    path = one_way / "cqs" / "relations.toml"
    blocks = path.read_text(encoding="utf-8").split("[[relation.way]]\n")
    kept = [block for block in blocks if not block.startswith('start = "telescope"')]
    assert len(kept) == len(blocks) - 2
    path.write_text("[[relation.way]]\n".join(kept), encoding="utf-8")
    assert not any(way.endswith(".telescope") for way in ways(one_way))
    assert "discovery.astronomer" in ways(one_way)


def test_one_hop_reaches_only_what_is_said_of_the_question_s_own_entities(tmp_path: Path) -> None:
    root = observatory(tmp_path)
    pack_file = root / "pack.toml"
    text = pack_file.read_text(encoding="utf-8")
    pack_file.write_text(text.replace("[walk]\n", "[walk]\nhops = 1\n"), encoding="utf-8")
    pack = StoryPack.open(root)
    marlow = Question(cq="CQ-T3", question="?", bindings={"astronomer": OB + "edith-marlow", "house": OB + "fellside"})
    near = GraphRetriever(pack, Answers(pack)).ask(marlow)
    assert near.factlets
    assert all(len(factlet.path) == 1 and factlet.path[0].start == OB + "edith-marlow" for factlet in near.factlets)


def test_a_pack_without_relations_says_so(tmp_path: Path) -> None:
    root = observatory(tmp_path)
    (root / "cqs" / "relations.toml").unlink()
    ctx = StoryContext.of(StoryPack.open(root))
    with pytest.raises(UnknownStrategy, match=r"relations\.toml"):
        ctx.retriever_for("graph")


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ('start = "house"', 'start = "hous"', "start 'hous' is no slot"),
        ('to = ["founder", "town"]', 'to = ["founders"]', "'founders' is no other slot"),
        ("{founder} founded {house|obj}", "{fonder} founded {house|obj}", "undeclared slot {fonder}"),
        ("{opened|date}.", "{opened|dat}.", "unknown filter 'dat'"),
        ('personas = ["nora"]', 'personas = ["norah"]', "unknown persona 'norah'"),
        ("hops = [1]", "hops = [3]", "hop 3 is no step of a walk"),
        ('time = "opened"', 'time = "open"', "'open' is no variable of the query"),
        ('id = "staff"', 'id = "discovery"', "there are two relations 'discovery'"),
        ('opened = "the day it opened"', 'opening = "the day it opened"', "slot 'opening' is not in SELECT"),
        ("SELECT ?house ?opened", "CONSTRUCT ?house ?opened", "relation 'beginning':"),
        ("  ?house v:opened ?opened ;", "  ?house ?any ?opened ;", "relation 'beginning':"),
        ('meaning = "the observatory and who worked there"', 'sense = "who worked there"', "sense"),
        ('context = ["house"]', 'context = ["houses"]', "context 'houses' is no slot"),
    ],
)
def test_a_fault_in_the_relations_is_named_with_its_line(tmp_path: Path, old: str, new: str, cause: str) -> None:
    root = observatory(tmp_path, old, new)
    with pytest.raises(InvalidPack) as refused:
        StoryPack.open(root)
    found = [problem for problem in refused.value.problems if cause in problem.cause]
    assert found, refused.value
    lines = (root / "cqs" / "relations.toml").read_text(encoding="utf-8").split("\n")
    assert found[0].file == "cqs/relations.toml"
    assert found[0].line
    assert found[0].line <= len(lines)
    assert found[0].remedy


@pytest.mark.parametrize(
    ("old", "new", "rule", "cause"),
    [
        ("v:aperture ?aperture", "v:apertur ?aperture", "relation-term", "terms/apertur>"),
        ("?telescope a v:Telescope", "?telescope a v:Dome", "relation-idle", "never walked from 'house'"),
        ("{telescope} stood in {dome}.", "{telescope} stood in its_dome.", "wording-leak", "'its_dome'"),
    ],
)
def test_the_gate_finds_relations_that_the_graph_does_not_bear_out(
    tmp_path: Path, old: str, new: str, rule: str, cause: str
) -> None:
    found = check_pack(observatory(tmp_path, old, new))
    assert [p for p in found if p.rule == rule and cause in p.cause and p.file == "cqs/relations.toml" and p.line], (
        found
    )


def test_the_gate_finds_a_hub_that_has_no_member(tmp_path: Path) -> None:
    root = observatory(tmp_path)
    path = root / "pack.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('terms/Observatory"]', 'terms/Observatori"]'), encoding="utf-8")
    assert [problem.rule for problem in check_pack(root)] == ["relation-hub"]


def test_both_packs_pass_the_gate_with_their_relations() -> None:
    assert check_pack(OBSERVATORY) == ()
    assert len(StoryPack.open(OBSERVATORY).relations) == 5


# --- what is told ------------------------------------------------------------------------------------------------


def test_nothing_of_the_machine_is_told(stories: list[Story]) -> None:
    for story in stories:
        for beat in story.beats:
            for text in (*(s.text for s in beat.sentences), *(f.text for f in beat.evidence.factlets)):
                assert not re.search(r"http|[{}<>_#]|\b[0-9a-f]{8,}\b|\bNone\b", text), text


def test_what_is_two_steps_away_comes_only_after_what_leads_there(stories: list[Story]) -> None:
    afar = 0
    for story in stories:
        for beat in story.beats:
            by_id = {factlet.id: factlet for factlet in beat.evidence.factlets}
            before: set[str] = set()
            for sentence in beat.sentences:
                told = [by_id[id_] for id_ in sentence.evidence if by_id[id_].path]
                far = {factlet.path[-1].start for factlet in told if len(factlet.path) > 1}
                assert far <= before, sentence.text
                afar += bool(far)
                before |= {value.value for factlet in told for value in factlet.values.values() if value.kind == "iri"}
    assert afar > 5


def test_a_part_of_a_thread_comes_only_after_an_earlier_part(stories: list[Story], ctx: StoryContext) -> None:
    for story in stories:
        for beat in story.beats:
            by_id = {factlet.id: factlet for factlet in beat.evidence.factlets}
            last: tuple[str, int] = ("", 0)
            for sentence in beat.sentences:
                values = by_id[sentence.evidence[0]].values
                topic, order = values.get("topic"), values.get("order")
                here = (topic.value, int(order.value)) if topic is not None and order is not None else ("", 0)
                if here[1] > 1 and not sentence.text.endswith("?"):
                    assert last[0] == here[0], sentence.text
                    assert last[1] < here[1], sentence.text
                last = here


def test_a_beat_that_was_walked_can_be_told_anew_from_the_same_evidence(
    ctx: StoryContext, stories: list[Story]
) -> None:
    story = stories[2]
    told = {digest(sentence.text.casefold()) for beat in story.beats for sentence in beat.sentences}
    now, counted = Thread(said=tuple(sorted(told))), 0
    for beat in story.beats:
        before = Spoken(beat, story.request.persona, Thread())
        for manner in manners(before, now, ctx):
            found = retell(before, manner, now, ctx)
            assert found is not None, manner
            anew, _ = retold(found, found.telling, ctx)
            assert anew.evidence == beat.evidence
            assert not told & {digest(sentence.text.casefold()) for sentence in anew.sentences}
            counted += 1
    assert counted > len(story.beats)


def test_the_file_of_a_story_says_by_which_way_each_fact_was_reached(ctx: StoryContext, stories: list[Story]) -> None:
    document = json.loads(stories[0].to_json())
    walked = [factlet for beat in document["beats"] for factlet in beat["factlets"] if "path" in factlet]
    assert walked
    assert set(walked[0]["path"][0]) == {"start", "relation", "end", "words", "triples"}
    plain = visit.tell_story(StoryRequest(), ctx)
    for factlet in (f for beat in json.loads(plain.to_json())["beats"] for f in beat["factlets"]):
        assert not {"path", "way", "out_of"} & set(factlet)
    evidence = stories[0].beats[0].evidence
    assert EvidencePack.model_validate_json(evidence.model_dump_json()) == evidence


# --- the drawing -------------------------------------------------------------------------------------------------


def test_the_drawing_shows_names_says_all_in_words_and_is_the_same_every_time(
    ctx: StoryContext, graph: GraphRetriever
) -> None:
    drawn = subgraph(QUEEN.question, graph.ask(QUEEN), ctx.pack.entities)
    picture = drawn.svg()
    assert picture == subgraph(QUEEN.question, graph.ask(QUEEN), ctx.pack.entities).svg()
    root = ElementTree.fromstring(picture)
    space = "{http://www.w3.org/2000/svg}"
    assert root.findtext(f"{space}title") == QUEEN.question
    description = root.findtext(f"{space}desc") or ""
    assert all(factlet.text in description for factlet in graph.ask(QUEEN).factlets)
    words = " ".join(root.itertext())
    assert "Brian May" in words
    assert not re.search(r"wembrewind|ex#", picture.decode())
    assert "prefers-color-scheme:dark" in picture.decode()
    columns = {node.key: node.column for node in drawn.nodes}
    assert {key for key, column in columns.items() if not column} == {EX + "Queen"}
    assert {line.start for line in drawn.lines} | {line.end for line in drawn.lines} <= columns.keys()


def test_what_did_not_walk_is_not_drawn(ctx: StoryContext, tmp_path: Path) -> None:
    with pytest.raises(CannotDraw, match="graph"):
        subgraph("?", ctx.retriever.ask(QUEEN), ctx.pack.entities)
    with pytest.raises(CannotDraw, match=r"\.svg"):
        subgraph("?", ctx.retriever_for("graph").ask(QUEEN), ctx.pack.entities).write(tmp_path / "a.png")


# --- a strategy from outside -------------------------------------------------------------------------------------

OUTSIDER = """
from graph_tools.evidence import Asked, EvidencePack
from graph_tools.retrieval import KgRetriever, merged

class First(KgRetriever):
    "Only the first fact of each question."
    def ask(self, question, *, seed=0):
        pack = super().ask(question, seed=seed)
        asked = pack.questions[0].model_copy(update={"truncated": pack.questions[0].total_rows > 1})
        return pack.model_copy(update={"questions": (asked,), "factlets": pack.factlets[:1]})
"""


def test_a_strategy_of_another_package_is_found_by_its_entry_point_and_told(tmp_path: Path) -> None:
    (tmp_path / "outsider.py").write_text(OUTSIDER, encoding="utf-8")
    info = tmp_path / "outsider-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outsider\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[cuestory.strategies]\nfirst = outsider:First\n", encoding="utf-8")
    told = subprocess.run(
        [
            *(sys.executable, "-c", "from agent.cli import main; main()", "tell", "--strategy", "first"),
            *("--length", "small", "--json"),
        ],
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))},
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    story = json.loads(told.stdout)
    assert story["request"]["strategy"] == "first"
    assert all(len(beat["factlets"]) <= len(beat["questions"]) + 1 for beat in story["beats"])
    assert sum(beat["status"] == "told" for beat in story["beats"]) > 2


# --- many stories ------------------------------------------------------------------------------------------------


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_stories_are_whole_and_hang_together(ctx: StoryContext) -> None:
    benchmark = _module(ROOT / "benchmarks" / "strategies.py")
    told = [visit.tell_story(request, ctx) for request in benchmark.requests(ctx, "graph", 5)]
    states = [beat.status for story in told for beat in story.beats]
    assert all(any(beat.status == "told" for beat in story.beats) for story in told)
    assert states.count("suppressed") <= 0.05 * len(states)
    counts = [benchmark.joined(story, ctx, across=False, topics=True) for story in told]
    assert sum(one for one, _ in counts) >= 0.8 * sum(of for _, of in counts)


@pytest.mark.slow
def test_an_independent_checker_finds_every_sentence_proved(ctx: StoryContext, project: Path, shared: Path) -> None:
    checker = _module(shared / "tools" / "check_story.py")
    benchmark = _module(ROOT / "benchmarks" / "strategies.py")
    graph = Graph().parse(project / "kg" / "liveaid.ttl")
    names = checker.name_words(graph)
    found = [
        finding
        for request in benchmark.requests(ctx, "graph", 20)
        for finding in checker.check_story(json.loads(visit.tell_story(request, ctx).to_json()), graph, names)
    ]
    assert found == []
