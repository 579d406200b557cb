"""Tours: files, the walk, what is told on it, and the commands."""

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
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from rdflib import Graph

from agent import touring
from agent.context import StoryContext
from agent.touring import TourWalk
from graph_tools.checks.tour_news import TourNews
from graph_tools.checks.tour_ways import Situation, explore
from graph_tools.checks.tours import TourGate
from graph_tools.errors import NotOffered, UnknownPersona, UnknownTour
from graph_tools.graph_change import compare
from graph_tools.knowledge_graph import open_graph
from graph_tools.pack import StoryPack
from graph_tools.plan import StoryRequest
from graph_tools.terms import Iri
from graph_tools.tour import MOST_STEPS, AnyOf, Branch, Stop, Tour
from graph_tools.tour_beats import StopBeats
from graph_tools.tour_walk import TourState, begin, options, over, take

TINY = Path(__file__).parent / "packs" / "tiny-observatory"
TOURS = ("how-do-we-know", "ten-minutes", "two-stadiums")
HUB = Tour(
    title="Hub",
    tagline="",
    personas=("emma", "luca"),
    start="hub",
    stops=(
        Stop(
            id="hub",
            heading="Hub",
            branches=(
                Branch(label="A", to="a"),
                Branch(label="B", to="b", heard=("a",), personas=("emma",)),
                Branch(label="C", to="c", unheard=("b",), chosen=("hub.a",)),
                Branch(label="Out", to="out"),
            ),
        ),
        Stop(id="a", heading="A", cq="CQ-X1", next="hub"),
        Stop(id="b", heading="B", cq="CQ-X2", next="hub"),
        Stop(id="c", heading="C", cq="CQ-X3", next="hub"),
        Stop(id="out", heading="Out", end=True),
    ),
)


@pytest.fixture(scope="module")
def tiny() -> StoryContext:
    return StoryContext.of(StoryPack.open(TINY))


def open_ids(tour: Tour, state: TourState) -> list[str]:
    return [way.id for way in options(tour, state) if way.available]


def walked(name: str, request: StoryRequest, ctx: StoryContext) -> TourWalk:
    """A walk in which the seed picks every way."""
    walk = touring.start(name, request, ctx)
    while ways := touring.ways(walk, ctx):
        walk = touring.go(walk, touring.draw(walk, ways).id, ctx)
    return walk


@pytest.fixture(scope="module")
def walks(ctx: StoryContext) -> list[TourWalk]:
    """Ten walks for each tour and persona, of all lengths."""
    return [
        walked(name, StoryRequest(persona=persona, length=("small", "medium", "long")[seed % 3], seed=seed), ctx)
        for name in TOURS
        for persona in ("emma", "luca")
        for seed in range(10)
    ]


def test_the_pack_has_its_three_tours_and_names_are_entities(ctx: StoryContext) -> None:
    assert tuple(ctx.pack.tours) == TOURS
    queen = ctx.pack.tours["two-stadiums"].stop("queen")
    assert queen.bind == {"artist": ctx.pack.entities.find("Queen").value}


def test_an_unknown_tour_is_named_with_the_nearest(ctx: StoryContext) -> None:
    with pytest.raises(UnknownTour, match="did you mean ten-minutes"):
        ctx.pack.tours["ten-minute"]


def test_a_tour_is_told_only_to_whom_it_is_for(tiny: StoryContext) -> None:
    with pytest.raises(UnknownPersona, match="not told to 'emma'"):
        touring.start("first-night", StoryRequest(persona="emma"), tiny)


def test_a_faulty_tour_hides_no_other_fault(tmp_path: Path) -> None:
    from graph_tools.pack import examine

    shutil.copytree(TINY, tmp_path / "pack")
    path = tmp_path / "pack/cqs/tours/first-night.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('next = "sky"', 'next = "ski"'), encoding="utf-8")
    (tmp_path / "pack/cqs/tours/Second.toml").write_text("title =", encoding="utf-8")
    (tmp_path / "pack/kg/sky.ttl").write_text("", encoding="utf-8")
    _, problems = examine(tmp_path / "pack")
    assert {p.file for p in problems} == {"kg/sky.ttl", "cqs/tours/first-night.toml", "cqs/tours/Second.toml"}
    assert [p.line for p in problems if "'ski'" in p.cause] == [24, 35]


def test_the_ways_on_are_open_or_closed_with_their_reason() -> None:
    emma, luca = begin(HUB, "emma"), begin(HUB, "luca")
    assert open_ids(HUB, emma) == ["a", "out"]
    assert [way.why_not for way in options(HUB, emma)] == ["", "only after a", "only where hub.a was chosen", ""]
    assert options(HUB, luca)[1].why_not == "only for emma"
    back = take(HUB, take(HUB, emma, "a"), "next")
    assert open_ids(HUB, back) == ["b", "c", "out"]
    assert options(HUB, back)[0].why_not == "a was told before"
    again = take(HUB, take(HUB, back, "b"), "next")
    assert options(HUB, again)[2].why_not == "closed after b"
    assert not again.fresh
    assert over(HUB, take(HUB, again, "out"))


def test_a_way_that_is_closed_or_does_not_exist_is_not_taken() -> None:
    for way in ("b", "next", "nowhere"):
        with pytest.raises(NotOffered, match="no way on from 'hub' now; open are a, out"):
            take(HUB, begin(HUB, "emma"), way)


def test_a_walk_may_begin_at_any_stop_and_nobody_is_stuck_there(ctx: StoryContext) -> None:
    for tour in ctx.pack.tours.values():
        for stop in tour.ids:
            state = begin(tour, "emma", stop)
            while not over(tour, state):
                state = take(tour, state, open_ids(tour, state)[-1])
    with pytest.raises(NotOffered, match="has no stop 'huub'; did you mean hub"):
        begin(HUB, "emma", "huub")
    closed = HUB.model_copy(
        update={"stops": (HUB.stops[0].model_copy(update={"branches": HUB.stops[0].branches[1:3]}),)}
    )
    closed = closed.model_copy(update={"stops": (*closed.stops, *HUB.stops[1:])})
    assert open_ids(closed, begin(closed, "emma")) == ["leave"]
    assert take(closed, begin(closed, "emma"), "leave").left
    assert [situation.stop for situation in explore(closed, "emma").stuck()] == ["hub"]


def test_a_walk_is_plain_json_and_goes_on_from_it(ctx: StoryContext) -> None:
    walk = touring.start("ten-minutes", StoryRequest(persona="emma", seed=1), ctx)
    walk = touring.go(walk, "next", ctx)
    again = TourWalk.model_validate_json(walk.model_dump_json())
    assert again == walk
    assert touring.go(again, "next", ctx) == touring.go(walk, "next", ctx)


def test_a_walk_that_goes_round_and_round_is_led_out() -> None:
    round_ = Tour(
        title="Round",
        tagline="",
        personas=("emma",),
        start="a",
        stops=(Stop(id="a", heading="A", next="b"), Stop(id="b", heading="B", next="a")),
    )
    state, steps = begin(round_, "emma"), 0
    while not over(round_, state):
        state, steps = take(round_, state, open_ids(round_, state)[0]), steps + 1
    assert steps == MOST_STEPS * 2
    assert list(explore(round_, "emma").forced())


@pytest.mark.parametrize("name", TOURS)
def test_a_thousand_random_walks_come_to_an_end_of_the_tour(name: str, ctx: StoryContext) -> None:
    tour = ctx.pack.tours[name]
    for seed in range(1000):
        rng = Random(seed)
        state = begin(tour, rng.choice(tour.personas))
        while not over(tour, state):
            assert state.fresh or tour.stop(state.stop).branches, state.path
            state = take(tour, state, rng.choice(open_ids(tour, state)))
        assert not state.left, state.path


@pytest.mark.parametrize("name", TOURS)
def test_every_stop_is_come_to_by_both_personas(name: str, ctx: StoryContext) -> None:
    tour = ctx.pack.tours[name]
    for persona in tour.personas:
        assert {situation.stop for situation in explore(tour, persona).steps} == set(tour.ids)


def test_every_stop_that_is_come_to_tells_something_new(walks: list[TourWalk]) -> None:
    for walk in walks:
        said = [sentence.text.casefold() for beat in walk.beats for sentence in beat.sentences]
        assert len(said) == len(set(said)), walk.state.path
        assert all(beat.status == "told" for beat in walk.beats), walk.state.path
        assert len({digest for beat in walk.beats for digest in [beat.step]}) == len(walk.beats)


def test_the_same_seed_walks_and_tells_the_same(ctx: StoryContext, walks: list[TourWalk]) -> None:
    again = walked(walks[0].tour, walks[0].request, ctx)
    assert touring.to_json(again, ctx) == touring.to_json(walks[0], ctx)


def test_longer_walks_tell_more(ctx: StoryContext) -> None:
    told = [
        sum(
            beat.words for beat in walked("ten-minutes", StoryRequest(persona="luca", length=length, seed=4), ctx).beats
        )
        for length in ("small", "medium", "long")
    ]
    assert told[0] < 0.8 * told[1] < 0.8 * told[2]


def test_a_drawn_stop_varies_with_the_seed_and_tells_what_no_other_stop_tells(ctx: StoryContext) -> None:
    tour = ctx.pack.tours["ten-minutes"]
    beats = StopBeats(tour, ctx.composer("emma"))
    stop = tour.stop("chance")
    drawn = [beats.beat(stop, seed, lambda question: True) for seed in range(40)]
    assert len({beat.key for beat in drawn if beat}) > 15
    fixed = {question.key for other in tour.stops if other.cq for question in beats.questions(other)[:1]}
    assert not fixed & {question.key for question in beats.drawn(stop)}
    assert beats.beat(stop, 0, lambda question: False) is None


def test_a_stop_that_would_repeat_what_was_told_is_known_to_be_silent(tiny: StoryContext) -> None:
    tour = tiny.pack.tours["first-night"]
    again = Stop(id="again", heading="Again", cq="CQ-T4", end=True)
    news = TourNews(tour.model_copy(update={"stops": (*tour.stops, again)}), tiny.composer("nora"))
    assert not news.silent("again", ["gate", "people"])
    assert news.silent("again", ["gate", "glass"])
    assert news.takers("again", ["gate", "glass", "people"]) == ["glass"]


def test_a_drawn_stop_is_silent_once_others_may_have_drawn_all_that_it_could(tiny: StoryContext) -> None:
    tour = tiny.pack.tours["first-night"]
    draws = tour.stop("people").model_copy(
        update={"any_": tour.stop("people").any_.model_copy(update={"among": _two_people(tiny)})}  # type: ignore[union-attr]
    )
    stops = tuple(draws.model_copy(update={"id": id_}) for id_ in ("one", "two", "three"))
    news = TourNews(tour.model_copy(update={"stops": stops}), tiny.composer("nora"))
    assert not news.silent("one", [])
    assert not news.silent("two", ["one"])
    assert news.silent("three", ["one", "two"])


def _two_people(ctx: StoryContext) -> tuple[str, ...]:
    return tuple(iri.value for iri in ctx.pack.entities.of_class(Iri(ctx.pack.arcs.lead_class))[:2])


def test_situations_forget_the_order_of_stops(ctx: StoryContext) -> None:
    ways = explore(HUB, "emma")
    assert len(ways.steps) == len({(s.stop, s.heard, s.made) for s in ways.steps})
    assert Situation("hub", frozenset({"hub", "a", "b"}), frozenset({"hub.a"})) in ways.steps
    assert ways.complete


def test_the_two_sides_of_each_hour_began_within_the_same_half_hour(ctx: StoryContext) -> None:
    """The tour pairs sets by the clock of the world: each crossing offers two starts that lie close together."""
    tour = ctx.pack.tours["two-stadiums"]
    beats = StopBeats(tour, ctx.composer("luca"))
    starts: dict[str, datetime] = {}
    for stop in tour.stops:
        if stop.cq == "CQ-A1":
            (factlet,) = ctx.retriever.ask(beats.questions(stop)[0]).factlets
            start = factlet.values.get("start") or factlet.values["around"]
            starts[stop.id] = datetime.fromisoformat(start.value)
    pairs = {tuple(sorted(branch.to for branch in stop.branches)) for stop in tour.stops if len(stop.branches) == 2}
    assert len(pairs) == 7
    for one, other in pairs:
        assert abs(starts[one] - starts[other]) <= timedelta(minutes=30), (one, other)


def test_minutes_are_counted_from_the_words(ctx: StoryContext, walks: list[TourWalk]) -> None:
    tour = ctx.pack.tours["ten-minutes"]
    for persona in tour.personas:
        least, most = StopBeats(tour, ctx.composer(persona)).minutes("medium")
        assert 9 <= least <= most <= 11
        told = [walk for walk in walks if walk.tour == "ten-minutes" and walk.request.length == "medium"]
        for walk in (walk for walk in told if walk.request.persona == persona):
            staging = sum(len(f"{stop.say} {stop.then}".split()) for stop in walk.told)
            words = staging + sum(beat.words for beat in walk.beats)
            minutes = words / tour.pace + (len(walk.told) - 1) * tour.between / 60
            assert 0.85 * least <= minutes <= 1.15 * most


def test_staging_is_no_sentence_of_the_story_file(ctx: StoryContext, walks: list[TourWalk]) -> None:
    document = json.loads(touring.to_json(walks[0], ctx))
    assert document["format"] == "cuestory.story/1"
    assert document["tour"]["name"] == walks[0].tour
    stops = document["tour"]["stops"]
    assert [stop["stop"] for stop in stops] == list(walks[0].state.path)
    told = {sentence["text"] for beat in document["beats"] for sentence in beat["sentences"]}
    assert not told & {stop[key] for stop in stops for key in ("say", "then", "heading")}
    assert [stop["beat"] for stop in stops if stop["beat"] is not None] == list(range(len(document["beats"])))


@pytest.mark.slow
def test_an_independent_checker_finds_nothing(
    walks: list[TourWalk], ctx: StoryContext, shared: Path, project: Path
) -> None:
    spec = importlib.util.spec_from_file_location("check_story", shared / "tools" / "check_story.py")
    assert spec is not None
    assert spec.loader is not None
    checker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checker)
    graph = Graph().parse(project / "kg" / "liveaid.ttl")
    names = checker.name_words(graph)
    assert len(walks) == 60
    for walk in walks:
        assert list(checker.check_story(json.loads(touring.to_json(walk, ctx)), graph, names)) == [], walk.state.path


def test_a_change_of_the_graph_names_the_stops_that_it_touches(tiny: StoryContext, tmp_path: Path) -> None:
    for old, text in (("old", ""), ("new", "17 May 1902")):
        shutil.copytree(TINY / "kg", tmp_path / old)
        whole = "".join((tmp_path / old / name).read_text(encoding="utf-8") for name in ("people.ttl", "sky.ttl"))
        if text:
            assert '"1902-05-17"' in whole
            whole = whole.replace('"1902-05-17"', '"1902-05-18"')
        (tmp_path / f"{old}.ttl").write_text(whole, encoding="utf-8")
    graphs = [open_graph(tmp_path, [f"{name}.ttl"]) for name in ("old", "new")]
    change = compare(graphs[0], graphs[1], tiny.pack)
    assert [(stop.tour, stop.stop, stop.questions) for stop in change.tours] == [("first-night", "gate", ("CQ-T1",))]
    assert compare(graphs[0], graphs[0], tiny.pack).tours == ()


def test_a_pack_may_have_no_tour(tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path / "pack")
    shutil.rmtree(tmp_path / "pack/cqs/tours")
    pack = StoryPack.open(tmp_path / "pack")
    assert len(pack.tours) == 0
    with pytest.raises(UnknownTour, match="this pack has none"):
        pack.tours["any"]
    assert replace(pack, name="other").tours is pack.tours


def cuestory(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from agent.cli import main; main()", "tour", *arguments, "--pack", str(TINY)],
        env=os.environ,
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def lines(done: subprocess.CompletedProcess[str]) -> Iterator[str]:
    return (line for line in done.stdout.splitlines() if line.strip())


def test_tour_walk_asks_for_a_number_and_says_what_it_takes() -> None:
    done = cuestory("walk", "first-night", "--persona", "piet", typed="3\npeople\n2\n\n")
    assert done.returncode == 0
    assert done.stderr.count("Type a number from 1 to 2, or q to end the tour.") == 2
    said = list(lines(done))
    assert said[:3] == ["A first night", "AT THE GATE", "[Wait until everybody has come up the hill.]"]
    assert "> Glass" in said
    assert "> Go on" in said
    assert said[-1] == "[Good night, and mind the step on your way down.]"


@pytest.mark.parametrize("typed", ["q\n", "", "QUIT\n"])
def test_tour_walk_ends_calmly_where_nobody_goes_on(typed: str) -> None:
    done = cuestory("walk", "first-night", typed=typed)
    assert done.returncode == 0
    assert "AT THE GATE" in done.stdout
    assert "SKY" not in done.stdout
    assert "Traceback" not in done.stderr


def test_tour_walk_by_chance_writes_a_story_file() -> None:
    done = cuestory("walk", "first-night", "--persona", "nora", "--seed", "3", "--auto", "--json")
    story = json.loads(done.stdout)
    assert story["request"] == {"persona": "nora", "length": "medium", "strategy": "kg", "seed": 3, "lang": "en"}
    assert story["tour"]["stops"][-1]["stop"] == "sky"


def test_tour_list_and_check_say_what_there_is() -> None:
    (row,) = json.loads(cuestory("list", "--json").stdout)
    assert (row["name"], [stop["id"] for stop in row["stops"]]) == ("first-night", ["gate", "people", "glass", "sky"])
    assert 0 < row["minutes"][0] <= row["minutes"][1] < 3
    done = cuestory("check", "first-night")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.endswith("no problems\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("walk", "first-nigth"), "unknown tour 'first-nigth'; did you mean first-night?"),
        (("check", "last-night"), "unknown tour 'last-night'; did you mean first-night?"),
        (("walk", "first-night", "--persona", "nra"), "not told to 'nra'; did you mean nora?"),
        (("walk", "first-night", "--at", "glas"), "no stop 'glas'; did you mean glass"),
        (("walk", "first-night", "--length", "lng"), "unknown length 'lng'; did you mean long?"),
    ],
)
def test_a_wrong_use_is_one_line(arguments: tuple[str, ...], complaint: str) -> None:
    done = cuestory(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_tour_that_the_guide_shows_is_a_sound_one(project: Path, tmp_path: Path) -> None:
    guide = (project / "docs" / "tours.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(.*?)```", guide, re.DOTALL)
    assert example is not None
    shutil.copy(project / "pack.toml", tmp_path)
    for folder in ("cqs", "kg", "snippets"):
        shutil.copytree(project / folder, tmp_path / folder)
    shutil.rmtree(tmp_path / "cqs/tours")
    (tmp_path / "cqs/tours").mkdir()
    (tmp_path / "cqs/tours/short.toml").write_text(example[1], encoding="utf-8")
    assert list(TourGate(StoryPack.open(tmp_path)).all_problems()) == []


def test_the_guide_lists_every_key(project: Path) -> None:
    guide = (project / "docs" / "tours.md").read_text(encoding="utf-8")
    for model in (Tour, Stop, Branch, AnyOf):
        for name, info in model.model_fields.items():
            assert f"`{info.alias or name}`" in guide or f"[[{name}]]" in guide, (model, name)
