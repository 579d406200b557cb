"""No telling says more than the rows that it cites: figures keep what kind they are, one sentence keeps to one set."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent import visit
from agent.context import StoryContext
from agent.generation import messages
from graph_tools import speech
from graph_tools.evidence import EvidencePack, Factlet
from graph_tools.joins import Joins
from graph_tools.plan import Question, StoryRequest
from graph_tools.proofs import all_bindings
from graph_tools.sayable import LIST_LIMITS, Saying, sayings
from graph_tools.speech import Unspeakable
from graph_tools.terms import Iri, Literal

pytestmark = pytest.mark.slow
EX = "http://wembrewind.live/ex#"
SCHEMA = "http://schema.org/"
MM = "https://w3id.org/polifonia/ontology/music-meta/"

ACCEPTED = {
    "estimate": r"estimat",
    "minimum": r"at least {figure}|{figure}[^,;.]*\(minimum\)",
    "upper limit": r"up to {figure}",
    "potential audience": r"potential (audience.* )?{figure}",
    "count": r"count",
    "count for Philadelphia": r"count\b.*Philadelphia|Philadelphia\b.*count",
    "rounded figure": r"about {figure}",
    "exact figure": r"exact",
    "pledges": r"pledge",
    "first days": r"first days",
    "first two months": r"first two months",
    "during the concerts and just after": r"during the concerts and just after",
    "total": r"total",
    "total, citing MTV": r"total.*citing MTV",
    "Harvey Goldsmith's figure": r"Harvey Goldsmith's figure",
    "British pledges": r"British pledges",
    "both stadiums": r"both stadiums|the two stadiums",
    "by November 1985": r"by November 1985",
    "by mid-afternoon": r"by mid-afternoon",
    "early reports": r"early reports",
    "given in Britain": r"given in Britain",
    "later estimates": r"later estimates",
    "with Band Aid, by July 1987": r"with Band Aid, by July 1987",
}
"""Kind of figure -> the words of which some must stand in a sentence that tells one."""

COMPARING = {
    ("CQ-A11", "stages"), ("CQ-A11", "songs"), ("CQ-A12", "across"), ("CQ-A5", "neighbours"), ("CQ-B8", "open-close"),
    ("CQ-C1", "longest"), ("CQ-C1", "shortest"), ("CQ-C2", "twice"), ("CQ-C2", "one"), ("CQ-C3", "size"),
    ("CQ-C4", "both"), ("CQ-C5", "account"), ("CQ-E10", "one of two"), ("CQ-E14", "solo"),
    ("CQ-E14", "how many"), ("CQ-E3", "range"), ("CQ-E3", "size"), ("CQ-E3", "some"), ("CQ-E4", "names"),
    ("CQ-E4", "size"), ("CQ-E9", "praised"), ("CQ-G1", "how many"), ("CQ-G3", "acts"), ("CQ-G4", "kinds"),
    ("CQ-L10", "one of two"), ("CQ-L22", "span"), ("CQ-O3", "whom"), ("CQ-P2", "whom"), ("CQ-R6", "sets"),
    ("CQ-V1", "open and close"), ("CQ-V6", "guests"),
}  # fmt: skip
"""Question, aspect: tellings that are meant to hold several performances together, and say which or how many."""


@dataclass(frozen=True)
class Said:
    """A saying in one of its wordings, in full names."""

    persona: str
    asked: tuple[tuple[str, str], ...]
    saying: Saying
    text: str
    opening: str


@pytest.fixture(scope="module")
def everything(ctx: StoryContext) -> list[Said]:
    """All that can be said in the pack, of every entity, to every persona."""
    return [said for cq_id in sorted(ctx.pack.library) for said in _said(cq_id, ctx)]


def _answers(cq_id: str, ctx: StoryContext) -> Iterator[tuple[tuple[tuple[str, str], ...], EvidencePack]]:
    """What was asked, and its evidence, for everything that the question has an answer for."""
    template = ctx.pack.library[cq_id]
    joins = Joins(ctx.pack.graph)
    for bindings in all_bindings(cq_id, ctx.pack, ctx.pack.defaults if len(template.cq.parameters) > 1 else {}):
        if joins.first_failing(template, bindings) or not ctx.answers.answered(cq_id, bindings):
            continue
        asked = tuple(sorted((name, iri.value) for name, iri in bindings.items()))
        yield asked, visit.ask(Question(cq=cq_id, question="?", bindings=dict(asked)), ctx)


def _said(cq_id: str, ctx: StoryContext) -> Iterator[Said]:
    cq = ctx.pack.library[cq_id].cq
    for asked, evidence in _answers(cq_id, ctx):
        cut_off = any(question.truncated for question in evidence.questions)
        for name in cq.personas:
            persona = ctx.pack.personas[name]
            for saying in sayings(cq, evidence.factlets, persona, ctx.plain_voice, truncated=cut_off):
                for text in _worded(saying, ctx, persona.max_words):
                    yield Said(name, asked, saying, text, text.split()[0].strip("“”\"'.,:;").casefold())


def _worded(saying: Saying, ctx: StoryContext, limit: int) -> Iterator[str]:
    rows = [factlet.values for factlet in saying.factlets]
    for wording in saying.wordings:
        for most in LIST_LIMITS if wording.lists else (None,):
            try:
                text = wording.render(rows, ctx.plain_voice, item=saying.item, most=most)
            except Unspeakable:
                break
            if len(text.split()) <= limit:
                yield text
                break


# --- figures -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figure:
    """One claim of a quantity, as its row cites it."""

    kind: str
    hedge: str
    """The word that its source puts before it, or ""."""
    forms: frozenset[str]
    by: frozenset[str]


def figures(factlet: Factlet, ctx: StoryContext) -> Iterator[Figure]:
    subjects = {triple.split(" ", 1)[0].strip("<>") for triple in factlet.triples}
    for claim in sorted(subjects):
        kinds = _literals(ctx, claim, "qualifier")
        if not kinds:
            continue
        (kind,), (value,) = kinds, _literals(ctx, claim, "value")
        currencies = _literals(ctx, claim, "currency")
        forms = {speech.money(value, unit) for unit in currencies} or {speech.number(value), speech.figure(value)}
        authors = ctx.pack.graph.match(Iri(claim), Iri(SCHEMA + "author"))
        names = {
            ctx.plain_voice.refer(author.value, form)
            for _, _, author in authors
            if isinstance(author, Iri)
            for form in ("", "short")
        }
        hedge = next(iter(_literals(ctx, claim, "hedge")), "")
        yield Figure(kind, hedge, frozenset(forms), frozenset(names))


def _literals(ctx: StoryContext, subject: str, name: str) -> list[str]:
    namespace = EX if name in ("qualifier", "hedge") else SCHEMA
    found = ctx.pack.graph.match(Iri(subject), Iri(namespace + name))
    return [term.lexical for _, _, term in found if isinstance(term, Literal)]


def _stands(form: str, text: str) -> bool:
    return re.search(rf"(?<![\w£$,.]){re.escape(form)}(?![\d]|,\d|\.\d)(?! (?:million|billion))", text) is not None


def _said_as_it_is(figure: Figure, form: str, text: str) -> bool:
    kind = ACCEPTED[figure.kind].replace("{figure}", re.escape(form))
    hedged = not figure.hedge or re.search(rf"{figure.hedge} (?:a total of )?{re.escape(form)}", text, re.IGNORECASE)
    return bool(hedged and re.search(kind, text, re.IGNORECASE))


def unhedged(text: str, found: list[Figure]) -> list[str]:
    """The figures in the text that stand there as what they are not."""
    wrong = []
    for form in sorted({form for figure in found for form in figure.forms}):
        if not _stands(form, text):
            continue
        meant = [figure for figure in found if form in figure.forms]
        # Where the sentence says who gives the figure, it is that one that counts.
        meant = [figure for figure in meant if any(name in text for name in figure.by)] or meant
        if not any(_said_as_it_is(figure, form, text) for figure in meant):
            wrong.append(form)
    return wrong


def test_no_figure_is_told_without_the_words_that_say_what_kind_it_is(
    ctx: StoryContext, everything: list[Said]
) -> None:
    told, wrong = 0, []
    for said in everything:
        found = [figure for factlet in said.saying.factlets for figure in figures(factlet, ctx)]
        told += any(_stands(form, said.text) for figure in found for form in figure.forms)
        wrong += [(said.saying.cq.id, form, said.text) for form in unhedged(said.text, found)]
    assert told > 40
    assert wrong == []


def test_every_kind_of_figure_in_the_graph_has_words_that_may_tell_it(ctx: StoryContext) -> None:
    kinds = {t[2].lexical for t in ctx.pack.graph.match(None, Iri(EX + "qualifier")) if isinstance(t[2], Literal)}
    assert kinds <= ACCEPTED.keys()


def test_a_range_of_figures_has_two_ends_of_one_kind(ctx: StoryContext, everything: list[Said]) -> None:
    """A slot that is told first and last is bound in rows of one kind only, and its ends differ."""
    for said in everything:
        if not any(True for factlet in said.saying.factlets for _ in figures(factlet, ctx)):
            continue
        rows = said.saying.factlets
        ends: dict[str, set[str]] = defaultdict(set)
        for wording in said.saying.wordings:
            for slot in wording.slots:
                if slot.select in ("first", "last") and slot.form in ("number", "figure", "money"):
                    ends[slot.name].add(slot.select)
        for name in (name for name, both in ends.items() if both == {"first", "last"}):
            bound = [factlet for factlet in rows if name in factlet.values]
            assert bound[0].values[name] != bound[-1].values[name], said.text
            kinds = {
                figure.kind
                for factlet in bound
                for figure in figures(factlet, ctx)
                if figure.forms & {speech.number(factlet.values[name].value), *_money(factlet, name)}
            }
            assert len(kinds) == 1, (said.text, kinds)


def _money(factlet: Factlet, name: str) -> set[str]:
    currency = factlet.values.get("currency")
    return {speech.money(factlet.values[name].value, currency.value)} if currency else set()


@pytest.mark.parametrize(
    ("text", "kind", "form", "right"),
    [
        ("The Press wrote of 1.5 billion viewers.", "potential audience", "1.5 billion", False),
        ("The Press wrote of a potential 1.5 billion viewers.", "potential audience", "1.5 billion", True),
        ("There were 70,000 people, and at least 3 cows.", "minimum", "70,000", False),
        ("At least 70,000 people came.", "minimum", "70,000", True),
        ("About 89,484 people came.", "exact figure", "89,484", False),
        ("It raised $40 million.", "pledges", "$40 million", False),
        ("Pledges came to $40 million.", "pledges", "$40 million", True),
        ("It raised $140 million.", "pledges", "$40 million", True),
    ],
)
def test_the_check_of_figures_sees_the_words(text: str, kind: str, form: str, right: bool) -> None:
    assert (unhedged(text, [Figure(kind, "", frozenset({form}), frozenset())]) == []) is right


@pytest.mark.parametrize("cq_id", ["CQ-B12", "CQ-B13", "CQ-E20", "CQ-L5", "CQ-L6", "CQ-L7", "CQ-L20"])
def test_figures_of_different_kinds_are_not_called_a_dispute(ctx: StoryContext, cq_id: str) -> None:
    for telling in ctx.pack.library[cq_id].cq.telling:
        assert not any(re.search("disput|those two", text) for text in telling.say)


# --- performances ------------------------------------------------------------------------------------------------


def performances(factlet: Factlet, ctx: StoryContext) -> set[str]:
    """The performances that the row's proof speaks of."""
    nodes = {term.strip("<>") for triple in factlet.triples for term in triple.split(" ") if term.startswith("<")}
    return {node for node in nodes if Iri(MM + "LivePerformance") in ctx.pack.entities.types(Iri(node))}


def test_a_sentence_keeps_to_one_performance_unless_it_compares(ctx: StoryContext, everything: list[Said]) -> None:
    fused = {
        (said.saying.cq.id, said.saying.telling.aspect): said.text
        for said in everything
        if len({node for factlet in said.saying.factlets for node in performances(factlet, ctx)}) > 1
    }
    assert {key: text for key, text in fused.items() if key not in COMPARING} == {}
    assert fused.keys() >= COMPARING, "no longer needed"


def test_a_guest_of_two_sets_is_told_of_one_set_a_sentence(ctx: StoryContext, everything: list[Said]) -> None:
    artist = ("artist", EX + "DavidBowie")
    bowie = [said.text for said in everything if said.saying.cq.id == "CQ-A6" and artist in said.asked]
    assert any("McCartney" in text for text in bowie)
    assert any("Band Aid" in text for text in bowie)
    assert not any("McCartney" in text and "Band Aid" in text for text in bowie)


def test_the_span_of_a_stage_is_told_by_its_own_clock_and_of_starts_on_record(everything: list[Said]) -> None:
    spans = [said.text for said in everything if said.saying.cq.id == "CQ-L22"]
    assert spans
    for text in spans:
        assert ("Wembley" in text) != ("Kennedy" in text or "JFK" in text), text
        assert "on record" in text


# --- wordings ----------------------------------------------------------------------------------------------------


def test_what_opens_a_beat_can_open_with_two_different_words(everything: list[Said]) -> None:
    openings: dict[tuple[str, str], set[str]] = defaultdict(set)
    for said in everything:
        if said.saying.leads:
            openings[said.saying.cq.id, said.persona].add(said.opening)
    assert {key: found for key, found in openings.items() if len(found) < 2} == {}


def test_no_account_stands_on_the_day_of_the_event_it_tells_of(ctx: StoryContext, project: Path) -> None:
    """An account has a date of its own or none: otherwise what happened weeks before is said to be of the day."""
    for cq_id, template in ctx.pack.library.items():
        query = (project / "cqs" / f"{cq_id}.rq").read_text(encoding="utf-8")
        if "a ex:Account" in query and template.cq.anchor.time:
            assert "$event schema:startDate" not in query, cq_id


def test_no_span_ends_where_it_begins(ctx: StoryContext, everything: list[Said]) -> None:
    """ "From 1970 to 1970" hides the months that the graph knows."""
    factlets = (
        factlet for cq_id in ctx.pack.library for _, found in _answers(cq_id, ctx) for factlet in found.factlets
    )
    texts = [factlet.text for factlet in factlets] + [said.text for said in everything]
    assert any(" from June 1970 to August 1970" in text for text in texts)
    assert [text for text in texts if re.search(r"\b[Ff]rom (.+?) to \1(?![^\s,.;(])", text)] == []


# --- relations ---------------------------------------------------------------------------------------------------

OF_SEVERAL_SETS = {"genre", "release", "next-act"}
"""Relations whose lists are of several acts."""


def asked_in_plans(ctx: StoryContext) -> list[Question]:
    """The questions of some long stories."""
    requests = (StoryRequest(persona=p, length="long", seed=seed) for p in ("emma", "luca") for seed in range(3))
    return [question for r in requests for beat in visit.plan(r, ctx).beats for question in beat.questions]


def test_relations_keep_the_words_of_figures_hedges_and_disputes(ctx: StoryContext) -> None:
    graph, told, hedged, contested = ctx.retriever_for("graph"), 0, 0, 0
    for question in asked_in_plans(ctx):
        for persona in ctx.pack.personas.values():
            found = messages(graph.ask(question), ctx.pack.library, persona, ctx.plain_voice, ctx.pack.relations)
            for saying in (message.saying for part in found for message in part):
                rows = [factlet.values for factlet in saying.factlets]
                for text in saying.wordings:
                    try:
                        said = text.render(rows, ctx.plain_voice, item=saying.item, most=3)
                    except ValueError:
                        continue
                    claims = [figure for factlet in saying.factlets for figure in figures(factlet, ctx)]
                    assert unhedged(said, claims) == [], said
                    told += bool(claims)
                    way = saying.factlets[0].way
                    if "around" in rows[0] and re.search(r"\d:\d\d", said):
                        assert re.search(r"about \d", said), said
                        hedged += 1
                    if way.startswith("dispute"):
                        assert rows[0]["who"].value in said
                        assert rows[0]["elsewho"].value in said
                        contested += 1
                    if way.startswith("lone-claim"):
                        assert "unconfirmed" in said.casefold()
                        assert rows[0]["who"].value in said
                    if way.partition(".")[0] not in OF_SEVERAL_SETS:
                        sets = {node for factlet in saying.factlets for node in performances(factlet, ctx)}
                        assert len(sets) < 2 or saying.telling.rows == "each", said
    assert told
    assert hedged
    assert contested
