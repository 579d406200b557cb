"""What is missing of a quoted clause, and what stands in its place: a sentence may shorten a clause, not bend it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graph_tools.grounding.clauses import Named, Restated
from graph_tools.grounding.text import Reader, Word, fold
from graph_tools.grounding.verdict import Reason

KEPT = 0.5
"""Share of the words of a piece of the clause that have to stand."""


def bent(folded: str, found: Sequence[Restated], named: Sequence[Named], reader: Reader) -> list[Reason]:
    """What is missing of the clauses that the sentence restates, and what is put in its place. `named`: all that the
    sentence names."""
    reasons = list(_replaced(folded, found, named))
    for clause in dict.fromkeys(one.clause for one in found):
        said = " ".join(folded[one.start : one.end] for one in found if one.clause is clause)
        for kind, words, before in clause.hedges:
            stands = any(pattern.search(said) for pattern in reader.hedges[kind])
            if not stands and re.search(rf"(?<!\w){re.escape(before)}(?!\w)", said):
                reasons.append(Reason("hedge", words, f"has to stand: {clause.text}"))
    for clause in dict.fromkeys(one.clause for one in found):
        used = {place for one in found if one.clause is clause for place in one.used}
        touched = {clause.chunks[place] for place in used}
        whole = [place for place, chunk in enumerate(clause.chunks) if chunk in touched]
        for place in whole:
            word = clause.words[place]
            if place not in used and _weighs(word, reader):
                reasons.append(Reason("clause", "", f"{word.text.split(':')[-1]!r} has to stand: {clause.text}"))
        for chunk in sorted(touched):
            its = [place for place in whole if clause.chunks[place] == chunk]
            if len([place for place in its if place in used]) < KEPT * len(its):
                reasons.append(Reason("clause", "", f"too little is left of: {clause.text}"))
        # Who said so stands in a piece of its own as often as not.
        for place, word in enumerate(clause.words):
            if place not in used and clause.chunks[place] not in touched and word.canon in reader.reports:
                reasons.append(Reason("clause", "", f"{word.text.split(':')[-1]!r} has to stand: {clause.text}"))
    return reasons


def _replaced(folded: str, found: Sequence[Restated], named: Sequence[Named]) -> Iterator[Reason]:
    """Names beside a clause that stand where it has another: "For X, ..." for its "For Y, ...", "X, B and C did" """
    for clause in dict.fromkeys(one.clause for one in found):
        pieces = [one for one in found if one.clause is clause]
        used = {place for one in pieces for place in one.used}
        left = {clause.words[place].text.partition(":")[0] for place in clause.names - used
                if ":" in clause.words[place].text}  # fmt: skip
        told = fold(clause.text)
        for name in named:
            if any(one.start <= name.start < one.end for one in found) or any(form in told for form in name.forms):
                continue
            ahead = re.findall(r"\w+", folded[: name.start].removesuffix("the "))[-1:]
            listed = re.match(r",\s*", folded[name.end :])
            next_ = name.end + listed.end() if listed else -1
            first = not folded[: name.start].strip() and any(one.start == next_ for one in pieces)
            if (ahead and ahead[0] in left) or first:
                yield Reason("clause", folded[name.start : name.end], f"it does not stand in: {clause.text}")


def _weighs(word: Word, reader: Reader) -> bool:
    word = Word(word.text.split(":")[-1], word.canon, word.start, word.end)
    kind = reader.kind(word)
    return bool(kind and kind != "order") or word.text[0].isdigit() or word.canon in reader.reports
