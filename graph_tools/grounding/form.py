"""What no sentence for a visitor looks like: markup, links, ids, names of variables, whole pages, nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from graph_tools.grounding.verdict import Reason

MOST_CHARACTERS = 600
"""No sentence of a story is nearly as long."""

_FAULTS = (
    ("a link", re.compile(r"(?i)\b(?:https?|ftp|file|javascript|data|mailto|urn)\s*:|\bwww\.|//")),
    ("Markdown", re.compile(r"!?\[[^\]]*\]\s*[\(\[]|[*_~`|#]{2,}|`|^\s*(?:[#>*+-]|\d+[.)])\s")),
    ("Markdown", re.compile(r"(?<!\w)[*_]\w[^*_]*[*_](?!\w)")),
    ("HTML", re.compile(r"<[^>]*>|</|&(?:#\w+|[a-z]+);|<\s*[a-zA-Z!]")),
    ("an id of evidence", re.compile(r"(?i)(?<!\w)(?:[fst]\d+|CQ-\w+|Q\d{2,})(?!\w)|\[\s*[fst]?\d+\s*\]")),
    ("a variable", re.compile(r"[?$][A-Za-z_]\w*|\{[^}]*\}?|\b[a-z]+[A-Z]\w*\b(?<!McC)|\b\w+_\w+\b")),
    ("a prefixed name", re.compile(r"\b[a-z]{2,8}:[A-Za-z]\w+")),
    ("a lost value", re.compile(r"(?<!\w)(?:None|NaN|null|undefined|n/a)(?!\w)")),
    ("doubled punctuation", re.compile(r",\s*,|;\s*;|(?<!\.)\.\.(?!\.)|!!|\?\?")),
)  # fmt: skip


def faults(text: str, masked: str) -> Iterator[Reason]:
    """What is wrong with the form of a text; `masked` is the text with what the evidence itself spells blotted out."""
    if not text.strip():
        yield Reason("form", "", "there is no sentence")
        return
    if len(text) > MOST_CHARACTERS:
        yield Reason("form", text[:40], f"longer than {MOST_CHARACTERS} characters")
        return
    for name, pattern in _FAULTS:
        if found := pattern.search(masked):
            yield Reason("form", found.group().strip()[:40], name)
    strange = next((c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn")), None)
    if strange is not None:
        yield Reason("form", f"U+{ord(strange):04X}", "a character that cannot be seen")
