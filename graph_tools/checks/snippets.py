"""Snippets: a claim says no more than its snippet, a sentence names the page's own source, and a note stays short."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graph_tools.errors import Problem
from graph_tools.lexicon import tokens
from graph_tools.pack import StoryPack
from graph_tools.snippet import VettedSnippet
from graph_tools.snippet_file import FOLDER
from graph_tools.template import read_text
from graph_tools.toml_source import Path, TomlSource, read_toml

MOST_WORDS = 120
"""Words of a snippet at most: a note, not a copy of the page."""


def snippet_problems(pack: StoryPack) -> Iterator[Problem]:
    """Names and figures of claims that their snippet has not; sources named otherwise; long notes; what nobody gets."""
    held = {snippet.id: snippet for snippet in pack.snippets.held}
    if held and not any(template.cq.enrich for template in pack.library.values()):
        cause = "no question has `enrich = true`, so that no snippet is ever told"
        yield Problem(FOLDER, None, cause, "write it into the questions that snippets help to answer", "snippet-idle")
    for path in sorted((pack.root / FOLDER).glob("*.toml")) if held else []:
        file = path.relative_to(pack.root).as_posix()
        source = read_toml(read_text(path, file), file)
        entries = source.data.get("snippet") if isinstance(source, TomlSource) else None
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            snippet = held.get(str(entry.get("id"))) if isinstance(entry, dict) else None
            if snippet is not None and isinstance(source, TomlSource):
                yield from _faults(snippet, ("snippet", index), source)


def _faults(snippet: VettedSnippet, at: Path, source: TomlSource) -> Iterator[Problem]:
    known = {token.text for token in tokens(snippet.text)}
    for number, claim in enumerate(snippet.claims):
        beyond = [t.text for t in tokens(claim.says) if (t.capital or t.text[:1].isdigit()) and t.text not in known]
        if beyond:
            cause = f"the claim names {beyond[0]!r}, which its snippet does not"
            found = source.problem((*at, "claim", number, "says"), cause, "say it in the text too, or leave it out")
            yield replace(found, rule="snippet-beyond")
    page = "".join(token.text for token in tokens(f"{snippet.publisher} {snippet.source_title} {snippet.source_url}"))
    strange = [token.text for token in tokens(snippet.spoken) if token.capital and token.text not in page]
    if strange:
        cause = f"a sentence would name {strange[0]!r}, which the page's publisher and title do not"
        yield replace(source.problem((*at, "spoken"), cause, "name the page's own source"), rule="snippet-spoken")
    words = len(snippet.text.split())
    if words > MOST_WORDS:
        cause = f"it has {words:,} words, more than {MOST_WORDS}"
        remedy = "note what matters in your own words, in several snippets if need be"
        yield replace(source.problem((*at, "text"), cause, remedy), rule="snippet-long")
