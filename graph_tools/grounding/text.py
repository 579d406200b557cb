"""How the gate reads a text: folded letters, words with their places, sentences of any script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from graph_tools.gate_words import GateWords

_FOLD = str.maketrans(dict.fromkeys("‘’‛′`´", "'") | dict.fromkeys("“”„″«»", '"') | dict.fromkeys("‐‑−", "-"))
_TOKEN = re.compile(r"'s\b|[^\W_]+(?:['.,][^\W_]+)*(?:-[^\W_]+)*|[^\w\s]")
_IZE = re.compile(r"(?<=[a-z]{3})iz(?=(?:e|es|ed|er|ers|ing|ation|ations)$)")
"""Both spellings of a word are one: organize, organise."""
_STEMMERS = {"da": "danish", "de": "german", "en": "english", "es": "spanish", "fr": "french", "it": "italian"}
_STEMMERS |= {"nl": "dutch", "no": "norwegian", "pt": "portuguese", "sv": "swedish"}


def fold(text: str) -> str:
    """The text in plain quotes and hyphens and without letter case, letter for letter: places stay what they are."""
    plain = text.translate(_FOLD)
    lowered = plain.lower()
    return lowered if len(lowered) == len(plain) else "".join(c.lower() if len(c.lower()) == 1 else c for c in plain)


@dataclass(frozen=True, slots=True)
class Word:
    """One word or mark of a text."""

    text: str
    """Folded."""
    canon: str
    """What it is compared by: the list of synonyms it stands in, or its stem."""
    start: int
    end: int
    capital: bool = False

    @property
    def is_mark(self) -> bool:
        """True for punctuation."""
        return not self.text[0].isalnum() and self.text != "'s"


class Reader:
    """Reads words by the gate's word lists."""

    def __init__(self, words: GateWords, language: str) -> None:
        self.words = words
        self.free = frozenset(words.free) | frozenset(words.prepositions)
        self.prepositions = frozenset(words.prepositions)
        self._language = _STEMMERS.get(language.split("-")[0], "")
        self._stems: dict[str, str] = {}
        self._stem = self._no_stem
        self._classes: dict[str, str] = {}
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for number, group in enumerate(words.same):
            for word in group:
                if " " in word:
                    first, *rest = word.split()
                    self._phrases.setdefault(first, []).append((tuple(rest), f"={number}"))
                else:
                    self._classes[word] = self._classes.setdefault(self.stem(word), f"={number}")
        for longest_first in self._phrases.values():
            longest_first.sort(key=lambda phrase: (-len(phrase[0]), phrase))
        kinds = ("negation", "quantity", "cause", "modal", "order")
        self.kinds: dict[str, str] = {word: kind for kind in kinds for word in getattr(words, kind)}
        self.kinds |= {
            word: "hedge" for group in words.hedges.values() for phrase in group for word in phrase.split()
            if word not in self.free
        }  # fmt: skip
        self.reports = frozenset(self.canon(word) for word in words.reports)
        self.hedges = {
            kind: tuple(re.compile(rf"(?<!\w){re.escape(p)}(?!\w)") for p in group)
            for kind, group in words.hedges.items()
        }

    def _no_stem(self, word: str) -> str:
        return word

    def stem(self, word: str) -> str:
        """A folded word without its ending, where the language has a stemmer."""
        known = self._stems.get(word)
        if known is None:
            if self._language:
                import snowballstemmer  # of all languages, a fifth of a second: only once a sentence is read

                self._stem = snowballstemmer.stemmer(self._language).stemWord
                self._language = ""
            known = self._stems[word] = str(self._stem(_IZE.sub("is", word)))
        return known

    def canon(self, word: str) -> str:
        """What a folded word is compared by."""
        found = self._classes.get(word)
        if found is None:
            stem = self.stem(word)
            found = self._classes.get(stem, stem)
        return found

    def read(self, folded: str, original: str | None = None, offset: int = 0) -> Iterator[Word]:
        """The words and marks of a folded text, phrases that mean one thing as one word; `original` gives the capitals,
        `offset` is added to the places."""
        words = list(self._read(folded, original, offset))
        at = 0
        while at < len(words):
            for rest, canon in self._phrases.get(words[at].text, ()):
                last = at + len(rest)
                if tuple(word.text for word in words[at + 1 : last + 1]) == rest:
                    yield replace(words[at], text=" ".join((words[at].text, *rest)), canon=canon, end=words[last].end)
                    at = last
                    break
            else:
                yield words[at]
            at += 1

    def _read(self, folded: str, original: str | None, offset: int) -> Iterator[Word]:
        for match in _TOKEN.finditer(folded):
            text = match.group()
            capital = original is not None and original[match.start()].isupper()
            canon = self.canon(text) if text[0].isalnum() else text
            yield Word(text, canon, match.start() + offset, match.end() + offset, capital)

    def kind(self, word: Word) -> str:
        """The list of guarded words that it stands in: negation, quantity, cause, modal, order, hedge; or ""."""
        return "negation" if word.text.endswith("n't") else self.kinds.get(word.text, "")

    def is_free(self, word: Word) -> bool:
        """True where the word claims nothing."""
        return word.is_mark or (word.text in self.free and word.text not in self.kinds)
