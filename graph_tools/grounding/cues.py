"""How a name stands in a sentence: what it does, what is done to it, and what comes before what.

The same reading is made of wordings, whose slots say who is who, and of sentences, which have to agree with them. The
rules are those of English; a language without such words simply has no cues, and roles stay unproved in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from graph_tools.grounding.text import Reader, Word

_AUXILIARIES = frozenset({"was", "were", "is", "are", "been", "be", "being"})
_ELSEWHERE = frozenset({"and", "but", "while", "whereas", "which", "who", "whose", "where", "when"})
"""Words behind which another clause begins."""
_BREAKS = frozenset({";", ":", ".", "but"})
_SEQUENCE = frozenset({"after", "before", "then", "next", "until", "later", "earlier", "afterwards", "once"})
_ARTICLES = frozenset({"the", "a", "an", '"', "'"})
_INVERTED = frozenset({"came", "comes", "stood", "stands"})
_SIDES = ("after", "before")
_PRONOUNS = frozenset({"it", "him", "her", "them", "that"})
_PARTICIPLE = re.compile(r"(?:ed|en|wn|ung|orn|ought|ound|eld|ept|old|un)$")


@dataclass(frozen=True, slots=True)
class Node:
    """A word, or a value: a slot of a wording or a mention of a sentence."""

    name: str
    """The slot, or an id of the mention; "" for a word."""
    word: Word | None = None
    listed: bool = False
    possessive: bool = False


def cues(nodes: Sequence[Node], reader: Reader) -> dict[str, set[str]]:
    """Name -> its cues: "R:join" joins, "L:join:" is joined, "'s:set" has a set, "P:at" stands after "at",
    "O:after" stands after "after", "T:after" came after it."""
    found: dict[str, set[str]] = {}
    for at, node in enumerate(nodes):
        if node.name:
            found.setdefault(node.name, set()).update(_right(nodes, at, reader), _left(nodes, at, reader))
            found[node.name].update(_sequence(nodes, at))
    return found


def _right(nodes: Sequence[Node], at: int, reader: Reader) -> set[str]:
    following = nodes[at + 1].word if at + 1 < len(nodes) else None
    possessive = nodes[at].possessive or (following is not None and following.text in ("'s", "'"))
    words = [word for word in _words(nodes[at + 1 :]) if word.text != "'s"]
    content = next((n for n, word in enumerate(words) if _counts(word, reader)), None)
    owns = words[:1] and words[0].text in ("has", "have", "had") and [w.text for w in words[1:2]] != ["been"]
    if owns and not possessive:
        own = {f"'s:{word.canon}" for whose, word in pairwise(words) if whose.text in ("his", "her", "their", "its")}
        return {"R:have"} | own | ({f"R:{words[content].canon}"} if content is not None else set())
    if content is None:
        return {"R:be"} if words and words[0].text in _AUXILIARIES else set()
    canon = words[content].canon
    if possessive:
        return {f"'s:{canon}"}
    auxiliary = any(word.text in _AUXILIARIES for word in words[:content])
    passive = any(word.text == "by" for word in words[content:]) or _PARTICIPLE.search(words[content].text)
    if auxiliary and passive:
        return {f"L:{canon}:"}
    return {f"R:{canon}"}


def _left(nodes: Sequence[Node], at: int, reader: Reader) -> set[str]:
    words = _words(list(reversed(nodes[:at])))
    found: set[str] = set()
    preposition = next((word.text for word in words[:3] if word.text in reader.prepositions), "")
    if preposition:
        found.add(f"P:{preposition}")
    content = next((n for n, word in enumerate(words) if _counts(word, reader)), None)
    if content is None:
        return found
    canon = words[content].canon
    if words[content].text in _INVERTED and all(word.text in ("the", "a", "an") for word in words[:content]):
        found.add(f"R:{canon}")  # "in 1985 came ..."
    auxiliary = any(word.text in _AUXILIARIES for word in words[content + 1 : content + 4])
    if preposition == "by" and auxiliary:
        found.add(f"R:{canon}")
    elif auxiliary and not preposition:
        found.add(f"L:{canon}:be")
    else:
        found.add(f"L:{canon}:{preposition}")
    return found


def ahead(nodes: Sequence[Node], at: int) -> str:
    """The word that stands before a place, but for articles and quotes; "" where none does."""
    for node in reversed(nodes[:at]):
        if node.word is None or node.word.text not in _ARTICLES:
            return node.word.text if node.word else ""
    return ""


def copulas(nodes: Sequence[Node], reader: Reader) -> set[tuple[str, str]]:
    """Pairs of names of which the text says that the first is the second: "{event} was a {kind}"."""
    found: set[tuple[str, str]] = set()
    places = [at for at, node in enumerate(nodes) if node.name]
    for one, other in pairwise(places):
        between = [n.word for n in nodes[one + 1 : other] if n.word]
        if ahead(nodes, one) in reader.prepositions:
            continue
        if (
            between
            and between[0].text in _AUXILIARIES
            and all(reader.is_free(w) and not w.is_mark and w.text not in reader.prepositions for w in between)
        ):
            found.add((nodes[one].name, nodes[other].name))
    return found


def _sequence(nodes: Sequence[Node], at: int) -> set[str]:
    lead = next((w.text for w in _words(list(reversed(nodes[:at]))) if w.text != "the"), "")
    found = {f"O:{lead}"} if lead in _SIDES else set()
    following = [word.text for word in _words(nodes[at + 1 :])]
    for side, whom in pairwise(following):
        if side in _SIDES and whom in _PRONOUNS:
            found.add(f"T:{side}")
    return found


def _counts(word: Word, reader: Reader) -> bool:
    """True where the word itself says what is done: "both", "only" and the like do not."""
    return not reader.is_free(word) and reader.kind(word) in ("", "order") and word.text not in _SEQUENCE


def _words(nodes: Sequence[Node]) -> list[Word]:
    """The words up to the next value or mark."""
    found: list[Word] = []
    for node in nodes:
        if node.word is None or node.word.text in _ELSEWHERE or (node.word.is_mark and node.word.text not in "\"'"):
            break
        if not node.word.is_mark:
            found.append(node.word)
    return found


def order_of(nodes: Sequence[Node]) -> set[tuple[str, str]]:
    """Pairs of names of which the text says that the first comes before the second."""
    places = [at for at, node in enumerate(nodes) if node.name]
    found: set[tuple[str, str]] = set()
    for number, (one, other) in enumerate(pairwise(places)):
        begin = places[number - 1] + 1 if number else 0
        before = [n.word.text for n in nodes[begin:one] if n.word]
        between = [n.word.text for n in nodes[one + 1 : other] if n.word]
        if any(mark in between for mark in "."):
            continue
        a, b = nodes[one].name, nodes[other].name
        found |= _relation(a, b, before, between)
        if before and before[-1] == "between" and number:
            subject = nodes[places[number - 1]].name
            found |= {(a, subject), (subject, b)}
        elif "between" in before and not number and number + 2 < len(places):
            subject = nodes[places[number + 2]].name
            found |= {(a, subject), (subject, b)}
    for at in places:
        lead = next((n.word.text for n in reversed(nodes[:at]) if n.word and n.word.text not in ("the", '"')), "")
        if lead in ("after", "before", "once"):  # of whatever else is named in the clause
            for place in places:
                low, high = sorted((at, place))
                if not any(n.word and n.word.text in _BREAKS for n in nodes[low:high]):
                    pair = (nodes[at].name, nodes[place].name)
                    found.add(pair[::-1] if lead == "before" else pair)
    return {(one, other) for one, other in found if one != other}


def _relation(a: str, b: str, before: list[str], between: list[str]) -> set[tuple[str, str]]:
    text = " ".join(between)
    for earlier_first in ("followed by", "made way for", "gave way to", "preceded"):
        if earlier_first in text and "preceded by" not in text:
            return {(a, b)}
    if "preceded by" in text or "followed" in between or "follows" in between or "following" in between:
        return {(b, a)}
    if "between" in between:
        return set()
    if "after" in between:
        return {(b, a)}
    if "before" in between or "then" in between or "next" in between or "afterwards" in between or "after it" in text:
        return {(a, b)}
    if set(between) & {";", ":"}:
        return set()
    lead = before[-3:]
    if "after" in lead or "once" in before or ("from" in lead and "to" in between):
        return {(a, b)}
    if "before" in lead:
        return {(b, a)}
    return set()


def closure(pairs: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """The pairs and what follows from them."""
    found = set(pairs)
    while True:
        more = {(a, d) for a, b in found for c, d in found if b == c and a != d} - found
        if not more:
            return frozenset(found)
        found |= more
