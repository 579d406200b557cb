"""The words of questions: how a text falls into words, and which words count as one.

What a language's words mean to a pack is content (`cqs/words.toml`); only letters and word ends are known here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*'?")
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.){2,}[^\W\d_]?\b|\b(?:[^\W\d_]\.){2,}")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_MARKS = str.maketrans(dict.fromkeys("‘’‛′`´", "'") | {"&": " and "})
_LANGUAGES = {"da": "danish", "de": "german", "en": "english", "es": "spanish", "fr": "french", "it": "italian"}
_LANGUAGES |= {"nl": "dutch", "no": "norwegian", "pt": "portuguese", "sv": "swedish"}


class Words(BaseModel):
    """`cqs/words.toml`: how visitors speak."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    small: tuple[str, ...] = ()
    """Words that carry nothing of their own."""
    pronouns: tuple[str, ...] = ()
    """Words that stand for whom the visitor just heard about."""
    titles: tuple[str, ...] = ()
    """Words beside which an ordinary word may be a title."""
    guide: tuple[str, ...] = ()
    """Words for the guide itself: with nothing else asked, nothing is asked of the records."""
    outside: tuple[str, ...] = ()
    """Words of what the records do not hold."""
    vague: tuple[str, ...] = ()
    """Ordinary words that say nothing of what is asked; one that a question uses is never counted as one of these."""
    instead: dict[str, str] = {}
    """How visitors write in haste -> what they mean by it, of one word or more."""
    asks: tuple[tuple[str, ...], ...] = ()
    """Lists of words that ask for one thing: a time, a place, a number."""
    same: tuple[tuple[str, ...], ...] = ()
    """Lists of words that mean one thing."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word as it is compared, and how it stood in the text."""

    text: str
    """Without letter case, accents, apostrophes and a possessive ending."""
    capital: bool = False
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """One or more words that are read as one."""

    key: str
    """Their stems."""
    senses: frozenset[str]
    """The key, and the lists of `same` that it stands in."""
    start: int
    """Where it begins among the tokens, from 0."""
    asks: bool = False
    """True where it only says what is asked for: when, where, how many."""
    outside: bool = False
    """True where the pack says that its records hold nothing of the kind."""
    proper: bool = False
    """True where it is written as a name is, or is a year."""


def plain(text: str) -> str:
    """Compatibility form without accents, with plain apostrophes and "and" for "&"; letter case stays."""
    if text.isascii():
        return _INITIALS.sub(lambda found: found.group().replace(".", ""), text.replace("&", " and "))
    decomposed = unicodedata.normalize("NFKD", text.translate(_MARKS)).translate(_MARKS)
    kept = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return _INITIALS.sub(lambda found: found.group().replace(".", ""), kept)


def tokens(text: str) -> tuple[Token, ...]:
    """The words of a text, in order."""
    cleaned = plain(text)
    found: list[Token] = []
    for match in _WORD.finditer(cleaned):
        word = match.group().rstrip("'")
        folded = word.casefold()
        folded = folded.removesuffix("'s").replace("'", "")
        before = cleaned[match.start() - 1 : match.start()]
        quoted = before in tuple("\"“”„«'") and bool(before)
        found.append(Token(folded, word[:1].isupper() or word[:1].isdigit(), quoted))
    return tuple(found)


class Lexicon:
    """Reads words as a pack's visitors mean them."""

    def __init__(self, words: Words, language: str) -> None:
        import snowballstemmer  # of all languages: a fifth of a second that only a visitor's own words need

        listed = (words.small, words.guide, words.pronouns, words.titles, words.vague, *words.asks, *words.same)
        self.outside = folded(phrase for phrase in words.outside if " " not in phrase)
        # Of several words together, each one alone may be part of a name.
        self.words = folded(phrase for group in listed for phrase in group if " " not in phrase) | self.outside
        self._stemmer = snowballstemmer.stemmer(_LANGUAGES.get(language.split("-")[0], "english"))
        self._stems: dict[str, str] = {}
        self.small = frozenset(self._key(word) for word in words.small)
        self.titles = frozenset(self._key(word) for word in words.titles)
        self._guide = frozenset(self._key(word) for word in words.guide)
        self._pronouns = frozenset(self._key(word) for word in words.pronouns)
        self._outside = frozenset(self._key(word) for word in words.outside)
        self.vague = frozenset(self._key(word) for word in words.vague)
        self._instead = {tuple(t.text for t in tokens(hasty)): tokens(meant) for hasty, meant in words.instead.items()}
        self._hastiest = max(map(len, self._instead), default=0)
        self._senses: dict[str, set[str]] = {}
        for number, group in enumerate((*words.asks, *words.same)):
            for phrase in group:
                self._senses.setdefault(self._key(phrase), set()).add(f"={number}")
        self._asks = frozenset(self._key(phrase) for group in words.asks for phrase in group)
        whole = [*self._senses, *self._outside, *self.small]
        self._longest = max((key.count(" ") + 1 for key in whole), default=1)
        self._phrases = frozenset(key for key in whole if " " in key)

    def stem(self, word: str) -> str:
        """A folded word without its ending."""
        known = self._stems.get(word)
        if known is None:
            known = self._stems[word] = str(self._stemmer.stemWord(word))
        return known

    def meant(self, found: Sequence[Token]) -> tuple[Token, ...]:
        """The words, each that is written in haste as it is meant."""
        read: list[Token] = []
        at = 0
        while at < len(found):
            for size in range(min(self._hastiest, len(found) - at), 0, -1):
                meant = self._instead.get(tuple(token.text for token in found[at : at + size]))
                if meant is not None:
                    read += meant
                    at += size
                    break
            else:
                read.append(found[at])
                at += 1
        return tuple(read)

    def has_pronoun(self, found: Sequence[Token]) -> bool:
        """True where some words stand for whom the visitor just heard about."""
        stems = [self.stem(token.text) for token in found]
        return any(" ".join(stems[at : at + size]) in self._pronouns for at in range(len(stems)) for size in (1, 2, 3))

    def has_guide(self, found: Sequence[Token]) -> bool:
        """True where some word stands for the guide itself."""
        return any(self.stem(token.text) in self._guide for token in found)

    def senses(self, key: str) -> frozenset[str]:
        """A stem, and the lists of `same` and `asks` that it stands in."""
        return frozenset({key, *self._senses.get(key, ())})

    def units(
        self, found: Sequence[Token | None], known: Callable[[frozenset[str]], bool] | None = None
    ) -> Iterator[Unit]:
        """What the words say, without the small ones; None stands where nothing may be read across.

        Words that have a meaning together are read apart where that meaning is not `known`."""
        stems = [self.stem(token.text) if token else "" for token in found]
        telling = sum(token is not None and token.capital for token in found) * 2 <= len(found)
        at = 0
        while at < len(stems):
            size = self._size(stems, at, known)
            key = " ".join(stems[at : at + size])
            dropped = key in self._pronouns or key in self._guide or (key in self.small and key not in self._asks)
            if key and not dropped:
                senses = self.senses(key)
                first = found[at]
                named = telling and at > 0 and first is not None and first.capital and not key[0].isdigit()
                proper = named or _YEAR.fullmatch(key) is not None
                yield Unit(key, senses, at, key in self._asks, key in self._outside, proper)
            at += size

    def _size(self, stems: Sequence[str], at: int, known: Callable[[frozenset[str]], bool] | None) -> int:
        for size in range(min(self._longest, len(stems) - at), 1, -1):
            key = " ".join(stems[at : at + size])
            if key in self._phrases and (
                known is None or key not in self._senses or known(frozenset({key, *self._senses[key]}))
            ):
                return size
        return 1

    def _key(self, phrase: str) -> str:
        return " ".join(self.stem(token.text) for token in tokens(phrase))


def folded(texts: Iterable[str]) -> frozenset[str]:
    """All words of these texts, folded."""
    return frozenset(token.text for text in texts for token in tokens(text))
