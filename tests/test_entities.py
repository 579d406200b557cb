"""What entities are called, what they are, and where that was read."""

from pathlib import Path

import pytest

from graph_tools.entities import EntityIndex, Vocabulary, fold
from graph_tools.errors import UnknownEntity, WrongEntityType
from graph_tools.evidence import Source
from graph_tools.graph_files import GraphFile
from graph_tools.knowledge_graph import EmbeddedGraph
from graph_tools.pack import StoryPack
from graph_tools.terms import Iri

TINY = Path(__file__).parent / "packs" / "tiny-observatory"
ID = "http://observatory.example/id/"
X = "http://x.example/"
ASTRONOMER = Iri("http://observatory.example/terms/Astronomer")


@pytest.fixture(scope="module")
def tiny() -> EntityIndex:
    return StoryPack.open(TINY).entities


def index(turtle: str, language: str = "en") -> EntityIndex:
    """An index over a few statements: name, label (second choice), short, also, pronoun, source."""
    text = f"@prefix x: <{X}> .\n{turtle}"
    graph, problems = EmbeddedGraph.load([GraphFile("kg.ttl", text.encode())])
    assert graph is not None, problems
    vocabulary = Vocabulary(
        name=(X + "name", X + "label"),
        short_name=(X + "short",),
        alternate_name=(X + "also",),
        pronoun=(X + "pronoun",),
        source=(X + "source",),
        source_url=(X + "url",),
        source_title=(X + "name",),
        source_publisher=(X + "publisher",),
        source_accessed=(X + "read",),
    )
    return EntityIndex(graph, vocabulary, language, "test")


NAMES = 'x:q a x:Band ; x:name "Queen"@en, "Queen FR"@fr, "クイーン"@ja, "Plain" .'


@pytest.mark.parametrize(
    ("asked", "default", "name"),
    [
        ("", "en", "Queen"),
        ("fr", "en", "Queen FR"),
        ("ja", "en", "クイーン"),
        ("de", "en", "Queen"),
        ("de", "es", "Plain"),
        ("en-GB", "fr", "Queen"),
    ],
)
def test_an_entity_has_one_name_asked_language_first_then_default_then_untagged(
    asked: str, default: str, name: str
) -> None:
    assert index(NAMES, default).name(Iri(X + "q"), asked) == name


def test_any_language_is_better_than_no_name_and_ties_go_by_code_point() -> None:
    assert index('x:q x:name "B"@fr, "A"@fr, "C"@de .', "en").name(Iri(X + "q")) == "A"


def test_the_second_property_names_only_what_the_first_does_not() -> None:
    names = index('x:a x:name "First" ; x:label "Label A" . x:b x:label "Label B" .')
    assert (names.name(Iri(X + "a")), names.name(Iri(X + "b"))) == ("First", "Label B")


def test_what_has_no_name_has_an_empty_one() -> None:
    assert index("x:a a x:Thing .").name(Iri(X + "a")) == ""


def test_an_entity_is_described(tiny: EntityIndex) -> None:
    corrigan = Iri(ID + "niall-corrigan")
    assert tiny.name(corrigan) == "Niall Corrigan"
    assert tiny.short(corrigan) == "Corrigan"
    assert tiny.pronoun(corrigan) == "he"
    assert tiny.aliases(corrigan) == ("Old Corrigan",)
    assert tiny.types(corrigan) == (ASTRONOMER,)
    assert tiny.name(Iri(ID + "fellside"), "de") == "Sternwarte Fellside"


def test_the_entities_of_a_class_are_sorted(tiny: EntityIndex) -> None:
    found = tiny.of_class(ASTRONOMER)
    assert len(found) == 8
    assert list(found) == sorted(found)
    assert tiny.of_class(Iri(X + "Nothing")) == ()


@pytest.mark.parametrize(
    "text",
    [
        ID + "niall-corrigan",
        f"<{ID}niall-corrigan>",
        "Niall Corrigan",
        "niall corrigan",
        "  NIALL   CORRIGAN ",
        "Corrigan",
        "old corrigan",
        "Ｎｉａｌｌ Corrigan",
    ],
)
def test_an_entity_is_found_by_iri_or_any_of_its_names(text: str, tiny: EntityIndex) -> None:
    assert tiny.find(text) == Iri(ID + "niall-corrigan")


def test_a_leading_the_and_typographic_marks_do_not_matter(tiny: EntityIndex) -> None:
    assert tiny.find("Great Refractor") == tiny.find("The great refractor") == Iri(ID + "great-refractor")
    assert fold("Band‐Aid’s “Song”") == fold('band-aid\'s "song"')
    names = index('x:a x:name "Do They Know It’s Christmas?" .')
    assert names.find("Do they know it's Christmas?") == Iri(X + "a")


def test_an_unknown_name_gets_the_nearest_ones(tiny: EntityIndex) -> None:
    with pytest.raises(UnknownEntity, match=r"'Nial Corigan' is not in pack 'fellside'; did you mean Niall Corrigan"):
        tiny.find("Nial Corigan")
    with pytest.raises(UnknownEntity, match="Ingrid Solheim"):
        tiny.find(ID + "ingrid-solhem")


def test_a_name_that_two_share_is_not_guessed() -> None:
    names = index('x:a a x:Man ; x:name "Sam" . x:b a x:Dog ; x:name "sam" .')
    with pytest.raises(UnknownEntity, match=rf"fits several entities; write one of Sam <{X}a>, sam <{X}b>"):
        names.find("Sam")
    assert names.find("Sam", Iri(X + "Dog")) == Iri(X + "b")


def test_an_alias_does_not_hide_a_full_name() -> None:
    names = index('x:a x:name "Marlow" . x:b x:name "Edith Marlow" ; x:short "Marlow" .')
    assert names.find("marlow") == Iri(X + "a")


def test_the_class_of_a_binding_is_checked(tiny: EntityIndex) -> None:
    tiny.check(Iri(ID + "niall-corrigan"), ASTRONOMER.value)
    with pytest.raises(WrongEntityType, match=r"'Leeds' is no http.*Astronomer: it has http.*Town"):
        tiny.check(Iri(ID + "leeds"), ASTRONOMER.value)
    with pytest.raises(WrongEntityType):
        tiny.find(ID + "leeds", ASTRONOMER)


def test_nothing_is_inferred_about_classes() -> None:
    names = index("x:q a x:Band . x:Band <http://www.w3.org/2000/01/rdf-schema#subClassOf> x:Group .")
    assert names.types(Iri(X + "q")) == (Iri(X + "Band"),)
    with pytest.raises(WrongEntityType):
        names.check(Iri(X + "q"), X + "Group")


def test_sources_are_read_from_the_packs_own_words(tiny: EntityIndex) -> None:
    assert tiny.sources(Iri(ID + "fellside")) == (
        Source(
            url="https://observatory.example/guide",
            title="A guide to Fellside",
            publisher="Fellside Observatory",
            accessed="2026-03-01",
        ),
    )
    assert tiny.sources(Iri(ID + "niall-corrigan"))[0].publisher == "Harrowbridge Library"
    assert tiny.sources(Iri(ID + "leeds")) == ()


def test_several_sources_are_sorted_and_a_bare_page_is_its_own_url() -> None:
    names = index('x:a x:source x:p2, x:p1 . x:p2 x:url "https://b.example" ; x:name "B" . x:p1 x:read "2026-01-01" .')
    assert names.sources(Iri(X + "a")) == (
        Source(url=X + "p1", accessed="2026-01-01"),
        Source(url="https://b.example", title="B"),
    )


def test_whom_a_text_names_is_read_by_whole_and_longest_names() -> None:
    names = index(
        'x:p x:name "Tom Petty" ; x:short "Petty" ; x:pronoun "he" . x:r x:name "Tom Petty and the Ravens" ; '
        'x:pronoun "they" . x:s x:name "Petty Officer" .'
    )
    assert names.spoken_of("Then Petty, alone, sang.") == (Iri(X + "p"),)
    assert names.spoken_of("Tom Petty and the Ravens closed.") == (Iri(X + "r"),)
    assert names.spoken_of("A Pettyjohn sang.") == ()
    assert index('x:s x:name "Petty" .').spoken_of("Petty sang.") == ()
