"""What a visitor sees of a beat and an offer: the words of the evidence, numbered notes, and readable proof."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agent import visit
from agent.cards import beat_card, lengths, welcome_card
from agent.context import StoryContext
from agent.presenter import UNTOLD, displayable, markdown_text, present, present_offer, statement
from agent.story import Sentence, StoryBeat
from agent.thread import Thread
from graph_tools.evidence import Asked, EvidencePack, Factlet, Source
from graph_tools.plan import StoryRequest
from graph_tools.terms import Iri

BBC = Source(url="https://bbc.example/a", title="A page", publisher="BBC", accessed="2026-12-01")
OTHER = Source(url="https://times.example/b", title="Another page", publisher="The Times", accessed="2026-12-01")
TRICK = Source(url="javascript:alert(1)", title="A trick")
TRIPLE = '<http://ex.org/q> <http://schema.org/startDate> "1985-07-13"^^<http://www.w3.org/2001/XMLSchema#date> .'


def nameless(iri: str) -> None:
    return None


def factlet(number: int, text: str, *sources: Source) -> Factlet:
    return Factlet(id=f"f{number}", cq="CQ-1", text=text, values={}, triples=(TRIPLE,), sources=sources)


def beat(*sentences: Sentence, factlets: tuple[Factlet, ...], truncated: bool = False) -> StoryBeat:
    asked = Asked(cq="CQ-1", question="When was it?", bindings={}, query="SELECT", total_rows=70, truncated=truncated)
    evidence = EvidencePack(questions=(asked,), factlets=factlets, kg_digest="sha256:0")
    return StoryBeat(index=0, step="Opening", status="told", sentences=sentences, evidence=evidence)


def shown(markdown: str) -> str:
    """What a Markdown reader makes of it: the text alone, and nothing but text and paragraphs."""
    tokens = MarkdownIt("commonmark").enable(["strikethrough", "table"]).parse(markdown)
    kinds = {token.type for token in tokens} | {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"paragraph_open", "paragraph_close", "inline", "text", "text_special", "softbreak"}, kinds
    return "".join(
        "\n" if child.type == "softbreak" else child.content for token in tokens for child in token.children or ()
    )


@pytest.mark.parametrize(
    "text",
    [
        "It raised $127m and $150m.",
        "He sang * (asterisk) and _underscore_ **twice**.",
        "The act came from [various locations] [here](javascript:alert(1)).",
        "1985. That was the year.",
        "1985) That was the year.",
        "- not a list",
        "+ nor this",
        "# no heading",
        "> no quotation",
        "=== no line",
        "| no | table |",
        "<b onclick=alert(1)>no markup</b> & &amp; &lt;",
        "![no image](http://127.0.0.1/?q=1)",
        "`no code` ~~not struck~~ \\backslash",
        "Doors opened at 6:41 :joy: and ::directive{a=b}",
        "See www.example.org or http://example.org or a@example.org",
        "佐野元春, “Do They Know It’s Christmas?” and Sinéad O'Connor",
    ],
)
def test_markdown_shows_exactly_the_text(text: str) -> None:
    assert shown(markdown_text(text)) == text


@given(st.text(alphabet="aB1 .:-+=*_[]()<>#`~$|\\!&@{}'\"\n", max_size=40).map(lambda text: " ".join(text.split())))
def test_markdown_shows_exactly_any_text(text: str) -> None:
    assert shown(markdown_text(text)) == text


def test_what_looks_like_an_address_does_not_become_a_link() -> None:
    for text in ("www.example.org", "http://example.org", "HTTPS://example.org", "a@example.org"):
        assert text not in markdown_text(text)


def test_characters_that_hide_or_turn_text_are_not_shown() -> None:
    assert displayable("safe\u202etxt.exe\u200b\x00\x1b[31m") == "safetxt.exe[31m"
    assert displayable("👩\u200d🚀 ‘quoted’ é") == "👩\u200d🚀 ‘quoted’ é"


def test_each_sentence_is_numbered_and_its_note_holds_its_own_evidence() -> None:
    told = beat(
        Sentence(text="First.", evidence=("f1",)),
        Sentence(text="Second.", evidence=("f2", "f3")),
        factlets=(factlet(1, "One.", BBC), factlet(2, "Two.", OTHER), factlet(3, "Three.", BBC)),
    )
    message = present(told, nameless, {})
    assert message.markdown == "*Opening*\n\n## When was it?\n\nFirst.¹ Second.²"
    assert [note.facts for note in message.notes] == [("One.",), ("Two.", "Three.")]
    assert [note.label for note in message.notes] == ["BBC", "The Times + 1"]


def test_sentences_on_the_same_evidence_share_a_number() -> None:
    told = beat(
        Sentence(text="First.", evidence=("f1", "f2")),
        Sentence(text="Second.", evidence=("f2",)),
        Sentence(text="Was that all?", evidence=("f2", "f1")),
        factlets=(factlet(1, "One."), factlet(2, "Two.")),
    )
    message = present(told, nameless, {})
    assert message.numbers == (1, 2, 1)
    assert message.notes[0].sentences == ("First.", "Was that all?")
    assert message.notes[0].label == "our records"


def test_only_web_pages_are_linked_and_each_once() -> None:
    told = beat(
        Sentence(text="First.", evidence=("f1", "f2")),
        factlets=(factlet(1, "One.", BBC, TRICK), factlet(2, "Two.", BBC)),
    )
    assert present(told, nameless, {}).notes[0].sources == (BBC,)


def test_a_shortened_answer_says_so() -> None:
    told = beat(Sentence(text="First.", evidence=("f1",)), factlets=(factlet(1, "One."),), truncated=True)
    assert present(told, nameless, {}).notes[0].queries[0].told == "70 rows, the first 1 used"


def test_a_suppressed_beat_is_said_calmly_and_its_reason_stays_in_the_details() -> None:
    evidence = beat(Sentence(text="First.", evidence=("f1",)), factlets=(factlet(1, "One."),)).evidence
    silent = StoryBeat(
        index=1, step="Legacy", status="suppressed", suppressed_because="no answer to CQ-1", evidence=evidence
    )
    message = present(silent, nameless, {})
    assert message.sentences == (UNTOLD,)
    assert "CQ-1" not in message.markdown
    assert message.reason == "no answer to CQ-1"


@pytest.mark.parametrize(
    ("ntriples", "words"),
    [
        (TRIPLE, ("q", "start date", "1985-07-13")),
        ("<http://ex.org/Queen> <http://x/ns#type> <http://ex.org#MusicGroup> .", ("Queen", "is a", "Music Group")),
        ('<http://ex.org/a_b> <http://ex.org/says> "a \\"quote\\"\\n\\u00e9"@en .', ("a b", "says", 'a "quote"\né')),
        ("something else", ("", "", "something else")),
    ],
)
def test_a_triple_is_readable(ntriples: str, words: tuple[str, str, str]) -> None:
    found = statement(ntriples, nameless)
    assert (found.subject, found.predicate, found.object) == words
    assert found.ntriples == ntriples


def test_no_identifier_stands_in_the_text_of_a_real_story(ctx: StoryContext) -> None:
    def name_of(iri: str) -> str | None:
        return ctx.pack.entities.name(Iri(iri))

    for persona in ctx.pack.personas:
        story = visit.tell_story(StoryRequest(persona=persona, length="long", seed=4), ctx)
        for told in story.beats:
            message = present(told, name_of, {})
            assert "://" not in message.markdown
            assert "CQ-" not in message.markdown
            assert len(message.notes) >= 1
            assert set(message.numbers) == {note.number for note in message.notes}
            for note in message.notes:
                assert note.statements
                assert note.queries
                assert all("://" not in text for s in note.statements for text in (s.subject, s.predicate))


def test_a_card_offers_three_choices_a_menu_and_the_two_that_are_always_there(ctx: StoryContext) -> None:
    plan = visit.plan(StoryRequest(seed=1), ctx)
    choices = present_offer(visit.offer(plan, Thread(), ctx))
    offer = beat_card(None, choices, "i1", 7)["offer"]
    assert len(offer["shown"]) == 3
    assert offer["shown"][0]["planned"]
    assert offer["menu"]
    assert (offer["surprise"]["label"], offer["end"]["label"]) == ("Surprise me", "End the tour")
    assert all(choice["label"].endswith("?") for choice in (*offer["shown"], *offer["menu"]))


def test_a_welcome_card_knows_each_personas_lengths_in_order(ctx: StoryContext) -> None:
    card = welcome_card(replace(ctx, strategies={"kg": "Only the record"}), {"luca"}, "ticket", 0, 1, keep_days=30)
    assert card["strategies"] == [{"id": "kg", "label": "Only the record"}]
    assert [persona["id"] for persona in card["personas"]] == [*ctx.pack.personas]
    assert lengths(ctx.pack, "emma") == ["small", "medium", "long"]
    assert lengths(ctx.pack, "nobody") == []
    assert [persona["portrait"] for persona in card["personas"]] == ["visitor", "luca"]
    assert "words" in card["personas"][0]["lengths"][0]["about"]


def test_a_step_is_shown_by_the_name_that_the_pack_gives_it() -> None:
    told = beat(Sentence(text="First.", evidence=("f1",)), factlets=(factlet(1, "One."),))
    assert present(told, nameless, {"Opening": "To begin with"}).step == "To begin with"
    assert present(told, nameless, {}).step == "Opening"


def test_line_separators_and_direction_marks_are_not_shown() -> None:
    assert displayable("one\u2028two\u2029three\u061cfour") == "onetwothreefour"
