"""A log for people: as text, and as a page with the story on the left, its facts, sources and queries on the right."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from agent.audit_line import Json
from agent.audit_log import AuditLog
from agent.page import document, link
from agent.presenter import displayable
from agent.recorded import ToldBeat, told_beats
from agent.story import Sentence
from graph_tools.evidence import Source


def text(log: AuditLog) -> str:
    """The log in lines, for a terminal."""
    return "\n".join(map(displayable, _lines(log))) + "\n"


def page(log: AuditLog) -> str:
    """The log as one HTML page."""
    return document(_title(log.head), "".join(_sections(log)))


def _title(head: Json) -> str:
    request = head["request"]
    return f"A {request['length']} story for {request['persona'].capitalize()}, seed {request['seed']}"


def _facts(log: AuditLog) -> Iterator[tuple[str, str]]:
    head, pack = log.head, log.head["pack"]
    narrator = head["narrator"]
    yield "told by", f"cuestory {head['cuestory']}, {narrator['model'] or narrator['kind']}"
    yield "begun", log.lines[0].told.get("timings", {}).get("at", "unknown")
    yield "evidence", f"strategy {head['request']['strategy']}"
    yield "pack", f"{pack['name']} {pack['version']}"
    yield "graph", pack["kg_digest"]
    yield "questions", pack["cqs_digest"]
    yield "snippets", pack["snippets_digest"]
    sealed = f"sealed with the key {log.key}" if log.state == "sealed" else f"{log.state}: {log.fault}"
    yield "seal", f"{sealed} (cuestory audit verify checks it)"


def _beats(log: AuditLog) -> Iterator[tuple[ToldBeat | None, str]]:
    """The beats, and what was chosen between them."""
    beats = {beat.place: beat for beat in told_beats([line.told for line in log.lines])}
    for line in log.lines:
        if line.kind == "beat":
            yield beats[line.told["place"]], ""
        elif line.kind == "choice":
            typed = f"; typed: {line.told['typed']}" if "typed" in line.told else ""
            yield None, f"chosen: {line.told['label'] or _asked(line.told['command'])}{typed}"
        elif line.kind == "offer":
            yield None, "on offer: " + "; ".join(choice["label"] for choice in line.told["choices"][:3])
        elif line.kind == "gap":
            yield None, f"{line.told['lost']} lines could not be written here"
        elif line.kind == "end":
            yield None, f"the end ({line.told['because']})"


def _asked(command: Json) -> str:
    return ", ".join(f"{name} {value}" for name, value in command.items())


def _lines(log: AuditLog) -> Iterator[str]:
    yield _title(log.head)
    yield from (f"  {name:10} {value}" for name, value in _facts(log))
    for beat, between in _beats(log):
        if beat is None:
            yield f"\n-- {between}"
            continue
        yield f"\n{beat.place + 1}. {beat.step}: {beat.heading}"
        if beat.because:
            yield f"   not told: {beat.because}"
        for sentence in beat.sentences:
            yield f"   {sentence.text} [{', '.join(sentence.evidence)}]"
            for factlet in beat.cited(sentence):
                yield f"     {factlet.id}: {factlet.text}"
            yield from (f"     read on {_page(source)}" for source in _sources(beat, sentence))
        for asked in beat.evidence.questions:
            yield f"   asked {asked.cq}: {asked.question} ({asked.total_rows} rows)"


def _sections(log: AuditLog) -> Iterator[str]:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(displayable(value))}</dd>\n" for name, value in _facts(log))
    yield f'<dl class="soft">\n{rows}</dl>\n'
    for beat, between in _beats(log):
        if beat is None:
            yield f'<p class="soft">{escape(displayable(between))}</p>\n'
        else:
            yield _beat(beat)


def _beat(beat: ToldBeat) -> str:
    here = f"b{beat.place}"
    said = "".join(
        f'<p id="{here}s{number}">{escape(displayable(sentence.text))} '
        f'<sup><a href="#{here}e{number}" aria-label="Evidence of sentence {number}">{number}</a></sup></p>\n'
        for number, sentence in enumerate(beat.sentences, start=1)
    )
    if beat.because:
        said += f"<p><em>Not told: {escape(displayable(beat.because))}</em></p>\n"
    proofs = "".join(_proof(beat, sentence, here, number) for number, sentence in enumerate(beat.sentences, start=1))
    queries = "".join(
        f"<h3>{escape(asked.cq)}: {escape(displayable(asked.question))}</h3>\n"
        f'<p class="soft">{asked.total_rows} rows{", not all of them used" if asked.truncated else ""}</p>\n'
        f"<pre>{escape(displayable(asked.query))}</pre>\n"
        for asked in beat.evidence.questions
    )
    words = "The query" if len(beat.evidence.questions) == 1 else "The queries"
    return (
        f'<section class="beat" aria-labelledby="{here}">\n<div>\n'
        f'<p class="soft">{escape(displayable(beat.step))}</p>\n'
        f'<h2 id="{here}">{escape(displayable(beat.heading))}</h2>\n{said}</div>\n<div>\n{proofs}'
        f"<details><summary>{words}</summary>\n{queries}</details>\n</div>\n</section>\n"
    )


def _proof(beat: ToldBeat, sentence: Sentence, here: str, number: int) -> str:
    facts = "".join(f"<li>{escape(displayable(factlet.text))}</li>\n" for factlet in beat.cited(sentence))
    facts += "".join(
        f"<li>{escape(displayable(s.text))}</li>\n" for s in beat.evidence.snippets if s.id in sentence.evidence
    )
    pages = "".join(
        f"<li>{link(source.url, displayable(source.title or source.url))}{escape(displayable(_read(source)))}</li>\n"
        for source in _sources(beat, sentence)
    )
    lines = escape(displayable("\n".join(beat.proof(sentence))))
    return (
        f'<h3 id="{here}e{number}"><a href="#{here}s{number}">Sentence {number}</a></h3>\n<ul>\n{facts}</ul>\n'
        f'<p class="soft">Read on</p>\n<ul>\n{pages}</ul>\n<details><summary>The statements</summary>\n'
        f"<pre>{lines}</pre></details>\n"
    )


def _sources(beat: ToldBeat, sentence: Sentence) -> list[Source]:
    found = [source for factlet in beat.cited(sentence) for source in factlet.sources]
    found += [
        Source(url=s.source_url, title=s.source_title, publisher=s.publisher, accessed=s.accessed)
        for s in beat.evidence.snippets
        if s.id in sentence.evidence
    ]
    return list(dict.fromkeys(found))


def _page(source: Source) -> str:
    return f"{source.title or source.url}{_read(source)} <{source.url}>"


def _read(source: Source) -> str:
    publisher = f", {source.publisher}" if source.publisher else ""
    return publisher + (f", {source.accessed}" if source.accessed else "")
