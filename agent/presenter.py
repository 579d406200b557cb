"""Beats and offers as a visitor sees them: plain text with numbered notes, and for each note its proof.

Pure, and independent of any user interface: the chat and the terminal both render what is made here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from agent.offer import Choice, Offer
from agent.story import StoryBeat
from graph_tools.evidence import Factlet, Snippet, Source
from graph_tools.path_drawing import Edge, Sketch, draw_path

NameOf = Callable[[str], str | None]
"""The name of the entity with that IRI, where the graph has one."""

DRAWN = "How the records hang together"
NOT_DRAWN = frozenset({"source", "tier", "order"})
"""Predicates, in words, that say something of a record and nothing of its subject."""
UNTOLD = "Our records hold nothing more that I could prove here, so I leave this part untold."

BY_MODEL = (
    "An AI found the words for this part; the facts are our records', and every sentence was checked against them."
)
"""The mark of a message that holds a sentence which a language model worded; no other message carries it."""

_STATEMENT = re.compile(r"<(?P<subject>[^>]*)> <(?P<predicate>[^>]*)> (?P<object>.*) \.")
_LITERAL = re.compile(r'"(?P<lexical>(?:[^"\\]|\\.)*)"(?:@(?P<language>[A-Za-z0-9-]+)|\^\^<(?P<datatype>[^>]*)>)?')
_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9]{2,})|_+")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#~$|&:@!])")
_LINE_START = re.compile(r"(?m)^(\s*)([-+=])|^(\s*\d+)(\.)")
_WEB = ("http://", "https://")
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Statement:
    """One triple: in words, and as it stands in the graph."""

    subject: str
    predicate: str
    object: str
    ntriples: str


@dataclass(frozen=True, slots=True)
class AskedFor:
    """One query that ran."""

    question: str
    sparql: str
    told: str
    """How many rows it brought, and how many of them were used."""


@dataclass(frozen=True, slots=True)
class Note:
    """The proof of a sentence, or of several that stand on the same evidence."""

    number: int
    sentences: tuple[str, ...]
    facts: tuple[str, ...]
    sources: tuple[Source, ...]
    statements: tuple[Statement, ...]
    queries: tuple[AskedFor, ...]
    drawing: Sketch | None = None
    """The way from thing to thing that the statements make; None where they join no two."""
    snippets: tuple[Snippet, ...] = ()
    """What it is told from beside the graph: only of pages with a web address."""

    @property
    def label(self) -> str:
        """Who says so, in short."""
        pages = [source.publisher or source.title for source in self.sources]
        names = list(dict.fromkeys([*pages, *(snippet.publisher for snippet in self.snippets)]))
        if not names:
            return "our records"
        return names[0] + (f" + {len(names) - 1}" if len(names) > 1 else "")


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One beat as it is shown."""

    step: str
    heading: str
    sentences: tuple[str, ...]
    numbers: tuple[int, ...] = ()
    """For each sentence the number of its note."""
    notes: tuple[Note, ...] = ()
    """None for a suppressed beat."""
    reason: str = ""
    """Why a suppressed beat was not told, for the technical details."""
    say: str = ""
    """Staging of a tour, before what is told: words about the room, which nothing proves."""
    then: str = ""
    """Staging after it."""
    by_model: bool = False
    """True where a language model worded one of the sentences."""

    @property
    def markdown(self) -> str:
        """Step, heading and text, staging as a quotation apart; only the layout is ours, every word is escaped."""
        marks = [str(number).translate(_SUPERSCRIPT) for number in self.numbers] or [""] * len(self.sentences)
        text = " ".join(markdown_text(said) + mark for said, mark in zip(self.sentences, marks, strict=True))
        marked = f"*{markdown_text(BY_MODEL)}*" if self.by_model else ""
        say, then = (f"> {markdown_text(staging)}" if staging else "" for staging in (self.say, self.then))
        parts = (f"*{markdown_text(self.step)}*", f"## {markdown_text(self.heading)}", say, text, marked, then)
        return "\n\n".join(part for part in parts if part)

    @property
    def spoken(self) -> str:
        """What a voice reads: heading, staging and text, without marks."""
        return " ".join(filter(None, (self.heading, self.say, *self.sentences, self.then)))


@dataclass(frozen=True, slots=True)
class Choices:
    """An offer as it is shown: what is pressed, what is in the menu, and the two that are always there."""

    shown: tuple[Choice, ...]
    menu: tuple[Choice, ...]
    surprise: Choice | None
    end: Choice
    asked: tuple[Choice, ...] = ()
    """Near what the visitor asked in words: they stand before the others."""
    ways: tuple[Choice, ...] = ()
    """On from the stop of a tour: they stand in the place of `shown`."""
    again: tuple[Choice, ...] = ()
    back: tuple[Choice, ...] = ()
    from_here: tuple[Choice, ...] = ()


def present(beat: StoryBeat, name_of: NameOf, step_names: Mapping[str, str], again: str = "") -> ChatMessage:
    """A beat as it is shown. `step_names`: how the pack calls its steps in front of visitors; `again`: how it is told
    once more, which stands in the place of the step."""
    heading = displayable(beat.evidence.questions[0].question)
    step = displayable(again or step_names.get(beat.step, beat.step))
    if beat.status == "suppressed":
        return ChatMessage(step, heading, (UNTOLD,), reason=displayable(beat.suppressed_because or ""))
    grounds = list(dict.fromkeys(frozenset(sentence.evidence) for sentence in beat.sentences))
    return ChatMessage(
        step,
        heading,
        tuple(displayable(sentence.text) for sentence in beat.sentences),
        tuple(grounds.index(frozenset(sentence.evidence)) + 1 for sentence in beat.sentences),
        tuple(_note(number, evidence, beat, name_of) for number, evidence in enumerate(grounds, start=1)),
        by_model=beat.by_model,
    )


def present_stop(title: str, heading: str, say: str, then: str, beat: StoryBeat | None, name_of: NameOf) -> ChatMessage:
    """One stop of the tour with that title as it is shown; `beat`: what is told there, if anything is."""
    told = present(beat, name_of, {}) if beat is not None else ChatMessage("", "", ())
    return replace(
        told, step=displayable(title), heading=displayable(heading), say=displayable(say), then=displayable(then)
    )


def present_offer(offer: Offer) -> Choices:
    """An offer as it is shown: only what can be picked."""
    return Choices(
        shown=_shown(offer.choices),
        menu=_shown(offer.rest),
        surprise=next(iter(_shown([offer.surprise] if offer.surprise else [])), None),
        end=_shown([offer.end])[0],
        asked=_shown(offer.asked),
        ways=_shown(offer.ways),
        again=_shown(offer.again),
        back=_shown(offer.back),
        from_here=_shown(offer.from_here),
    )


def displayable(text: str) -> str:
    """The text without control characters and without those that reverse or hide what stands beside them."""
    return _UNSEEN.sub("", text)


def markdown_text(text: str) -> str:
    """Markdown that shows exactly `text`: no emphasis, list, link, image, formula or directive can come of it."""
    escaped = _MARKUP.sub(r"\\\1", " ".join(text.split("\n")))
    # A link without brackets is made of any www. address.
    escaped = re.sub(r"(?i)\b(www)\.", r"\1\\.", escaped)
    return _LINE_START.sub(lambda m: f"{m[1] or ''}{m[3] or ''}\\{m[2] or m[4]}", escaped)


def statement(ntriples: str, name_of: NameOf) -> Statement:
    """An N-Triples statement in words: names where the graph has them, the ends of IRIs where not."""
    found = _STATEMENT.fullmatch(ntriples)
    if found is None:
        return Statement("", "", displayable(ntriples), ntriples)
    return Statement(
        subject=_entity(found["subject"], name_of),
        predicate=_predicate(found["predicate"]),
        object=_object(found["object"], name_of),
        ntriples=ntriples,
    )


def _note(number: int, evidence: frozenset[str], beat: StoryBeat, name_of: NameOf) -> Note:
    cited = [factlet for factlet in beat.evidence.factlets if factlet.id in evidence]
    snippets = [snippet for snippet in beat.evidence.snippets if snippet.id in evidence]
    asked = {factlet.cq for factlet in cited}
    return Note(
        number=number,
        sentences=tuple(displayable(said.text) for said in beat.sentences if frozenset(said.evidence) == evidence),
        facts=tuple(map(displayable, [*(factlet.text for factlet in cited), *(snippet.text for snippet in snippets)])),
        sources=_unique(source for factlet in cited for source in factlet.sources),
        statements=tuple(statement(line, name_of) for line in _unique_lines(cited)),
        drawing=draw_path(
            [*_edges(_unique_lines(cited), name_of)], DRAWN, len([*_edges(_unique_lines(cited[:1]), name_of)])
        ),
        queries=tuple(
            AskedFor(displayable(q.question), q.query, _rows(q.total_rows, len(beat.evidence.of(q.cq)), q.truncated))
            for q in beat.evidence.questions
            if q.cq in asked
        ),
        snippets=tuple(snippet for snippet in snippets if snippet.source_url.startswith(_WEB)),
    )


def _edges(lines: Iterable[str], name_of: NameOf) -> Iterator[Edge]:
    """The statements as they are drawn. What is no proper statement, and what says where it was read, is not."""
    for line in lines:
        found, words = _STATEMENT.fullmatch(line), statement(line, name_of)
        if found is None or words.predicate in NOT_DRAWN:
            continue
        thing = found["object"].startswith("<") and words.predicate != "is a"
        yield Edge(
            f"<{found['subject']}>",
            displayable(name_of(found["subject"]) or ""),
            words.predicate,
            found["object"] if thing or words.predicate == "is a" else "",
            displayable(name_of(found["object"][1:-1]) or "") if thing else words.object,
        )


def _rows(total: int, used: int, truncated: bool) -> str:
    rows = "1 row" if total == 1 else f"{total} rows"
    return f"{rows}, the first {used} used" if truncated else rows


def _unique(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Each page once, only where it is a web address: no other link is ever shown."""
    by_url = {source.url: source for source in sources if source.url.startswith(_WEB)}
    return tuple(by_url.values())


def _unique_lines(factlets: Iterable[Factlet]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for factlet in factlets for line in factlet.triples))


def _shown(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    return tuple(
        choice.model_copy(update={"label": displayable(choice.label), "tag": displayable(choice.tag)})
        for choice in choices
        if choice.available
    )


def _entity(iri: str, name_of: NameOf) -> str:
    return displayable(name_of(iri) or _spelled(iri))


def _spelled(iri: str) -> str:
    return " ".join(_WORD_BREAK.sub(" ", re.split(r"[#/]", iri.rstrip("#/"))[-1]).split())


def _predicate(iri: str) -> str:
    words = _spelled(iri)
    return "is a" if words == "type" else words.lower()


def _object(term: str, name_of: NameOf) -> str:
    if term.startswith("<"):
        return _entity(term[1:-1], name_of)
    literal = _LITERAL.fullmatch(term)
    if literal is None:
        return displayable(term)
    text = _ESCAPED.sub(
        lambda m: chr(int(m[1] or m[2], 16)) if m[1] or m[2] else _SHORT.get(m[3], m[3]), literal["lexical"]
    )
    return displayable(text)
