"""What visitors read and say of questions: no name of the machine in it, no two of them in the same words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graph_tools.checks.findings import finding
from graph_tools.entities import fold
from graph_tools.errors import Problem
from graph_tools.pack import StoryPack
from graph_tools.template import Template
from graph_tools.toml_source import Path

_SLOT = re.compile(r"\{[^{}]*\}")
_LEAK = re.compile(
    r"[?$]\w+|\[\w[^\]]*\]|\w+://\S+|\b\w+:\w+\b(?<!\d)|\b[a-z]+[A-Z]\w*|\b\w+_\w+\b|\b(?:None|nan|null|undefined)\b"
)
"""Variables, parameters, placeholders, addresses, prefixed names, glued words, and what programs print for nothing."""


def wording_problems(pack: StoryPack, *, whole: bool) -> Iterator[Problem]:
    """Names of the machine outside slots; questions that do not say whom they are about; words that two share.

    `whole`: the pack's defaults could be read, so that it is known what binds itself."""
    asked: dict[str, str] = {}
    for template in pack.library.values():
        yield from _leaks(template, pack)
        yield from _unnamed(template, pack) if whole else ()
        yield from _shared(template, pack, asked)


def _texts(template: Template) -> Iterator[tuple[Path, str]]:
    """Every text of a header that a visitor may read."""
    cq = template.cq
    yield ("question",), cq.question
    yield from ((("paraphrases", index), text) for index, text in enumerate(cq.paraphrases))
    for index, text in enumerate(cq.factlet_wordings):
        yield (("factlet",) if isinstance(cq.factlet, str) else ("factlet", index)), text
    for key, table in (("hook", cq.hook), ("answer", cq.answer), ("lead_in", cq.lead_in)):
        for persona, texts in table.items():
            yield from (((key, persona, index), text) for index, text in enumerate(texts))
    for index, telling in enumerate(cq.telling):
        yield ("telling", index, "item"), telling.item
        yield from ((("telling", index, "say", number), text) for number, text in enumerate(telling.say))


def leaks(text: str, pack: StoryPack) -> tuple[str, ...]:
    """Names of the machine in a wording outside its slots, without those that people do write so."""
    return tuple(found for found in _LEAK.findall(_SLOT.sub(" ", text)) if found not in pack.checks.written_so)


def _leaks(template: Template, pack: StoryPack) -> Iterator[Problem]:
    for place, text in _texts(template):
        for found in leaks(text, pack):
            cause = f"{found!r} would be read out as it stands"
            yield finding(pack, template, place, "wording-leak", (cause, "write it as people say it, or as a slot"))


def _unnamed(template: Template, pack: StoryPack) -> Iterator[Problem]:
    """A button has to say whom it is about."""
    for name in template.cq.parameters:
        if name not in pack.defaults and not re.search(rf"\{{{name}\b", template.cq.question):
            cause = f"the question does not name {name!r}, which nothing binds by itself"
            yield finding(pack, template, ("question",), "question-slot", (cause, f"use the slot {{{name}}}"))


def _shared(template: Template, pack: StoryPack, asked: dict[str, str]) -> Iterator[Problem]:
    own: set[str] = set()
    for place, text in _texts(template):
        if place[0] not in ("question", "paraphrases"):
            return
        plain = " ".join(re.findall(r"[\w{}|]+", fold(text)))
        other = asked.setdefault(plain, template.cq.id)
        if plain in own or other != template.cq.id:
            cause = f"{text!r} stands here twice" if plain in own else f"{text!r} asks for {other} too"
            yield finding(pack, template, place, "paraphrase-shared", (cause, "word one of them otherwise"))
        own.add(plain)
