"""The wording language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_tools import speech
from graph_tools.evidence import Value
from graph_tools.speech import Unspeakable
from graph_tools.terms import XSD, XSD_STRING
from graph_tools.wording import Wording, WordingError

SLOTS = frozenset({"artist", "song", "position", "value", "currency", "tells", "items"})


class Names:
    """A voice that says the last part of an IRI, and "they" for every number."""

    clock_style = "time"

    def refer(self, iri: str, form: str) -> str:
        if form == "they":
            return "they"
        name = self.title(iri)
        return speech.possessive(name) if form == "poss" else name

    def opens(self, text: str) -> bool:
        return text.startswith("Queen")

    def title(self, iri: str) -> str:
        return iri.rpartition("/")[2].replace("_", " ")


def iri(name: str) -> Value:
    return Value(kind="iri", value=f"http://ex.org/{name}")


def text(lexical: str, datatype: str = XSD_STRING) -> Value:
    return Value(kind="literal", value=lexical, datatype=datatype)


SET = [
    {"artist": iri("Queen"), "song": iri(song), "position": text(str(n), XSD + "integer")}
    for n, song in enumerate(["Bohemian_Rhapsody", "Radio_Ga_Ga", "Hammer_to_Fall", "We_Are_the_Champions"], start=1)
]


def said(wording: str, rows: list[dict[str, Value]] = SET, **kwargs: int) -> str:
    return Wording.parse(wording, SLOTS).render(rows, Names(), most=kwargs.get("most"))


def test_ends_of_the_rows_are_named_in_their_order() -> None:
    wording = "{artist} opened with {song|first|quoted} and closed with {song|last|quoted}."
    assert said(wording) == "Queen opened with “Bohemian Rhapsody” and closed with “We Are the Champions”."


def test_a_list_is_joined_and_shortened_truthfully() -> None:
    assert said("{song|list|quoted}.") == (
        "“Bohemian Rhapsody”, “Radio Ga Ga”, “Hammer to Fall” and “We Are the Champions”."
    )
    assert said("{song|list|quoted}.", most=2) == "“Bohemian Rhapsody”, “Radio Ga Ga” and two more."
    assert said("{song|inner|quoted}.") == "“Radio Ga Ga” and “Hammer to Fall”."


def test_a_list_never_spends_its_last_place_on_one_more() -> None:
    assert said("{song|list|quoted}.", most=3) == "“Bohemian Rhapsody”, “Radio Ga Ga” and two more."


def test_counts_are_of_distinct_values_in_words() -> None:
    assert said("{song|count:song/songs}") == "four songs"
    assert said("{artist|count:band/bands}") == "one band"


def test_a_slot_with_several_values_and_no_selection_is_unspeakable() -> None:
    with pytest.raises(Unspeakable, match="song has 4 values"):
        said("{artist} played {song|quoted}.")


def test_an_unbound_slot_is_unspeakable_and_never_the_word_none() -> None:
    with pytest.raises(Unspeakable, match="tells is not bound"):
        said("{tells}.")


def test_forms_of_entities_and_literals() -> None:
    row = {"artist": iri("Queen"), "value": text("150000000", XSD + "integer"), "currency": text("GBP")}
    assert said("{artist|poss} sum {artist|agree:was/were} {value|money:currency}.", [row]) == (
        "Queen's sum were £150 million."
    )
    assert said("{position|ordinal}", SET[:1]) == "first"


@pytest.mark.parametrize(
    ("told", "expected"),
    [("The picture was lost", "so the picture was lost."), ("Queen opened the show", "so Queen opened the show.")],
)
def test_a_sentence_of_the_graph_lowers_its_first_word_unless_that_is_a_name(told: str, expected: str) -> None:
    assert said("so {tells|mid}.", [{"tells": text(told)}]) == expected


def test_a_first_word_that_may_be_a_name_is_not_lowered_by_guesswork() -> None:
    with pytest.raises(Unspeakable, match="'Madonna' may be a name"):
        said("so {tells|mid}.", [{"tells": text("Madonna came back")}])


def test_first_and_last_are_of_the_rows_that_bind_the_variable() -> None:
    rows = [{"artist": iri("Queen")}, *SET, {"artist": iri("Queen")}]
    assert said("{song|first|quoted} to {song|last|quoted}", rows) == "“Bohemian Rhapsody” to “We Are the Champions”"


def test_the_currency_of_an_amount_is_its_own_row_s() -> None:
    amounts = [
        {"value": text("40000000", XSD + "integer"), "currency": text(code)} for code in ("GBP", "USD")
    ]  # fmt: skip
    assert said("{value|first|money:currency} or {value|last|money:currency}", amounts) == "£40 million or $40 million"


def test_items_word_each_row_and_join_them() -> None:
    item = Wording.parse("{song} at {position}", SLOTS)
    outer = Wording.parse("{items}.", SLOTS)
    assert outer.render(SET[:2], Names(), item=item) == "Bohemian Rhapsody at one and Radio Ga Ga at two."


@pytest.mark.parametrize(
    ("wording", "complaint"),
    [
        ("{artits} played.", r"undeclared slot \{artits\}; did you mean artist"),
        ("{artist|posess}", "unknown filter 'posess'"),
        ("{artist.__class__}", "undeclared slot"),
        ("{artist", "stray brace"),
        ("artist} played", "stray brace"),
        ("{artist|first|last}", "two filters of one kind"),
        ("{artist|agree:was}", "has the argument 'was'"),
        ("{value|money:curency}", "no slot; did you mean currency"),
        ("{song|list:0}", "has the argument '0'"),
        ("  ", "empty wording"),
        (" {artist} played.", "begins with a space"),
    ],
)
def test_a_faulty_wording_is_refused_when_it_is_loaded(wording: str, complaint: str) -> None:
    with pytest.raises(WordingError, match=complaint):
        Wording.parse(wording, SLOTS)


@given(st.text(max_size=60))
def test_no_text_reaches_python_formatting(content: str) -> None:
    """Whatever stands in a file either parses to slots and plain text or is refused by name."""
    try:
        parsed = Wording.parse(content, SLOTS)
    except WordingError:
        return
    assert "".join(part for part in parsed.parts if isinstance(part, str)).count("{") == 0


@given(st.text(max_size=40))
def test_a_value_is_said_as_it_stands_whatever_it_holds(content: str) -> None:
    assert said("{tells}|", [{"tells": text(content)}]) == f"{content}|"
