"""Three stories that nobody should want, made from each story: a measure that cannot tell them apart tells little.

- copier: every line of evidence, printed. No choice, no wording; nothing in it is false.
- shuffled: the story's own sentences, dealt anew over its beats. The evidence stays where it was, and each sentence
  goes on citing the same numbers: true sentences under notes that are not theirs.
- exchanged: the story with its facts exchanged, each figure, title and name for another one of the story. It reads as
  well as the story and is false nearly throughout.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from evaluation.told import Said, Section, ToldStory

_TITLE = re.compile(r"“[^”]+”")
_YEAR = re.compile(r"(?<![\w.])(?:19|20)\d\d(?![\d.,:]\d)")
_TIME = re.compile(r"(?<![\w.])\d+:\d\d")
_FIGURE = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")


def copier(story: ToldStory) -> ToldStory:
    """Its evidence, printed."""
    sections = tuple(
        replace(section, sentences=tuple(Said(_closed(item.text), (item.id,)) for item in section.evidence))
        for section in story.sections
    )
    return _called("copier", story, tuple(section for section in sections if section.sentences))


def shuffled(story: ToldStory) -> ToldStory:
    """Its sentences, dealt anew over its beats."""
    deck = [said for section in story.sections for said in section.sentences]
    _draw("shuffled", story).shuffle(deck)
    sections: list[Section] = []
    for section in story.sections:
        dealt, deck = deck[: len(section.sentences)], deck[len(section.sentences) :]
        sections.append(replace(section, sentences=tuple(_recited(said, section) for said in dealt)))
    return _called("shuffled", story, tuple(sections))


def exchanged(story: ToldStory) -> ToldStory:
    """Its facts, exchanged."""
    draw = _draw("exchanged", story)
    known = {name for section in story.sections for item in section.evidence for names in item.names for name in names}
    proper = sorted((name for name in known if name[:1].isupper()), key=lambda name: (-len(name), name))
    called = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in proper) or r"(?!)")
    kinds = [_TITLE, called, _YEAR, _TIME, _FIGURE]
    found = [sorted(set(kind.findall(story.text))) for kind in kinds]
    every = re.compile("|".join(f"({kind.pattern})" for kind in kinds))

    def other(match: re.Match[str]) -> str:
        others = [one for one in found[(match.lastindex or 1) - 1] if one != match[0]]
        return draw.choice(others) if others else match[0]

    sections = tuple(
        replace(section, sentences=tuple(replace(said, text=every.sub(other, said.text)) for said in section.sentences))
        for section in story.sections
    )
    return _called("exchanged", story, sections)


BASELINES: dict[str, Callable[[ToldStory], ToldStory]] = {
    "copier": copier,
    "shuffled": shuffled,
    "exchanged": exchanged,
}


def _recited(said: Said, section: Section) -> Said:
    """The sentence over this section's evidence: the same numbers where they exist, else the first."""
    known = [item.id for item in section.evidence]
    kept = tuple(id_ for id_ in said.cites if id_ in known)
    return replace(said, cites=kept or tuple(known[:1]))


def _draw(name: str, story: ToldStory) -> Random:
    key = story.key
    return Random(f"{name}|{key.persona}|{key.length}|{key.strategy}|{key.seed}")


def _called(name: str, story: ToldStory, sections: tuple[Section, ...]) -> ToldStory:
    return ToldStory(replace(story.key, system=name), sections, story.suppressed)


def _closed(text: str) -> str:
    return text if text.endswith((".", "!", "?", ".”", "!”", "?”")) else f"{text}."
