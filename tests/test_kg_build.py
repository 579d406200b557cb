"""The builder on a tiny pack about lighthouses: what it writes, and how it speaks of what is wrong."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graph_tools.build import build_graph, write_graph
from graph_tools.build.mapping import MAPPING_FILE
from graph_tools.errors import InvalidPack, PackNotFound

REPOSITORY = Path(__file__).parent.parent

MAPPING = """\
output = "kg/lights.ttl"
namespace = "l"
name = "schema:name"

[prefixes]
l = "https://lights.example/"
schema = "http://schema.org/"
owl = "http://www.w3.org/2002/07/owl#"
xsd = "http://www.w3.org/2001/XMLSchema#"

[refused_characters]
"\\u2019" = "'"

[tables.keepers]
files = ["keepers.csv"]
subject = ["l:{id}"]
classes = ["schema:Person"]
[tables.keepers.columns]
id = { kind = "id" }
name = { kind = "string", predicate = "schema:name", required = true }
remark = { kind = "note" }

[tables.lights]
files = ["lights.csv"]
subject = ["l:{id}"]
[tables.lights.columns]
id = { kind = "id" }
name = { kind = "string", predicate = "schema:name", required = true }
kind = { kind = "class", values = { tower = ["l:Tower"], ship = ["l:Lightship"] }, required = true }
lit = { kind = "date", predicate = "l:lit" }
first_flash = { kind = "datetime", predicate = "l:firstFlash" }
period = { kind = "duration", predicate = "l:period" }
height = { kind = "integer", predicate = "l:height" }
automatic = { kind = "boolean", predicate = "l:automatic" }
page = { kind = "url", predicate = "schema:url" }
wikidata = { kind = "iri", match = "Q[0-9]+", pattern = "https://things.example/{value}", predicate = "owl:sameAs" }
coast = { kind = "string", predicate = "l:coast", one_of = ["east", "west"] }
place = { kind = "integer", predicate = "l:place" }
keepers = { kind = "ref", to = ["keepers"], many = true, predicate = "l:keeper", object_classes = ["l:Keeper"] }
[tables.lights.sequence]
group = ["coast"]
order = "place"
predicate = "l:nextNorth"
contiguous = true

[tables.watches]
files = ["watches.csv"]
subject = ["l:Watch_{light}_{keeper}_{from}", "l:Watch_{light}_{keeper}"]
classes = ["l:Watch"]
[tables.watches.columns]
light = { kind = "ref", to = ["lights"], required = true }
keeper = { kind = "ref", to = ["keepers"], predicate = "l:by", required = true }
from = { kind = "date", predicate = "l:from", precision = ["year"] }
[[tables.watches.statements]]
subject = "l:{light}"
predicate = "l:watch"
object = "row"
[[tables.watches.statements]]
predicate = "schema:name"
text = ["{keeper:name} at {light:name} from {from}", "{keeper:name} at {light:name}"]
"""
KEEPERS = "id,name,remark\nGrace,Grace Darling,rowed out\nWilliam,William Darling,\n"
HEADER = "id,name,kind,lit,first_flash,period,height,automatic,page,wikidata,coast,place,keepers\n"
LIGHTS = (
    HEADER
    + "Longstone,Longstone,tower,1826-02,1826-02-15T18:00+00:00,PT1200S,026,yes,https://lights.example/a,Q1,east,1,"
    "Grace;William\n"
    'Coquet,"Coquet ""Isle"", the",tower,1841,,PT60M,,no,,,east,2,\n'
)
WATCHES = "light,keeper,from\nLongstone,Grace,1830\nLongstone,William,\n"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A pack that builds."""
    folder = tmp_path / "kg" / "sources"
    folder.mkdir(parents=True)
    (folder / "mapping.toml").write_text(MAPPING, encoding="utf-8")
    for name, text in (("keepers", KEEPERS), ("lights", LIGHTS), ("watches", WATCHES)):
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return tmp_path


def put(pack: Path, file: str, text: str) -> None:
    (pack / "kg" / "sources" / file).write_text(text, encoding="utf-8")


def faults(pack: Path) -> list[str]:
    with pytest.raises(InvalidPack) as caught:
        build_graph(pack)
    return [str(problem) for problem in caught.value.problems]


def fault(pack: Path) -> str:
    found = faults(pack)
    assert len(found) == 1, found
    return found[0]


def test_tables_become_canonical_turtle(pack: Path) -> None:
    assert build_graph(pack).decode("utf-8") == (
        """\
@prefix l: <https://lights.example/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix schema: <http://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

l:Coquet a l:Tower ;
    schema:name "Coquet \\"Isle\\", the" ;
    l:automatic false ;
    l:coast "east" ;
    l:lit "1841"^^xsd:gYear ;
    l:period "PT1H"^^xsd:duration ;
    l:place 2 .

l:Grace a l:Keeper,
        schema:Person ;
    schema:name "Grace Darling" .

l:Longstone a l:Tower ;
    schema:name "Longstone" ;
    schema:url "https://lights.example/a"^^xsd:anyURI ;
    owl:sameAs <https://things.example/Q1> ;
    l:automatic true ;
    l:coast "east" ;
    l:firstFlash "1826-02-15T18:00:00Z"^^xsd:dateTime ;
    l:height 26 ;
    l:keeper l:Grace,
        l:William ;
    l:lit "1826-02"^^xsd:gYearMonth ;
    l:nextNorth l:Coquet ;
    l:period "PT20M"^^xsd:duration ;
    l:place 1 ;
    l:watch l:Watch_Longstone_Grace_1830,
        l:Watch_Longstone_William .

l:Watch_Longstone_Grace_1830 a l:Watch ;
    schema:name "Grace Darling at Longstone from 1830" ;
    l:by l:Grace ;
    l:from "1830"^^xsd:gYear .

l:Watch_Longstone_William a l:Watch ;
    schema:name "William Darling at Longstone" ;
    l:by l:William .

l:William a l:Keeper,
        schema:Person ;
    schema:name "William Darling" .
"""
    )


def test_the_file_goes_where_the_mapping_says(pack: Path) -> None:
    (path,) = write_graph(pack)
    assert path == pack / "kg" / "lights.ttl"
    assert path.read_bytes() == build_graph(pack)


def test_the_order_of_rows_and_a_byte_order_mark_change_nothing(pack: Path) -> None:
    before = build_graph(pack)
    put(pack, "keepers.csv", "\ufeffid,name,remark\nWilliam,William Darling,\nGrace,Grace Darling,\n")
    assert build_graph(pack) == before


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        (
            "keepers.csv",
            KEEPERS.replace("remark", "remarks"),
            'kg/sources/keepers.csv:1: unknown column "remarks"; did you mean remark?',
        ),
        (
            "keepers.csv",
            KEEPERS.replace("remark", "name"),
            'kg/sources/keepers.csv:1: column "name" stands twice; keep one of them',
        ),
        (
            "keepers.csv",
            KEEPERS.replace("Grace Darling", ""),
            'kg/sources/keepers.csv:2: column name: "" is empty; fill the cell',
        ),
        (
            "keepers.csv",
            KEEPERS.replace("Grace Darling", "Grace Darling "),
            'kg/sources/keepers.csv:2: column name: "Grace Darling " begins or ends with a space; delete the space',
        ),
        (
            "keepers.csv",
            KEEPERS.replace("Grace Darling", "Grace\u2019s"),
            "kg/sources/keepers.csv:2: column name: \"Grace\u2019s\" holds the character '\\u2019'; "
            'write "\'" in its place',
        ),
        (
            "keepers.csv",
            KEEPERS.replace("Grace Darling", "Gra\u0302ce"),
            'kg/sources/keepers.csv:2: column name: "Gra\u0302ce" has an accent apart from its letter; '
            "type the letter as one character",
        ),
        (
            "keepers.csv",
            KEEPERS + "Grace,Grace H. Darling,\n",
            'kg/sources/keepers.csv:4: column id: "Grace" is the id of kg/sources/keepers.csv:2 too; '
            "give each row its own id",
        ),
        (
            "keepers.csv",
            KEEPERS + "Thomas,Thomas, the younger,\n",
            'kg/sources/keepers.csv:4: the row has 4 cells, the header 3; put a cell that holds a comma in "quotes"',
        ),
        (
            "lights.csv",
            LIGHTS.replace("Grace;William", "Grace;Wiliam"),
            "kg/sources/lights.csv:2: column keepers: \"Grace;Wiliam\" names 'Wiliam', which is no id of keepers; "
            "did you mean William?",
        ),
        (
            "lights.csv",
            LIGHTS.replace("1826-02,", "1826-13,"),
            'kg/sources/lights.csv:2: column lit: "1826-13" is not a date of the calendar (month must be in 1..12); '
            "write 2001 or 2001-05 or 2001-05-30",
        ),
        (
            "lights.csv",
            LIGHTS.replace("18:00+00:00", "18:00"),
            'kg/sources/lights.csv:2: column first_flash: "1826-02-15T18:00" is not a date and time with an offset; '
            "write the local time with its offset, as 2001-05-30T19:30+02:00",
        ),
        (
            "lights.csv",
            LIGHTS.replace("PT60M", "60 min"),
            'kg/sources/lights.csv:3: column period: "60 min" is not a duration; '
            "write it as PT20M for twenty minutes or PT16H for sixteen hours",
        ),
        (
            "lights.csv",
            LIGHTS.replace(",026,", ",26 m,"),
            'kg/sources/lights.csv:2: column height: "26 m" is not a whole number; write digits only, as 26000',
        ),
        (
            "lights.csv",
            LIGHTS.replace(",yes,", ",maybe,"),
            'kg/sources/lights.csv:2: column automatic: "maybe" is neither yes nor no; '
            "write yes or no, or leave the cell empty",
        ),
        (
            "lights.csv",
            LIGHTS.replace("https://lights.example/a", "lights.example/a"),
            'kg/sources/lights.csv:2: column page: "lights.example/a" is not a web address; '
            "write it in full with https://, without spaces",
        ),
        (
            "lights.csv",
            LIGHTS.replace("Q1,", "1,"),
            'kg/sources/lights.csv:2: column wikidata: "1" has not the form asked for; it has to fit Q[0-9]+',
        ),
        (
            "lights.csv",
            LIGHTS.replace("tower,1841", "towr,1841"),
            'kg/sources/lights.csv:3: column kind: "towr" is not known here; did you mean tower?',
        ),
        (
            "lights.csv",
            LIGHTS.replace("east,2", "east,3"),
            'kg/sources/lights.csv:3: column place: "3" does not follow 1 of kg/sources/lights.csv:2; '
            "number the rows of a group 1, 2, 3 ...",
        ),
        (
            "watches.csv",
            WATCHES.replace("1830", "1830-05"),
            'kg/sources/watches.csv:2: column from: "1830-05" is a date to the month; write 2001',
        ),
        (
            "watches.csv",
            WATCHES + "Longstone,Grace,1830\n",
            "kg/sources/watches.csv:4: makes the same node <https://lights.example/Watch_Longstone_Grace_1830> as "
            "kg/sources/watches.csv:2; delete one of them or tell them apart",
        ),
        ("more.csv", "id\n", f"kg/sources/more.csv: no table reads this file; name it in {MAPPING_FILE}"),
        (
            "keepers.csv",
            'id,name,remark\nGrace,"Grace\n',
            "kg/sources/keepers.csv:2: the row that begins here is not CSV (unexpected end of data); look",
        ),
    ],
)
def test_a_fault_is_told_with_file_line_column_value_and_remedy(
    pack: Path, file: str, text: str, expected: str
) -> None:
    put(pack, file, text)
    assert any(found.startswith(expected) for found in faults(pack)), faults(pack)


def test_every_fault_of_every_table_is_told_in_one_run(pack: Path) -> None:
    put(pack, "keepers.csv", KEEPERS.replace("Grace Darling", ""))
    put(pack, "lights.csv", LIGHTS.replace(",026,", ",tall,").replace("1841", "18411"))
    put(pack, "watches.csv", WATCHES.replace("Longstone,William", "Longston,William"))
    found = faults(pack)
    assert [line.split(": ")[0] for line in found] == [
        "kg/sources/keepers.csv:2",
        "kg/sources/lights.csv:2",
        "kg/sources/lights.csv:3",
        "kg/sources/watches.csv:3",
    ]


def test_a_node_without_a_row_is_told(pack: Path) -> None:
    put(pack, "mapping.toml", MAPPING.replace('subject = "l:{light}"', 'subject = "l:The{light}"'))
    assert all("<https://lights.example/TheLongstone> is spoken of but has no row" in line for line in faults(pack))


def test_a_typed_node_without_a_name_is_told(pack: Path) -> None:
    put(pack, "mapping.toml", MAPPING.replace(', "{keeper:name} at {light:name}"]', "]"))
    assert fault(pack) == (
        "kg/sources/watches.csv:3: <https://lights.example/Watch_Longstone_William> has no <http://schema.org/name>; "
        "give it a name"
    )


def test_a_label_does_for_a_name_where_the_mapping_says_so(pack: Path) -> None:
    labelled = MAPPING.replace('\npredicate = "schema:name"\n', '\npredicate = "schema:identifier"\n')
    put(pack, "mapping.toml", labelled)
    assert all("has no <http://schema.org/name>; give it a name" in line for line in faults(pack))
    both = labelled.replace('\nname = "schema:name"\n', '\nname = ["schema:name", "schema:identifier"]\n', 1)
    put(pack, "mapping.toml", both)
    assert 'schema:identifier "William Darling at Longstone"' in build_graph(pack).decode("utf-8")
    put(pack, "mapping.toml", both.replace(', "{keeper:name} at {light:name}"]', "]"))
    assert fault(pack).endswith("has no <http://schema.org/name> or <http://schema.org/identifier>; give it a name")


def test_a_missing_table_is_told(pack: Path) -> None:
    (pack / "kg" / "sources" / "watches.csv").unlink()
    assert fault(pack) == (
        f"kg/sources/watches.csv: the file of table watches is missing; add it or correct {MAPPING_FILE}"
    )


def test_an_optional_table_may_be_missing(pack: Path) -> None:
    put(pack, "mapping.toml", MAPPING.replace('files = ["watches.csv"]', 'files = ["watches.csv"]\noptional = true'))
    (pack / "kg" / "sources" / "watches.csv").unlink()
    assert b"Watch" not in build_graph(pack)


def test_a_row_may_say_more_about_a_node_of_another_table(pack: Path) -> None:
    more = (
        '\n[tables.visits]\nfiles = ["visits.csv"]\ndescribes = "light"\n[tables.visits.columns]\n'
        'light = { kind = "ref", to = ["lights"], required = true }\n'
        'visitor = { kind = "ref", to = ["keepers"], predicate = "l:visitor", required = true }\n'
    )
    put(pack, "mapping.toml", MAPPING + more)
    put(pack, "visits.csv", "light,visitor\nCoquet,Grace\n")
    assert b"l:visitor l:Grace" in build_graph(pack)
    put(pack, "visits.csv", "light,visitor\nCoquet,Grace\nCoquet,Grace\n")
    assert fault(pack) == "kg/sources/visits.csv:3: says the same as line 2; delete it"


def test_a_value_may_be_said_of_another_node_too_and_have_a_language(pack: Path) -> None:
    by = 'predicate = "l:by", required = true'
    also = by + ', also = [{ predicate = "l:who" }, { subject = "l:{light}", predicate = "l:met" }]'
    put(pack, "mapping.toml", MAPPING.replace(by, also))
    text = build_graph(pack).decode()
    assert text.count("l:by l:Grace ;") == text.count("l:who l:Grace .") == 1
    assert "l:met l:Grace,\n        l:William" in text

    names = """
[tables.names]
files = ["names.csv"]
describes = "light"
[tables.names.columns]
light = { kind = "ref", to = ["lights"], required = true }
name = { kind = "string", predicate = "schema:alternateName", language = "{language}", required = true }
language = { kind = "string" }
"""
    put(pack, "mapping.toml", MAPPING + names)
    put(pack, "names.csv", "light,name,language\nLongstone,Langer Stein,de\n")
    assert 'schema:alternateName "Langer Stein"@de ;' in build_graph(pack).decode()
    put(pack, "names.csv", "light,name,language\nLongstone,Langer Stein,German\nCoquet,Coquet,\n")
    assert faults(pack) == [
        "kg/sources/names.csv:2: column name: \"Langer Stein\" has the language 'German', which is no tag; "
        "write the language as ja, ru or de",
        "kg/sources/names.csv:3: column name: \"Coquet\" has the language '', which is no tag; "
        "write the language as ja, ru or de",
    ]


def test_text_that_is_not_utf_8_is_told_with_its_line(pack: Path) -> None:
    (pack / "kg" / "sources" / "keepers.csv").write_bytes(KEEPERS.encode() + "Léon,Léon,\n".encode("latin-1"))
    assert "kg/sources/keepers.csv:4: is not UTF-8 text; save the sheet as CSV UTF-8" in faults(pack)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('remark = { kind = "note" }', 'remark = { kind = "novel" }', "tables.keepers.columns.remark.kind"),
        ('predicate = "l:lit"', 'predicate = "x:lit"', '"x:lit" of table lights has no declared prefix'),
        ('to = ["keepers"], many', 'to = ["keeper"], many', '"keeper" is no table with an id column'),
        ("[tables.keepers]", "[tables.keepers", "not valid TOML"),
        ('subject = ["l:{id}"]\nclasses', "classes", "table keepers needs either subject or describes"),
        ('{keeper:name} at {light:name}"]', '{keper:name}"]', '"keper" is no column of table watches'),
        ('{keeper:name} at {light:name}"]', '{from:name}"]', '"{from:name}" of table watches cannot be followed'),
        ('order = "place"', 'order = "plaice"', '"plaice" is no column of table lights'),
        ('namespace = "l"', 'namespace = "m"', 'namespace "m" is no prefix'),
        ('object = "row"', "", "a statement of table watches needs either object or text"),
    ],
)
def test_a_fault_of_the_mapping_is_told_with_its_line(pack: Path, old: str, new: str, expected: str) -> None:
    assert old in MAPPING
    put(pack, "mapping.toml", MAPPING.replace(old, new, 1))
    found = [line for line in faults(pack) if expected in line]
    assert found
    assert found[0].startswith(f"{MAPPING_FILE}:")
    assert found[0].split(":")[1].isdecimal()


def test_a_pack_without_a_mapping_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(PackNotFound, match=r"mapping\.toml"):
        build_graph(tmp_path)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_committed_graph_is_what_its_tables_give_whatever_the_hash_seed(seed: str) -> None:
    code = "import sys, pathlib, graph_tools.build as b; print(b.build_files(pathlib.Path()))"
    built = subprocess.run(
        [sys.executable, "-c", code],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    files = ast.literal_eval(built)
    assert list(files) == ["kg/liveaid.ttl", "kg/void.ttl"]
    for name, data in files.items():
        assert data == (REPOSITORY / name).read_bytes(), f"run `cuestory kg build` and commit {name}"


def minting(pack: Path, kept: str) -> None:
    """The pack with names of its own beside the kept ones."""
    prefixed = MAPPING.replace(
        "[prefixes]\n", '[minting]\nown = "o"\nkept = "kept.txt"\n\n[prefixes]\no = "https://own.example/"\n'
    )
    put(pack, "mapping.toml", prefixed)
    put(pack, "kept.txt", kept)


def test_names_that_stand_elsewhere_are_kept_and_every_other_one_is_our_own(pack: Path) -> None:
    minting(pack, "Longstone\nGrace\n")
    built = build_graph(pack).decode("utf-8")
    assert "\nl:Longstone a l:Tower" in built
    assert "l:keeper l:Grace,\n        o:William" in built
    assert "\no:Coquet a l:Tower" in built
    assert "\no:Watch_Longstone_Grace_1830 a l:Watch" in built


def test_a_kept_name_of_nothing_is_told_with_its_line(pack: Path) -> None:
    minting(pack, "Longstone\nGrase\nGrace\n")
    assert fault(pack) == "kg/sources/kept.txt:2: 'Grase' is the name of no node; take it out, or correct it"
    (pack / "kg" / "sources" / "kept.txt").unlink()
    assert "kg/sources/kept.txt: cannot be read" in fault(pack)
