"""A story to take away: Markdown or HTML with footnotes, each to its facts and where they were read. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from agent.page import document, link
from agent.presenter import Note, displayable, markdown_text, present
from agent.story import StoryBeat
from graph_tools.evidence import Source

Form = Literal["markdown", "html"]


@dataclass(frozen=True, slots=True)
class Footnote:
    """What proves a sentence, under a number that is one in the whole story."""

    number: int
    facts: tuple[str, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A told beat: its heading, and its sentences, each with the number of its footnote."""

    heading: str
    sentences: tuple[tuple[str, int], ...]


def taken_away(beats: Sequence[StoryBeat], title: str, form: str) -> str:
    """The told beats in that form, "markdown" or "html"; suppressed ones are left out. Ends with a line feed."""
    passages, notes = annotated(beats)
    return _html(passages, notes, title) if form == "html" else _markdown(passages, notes, title)


def annotated(beats: Sequence[StoryBeat]) -> tuple[tuple[Passage, ...], tuple[Footnote, ...]]:
    """The told beats, and the footnotes of all of them, in the order of their numbers."""
    passages: list[Passage] = []
    notes: list[Footnote] = []
    for beat in beats:
        if beat.status == "told":
            message = present(beat, lambda _: None, {})
            before = len(notes)
            notes += [_footnote(before, note) for note in message.notes]
            numbers = [before + number for number in message.numbers]
            passages.append(Passage(message.heading, tuple(zip(message.sentences, numbers, strict=True))))
    return tuple(passages), tuple(notes)


def _footnote(before: int, note: Note) -> Footnote:
    snippets = [
        Source(url=s.source_url, title=s.source_title, publisher=s.publisher, accessed=s.accessed)
        for s in note.snippets
    ]
    return Footnote(before + note.number, note.facts, tuple(dict.fromkeys((*note.sources, *snippets))))


def _markdown(passages: Sequence[Passage], notes: Sequence[Footnote], title: str) -> str:
    lines = [f"# {markdown_text(displayable(title))}"]
    for passage in passages:
        lines.append(f"## {markdown_text(passage.heading)}")
        lines.append(" ".join(f"{markdown_text(said)}[^{number}]" for said, number in passage.sentences))
    lines += [f"[^{note.number}]: {_proof(note)}" for note in notes]
    return "\n\n".join(lines) + "\n"


def _proof(note: Footnote) -> str:
    facts = " ".join(markdown_text(fact) for fact in note.facts)
    return " ".join([facts, *(f"{_cited(source)}." for source in note.sources)])


def _cited(source: Source) -> str:
    url = source.url.replace("<", "%3C").replace(">", "%3E").replace(" ", "%20")
    said = [markdown_text(displayable(part)) for part in (source.title, source.publisher) if part]
    read = f" (read on {markdown_text(source.accessed)})" if source.accessed else ""
    return f"{', '.join([*said, f'<{url}>'])}{read}"


def _html(passages: Sequence[Passage], notes: Sequence[Footnote], title: str) -> str:
    return document(displayable(title), "".join(_body(passages, notes)), narrow=True)


def _body(passages: Sequence[Passage], notes: Sequence[Footnote]) -> Iterator[str]:
    first: set[int] = set()
    for passage in passages:
        said = []
        for text, number in passage.sentences:
            back = "" if number in first else f' id="back{number}"'
            first.add(number)
            mark = f'<sup><a href="#note{number}"{back} aria-label="Note {number}">{number}</a></sup>'
            said.append(f"{escape(text)}{mark}")
        yield f"<h2>{escape(passage.heading)}</h2>\n<p>{' '.join(said)}</p>\n"
    yield '<section aria-labelledby="notes">\n<h2 id="notes">Notes</h2>\n<ol>\n'
    for note in notes:
        cited = "".join(f"<br>{_anchor(source)}" for source in note.sources)
        back = f'<a href="#back{note.number}" aria-label="Back to the text of note {note.number}">↩</a>'
        yield f'<li id="note{note.number}">{escape(" ".join(note.facts))}{cited} {back}</li>\n'
    yield "</ol>\n</section>\n"


def _anchor(source: Source) -> str:
    title = link(source.url, displayable(source.title or source.url))
    publisher = f", {escape(displayable(source.publisher))}" if source.publisher else ""
    return title + publisher + (f", read on {escape(source.accessed)}" if source.accessed else "")
