"""What people read of a recorded story: in the terminal, as a page that needs nothing else, and to take away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt

from agent import visit
from agent.audit_file import AuditFile
from agent.audit_log import AuditLog, open_log
from agent.audit_seal import OperatorKey
from agent.audit_show import page, text
from agent.cli import cli
from agent.context import StoryContext
from agent.footnotes import annotated, taken_away
from agent.page import STYLE, document, link
from agent.replay import tell_straight
from agent.story import Sentence, Story, StoryBeat
from graph_tools.evidence import Asked, EvidencePack, Factlet, Snippet, Source
from graph_tools.plan import StoryRequest

HOSTILE = '<script>alert("x")</script> **bold** [link](http://evil.example) <img src=x> & \u202egnp'
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Reads a page and holds what matters of it."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(source)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data

    def all(self, attribute: str) -> Iterator[str]:
        yield from (value for _, found in self.tags if (value := found.get(attribute)) is not None)


@pytest.fixture(scope="module")
def story(ctx: StoryContext) -> Story:
    return visit.tell_story(StoryRequest(seed=7), ctx)


@pytest.fixture(scope="module")
def log(ctx: StoryContext, tmp_path_factory: pytest.TempPathFactory) -> AuditLog:
    directory = tmp_path_factory.mktemp("log")
    file = AuditFile.create(directory / "a.jsonl", OperatorKey.open(directory), lambda: 1_800_000_000.0)
    tell_straight(StoryRequest(seed=7), ctx, lambda told, seconds: file.add([told], seconds))
    file.seal()
    return open_log(directory / "a.jsonl")


@pytest.fixture
def hostile() -> StoryBeat:
    """A beat whose every text wants to be more than text."""
    source = Source(url='https://a.example/?q="<b>', title=HOSTILE, publisher=HOSTILE, accessed="2026-12-01")
    script = Source(url="javascript:alert(1)", title="no page", accessed="2026-12-01")
    fact = Factlet(id="f1", cq="CQ-X1", text=HOSTILE, values={}, triples=("<a> <b> <c> .",), sources=(source, script))
    asked = Asked(cq="CQ-X1", question=HOSTILE, bindings={}, query=HOSTILE, total_rows=1, truncated=False)
    evidence = EvidencePack(questions=(asked,), factlets=(fact,), kg_digest="")
    return StoryBeat(
        index=0,
        step=HOSTILE,
        status="told",
        sentences=(Sentence(text=HOSTILE, evidence=("f1",)),),
        evidence=evidence,
    )


def holds(source: str) -> Page:
    """The page, checked for what every page of ours has to have."""
    found = Page(source)
    names = [tag for tag, _ in found.tags]
    ids = list(found.all("id"))
    assert len(ids) == len(set(ids))
    assert names.count("h1") == names.count("main") == names.count("title") == 1
    assert not {"script", "img", "iframe", "object", "form", "link"} & {*names}
    assert all(tag != "html" or attributes["lang"] for tag, attributes in found.tags)
    for target in found.all("href"):
        assert target.startswith(("http://", "https://")) or target[1:] in ids, target
    levels = [int(name[1]) for name in names if re.fullmatch(r"h\d", name)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    return found


def test_the_page_has_every_sentence_with_its_facts_sources_statements_and_query(log: AuditLog) -> None:
    source = page(log)
    found = holds(source)
    for line in log.of("beat"):
        evidence = line.told["evidence"]
        factlets = {factlet["id"]: factlet for factlet in evidence["factlets"]}
        for said in line.told["sentences"]:
            assert said["text"] in found.words
            for id_ in said["evidence"]:
                assert factlets[id_]["text"] in found.words
                assert all(statement in found.words for statement in factlets[id_]["triples"])
                assert all(read["url"] in list(found.all("href")) for read in factlets[id_]["sources"])
        assert all(asked["query"] in found.words for asked in evidence["questions"])
    assert log.key in found.words


def test_the_page_is_for_light_and_dark_and_asks_nobody_for_anything() -> None:
    assert "prefers-color-scheme: dark" in STYLE
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    assert "default-src 'none'" in document("t", "")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_can_be_read(scheme: str) -> None:
    blocks = re.findall(r":root \{([^}]*)\}", STYLE)
    colours = dict(re.findall(r"--(\w+): #(\w{6})", blocks[scheme == "dark"]))

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    for name in ("ink", "soft", "link"):
        high, low = sorted((light(colours[name]), light(colours["paper"])), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5, name


def test_a_terminal_shows_the_story_with_its_facts(log: AuditLog) -> None:
    told = text(log)
    for line in log.of("beat"):
        assert all(said["text"] in told for said in line.told["sentences"])
    assert "\x1b" not in told


def test_the_command_writes_the_page(log: AuditLog, tmp_path: Path, ctx: StoryContext) -> None:
    path = tmp_path / "a.jsonl"
    run = CliRunner()
    assert run.invoke(cli, ["tell", "--length", "small", "--audit", str(path)]).exit_code == 0
    assert run.invoke(cli, ["audit", "show", str(path)]).stdout.startswith("A small story for Emma, seed 0\n")
    done = run.invoke(cli, ["audit", "show", str(path), "--html", str(tmp_path / "a.html")])
    assert done.exit_code == 0
    holds((tmp_path / "a.html").read_text(encoding="utf-8"))


def test_no_text_of_a_story_becomes_markup(hostile: StoryBeat) -> None:
    found = holds(taken_away([hostile], HOSTILE, "html"))
    assert '<script>alert("x")</script> **bold**' in found.words
    assert "\u202e" not in found.words
    assert [url for url in found.all("href") if not url.startswith("#")] == ['https://a.example/?q="<b>']
    rendered = MarkdownIt("commonmark").render(taken_away([hostile], HOSTILE, "markdown"))
    assert "<script" not in rendered
    assert "<strong>" not in rendered
    assert "evil.example</a>" not in rendered
    assert "javascript:" not in rendered


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_each_footnote_resolves_to_the_facts_and_pages_of_its_sentence(story: Story, form: str) -> None:
    passages, notes = annotated(story.beats)
    by_number = {note.number: note for note in notes}
    assert [note.number for note in notes] == list(range(1, len(notes) + 1))
    told = [beat for beat in story.beats if beat.status == "told"]
    assert len(passages) == len(told)
    for beat, passage in zip(told, passages, strict=True):
        for sentence, (said, number) in zip(beat.sentences, passage.sentences, strict=True):
            cited = [factlet for factlet in beat.evidence.factlets if factlet.id in sentence.evidence]
            assert said == sentence.text
            assert by_number[number].facts == tuple(factlet.text for factlet in cited)
            urls = {source.url for factlet in cited for source in factlet.sources}
            assert {source.url for source in by_number[number].sources} == urls
    whole = taken_away(story.beats, "A title", form)
    assert any(source.accessed for note in notes for source in note.sources)
    for note in notes:
        assert (f"\n[^{note.number}]: " if form == "markdown" else f'id="note{note.number}"') in whole
        assert all(source.accessed in whole for source in note.sources)
        assert all(source.url.replace("&", "&amp;" if form == "html" else "&") in whole for source in note.sources)


def test_a_snippet_is_cited_with_its_page(hostile: StoryBeat) -> None:
    snippet = Snippet(id="s1", text="It rained.", source_url="https://b.example/rain", source_title="Rain",
                      publisher="B", accessed="2026-12-02", snippet="b-1", cq="CQ-X1", tier=1, spoken="B",
                      entities=())  # fmt: skip
    beat = hostile.model_copy(
        update={
            "sentences": (Sentence(text="It rained.", evidence=("s1",)),),
            "evidence": hostile.evidence.model_copy(update={"snippets": (snippet,)}),
        }
    )
    (note,) = annotated([beat])[1]
    assert note.facts == ("It rained.",)
    assert [source.url for source in note.sources] == ["https://b.example/rain"]
    assert "<https://b.example/rain> (read on 2026-12-02)" in taken_away([beat], "t", "markdown")


def test_a_suppressed_beat_is_not_taken_away(hostile: StoryBeat) -> None:
    silent = StoryBeat(index=1, step="x", status="suppressed", suppressed_because="why", evidence=hostile.evidence)
    assert taken_away([silent], "t", "markdown") == "# t\n"


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_tell_prints_the_story_to_take_away(form: str, tmp_path: Path) -> None:
    run = CliRunner()
    done = run.invoke(cli, ["tell", "--length", "small", "--format", form])
    assert done.exit_code == 0
    assert done.stdout.startswith("# " if form == "markdown" else "<!DOCTYPE html>")
    assert run.invoke(cli, ["tell", "--json", "--format", form]).exit_code == 2


def test_only_web_pages_become_links() -> None:
    assert link("javascript:alert(1)", "<x>") == "&lt;x&gt;"
    assert link("https://a.example/?a=1&b=2", "x") == '<a href="https://a.example/?a=1&amp;b=2" rel="noreferrer">x</a>'
