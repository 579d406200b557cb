"""The six failure modes of the paper's Appendix 0.A.4, each counted by a rule that anybody can recompute.

Pure functions over what was said and what it rests on. They find faults of style and of binding, not untruth: a text
without a finding may still be false. The paper describes the modes in words; the thresholds here are ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

from agent.story import StoryBeat

Kind = Literal["alias leakage", "fusion", "tail facts", "mechanical lists", "table-to-text", "repetition"]
KINDS: tuple[Kind, ...] = get_args(Kind)

ITEMS = 6
"""From so many items on a list is read out rather than told."""
ITEM_WORDS = 5
REPEATED = 0.6
"""Jaccard similarity of content words from which a sentence repeats an earlier one."""
OWN_WORDS = 2
"""Words of one row alone from which that row counts as told."""

_VARIABLE = re.compile(r"(?<!\w)\?[A-Za-z_]\w*|\b(?:https?|urn):\S+|\b[a-z]{2,8}:[A-Za-z]\w+|\w+::\w+")
_LOWER_CAMEL = re.compile(r"\b[a-z]+[a-z0-9]*[A-Z]\w*")
_UPPER_CAMEL = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\d*\b")
_ARTEFACT = re.compile(r"[.,;]\s*[,;]|\.\s+,|\s[,;.]|(?<!\.)\.\.(?!\.)|\n|,\s*$")
_RIGID = re.compile(
    r"\b(?:had|has|have|is|was|were|are)\b[^.]{0,30}\bnamed (?=[A-Z“\"])|'s [a-z]+[A-Z]\w* (?:was|is)\b"
)
_WORD = re.compile(r"[^\W\d_][^\W\d_'’-]*")
_NAME = re.compile(r"“[^”]+”|[A-Z][\w'’.&-]*(?: (?:[A-Z][\w'’.&-]*|of|the)(?= [A-Z])| [A-Z][\w'’.&-]*)*")
_THING = re.compile(r"<([^>]*)>")
_FUNCTION_WORDS = """
a about after all also although among an and another as at because before behind both but by during each every
few for from he her here his how if in it its later many more most no not of on once one only or other she
since so some that the their then there these they this those though three to two until was were what when
where which while who why with without
"""
_OPENERS = frozenset(_FUNCTION_WORDS.split())
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence with the ids of what it cites; none where the system does not cite."""

    text: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """One piece of evidence."""

    text: str
    triples: tuple[str, ...] = ()
    """N-Triples statements."""
    source: str = ""
    """Who published it: a sentence may name them."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One beat as it was told."""

    lines: tuple[Line, ...]
    grounds: Mapping[str, Ground]

    @classmethod
    def of(cls, beat: StoryBeat) -> Spoken:
        """A beat in hand."""
        pack = beat.evidence
        return cls(
            tuple(Line(sentence.text, sentence.evidence) for sentence in beat.sentences),
            {
                item.id: Ground(item.text, item.triples, " ".join(source.publisher for source in item.sources))
                for item in pack.factlets
            }
            | {item.id: Ground(item.text, source=item.publisher) for item in pack.snippets},
        )

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> Spoken:
        """A beat of a story file."""
        return cls(
            tuple(Line(sentence["text"], tuple(sentence["evidence"])) for sentence in form["sentences"]),
            {
                item["id"]: Ground(
                    item["text"], tuple(item["triples"]), " ".join(source["publisher"] for source in item["sources"])
                )
                for item in form["factlets"]
            }
            | {item["id"]: Ground(item["text"], source=item["publisher"]) for item in form.get("snippets", ())},
        )


@dataclass(frozen=True, slots=True)
class Defect:
    """One finding."""

    kind: Kind
    beat: int
    sentence: int
    """Its place in the beat, from 0."""
    what: str
    """The words that show it."""


def defects(beats: Iterable[Spoken]) -> tuple[Defect, ...]:
    """Every finding in a story, in order. A sentence has at most one of each kind."""
    story = tuple(beats)
    grounds = tuple(ground for beat in story for ground in beat.grounds.values())
    earlier: list[str] = []
    found: list[Defect] = []
    for place, beat in enumerate(story):
        for number, what in enumerate(_in_beat(beat, grounds)):
            found += [Defect(kind, place, number, words) for kind, words in what.items()]
        for number, line in enumerate(beat.lines):
            if twin := repeated(line.text, earlier):
                found.append(Defect("repetition", place, number, twin))
            earlier.append(line.text)
    return tuple(sorted(found, key=lambda defect: (defect.beat, defect.sentence, KINDS.index(defect.kind))))


def counts(beats: Iterable[Spoken]) -> dict[Kind, int]:
    """Kind -> sentences that show it; every kind is there."""
    found = Counter(defect.kind for defect in defects(beats))
    return {kind: found[kind] for kind in KINDS}


def leaked_alias(text: str, grounds: Iterable[Ground]) -> str:
    """A variable, prefixed name, address or camel-cased identifier that no evidence spells so; "" for none."""
    if match := _VARIABLE.search(text):
        return match[0]
    known = " ".join(f"{ground.text} {ground.source}" for ground in grounds)
    for pattern in (_LOWER_CAMEL, _UPPER_CAMEL):
        for match in pattern.finditer(text):
            if match[0] not in known:
                return match[0]
    return ""


def fused(line: Line, grounds: Mapping[str, Ground]) -> str:
    """Words of a row that is told together with another row without naming whom it is about; "" where there is none.

    A row is told where two of its own words, which no other cited row has, stand in the sentence. It is about the names
    that not every cited row has."""
    rows = [grounds[id_] for id_ in (line.cites or tuple(grounds)) if id_ in grounds]
    texts = list(dict.fromkeys(row.text for row in rows))
    if len(texts) < 2:
        return ""
    said = _words(line.text)
    frequency = Counter(word for text in texts for word in _words(text))
    names = [frozenset(_words(name) for name in _names(text)) for text in texts]
    everybody = frozenset.intersection(*names)
    told: list[tuple[str, bool]] = []
    for text, called in zip(texts, names, strict=True):
        own = {word for word in _words(text) if frequency[word] == 1}
        distinct = called - everybody
        theirs = own & said - frozenset(word for name in distinct for word in name)
        if len(theirs) >= OWN_WORDS and distinct:
            told.append((" ".join(sorted(theirs)), any(name & said for name in distinct)))
    if len(told) < 2:
        return ""
    return next((words for words, is_named in told if not is_named), "")


def tail_fact(beat: Spoken) -> str:
    """The last sentence, where its evidence has no thing and itself no name in common with the others; else ""."""
    if len(beat.lines) < 2:
        return ""
    *before, last = beat.lines
    if not last.cites or not all(line.cites for line in before):
        return ""
    here, there = _things(last, beat.grounds), frozenset().union(*(_things(line, beat.grounds) for line in before))
    names = _name_words(last.text) & frozenset().union(*(_name_words(line.text) for line in before))
    return "" if here & there or names or not (here and there) else last.text


def mechanical_list(text: str) -> str:
    """A run of short items, each a name, a title or a figure, or the debris of a joined field; "" where there is none.

    The first item hangs on the words before it, so it is not looked at."""
    if match := _ARTEFACT.search(text):
        return text[max(0, match.start() - 12) : match.end() + 12]
    run: list[str] = []
    for item in re.split(r"[,;]|\band\b", text)[1:]:
        bare = item.strip(' .“”"')
        listed = 0 < len(bare.split()) <= ITEM_WORDS and (bare[0].isupper() or bare[0].isdigit() or "“" in item)
        run = [*run, bare] if listed else [] if bare else run
        if len(run) >= ITEMS - 1:
            return ", ".join(run)
    return ""


def table_to_text(text: str, before: str = "") -> str:
    """A rigid pattern ("a location named X"), or a start with the very name at which the sentence before ended."""
    if match := _RIGID.search(text):
        return match[0].strip()
    ends = [name.rstrip(".") for name in _names(before.rstrip(".!?”"))[-1:]]
    if ends and len(ends[0].split()) > 1 and before.rstrip(" .!?”").endswith(ends[0].rstrip("”")):
        return ends[0] if text.startswith(ends[0]) else ""
    return ""


def repeated(text: str, earlier: Sequence[str]) -> str:
    """The earlier sentence that says nearly the same words; "" where there is none."""
    here = _words(text)
    for other in earlier:
        there = _words(other)
        union = len(here | there)
        if text == other or (union and len(here & there) / union >= REPEATED):
            return other
    return ""


def _in_beat(beat: Spoken, grounds: Sequence[Ground]) -> Iterator[dict[Kind, str]]:
    """What each sentence of a beat shows; `grounds`: the evidence of the whole story."""
    before = ["", *(line.text for line in beat.lines)]
    tail = tail_fact(beat)
    for number, line in enumerate(beat.lines):
        found: dict[Kind, str] = {
            "alias leakage": leaked_alias(line.text, grounds),
            "fusion": fused(line, beat.grounds),
            "tail facts": tail if number == len(beat.lines) - 1 else "",
            "mechanical lists": mechanical_list(line.text),
            "table-to-text": table_to_text(line.text, before[number]),
        }
        yield {kind: what for kind, what in found.items() if what}


@lru_cache(10_000)
def _words(text: str) -> frozenset[str]:
    """Words of four letters and more, in lower case, without a possessive ending."""
    found = (re.sub(r"['’]s?$", "", word.lower()) for word in _WORD.findall(text))
    return frozenset(word for word in found if len(word) > 3)


def _names(text: str) -> list[str]:
    """Quoted titles and capitalised runs; a function word that opens the text is none."""
    found = _NAME.finditer(text)
    return [match[0] for match in found if match.start() > 0 or match[0].lower() not in _OPENERS]


def _name_words(text: str) -> frozenset[str]:
    return frozenset(word for name in _names(text) for word in _words(name))


def _things(line: Line, grounds: Mapping[str, Ground]) -> frozenset[str]:
    """IRIs that its evidence is about; the names in its words where that has no statements."""
    cited = [grounds[id_] for id_ in line.cites if id_ in grounds]
    things: set[str] = set()
    for ground in cited:
        for triple in ground.triples:
            subject, predicate, rest = triple.split(" ", 2)
            things.add(subject)
            if rest.startswith("<") and predicate != _TYPE:
                things |= {f"<{iri}>" for iri in _THING.findall(rest)}
    return frozenset(things) or frozenset(word for ground in cited for word in _name_words(ground.text))
