"""The drawings that a visitor sees: of a proof, of the day, of whom they met; and the links to pictures."""

import re
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

from agent import visit
from agent.context import StoryContext
from agent.presenter import present
from graph_tools.errors import InvalidPack
from graph_tools.knowledge_graph import EmbeddedGraph
from graph_tools.media import Media, media_problems, shown
from graph_tools.pack import StoryPack
from graph_tools.path_drawing import Edge, Sketch, draw_path
from graph_tools.plan import StoryRequest
from graph_tools.terms import Iri
from graph_tools.timeline import Happening, Timeline, happenings, timeline_problems
from graph_tools.timeline_drawing import draw_timeline
from graph_tools.visited_drawing import draw_visited

SVG = "{http://www.w3.org/2000/svg}"
SET = [
    Edge("set", "Dylan's set", "is a", "Performance", "Live Performance"),
    Edge("set", "Dylan's set", "performer", "dylan", "Bob Dylan"),
    Edge("set", "Dylan's set", "start date", "", "22:39"),
    Edge("set", "Dylan's set", "location", "jfk", "JFK <Stadium>"),
    Edge("jfk", "JFK <Stadium>", "contained in place", "phila", "Philadelphia"),
]


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def drawn(*edges: Edge) -> Sketch:
    sketch = draw_path(edges, "How")
    assert sketch is not None
    return sketch


def test_a_proof_is_drawn_as_the_longest_way_from_thing_to_thing() -> None:
    sketch = drawn(*SET)
    assert texts(sketch.svg) == [
        *("performer", "Bob Dylan", "location", "Dylan's set", "start date: 22:39"),
        *("contained in place", "JFK <Stadium>", "Philadelphia"),
    ]
    for edge in SET[1:]:
        assert edge.object_name in sketch.words


def test_the_way_of_the_first_fact_is_drawn_where_it_leads_far_enough() -> None:
    longer = [Edge(f"c{n}", f"concert {n}", "part of", f"c{n + 1}", f"concert {n + 1}") for n in range(4)]
    sketch = draw_path([*SET, *longer], "How", len(SET))
    assert sketch is not None
    assert sketch.svg == drawn(*SET).svg
    assert "concert 4" in texts(drawn(*SET, *longer).svg)


def test_the_same_statements_give_the_same_picture_and_it_follows_the_theme() -> None:
    assert drawn(*SET) == drawn(*SET, SET[0])
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', drawn(*SET).svg)) <= {"currentColor", "none"}


def test_a_thing_without_a_name_is_called_by_what_it_is() -> None:
    sketch = drawn(Edge("a", "", "is a", "Account", "Account"), Edge("a", "", "about", "q", "Queen"))
    assert texts(sketch.svg) == ["about", "(account)", "Queen"]


def test_a_proof_of_values_alone_is_not_drawn() -> None:
    assert draw_path([SET[2], SET[0]], "How") is None
    assert draw_path([], "How") is None


def claim(number: int, who: str, value: str) -> list[Edge]:
    key = f"claim{number}"
    return [
        Edge(key, "a claim", "author", who, who),
        Edge(key, "a claim", "value", "", value),
        Edge(key, "a claim", "unit text", "", "viewers"),
    ]


def test_contested_figures_are_drawn_as_who_says_what() -> None:
    sketch = drawn(*claim(1, "MTV", "400000000"), *claim(2, "CNN", "1500000000"))
    assert texts(sketch.svg) == ["MTV", "says 400,000,000 viewers", "CNN", "says 1,500,000,000 viewers"]
    assert "MTV says 400,000,000 viewers" in sketch.words


def test_figures_that_agree_are_no_contest() -> None:
    assert "says" not in drawn(*claim(1, "MTV", "5"), *claim(2, "CNN", "5")).svg


def test_every_note_of_real_stories_has_a_drawing_without_an_address(ctx: StoryContext) -> None:
    def name_of(iri: str) -> str | None:
        return ctx.pack.entities.name(Iri(iri))

    sketches = [
        note.drawing
        for persona in ctx.pack.personas
        for beat in visit.tell_story(StoryRequest(persona=persona, length="medium", seed=5), ctx).beats
        for note in present(beat, name_of, {}).notes
    ]
    found = [sketch for sketch in sketches if sketch is not None]
    assert len(found) > 0.8 * len(sketches)
    for sketch in found:
        shown_texts = texts(sketch.svg)
        assert shown_texts
        assert not [text for text in shown_texts if "://" in text]
        assert ElementTree.fromstring(sketch.svg).get("aria-label") == sketch.words


HERE, THERE = Iri("http://x.org/here"), Iri("http://x.org/there")
NAMES = {HERE: "Here", THERE: "There", Iri("http://x.org/a"): "Abba", Iri("http://x.org/b"): "Blur & Co"}


def happening(number: str, who: str, where: Iri, when: str | None, *, hedged: bool = False) -> Happening:
    time = datetime.fromisoformat(when) if when else None
    return Happening(Iri(f"http://x.org/{number}"), (Iri(f"http://x.org/{who}"),), where, time, hedged)


DAY = (
    happening("1", "a", HERE, "1985-07-13T12:01:00+01:00"),
    happening("2", "b", THERE, "1985-07-13T08:51:00-04:00", hedged=True),
    happening("3", "a", THERE, None),
)


def test_the_day_is_drawn_on_the_clocks_of_both_places_and_says_where_you_are() -> None:
    chart = draw_timeline(DAY, lambda iri: NAMES[iri], frozenset({Iri("http://x.org/b")}), "The day")
    assert chart.places == ("Here", "There")
    assert [(entry.who, entry.clocks, entry.here) for entry in chart.entries] == [
        ("Abba", ("12:01", "07:01"), False),
        ("Blur & Co", ("about 13:51", "about 08:51"), True),
        ("Abba", (), False),
    ]
    words = texts(chart.svg)
    assert words.count("you are here") == 1
    assert words[words.index("you are here") - 1] == "Blur & Co"
    assert {"12:00", "13:00", "07:00", "08:00"} <= set(words)


def test_a_day_without_a_time_is_a_table_alone() -> None:
    chart = draw_timeline(DAY[2:], lambda iri: NAMES[iri], frozenset(), "The day")
    assert chart.svg == ""
    assert len(chart.entries) == 1


def test_the_pack_draws_every_set_that_its_graph_has_a_time_for(ctx: StoryContext) -> None:
    rows = happenings(ctx.pack.timeline, ctx.pack.graph)
    timed = [row for row in rows if row.when is not None]
    chart = draw_timeline(rows, ctx.pack.entities.name, frozenset(), ctx.pack.timeline.title)
    ElementTree.fromstring(chart.svg)
    assert chart.svg.count("<circle") == len(timed)
    assert len(chart.entries) == len(rows) > len(timed) > 40
    [quo] = [entry for entry in chart.entries if entry.who == "Status Quo"]
    assert quo.clocks == ("12:01", "07:01")


def test_whom_a_visitor_met_is_filled_and_counted_once() -> None:
    sketch = draw_visited(["Queen", "U2", "Queen", "a stranger"], ["Madonna", "Queen", "U2"], "Met")
    assert sketch.words == "Met: 2 of 3, Queen, U2"
    assert sketch.svg.count('fill="none" stroke="currentColor" stroke-opacity="0.6"') == 1
    assert [text.split()[-1] for text in texts(sketch.svg) if " " in text] == ["Queen", "U2"]
    ElementTree.fromstring(draw_visited([], ["Madonna"], "Met").svg)


def test_pictures_come_with_credit_and_only_of_what_they_show(ctx: StoryContext) -> None:
    dylan = "http://wembrewind.live/ex#BobDylan"
    [picture] = shown(ctx.pack.media, ctx.pack.graph, ["http://wembrewind.live/ex#Nobody", dylan])
    assert picture.kind == "picture"
    assert picture.page.startswith("https://commons.wikimedia.org/")
    assert re.search("CC BY|public domain", picture.credit)
    assert shown(ctx.pack.media, ctx.pack.graph, ["http://wembrewind.live/ex#Nobody"]) == ()
    assert shown(Media(), ctx.pack.graph, [dylan]) == ()
    [film] = shown(ctx.pack.media, ctx.pack.graph, ["http://wembrewind.live/ex#Queen_LiveAid1985_Performance"])
    assert (film.kind, film.credit) == ("film", "")


def test_only_web_pages_are_pointed_to() -> None:
    from graph_tools.graph_files import GraphFile

    text = '<http://x/p> <http://x/of> <http://x/a> ; <http://x/page> "javascript:alert(1)" ; <http://x/credit> "me" .'
    graph, problems = EmbeddedGraph.load([GraphFile("g.ttl", text.encode())])
    assert graph is not None, problems
    where = "?item <http://x/of> ?of ; <http://x/page> ?page ; <http://x/credit> ?credit"
    query = f"SELECT ?item ?of ?page ?credit WHERE {{ {where} }}"
    assert shown(Media(pictures=query), graph, ["http://x/a"]) == ()


@pytest.mark.parametrize(
    "query", ["SELECT ?it WHERE { ?it ?p ?o } ORDER BY ?it", "DELETE WHERE { ?s ?p ?o }", "no query at all"]
)
def test_a_query_for_a_drawing_is_held_to_the_same_rules_as_any_other(query: str) -> None:
    [problem] = timeline_problems(Timeline(title="x", query=query))[:1]
    assert problem.file == "cqs/timeline.toml"
    assert media_problems(Media(pictures=query))[0].file == "cqs/media.toml"


def test_a_pack_with_a_broken_timeline_is_not_opened(project: Path, tmp_path: Path) -> None:
    import shutil

    root = tmp_path / "pack"
    shutil.copytree(project / "tests" / "packs" / "tiny-observatory", root)
    StoryPack.open(root)
    (root / "cqs" / "timeline.toml").write_text('title = "x"\nquery = "SELECT ?a WHERE { ?a ?b ?c }"\n')
    with pytest.raises(InvalidPack, match="timeline"):
        StoryPack.open(root)
