"""The collectors on a tiny pack about a village fête: what differs, what is accepted, and what is never written."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from graph_tools.collect import SERVICES, Review, accept, addresses, collect, load_recipe, read_review
from graph_tools.collect.cache import Answer, Cache
from graph_tools.collect.findings import minted
from graph_tools.collect.musicbrainz import set_list
from graph_tools.collect.recipe import COLLECT_FILE
from graph_tools.collect.sheet import Sheet
from graph_tools.collect.web import Web, pauses
from graph_tools.errors import CollectError, InvalidPack, PackNotFound, ServiceUnavailable, StaleReview

FETE, ROSES, ANN, BEA, JIG, REEL = (f"{n}0000000-0000-4000-8000-00000000000{n}" for n in range(1, 7))

MAPPING = """\
output = "kg/fete.ttl"
namespace = "f"
name = "f:name"
[prefixes]
f = "https://fete.example/"
[refused_characters]
"\\u2019" = "'"

[tables.sources]
files = ["sources.csv"]
subject = ["f:Source_{id}"]
classes = ["f:Page"]
columns.id = { kind = "id" }
columns.url = { kind = "url", predicate = "f:url", required = true }
columns.title = { kind = "string", predicate = "f:name", required = true }
columns.accessed = { kind = "date", predicate = "f:accessed" }

[tables.people]
files = ["people.csv"]
subject = ["f:{id}"]
classes = ["f:Person"]
columns.id = { kind = "id" }
columns.name = { kind = "string", predicate = "f:name", required = true }
columns.also_called = { kind = "string", many = true, predicate = "f:alias" }
columns.pronoun = { kind = "string", predicate = "f:pronoun", one_of = ["he", "she"] }
columns.born = { kind = "date", predicate = "f:born" }
columns.musicbrainz = { kind = "iri", match = "[0-9a-f-]+", pattern = "https://m.test/{value}", predicate = "f:same" }
columns.wikidata = { kind = "iri", match = "Q[0-9]+", pattern = "https://wd.example/{value}", predicate = "f:same" }
columns.source = { kind = "ref", to = ["sources"], many = true, predicate = "f:source" }

[tables.groups]
files = ["groups.csv"]
subject = ["f:{id}"]
classes = ["f:Group"]
columns.id = { kind = "id" }
columns.name = { kind = "string", predicate = "f:name", required = true }
columns.musicbrainz = { kind = "iri", match = "[0-9a-f-]+", pattern = "https://m.test/{value}", predicate = "f:same" }
columns.source = { kind = "ref", to = ["sources"], many = true, predicate = "f:source" }

[tables.memberships]
files = ["memberships.csv"]
subject = ["f:Member_{group}_{person}"]
classes = ["f:Membership"]
columns.group = { kind = "ref", to = ["groups"], predicate = "f:group", required = true }
columns.person = { kind = "ref", to = ["people"], predicate = "f:person", required = true }
columns.from = { kind = "date", predicate = "f:from" }
statements = [{ predicate = "f:name", text = ["{person:name} in {group:name}"] }]

[tables.works]
files = ["works.csv"]
subject = ["f:{id}"]
classes = ["f:Work"]
columns.id = { kind = "id" }
columns.name = { kind = "string", predicate = "f:name", required = true }
columns.writers = { kind = "ref", to = ["people"], many = true, predicate = "f:writer" }
columns.length = { kind = "duration", predicate = "f:length" }
columns.musicbrainz = { kind = "iri", match = "[0-9a-f-]+", pattern = "https://m.test/{value}", predicate = "f:same" }

[tables.sets]
files = ["sets.csv"]
subject = ["f:{id}"]
classes = ["f:Set"]
columns.id = { kind = "id" }
columns.name = { kind = "string", predicate = "f:name", required = true }
columns.players = { kind = "ref", to = ["people", "groups"], many = true, predicate = "f:player" }

[tables.songs]
files = ["songs.csv"]
subject = ["f:{set}_{position}"]
classes = ["f:Song"]
columns.set = { kind = "ref", to = ["sets"], required = true }
columns.position = { kind = "integer", predicate = "f:position", required = true }
columns.work = { kind = "ref", to = ["works"], predicate = "f:work", required = true }
statements = [{ predicate = "f:name", text = ["{work:name} at {set:name}"] }]
sequence = { group = ["set"], order = "position", contiguous = true }
"""

RECIPE = """\
[musicbrainz]
base = "BASE/ws/2/"
pages = "https://mb.example/{kind}/{id}"
pause = 0
include.event = ["artist-rels"]
include.artist = ["artist-rels", "url-rels"]
seeds.event = ["FETE"]
ours = [{ place = "people.musicbrainz", kind = "artist" }]
follow = [
    { kind = "event", ids = "relations[?\\"target-type\\"=='artist'].artist.id", to = "artist" },
    { kind = "event", ids = "songs[].id", to = "work" },
    { kind = "artist", ids = "relations[?type=='member of band'].artist.id", to = "artist" },
]

[wikidata]
entities = "BASE/wiki/Special:EntityData/"
endpoint = "BASE/sparql"
pages = "https://wd.example/wiki/{id}"
pause = 0
ours = [{ place = "people.wikidata", kind = "person" }]
[wikidata.queries.by_musicbrainz]
place = "people.musicbrainz"
text = "SELECT ?item ?mbid WHERE { VALUES ?mbid { {values} } ?item wdt:P434 ?mbid }"
batch = 1

[provenance]
table = "sources"
column = "source"
url = "url"
cells = { id = "{service}_{row}", url = "{page}", title = "{name} on {service}", accessed = "{fetched}" }

[[rules]]
service = "musicbrainz"
kind = "artist"
table = "people"
where = "type=='Person'"
key.musicbrainz = { at = "requested" }
also_by = "name"
new_rows = true
columns.id = { at = "name", mint = true, use = "new" }
columns.name = { at = "name", use = "new" }
columns.also_called = { at = "aliases[].name" }
columns.pronoun = { at = "gender", words = { Male = "he", Female = "she" }, use = "fill" }
columns.musicbrainz = { at = "id" }
columns.born = { at = "\\"life-span\\".begin" }
columns.wikidata = { at = "relations[?type=='wikidata'].url.resource", match = "/(Q\\\\d+)$" }

[[rules]]
service = "musicbrainz"
kind = "artist"
table = "groups"
where = "type=='Group'"
key.musicbrainz = { at = "requested" }
columns.name = { at = "name" }

[[rules]]
service = "musicbrainz"
kind = "artist"
table = "memberships"
where = "type=='Group'"
each = "relations[?type=='member of band']"
key.group = { at = "of.requested", through = [["groups.musicbrainz"]] }
key.person = { at = "row.artist.id", through = [["people.musicbrainz"]] }
new_rows = true
columns.from = { at = "row.begin" }

[[rules]]
service = "musicbrainz"
kind = "event"
table = "songs"
each = "songs[?id]"
key.set = { at = "row.artists[].id", through = [["people.musicbrainz", "groups.musicbrainz"], ["sets.players"]] }
key.position = { at = "row.position" }
columns.work = { at = "row.id", through = [["works.musicbrainz"]] }
new_rows = true

[[rules]]
service = "musicbrainz"
kind = "work"
table = "works"
key.musicbrainz = { at = "requested" }
columns.writers = { at = "relations[?type=='writer'].artist.id", through = [["people.musicbrainz"]] }
columns.length = { at = "length", milliseconds = true }

[[rules]]
service = "wikidata"
kind = "person"
table = "people"
key.wikidata = { at = "requested" }
columns.wikidata = { at = "id" }
columns.born = { at = "claims.P569" }

[[rules]]
service = "wikidata"
kind = "by_musicbrainz"
table = "people"
key.musicbrainz = { at = "mbid" }
columns.wikidata = { at = "item" }
"""

TABLES = {
    "sources": "id,url,title,accessed\nProgramme,https://fete.example/programme,The programme,2026-11-01\n",
    "people": (
        "id,name,also_called,pronoun,born,musicbrainz,wikidata,source\n"
        f'Ann,"Ann ""Fiddle"" Archer",Annie,she,1950-03,{ANN},Q11,Programme\n'
        "Bea,Bea Baker,,,1951-10-05,,,Programme\n"
    ),
    "groups": f"id,name,musicbrainz,source\nRoses,The Roses,{ROSES},Programme\n",
    "memberships": "group,person,from\nRoses,Ann,1970\n",
    "works": f"id,name,writers,length,musicbrainz\nJig,The Jig,,PT3M,{JIG}\nReel,The Reel,,,{REEL}\n",
    "sets": "id,name,players\nRoses_Set,The Roses at the fête,Roses\nDuet_Set,the duet at the fête,Ann;Bea\n",
    "songs": "set,position,work\nRoses_Set,1,Jig\n",
}


def person(id_: str, name: str, **more: Any) -> dict[str, Any]:
    return {"id": id_, "type": "Person", "name": name, "sort-name": name, "relations": [], "aliases": [], **more}


def item(id_: str, **claims: list[dict[str, Any]]) -> dict[str, Any]:
    entity = {
        "id": id_,
        "type": "item",
        "labels": {"en": {"language": "en", "value": id_}},
        "aliases": [],
        "claims": claims,
    }
    return {"entities": {id_: entity}}


def born(time: str, precision: int, rank: str = "normal") -> dict[str, Any]:
    value = {"time": time, "precision": precision, "calendarmodel": "http://www.wikidata.org/entity/Q1985727"}
    snak = {"snaktype": "value", "property": "P569", "datavalue": {"value": value, "type": "time"}}
    return {"mainsnak": snak, "type": "statement", "rank": rank}


def documents() -> dict[str, Any]:
    """What the services say where nothing is changed: just what the tables say, or less."""
    member = {"type": "member of band", "target-type": "artist", "direction": "backward", "attributes": []}
    return {
        f"/ws/2/event/{FETE}": {
            "id": FETE,
            "name": "Village Fête",
            "type": "Festival",
            "setlist": f"# opening\r\n@ [{ROSES}|The Roses]\r\n* [{JIG}|The Jig]\r\n* a song nobody knows\r\n",
            "relations": [{"type": "main performer", "target-type": "artist", "artist": {"id": ROSES}}],
        },
        f"/ws/2/artist/{ROSES}": {
            "id": ROSES,
            "type": "Group",
            "name": "The Roses",
            "relations": [{**member, "begin": "1970", "artist": {"id": ANN, "name": "Ann Archer"}}],
        },
        f"/ws/2/artist/{ANN}": person(ANN, "Ann Archer", **{"life-span": {"begin": "1950"}}),
        f"/ws/2/artist/{BEA}": person(BEA, "bea baker", **{"life-span": {"begin": None}}),
        f"/ws/2/work/{JIG}": {"id": JIG, "title": "The Jig", "relations": []},
        f"/ws/2/work/{REEL}": {"id": REEL, "title": "The Reel", "relations": []},
        "/wiki/Special:EntityData/Q11.json": item("Q11", P569=[born("+1950-03-00T00:00:00Z", 10)]),
        "/sparql": {"head": {"vars": ["item", "mbid"]}, "results": {"bindings": []}},
    }


class Services:
    """Both services on a loopback port: documents by path, and how often each was asked."""

    def __init__(self) -> None:
        self.documents: dict[str, Any] = documents()
        self.asked: list[str] = []
        self.forms: list[str] = []
        self.out_after: int | None = None
        services = self

        class Handler(BaseHTTPRequestHandler):
            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                path = self.path.partition("?")[0]
                services.asked.append(self.path)
                services.forms += parse_qs(body).get("query", [])
                out = services.out_after is not None and len(services.asked) > services.out_after
                found = services.documents.get(path)
                content = json.dumps(found).encode()
                self.send_response(503 if out else 200 if path in services.documents else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = _serve  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def services() -> Iterator[Services]:
    running = Services()
    yield running
    running.close()


@pytest.fixture
def pack(tmp_path: Path, services: Services) -> Path:
    """A pack with a recipe that asks the loopback services."""
    folder = tmp_path / "pack" / "kg" / "sources"
    folder.mkdir(parents=True)
    (folder / "mapping.toml").write_text(MAPPING, encoding="utf-8")
    put_recipe(tmp_path / "pack", RECIPE.replace("BASE", services.base).replace("FETE", FETE))
    for name, text in TABLES.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return tmp_path / "pack"


def put_recipe(pack: Path, text: str) -> None:
    (pack / COLLECT_FILE).write_text(text, encoding="utf-8")


def table(pack: Path, name: str) -> Path:
    return pack / "kg" / "sources" / f"{name}.csv"


def tables(pack: Path) -> dict[str, str]:
    return {name: table(pack, name).read_text(encoding="utf-8") for name in TABLES}


def run(pack: Path, *services: str) -> Review:
    cache = Cache(pack.parent / "fetched", timedelta(days=30), lambda: datetime(2026, 12, 1, tzinfo=UTC))
    recipe, _ = load_recipe(pack)
    with Web("curator@museum.example", pauses(addresses(recipe)), cache, sleep=lambda _: None) as web:
        return collect(pack, [name for name in SERVICES if not services or name in services], web)


def cells(review: Review) -> list[tuple[str, int, str, str, str]]:
    return [(c.table, c.line, c.column, c.ours, c.theirs) for c in review.changes]


def reasons(review: Review) -> list[str]:
    return [item.why for item in review.not_placed]


def accepted(review: Review, *columns: str) -> Review:
    """The review with the changes of these columns accepted, or everything."""
    return review.model_copy(
        update={
            "changes": tuple(
                c.model_copy(update={"accept": not columns or c.column in columns}) for c in review.changes
            ),
            "new_rows": tuple(row.model_copy(update={"accept": not columns}) for row in review.new_rows),
        }
    )


def test_services_that_say_the_same_or_less_do_not_differ(pack: Path, services: Services) -> None:
    review = run(pack)
    assert (review.changes, review.new_rows, review.not_placed) == ((), (), ())
    assert review.summary == "0 cells differ, 0 rows are new, 0 not placed"
    assert review.to_text() == ""


def test_everything_is_reached_from_the_seed_and_asked_once_as_json(pack: Path, services: Services) -> None:
    run(pack, "musicbrainz")
    assert services.asked == [
        f"/ws/2/event/{FETE}?fmt=json&inc=artist-rels",
        f"/ws/2/artist/{ANN}?fmt=json&inc=artist-rels+url-rels",
        f"/ws/2/artist/{ROSES}?fmt=json&inc=artist-rels+url-rels",
        f"/ws/2/work/{JIG}?fmt=json",
    ]


def test_items_and_queries_are_asked_for_what_the_tables_name(pack: Path, services: Services) -> None:
    run(pack, "wikidata")
    assert services.asked == ["/wiki/Special:EntityData/Q11.json", "/sparql"]
    assert services.forms == [f'SELECT ?item ?mbid WHERE {{ VALUES ?mbid {{ "{ANN}" }} ?item wdt:P434 ?mbid }}']


def test_each_cell_that_differs_is_told_with_ours_and_theirs(pack: Path, services: Services) -> None:
    services.documents[f"/ws/2/artist/{ROSES}"]["name"] = "Roses"
    services.documents[f"/ws/2/artist/{ROSES}"]["relations"][0]["begin"] = "1970-05"
    services.documents[f"/ws/2/artist/{ANN}"] = person(
        ANN,
        "Ann Archer",
        gender="Male",
        aliases=[{"name": "annie"}, {"name": "The  Fiddler\u2019s Ann"}],
        relations=[
            {"type": "wikidata", "url": {"resource": "https://www.wikidata.org/wiki/Q12"}},
            {"type": "official homepage", "url": {"resource": "https://ann.example/Q99"}},
        ],
        **{"life-span": {"begin": "1950-03-01"}},
    )
    review = run(pack, "musicbrainz")
    assert cells(review) == [
        ("people", 2, "also_called", "Annie", "Annie;The Fiddler's Ann"),
        ("people", 2, "born", "1950-03", "1950-03-01"),
        ("people", 2, "wikidata", "Q11", "Q12"),
        ("groups", 2, "name", "The Roses", "Roses"),
        ("memberships", 2, "from", "1970", "1970-05"),
    ]
    assert review.changes[1].model_dump(mode="json") == {
        "accept": False,
        "table": "people",
        "file": "kg/sources/people.csv",
        "service": "musicbrainz",
        "page": f"https://mb.example/artist/{ANN}",
        "page_name": "Ann Archer",
        "fetched": "2026-12-01",
        "line": 2,
        "row": {"id": "Ann"},
        "column": "born",
        "ours": "1950-03",
        "theirs": "1950-03-01",
        "found_by": "key",
    }
    assert review.to_text().splitlines()[:4] == [
        "kg/sources/people.csv",
        "  line 2, Ann",
        "    also_called: Annie -> Annie;The Fiddler's Ann",
        f"    https://mb.example/artist/{ANN}",
    ]


def test_wikidata_differs_by_its_best_rank_and_its_own_precision(pack: Path, services: Services) -> None:
    services.documents["/wiki/Special:EntityData/Q11.json"] = item(
        "Q11",
        P569=[
            born("+1949-01-01T00:00:00Z", 11, "deprecated"),
            born("+1951-00-00T00:00:00Z", 9),
            born("+1950-03-02T00:00:00Z", 11, "preferred"),
        ],
    )
    assert cells(run(pack, "wikidata")) == [("people", 2, "born", "1950-03", "1950-03-02")]


def test_several_values_of_theirs_are_told_and_not_chosen_among(pack: Path, services: Services) -> None:
    claims = [born("+1950-04-01T00:00:00Z", 11), born("+1950-04-02T00:00:00Z", 11), born("+1900-00-00T00:00:00Z", 7)]
    services.documents["/wiki/Special:EntityData/Q11.json"] = item("Q11", P569=claims)
    review = run(pack, "wikidata")
    assert review.changes == ()
    assert reasons(review) == ["born: ours is 1950-03, theirs 1950-04-01 or 1950-04-02"]


def test_an_identifier_that_was_merged_is_a_difference(pack: Path, services: Services) -> None:
    services.documents["/wiki/Special:EntityData/Q11.json"] = item("Q77")
    services.documents[f"/ws/2/artist/{ANN}"]["id"] = BEA
    assert cells(run(pack)) == [
        ("people", 2, "musicbrainz", ANN, BEA),
        ("people", 2, "wikidata", "Q11", "Q77"),
    ]


def test_an_identifier_that_a_service_does_not_know_is_told(pack: Path, services: Services) -> None:
    del services.documents[f"/ws/2/artist/{ANN}"]
    services.documents["/wiki/Special:EntityData/Q11.json"] = {"entities": {"Q11": {"id": "Q11", "missing": ""}}}
    assert reasons(run(pack)) == [f"musicbrainz knows no artist {ANN}", "wikidata knows no person Q11"]


def test_characters_that_nobody_sees_are_left_out_of_a_cell(pack: Path, services: Services) -> None:
    services.documents[f"/ws/2/artist/{ROSES}"]["name"] = "The\u00a0Ro\u202eses\x1b[31m\ud83d\tRed\x00"
    services.documents[f"/ws/2/artist/{ANN}"] |= {"type": None, "name": "\x1b[31mAnn\nArcher\ud83d"}
    review = run(pack, "musicbrainz")
    assert cells(review) == [("groups", 2, "name", "The Roses", "The Roses[31m Red")]
    assert reasons(review) == ["no rule reads the artist [31mAnn Archer"]
    review.to_json().encode("utf-8")


def test_a_document_that_no_rule_reads_is_told(pack: Path, services: Services) -> None:
    services.documents[f"/ws/2/artist/{ANN}"]["type"] = None
    assert reasons(run(pack, "musicbrainz")) == ["no rule reads the artist Ann Archer"]


def test_a_query_fills_the_item_of_a_row(pack: Path, services: Services) -> None:
    table(pack, "people").write_text(TABLES["people"].replace("Q11", ""), encoding="utf-8")
    services.documents["/sparql"]["results"]["bindings"] = [
        {
            "item": {"type": "uri", "value": "http://www.wikidata.org/entity/Q11"},
            "mbid": {"type": "literal", "value": ANN},
        }
    ]
    assert cells(run(pack, "wikidata")) == [("people", 2, "wikidata", "", "Q11")]


def test_a_row_without_identifier_is_found_by_its_name(pack: Path, services: Services) -> None:
    event = services.documents[f"/ws/2/event/{FETE}"]
    event["relations"].append({"type": "guest", "target-type": "artist", "artist": {"id": BEA}})
    services.documents[f"/ws/2/artist/{BEA}"]["gender"] = "Female"
    review = run(pack, "musicbrainz")
    assert cells(review) == [("people", 3, "musicbrainz", "", BEA), ("people", 3, "pronoun", "", "she")]
    assert {change.found_by for change in review.changes} == {"name"}
    assert "line 3, Bea (found by its name)" in review.to_text()


def test_what_has_no_row_is_proposed_as_one_where_the_recipe_says_so(pack: Path, services: Services) -> None:
    event = services.documents[f"/ws/2/event/{FETE}"]
    event["relations"].append({"type": "guest", "target-type": "artist", "artist": {"id": BEA}})
    services.documents[f"/ws/2/artist/{BEA}"] = person(BEA, "Ann", gender="Female", **{"life-span": {"begin": "1960"}})
    review = run(pack, "musicbrainz")
    assert [(row.table, row.cells) for row in review.new_rows] == [
        ("people", {"id": "Ann_2", "name": "Ann", "pronoun": "she", "born": "1960", "musicbrainz": BEA})
    ]
    assert "people.csv, new rows" in review.to_text()


def test_a_set_list_is_read_song_by_song(pack: Path, services: Services) -> None:
    services.documents[f"/ws/2/event/{FETE}"]["setlist"] = (
        f"@ [{ROSES}|The Roses]\n* [{REEL}|The Reel]\n* [{JIG}|The Jig]\n@ [{BEA}|Bea]\n* [{JIG}|The Jig]\n"
    )
    review = run(pack, "musicbrainz")
    assert cells(review) == [("songs", 2, "work", "Jig", "Reel")]
    assert [row.cells for row in review.new_rows] == [{"set": "Roses_Set", "position": "2", "work": "Jig"}]
    assert reasons(review) == [f"set: no row of ours is {BEA}"]


def test_the_text_of_a_set_list_is_read_as_it_is_documented() -> None:
    text = (
        f"@ [{ANN}|Ann] & [{BEA}|B&amp;ea]\r\n@ friends\r\n* [{JIG}|Jig &lsqb;live&rsqb;]\r\n# by [{ANN}|Ann]\n"
        f"\nnoise\n*\n@ [{ROSES}|The Roses]\n* unlinked"
    )
    friends = {"id": None, "name": "friends"}
    assert set_list(text) == [
        {
            "artists": [{"id": ANN, "name": "Ann"}, {"id": BEA, "name": "B&ea"}, friends],
            "works": [{"id": JIG, "name": "Jig [live]"}],
            "notes": ["by Ann"],
        },
        {"artists": [{"id": ROSES, "name": "The Roses"}], "works": [{"id": None, "name": "unlinked"}], "notes": []},
    ]
    assert set_list("") == []


def test_of_several_values_those_that_are_rows_of_ours_are_proposed_and_the_others_told(
    pack: Path, services: Services
) -> None:
    writers = [{"type": "writer", "target-type": "artist", "artist": {"id": id_}} for id_ in (BEA, ANN)]
    services.documents[f"/ws/2/work/{JIG}"] |= {"relations": writers, "length": 180_400}
    review = run(pack, "musicbrainz")
    assert cells(review) == [("works", 2, "writers", "", "Ann")]
    assert reasons(review) == [f"writers: no row of ours is {BEA}; it is left out of the cell"]
    services.documents[f"/ws/2/work/{JIG}"]["length"] = 204_600
    (pack.parent / "fetched").rename(pack.parent / "old")
    assert cells(run(pack, "musicbrainz"))[0] == ("works", 2, "length", "PT3M", "PT3M25S")


def test_a_value_that_cannot_stand_in_its_column_is_told(pack: Path, services: Services) -> None:
    services.documents[f"/ws/2/artist/{ANN}"]["life-span"] = {"begin": "1950-13"}
    review = run(pack, "musicbrainz")
    assert review.changes == ()
    assert reasons(review) == ["born: 1950-13 is not a date of the calendar (month must be in 1..12)"]


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        (f"/ws/2/event/{FETE}", ["no", "event"]),
        (f"/ws/2/event/{FETE}", {"error": "Not Found"}),
        ("/wiki/Special:EntityData/Q11.json", {"entities": {}}),
        ("/wiki/Special:EntityData/Q11.json", {"error": {"code": "maxlag"}}),
        ("/sparql", {"results": []}),
    ],
)
def test_json_of_another_shape_is_an_error_and_no_empty_difference(
    pack: Path, services: Services, path: str, answer: Any
) -> None:
    services.documents[path] = answer
    with pytest.raises(CollectError, match="with JSON that is no"):
        run(pack)


def test_a_run_that_was_interrupted_goes_on_where_it_was(pack: Path, services: Services) -> None:
    services.out_after = 2
    with pytest.raises(ServiceUnavailable):
        run(pack)
    first = len(set(services.asked[:2]))
    services.asked.clear()
    services.out_after = None
    run(pack)
    asked_again = len(services.asked)
    services.asked.clear()
    run(pack)
    assert (first, asked_again, services.asked) == (2, 4, [])


def test_lookups_without_end_are_cut_off(pack: Path, services: Services) -> None:
    put_recipe(pack, (pack / COLLECT_FILE).read_text(encoding="utf-8").replace("pause = 0", "pause = 0\nmost = 2", 1))
    with pytest.raises(CollectError, match="more than 2 lookups"):
        run(pack)


def test_nothing_is_written_unless_it_was_accepted(pack: Path, services: Services) -> None:
    services.documents[f"/ws/2/artist/{ROSES}"]["name"] = "Roses"
    before = tables(pack)
    review = run(pack)
    assert accept(pack, review) == ()
    assert tables(pack) == before


def test_what_is_accepted_is_written_with_its_source_and_the_rest_keeps_its_bytes(
    pack: Path, services: Services
) -> None:
    before = tables(pack)
    services.documents[f"/ws/2/artist/{ROSES}"]["name"] = "Roses"
    services.documents[f"/ws/2/artist/{ANN}"]["life-span"]["begin"] = "1950-03-01"
    services.documents[f"/ws/2/artist/{ANN}"]["aliases"] = [{"name": "A, A"}]
    changed = accept(pack, accepted(run(pack), "born"))
    assert sorted(path.name for path in changed) == ["people.csv", "sources.csv"]
    assert tables(pack) == before | {
        "people": before["people"]
        .replace("1950-03", "1950-03-01")
        .replace("Q11,Programme", "Q11,Programme;MusicBrainz_Ann"),
        "sources": before["sources"]
        + f"MusicBrainz_Ann,https://mb.example/artist/{ANN},Ann Archer on MusicBrainz,2026-12-01\n",
    }
    assert cells(run(pack)) == [
        ("people", 2, "also_called", "Annie", "Annie;A, A"),
        ("groups", 2, "name", "The Roses", "Roses"),
    ]


def test_accepted_rows_and_cells_leave_no_difference_behind(pack: Path, services: Services) -> None:
    event = services.documents[f"/ws/2/event/{FETE}"]
    event["relations"].append({"type": "guest", "target-type": "artist", "artist": {"id": BEA}})
    event["setlist"] = f"@ [{ROSES}|The Roses]\n* [{JIG}|The Jig]\n* [{REEL}|The Reel]\n"
    services.documents[f"/ws/2/artist/{BEA}"] = person(BEA, "Cy Cook", gender="Male")
    table(pack, "songs").write_bytes(b"\xef\xbb\xbfset,position,work\r\nRoses_Set,1,Jig")
    review = run(pack)
    assert [row.table for row in review.new_rows] == ["people", "songs"]
    accept(pack, accepted(review))
    again = run(pack)
    assert (again.changes, again.new_rows, again.not_placed) == ((), (), ())
    assert table(pack, "songs").read_bytes() == (
        b"\xef\xbb\xbfset,position,work\r\nRoses_Set,1,Jig\r\nRoses_Set,2,Reel\r\n"
    )
    assert table(pack, "people").read_text(encoding="utf-8").splitlines()[-1] == (
        f"CyCook,Cy Cook,,he,,{BEA},,MusicBrainz_CyCook"
    )


def test_a_result_that_does_not_build_is_not_written(pack: Path, services: Services) -> None:
    services.documents[f"/ws/2/event/{FETE}"]["setlist"] += f"* [{REEL}|The Reel]\n"
    before = tables(pack)
    review = run(pack)
    assert [row.cells["position"] for row in review.new_rows] == ["3"]
    with pytest.raises(InvalidPack, match="does not follow"):
        accept(pack, accepted(review))
    assert tables(pack) == before


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("1950-03", "1950-04", "born is now '1950-04'"),
        ("Ann,", "Anna,", "has no single row Ann with a column born any more"),
        (",born,", ",birth,", "has no single row Ann with a column born any more"),
    ],
)
def test_a_review_of_tables_that_changed_since_is_refused_whole(
    pack: Path, services: Services, old: str, new: str, why: str
) -> None:
    services.documents[f"/ws/2/artist/{ROSES}"]["name"] = "Roses"
    services.documents[f"/ws/2/artist/{ANN}"]["life-span"]["begin"] = "1950-03-01"
    review = accepted(run(pack))
    table(pack, "people").write_text(TABLES["people"].replace(old, new, 1), encoding="utf-8")
    before = tables(pack)
    with pytest.raises(StaleReview, match=f"nothing was written: .*{why}"):
        accept(pack, review)
    assert tables(pack) == before


def test_two_accepted_values_for_one_cell_are_refused(pack: Path, services: Services) -> None:
    services.documents[f"/ws/2/artist/{ANN}"]["life-span"]["begin"] = "1950-03-01"
    services.documents["/wiki/Special:EntityData/Q11.json"] = item("Q11", P569=[born("+1950-03-02T00:00:00Z", 11)])
    with pytest.raises(StaleReview, match="born is accepted as 1950-03-01 and 1950-03-02"):
        accept(pack, accepted(run(pack)))


def test_a_review_cannot_name_a_file_outside_the_tables(pack: Path, services: Services) -> None:
    services.documents[f"/ws/2/artist/{ROSES}"]["name"] = "Roses"
    review = accepted(run(pack))
    outside = review.changes[0].model_copy(update={"file": "../../outside.csv"})
    with pytest.raises(StaleReview, match="is no table of"):
        accept(pack, review.model_copy(update={"changes": (outside,)}))


@pytest.mark.parametrize("text", ["", "{}x", '{"format": "other/1"}', '{"changes": [{"accept": "perhaps"}]}'])
def test_a_review_that_was_damaged_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "differences.json").write_text(text, encoding="utf-8")
    with pytest.raises(CollectError, match="only change accept from false to true"):
        read_review(tmp_path / "differences.json")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("where = \"type=='Person'\"", 'where = "type=="', "no JMESPath expression"),
        ('match = "/(Q\\\\d+)$"', 'match = "/Q"', "needs one pair of ( )"),
        ('table = "groups"', 'table = "group"', '"group" is no table; did you mean groups?'),
        ("columns.from", "columns.form", '"form" is no column of table memberships; did you mean from?'),
        ('["sets.players"]', '["sets.player"]', '"player" is no column of table sets; did you mean players?'),
        ('kind = "by_musicbrainz"', 'kind = "by_music"', '"by_music" is neither a kind of [wikidata] nor a query'),
        ("new_rows = true", "new_row = true", "unknown key 'rules.0.new_row'; did you mean"),
        ('endpoint = "', 'endpoint = ""  # "', "there are queries but no endpoint"),
        ('use = "fill"', 'use = "full"', "'rules.0.columns.pronoun.use' is wrong"),
        ("[provenance]", "[provenance", "not valid TOML"),
        ("{values}", "values", "'wikidata.queries.by_musicbrainz.text' is wrong"),
    ],
)
def test_a_fault_of_the_recipe_is_told_with_its_line(pack: Path, old: str, new: str, expected: str) -> None:
    text = (pack / COLLECT_FILE).read_text(encoding="utf-8")
    assert old in text
    put_recipe(pack, text.replace(old, new, 1))
    with pytest.raises(InvalidPack) as caught:
        load_recipe(pack)
    found = [str(problem) for problem in caught.value.problems if expected in str(problem)]
    assert found, caught.value
    assert found[0].startswith(f"{COLLECT_FILE}:")
    assert found[0].split(":")[1].isdecimal()


def test_a_pack_without_a_recipe_is_not_found(pack: Path) -> None:
    (pack / COLLECT_FILE).unlink()
    with pytest.raises(PackNotFound, match=r"collect\.toml"):
        load_recipe(pack)


def test_broken_tables_are_told_before_anybody_is_asked(pack: Path, services: Services) -> None:
    table(pack, "people").write_text("id,nam\nAnn,Ann\n", encoding="utf-8")
    with pytest.raises(InvalidPack, match="did you mean name"):
        run(pack)
    assert services.asked == []


def test_the_recipe_of_this_pack_asks_from_two_events_on(project: Path) -> None:
    recipe, _ = load_recipe(project)
    assert recipe.musicbrainz is not None
    assert recipe.wikidata is not None
    assert len(recipe.musicbrainz.seeds["event"]) == 2
    assert recipe.musicbrainz.pause >= 1
    assert {base.split(":")[0] for base, _ in addresses(recipe)} == {"https"}


@pytest.mark.parametrize(
    ("text", "taken", "expected"),
    [
        ("Beyoncé Knowles-Carter", (), "BeyonceKnowlesCarter"),
        ("Don't Stop", ("DontStop", "DontStop_2"), "DontStop_3"),
        ("10cc", (), "N10cc"),
        ("喜多郎", ("New",), "New_2"),
    ],
)
def test_an_id_is_made_of_the_words_of_a_name(text: str, taken: tuple[str, ...], expected: str) -> None:
    assert minted(text, taken) == expected


def test_a_sheet_that_is_not_touched_keeps_its_bytes(tmp_path: Path, project: Path) -> None:
    for path in sorted((project / "kg" / "sources").glob("*.csv")):
        assert Sheet(path).to_bytes() == path.read_bytes(), path.name
    odd = tmp_path / "odd.csv"
    odd.write_bytes(b'\xef\xbb\xbfa,b\r\n"x\r\ny","1"\r\n\r\nz,2')
    sheet = Sheet(odd)
    assert sheet.to_bytes() == odd.read_bytes()
    sheet.put(sheet.find({"a": "z"})[0], "b", 'say "3"')
    sheet.append({"a": "w", "c": "left out"})
    assert sheet.to_bytes() == b'\xef\xbb\xbfa,b\r\n"x\r\ny","1"\r\n\r\nz,"say ""3"""\r\nw,\r\n'


def cuestory(pack: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from agent.cli import main; main()", "kg", "collect", "--pack", str(pack), *arguments],
        cwd=Path(__file__).parent.parent,
        env=os.environ | {"CUESTORY_DATA": str(pack.parent / "data")} | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_command_shows_the_difference_and_applies_what_was_accepted(pack: Path, services: Services) -> None:
    services.documents[f"/ws/2/artist/{ROSES}"]["name"] = "Roses"
    out = pack.parent / "review"
    before = tables(pack)
    done = cuestory(pack, "--out", str(out), "--source", "musicbrainz", CUESTORY_CONTACT="curator@museum.example")
    assert (done.returncode, done.stdout) == (0, (out / "differences.txt").read_text(encoding="utf-8"))
    assert "name: The Roses -> Roses" in done.stdout
    assert "1 cells differ, 0 rows are new, 0 not placed; 4 requests" in done.stderr
    assert tables(pack) == before
    again = cuestory(pack, "--source", "musicbrainz", "--contact", "https://museum.example", "--json")
    assert again.stdout == (out / "differences.json").read_text(encoding="utf-8")
    assert "0 requests" in again.stderr
    nothing = cuestory(pack, "--out", str(out), "--apply")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert "0 accepted: nothing was written" in nothing.stderr
    assert tables(pack) == before
    review = out / "differences.json"
    review.write_text(review.read_text(encoding="utf-8").replace('"accept": false', '"accept": true'), encoding="utf-8")
    applied = cuestory(pack, "--out", str(out), "--apply")
    assert applied.returncode == 0
    assert sorted(Path(line).name for line in applied.stdout.splitlines()) == ["groups.csv", "sources.csv"]
    stale = cuestory(pack, "--out", str(out), "--apply")
    assert stale.returncode == 1
    assert "nothing was written" in stale.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "no contact: MusicBrainz and Wikidata ask for"),
        (("--contact", "me"), "'me' is no contact"),
        (("--contact", "a@b.example", "--source", "musicbrains"), "did you mean musicbrainz?"),
        (("--apply",), "--apply needs --out DIR"),
        (("--apply", "--out", "no/such"), "there is no such file"),
    ],
)
def test_a_wrong_use_asks_nobody_and_ends_with_exit_code_2(
    pack: Path, services: Services, arguments: tuple[str, ...], complaint: str
) -> None:
    done = cuestory(pack, *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert services.asked == []


def test_a_service_that_is_out_ends_with_exit_code_1(pack: Path, services: Services) -> None:
    services.documents = {f"/ws/2/event/{FETE}": []}
    services.out_after = 0
    recipe = (pack / COLLECT_FILE).read_text(encoding="utf-8")
    put_recipe(pack, recipe.replace(services.base, "http://127.0.0.1:1"))
    done = cuestory(pack, "--contact", "a@b.example")
    assert done.returncode == 1
    assert "cannot be reached" in done.stderr
    assert "the same command goes on from there" in done.stderr


class Shelf:
    """Hand-made answers by path, and nothing else."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers

    def get(self, url: str) -> Answer:
        path = url.partition("/ws/2/")[2].partition("?")[0] or url.rpartition("/")[2]
        return Answer(self.answers.get(path), datetime(2026, 12, 1, tzinfo=UTC))

    def post(self, url: str, form: Mapping[str, str], accept: str) -> Answer:
        return Answer({"results": {"bindings": []}}, datetime(2026, 12, 1, tzinfo=UTC))


def rows_of(project: Path, name: str) -> dict[str, dict[str, str]]:
    with (project / "kg" / "sources" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return {row.get("id") or str(number): row for number, row in enumerate(csv.DictReader(file))}


def test_the_recipe_of_this_pack_reads_what_the_services_say_of_one_set(project: Path) -> None:
    recipe, _ = load_recipe(project)
    assert recipe.musicbrainz is not None
    event = recipe.musicbrainz.seeds["event"][1]
    works = rows_of(project, "works")
    songs = [s for s in rows_of(project, "set_lists").values() if s["performance"].startswith("Queen_")]
    queen = rows_of(project, "groups")["Queen"]
    singer = rows_of(project, "people")["FreddieMercury"]["musicbrainz"]
    relation = {"type": "main performer", "target-type": "artist", "direction": "backward"}
    member = {"type": "member of band", "direction": "backward", "begin": "1970", "end": "1991-11-24"}
    lines = [f"* [{works[s['work']]['musicbrainz']}|{works[s['work']]['name']}]" for s in songs]
    answers: dict[str, Any] = {
        f"event/{event}": {
            "id": event,
            "name": "Live Aid",
            "setlist": "\r\n".join([f"@ [{queen['musicbrainz']}|Queen]", *lines]),
            "relations": [{**relation, "artist": {"id": queen["musicbrainz"], "name": "Queen"}}],
        },
        f"artist/{queen['musicbrainz']}": {
            "id": queen["musicbrainz"],
            "name": "Queen",
            "type": "Group",
            "life-span": {"begin": queen["founded"][:4]},
            "begin-area": {"name": "London"},
            "genres": [],
            "relations": [{**member, "attributes": ["lead vocals", "original"], "artist": {"id": singer}}],
        },
        f"{queen['wikidata']}.json": item(queen["wikidata"], P571=[born(f"+{queen['founded']}T00:00:00Z", 11)]),
    }

    def said() -> Review:
        review = collect(project, SERVICES, Shelf(answers))
        told = [item for item in review.not_placed if "knows no" not in item.why and item.table != "events"]
        return review.model_copy(update={"not_placed": tuple(told)})

    assert said().to_text() == ""
    answers[f"event/{event}"]["setlist"] = "\r\n".join([f"@ [{queen['musicbrainz']}|Queen]", *lines[1:], lines[0]])
    answers[f"artist/{queen['musicbrainz']}"]["relations"][0]["end"] = "1991-11-25"
    assert [c.column for c in said().changes] == ["to", *["work"] * len(songs)]
