"""From evidence to sentences: what can be said, what is chosen, how it is worded and joined."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

from agent import visit
from agent.context import StoryContext
from agent.generation import digest, outlines
from agent.links import LINK_ID, links, stand
from agent.narrator import Scene, TemplateNarrator
from agent.story import Sentence, StoryBeat
from agent.thread import Anchor, Thread
from graph_tools.cq import Telling
from graph_tools.evidence import EvidencePack, Source, Value
from graph_tools.library import Library
from graph_tools.plan import Beat, BeatPlan, Question, StoryRequest
from graph_tools.sayable import Saying, sayings
from graph_tools.terms import XSD

EX = "http://wembrewind.live/ex#"
EVENT = EX + "LiveAid1985"


def question(cq: str, artist: str = "") -> Question:
    bindings = {"event": EVENT} | ({"artist": EX + artist} if artist else {})
    return Question(cq=cq, question="?", bindings=dict(sorted(bindings.items())))


def beat_of(*questions: Question) -> Beat:
    return Beat(step="Performance Detail", questions=questions)


def plan_of(ctx: StoryContext, *beats: Beat, persona: str = "emma") -> BeatPlan:
    return BeatPlan(request=StoryRequest(persona=persona, length="small"), leads=(), beats=beats)


def told(
    ctx: StoryContext, beat: Beat, thread: Thread | None = None, persona: str = "emma"
) -> tuple[StoryBeat, Thread]:
    plan = plan_of(ctx, beat, persona=persona)
    return visit.generate(beat, 1, visit.retrieve(beat, ctx), plan, thread or Thread(beats=1), ctx)


def sayings_of(ctx: StoryContext, asked: Question, persona: str) -> tuple[Saying, ...]:
    evidence = visit.ask(asked, ctx)
    cq = ctx.pack.library[asked.cq].cq
    return sayings(cq, evidence.factlets, ctx.pack.personas[persona], ctx.plain_voice, truncated=False)


@pytest.mark.parametrize("persona", ["emma", "luca"])
def test_nothing_is_sayable_beyond_the_persona_s_sentence_length(ctx: StoryContext, persona: str) -> None:
    found = sayings_of(ctx, question("CQ-L10", "Queen"), persona)
    assert found
    assert all(1 <= saying.shortest <= saying.longest <= ctx.pack.personas[persona].max_words for saying in found)


def test_an_answer_that_was_cut_off_is_not_spoken_of_as_a_whole(ctx: StoryContext) -> None:
    evidence = visit.ask(question("CQ-L10", "Queen"), ctx)
    cq, persona = ctx.pack.library["CQ-L10"].cq, ctx.pack.personas["emma"]
    found = sayings(cq, evidence.factlets, persona, ctx.plain_voice, truncated=True)
    assert all(saying.telling.rows == "each" for saying in found)


def test_a_beat_without_factlets_is_suppressed_with_its_reason(ctx: StoryContext) -> None:
    beat = beat_of(question("CQ-A2", "AdamAnt"))
    silent, thread = told(ctx, beat)
    assert silent.status == "suppressed"
    assert silent.sentences == ()
    assert silent.suppressed_because == "the graph has no answer to CQ-A2 for these entities"
    assert thread.beats == 2


def test_what_was_heard_is_not_told_again_and_the_reason_says_so(ctx: StoryContext) -> None:
    beat = beat_of(question("CQ-E10", "Queen"))
    _, thread = told(ctx, beat)
    again, _ = told(ctx, beat, thread)
    assert again.status == "suppressed"
    assert "told before" in (again.suppressed_because or "")


def test_the_same_beat_is_told_the_same_way(ctx: StoryContext) -> None:
    beat = beat_of(question("CQ-A1", "U2"), question("CQ-L10", "U2"))
    assert told(ctx, beat) == told(ctx, beat)


def test_a_sentence_that_counts_or_names_both_ends_cites_every_row(ctx: StoryContext) -> None:
    beat, _ = told(ctx, beat_of(question("CQ-L10", "Queen")))
    rows = {factlet.id for factlet in beat.evidence.factlets}
    assert len(rows) == 6
    for sentence in beat.sentences:
        assert set(sentence.evidence) == rows


def test_a_sentence_has_evidence_and_a_beat_cites_only_its_own() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Sentence(text="Something happened.", evidence=())
    evidence = EvidencePack(questions=(), factlets=(), kg_digest="sha256:0")
    with pytest.raises(ValueError, match="cite"):
        StoryBeat(
            index=0,
            step="Introduction",
            status="told",
            sentences=(Sentence(text="Something happened.", evidence=("f1",)),),
            evidence=evidence,
        )
    with pytest.raises(ValueError, match="a told beat has sentences"):
        StoryBeat(index=0, step="Introduction", status="told", evidence=evidence)


def test_outlines_open_with_a_lead_telling_of_the_leading_question(ctx: StoryContext) -> None:
    beat = beat_of(question("CQ-A1", "Queen"), question("CQ-L10", "Queen"))
    persona = ctx.pack.personas["emma"]
    found = outlines(
        visit.retrieve(beat, ctx), ctx.pack.library, persona, ctx.plain_voice,
        heard=frozenset(), target=36, most=3, rng=Random("a"),
    )  # fmt: skip
    assert found
    for outline in found:
        first = outline.messages[0]
        assert (first.question, first.saying.leads) == (0, True)
        aspects = [
            (m.saying.cq.id, m.saying.telling.aspect) for m in outline.messages if m.saying.telling.rows == "all"
        ]
        assert len(aspects) == len(set(aspects))


def test_what_is_told_of_all_rows_is_not_told_again_of_one(ctx: StoryContext) -> None:
    evidence = visit.ask(question("CQ-L10", "Queen"), ctx)
    asked = ctx.pack.library["CQ-L10"].cq
    one = Telling(aspect="frame", rows="each", say=("{artist} played {song|quoted}.",))
    cq = asked.model_copy(update={"telling": (*asked.telling, one)})
    found = outlines(
        evidence, Library([replace(ctx.pack.library["CQ-L10"], cq=cq)]), ctx.pack.personas["emma"], ctx.plain_voice,
        heard=frozenset(), target=60, most=3, rng=Random("a"),
    )  # fmt: skip
    assert found
    for outline in found:
        frames = [
            message.saying.telling.rows for message in outline.messages if message.saying.telling.aspect == "frame"
        ]
        assert frames == ["all"]


def test_a_narrator_with_nothing_to_word_says_nothing(ctx: StoryContext) -> None:
    scene = Scene(ctx.pack.personas["emma"], ctx.pack.entities, Thread(), 30, Random("a"), {})
    assert TemplateNarrator().realise([], scene) is None


def test_a_beat_that_can_only_open_like_the_sentence_before_is_told(ctx: StoryContext) -> None:
    evidence = visit.ask(question("CQ-L10", "Queen"), ctx)
    one = Telling(aspect="count", role="lead", say=("{artist} played {song|count:song/songs}.",))
    cq = ctx.pack.library["CQ-L10"].cq.model_copy(update={"telling": (one,)})
    persona = ctx.pack.personas["emma"]
    found = outlines(
        evidence, Library([replace(ctx.pack.library["CQ-L10"], cq=cq)]), persona, ctx.plain_voice,
        heard=frozenset(), target=20, most=3, rng=Random("a"),
    )  # fmt: skip
    scene = Scene(persona, ctx.pack.entities, Thread(openings=("queen",)), 20, Random("a"), {})
    telling = TemplateNarrator().realise(found, scene)
    assert telling is not None
    assert [sentence.text for sentence in telling.sentences] == ["Queen played six songs."]


@pytest.mark.parametrize(
    ("clause", "words", "joined"),
    [
        ("as for the music, ", "In Philadelphia a choir sang.", False),
        ("as for the music, ", "A choir sang.", True),
        ("there was music: ", "In Philadelphia a choir sang.", True),
    ],
)
def test_no_clause_goes_before_a_sentence_that_opens_with_one(
    ctx: StoryContext, clause: str, words: str, joined: bool
) -> None:
    said = Value(kind="literal", value=words, datatype=XSD + "string")
    evidence = visit.ask(question("CQ-L10", "Queen"), ctx)
    told = evidence.factlets[0].model_copy(update={"values": {**evidence.factlets[0].values, "song": said}})
    one = Telling(aspect="account", role="lead", say=("{song|text}",))
    cq = ctx.pack.library["CQ-L10"].cq.model_copy(update={"telling": (one,)})
    persona = ctx.pack.personas["emma"]
    found = outlines(
        evidence.model_copy(update={"factlets": (told,)}), Library([replace(ctx.pack.library["CQ-L10"], cq=cq)]),
        persona, ctx.plain_voice, heard=frozenset(), target=20, most=1, rng=Random("a"),
    )  # fmt: skip
    scene = Scene(persona, ctx.pack.entities, Thread(), 20, Random("a"), {}, answer=(clause,))
    telling = TemplateNarrator().realise(found, scene)
    assert telling is not None
    assert (telling.sentences[0].text != words) is joined


@pytest.mark.parametrize(("before", "after"), [("George Michael sang", "Elton played"), ("A choir sang", "He played")])
def test_no_pronoun_follows_words_that_name_somebody_else_whom_it_could_mean(
    ctx: StoryContext, before: str, after: str
) -> None:
    evidence = visit.ask(question("CQ-L10", "EltonJohn"), ctx)
    tellings = (
        Telling(aspect="lead", role="lead", say=(f"{before} beside {{artist}}.",)),
        Telling(aspect="count", say=("{artist} played {song|count:song/songs}.",)),
    )
    cq = ctx.pack.library["CQ-L10"].cq.model_copy(update={"telling": tellings})
    persona = ctx.pack.personas["emma"]
    found = outlines(
        evidence, Library([replace(ctx.pack.library["CQ-L10"], cq=cq)]), persona, ctx.plain_voice,
        heard=frozenset(), target=20, most=2, rng=Random("a"),
    )  # fmt: skip
    whole = [outline for outline in found if len(outline.messages) == 2]
    telling = TemplateNarrator().realise(whole, Scene(persona, ctx.pack.entities, Thread(), 20, Random("a"), {}))
    assert telling is not None
    assert telling.sentences[1].text.startswith(after), telling.sentences


def links_between(ctx: StoryContext, before: str, after: str, thread: Thread | None = None) -> dict[str, str]:
    """Kinds of links between the sets of two acts, with the evidence of each."""
    if thread is None:
        _, thread = told(ctx, beat_of(question("CQ-A1", before)))
    saying = next(s for s in sayings_of(ctx, question("CQ-A1", after), "emma") if s.leads and stand(s).time)
    found = links(saying, thread, frozenset({EX + after}), EVENT, ctx.pack.personas["emma"], ctx.pack.entities)
    return {link.kind: link.factlet.text if link.factlet else "" for link in found}


def test_two_sets_on_one_stage_are_joined_by_the_time_between_them_and_the_place(ctx: StoryContext) -> None:
    found = links_between(ctx, "StatusQuo", "TheStyleCouncil")
    assert found["later"].endswith("Between the two lie 18 minutes, or about 20 minutes.")
    assert found["later"].startswith("Status Quo came on at 12:01 ")
    assert "The Style Council came on at 12:19 " in found["later"]
    assert found["same_place"].endswith("Both were at Wembley Stadium.")
    assert "earlier" in links_between(ctx, "TheStyleCouncil", "StatusQuo")


def test_two_stages_on_two_clocks_are_not_joined_by_a_gap_of_time(ctx: StoryContext) -> None:
    found = links_between(ctx, "Queen", "TheCars")
    assert "later" not in found
    assert "earlier" not in found
    assert found["other_place"].endswith("One was at Wembley Stadium, the other at John F. Kennedy Stadium.")


def test_a_clause_about_a_place_claims_nothing_about_the_time(ctx: StoryContext) -> None:
    """Only the places of two beats prove it: their times may be ten hours apart."""
    for persona in ctx.pack.personas.values():
        for clause in (*persona.links.get("same_place", ()), *persona.links.get("other_place", ())):
            assert not re.search(r"meanwhile|same time|by then|already|while|next|then", clause), clause


def test_an_act_on_the_story_s_own_day_is_joined_by_that_day(ctx: StoryContext) -> None:
    day = Anchor(value="1985-07-13", datatype=XSD + "date", triples=("<a> <b> <c> .",))
    found = links_between(ctx, "", "Queen", Thread(first_day=day, beats=1))
    assert found["same_day"].endswith("Both were on 13 July 1985.")


def test_a_link_that_says_something_is_proved_by_the_statements_of_both_beats(ctx: StoryContext) -> None:
    _, thread = told(ctx, beat_of(question("CQ-A1", "DireStraits")))
    for _ in range(8):
        beat, after = told(ctx, beat_of(question("CQ-A1", "Queen")), thread)
        factlet = next((f for f in beat.evidence.factlets if f.id == LINK_ID), None)
        if factlet is not None:
            break
        thread = thread.model_copy(update={"words": thread.words + 1})
    assert factlet is not None, beat.sentences
    assert LINK_ID in beat.sentences[0].evidence
    assert any("DireStraits" in triple for triple in factlet.triples)
    assert any("Queen" in triple for triple in factlet.triples)
    assert after.time is not None
    assert after.time.value == "1985-07-13T18:41:00+01:00"


def test_a_link_names_days_where_it_counts_years_and_the_pages_of_both_beats(ctx: StoryContext) -> None:
    page = Source(url="https://a.example/")
    then = Anchor(
        value="1985-07-13T09:45:00-04:00", datatype=XSD + "dateTime", fact="X came on.", triples=("<a> <b> <c> .",),
        sources=(page,),
    )  # fmt: skip
    asked = Question(cq="CQ-E12", question="?", bindings={"artist": EX + "U2"})
    formed = next(s for s in sayings_of(ctx, asked, "emma") if s.leads)
    found = links(formed, Thread(day=then), frozenset(), EVENT, ctx.pack.personas["emma"], ctx.pack.entities)
    proofs = [link.factlet for link in found if link.factlet is not None]
    assert {proof.text for proof in proofs} == {
        f"X came on. {formed.factlets[0].text} Between the two lie about 9 years."
    }
    assert all(page in proof.sources and set(formed.factlets[0].sources) <= set(proof.sources) for proof in proofs)


def test_a_year_is_counted_from_the_story_s_day(ctx: StoryContext) -> None:
    day = Anchor(value="1985-07-13", datatype=XSD + "date", triples=("<a> <b> <c> .",))
    asked = Question(cq="CQ-E12", question="?", bindings={"artist": EX + "U2"})
    formed = next(s for s in sayings_of(ctx, asked, "emma") if s.leads)
    found = links(formed, Thread(first_day=day), frozenset(), EVENT, ctx.pack.personas["emma"], ctx.pack.entities)
    assert {link.values["gap"].value for link in found if link.kind == "years_earlier"} == {"about nine years"}


def test_a_date_in_one_life_is_no_measure_for_what_is_told_of_others(ctx: StoryContext) -> None:
    born = Anchor(value="1959-11-05", datatype=XSD + "date", fact="Somebody was born.", triples=("<a> <b> <c> .",))
    thread = Thread(day=born, about=(EX + "BryanAdams",))
    asked = Question(cq="CQ-E12", question="?", bindings={"artist": EX + "U2"})
    formed = next(s for s in sayings_of(ctx, asked, "emma") if s.leads)
    persona, entities = ctx.pack.personas["emma"], ctx.pack.entities
    assert not [
        k for k in links(formed, thread, frozenset({EX + "U2"}), EVENT, persona, entities) if k.kind.startswith("years")
    ]
    same = links(formed, thread, frozenset({EX + "BryanAdams"}), EVENT, persona, entities)
    assert {link.kind for link in same} >= {"years_later", "same_entity"}


def test_digests_are_short_and_tell_statements_apart() -> None:
    assert digest("a") != digest("b")
    assert len(digest("a")) == 12


def test_an_offer_holds_only_what_can_be_told_and_is_new(ctx: StoryContext) -> None:
    request = StoryRequest(persona="luca", length="medium", seed=5)
    plan = visit.plan(request, ctx)
    thread = Thread()
    for index, beat in enumerate(plan.beats[:3]):
        _, thread = visit.generate(beat, index, visit.retrieve(beat, ctx), plan, thread, ctx)
        offer = visit.offer(plan, thread, ctx)
        assert offer == visit.offer(plan, thread, ctx)
        assert len(offer.choices) == 3
        assert offer.choices[0].kind == "plan"
        assert offer.end.beat is None
        everything = [*offer.choices, *offer.rest]
        assert len({choice.id for choice in everything}) == len(everything)
        assert len({choice.label for choice in everything}) == len(everything)
        for choice in everything:
            assert choice.beat is not None
            heard, _ = visit.generate(choice.beat, index + 1, visit.retrieve(choice.beat, ctx), plan, thread, ctx)
            assert heard.status == "told", choice.label
