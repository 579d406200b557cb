"""The files of `snippets/`: read, checked, every fault named by file and line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from graph_tools.errors import InvalidPack, Problem, nearest
from graph_tools.graph_files import leads_out
from graph_tools.snippet import Claim, Snippets, VettedSnippet, VoiceWordings
from graph_tools.template import read_text
from graph_tools.toml_source import Path as Place
from graph_tools.toml_source import TomlSource, read_toml, validate
from graph_tools.wording import Wording, WordingError

FOLDER = "snippets"
WORDING = "snippets/wording.toml"
SLOTS = frozenset({"source", "claim", "year"})
"""What a wording may name."""
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\xa0\u00ad\u061c\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]")
"""Control characters, blanks that are no plain space, and marks that hide or turn what stands beside them."""
_MARKUP = re.compile(r"https?://|www\.|<[A-Za-z/!]|[{}`]|\]\(|!\[")
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,30}\b(?:above|previous|rules?|instructions?|prompt)\b|^\s*(?:system|assistant)\s*:",
    re.IGNORECASE,
)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    snippet: tuple[VettedSnippet, ...] = ()


class _Wordings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    speakers: tuple[str, ...] = ()
    voice: tuple[VoiceWordings, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Known:
    """What the files may name."""

    entities: Collection[str]
    """IRIs of everything that the graph describes."""
    themes: Collection[str]
    personas: Collection[str]
    today: date | None = None
    """The day on which they are read, where anything depends on it."""


def load_snippets(root: Path, known: Known) -> tuple[Snippets, tuple[Problem, ...]]:
    """The snippets below `root`, and all faults of their files: one hides no other. A pack may have none."""
    held: dict[str, VettedSnippet] = {}
    places: dict[str, str] = {}
    problems: list[Problem] = []
    paths = sorted((root / FOLDER).glob("*.toml")) if (root / FOLDER).is_dir() else []
    for path in paths:
        file = path.relative_to(root).as_posix()
        if file == WORDING:
            continue
        source, faults = _read(root, file)
        problems += faults
        if source is None:
            continue
        for index, found in _snippets(source, problems):
            problems += _faults(found, ("snippet", index), source, known)
            if found.id in held:
                cause = f"there are two snippets {found.id!r}, the other in {places[found.id]}"
                problems.append(source.problem(("snippet", index, "id"), cause, "give one another id"))
            else:
                held[found.id], places[found.id] = found, file
    spoken, voices = _wordings(root, known, problems, needed=bool(held))
    by_id = tuple(held[id_] for id_ in sorted(held))
    return Snippets(by_id, voices, frozenset(spoken), known.today), tuple(problems)


def _read(root: Path, file: str) -> tuple[TomlSource | None, list[Problem]]:
    try:
        if leads_out(root, root / file):
            raise InvalidPack([Problem(file, None, "the path leads out of the pack", "keep the file inside it")])
        source = read_toml(read_text(root / file, file), file)
    except InvalidPack as invalid:
        return None, list(invalid.problems)
    return (None, [source]) if isinstance(source, Problem) else (source, [])


def _snippets(source: TomlSource, problems: list[Problem]) -> Iterator[tuple[int, VettedSnippet]]:
    """The snippets of a file that have their shape, each with its place; the faults of the others go to `problems`."""
    entries = source.data.get("snippet")
    alone = {key: value for key, value in source.data.items() if key != "snippet"}
    if alone or not isinstance(entries, list):
        whole = validate(_File, source)
        if isinstance(whole, tuple):
            problems += whole
            return
    for index in range(len(entries or ())):
        found = validate(VettedSnippet, source, ("snippet", index))
        if isinstance(found, tuple):
            problems += found
        else:
            yield index, found


def _faults(snippet: VettedSnippet, at: Place, source: TomlSource, known: Known) -> Iterator[Problem]:
    yield from _unknown((*at, "themes"), snippet.themes, "theme", known.themes, source)
    yield from _unknown((*at, "entities"), snippet.entities, "entity", known.entities, source)
    yield from _state(snippet, at, source)
    yield from _dates(snippet, at, source, known.today)
    yield from _address(snippet.source_url, (*at, "source_url"), source)
    for key in ("text", "topic", "source_title", "publisher", "licence", "spoken"):
        yield from _plain(getattr(snippet, key), (*at, key), source)
    for number, claim in enumerate(snippet.claims):
        yield from _claim(claim, snippet, (*at, "claim", number), source, known)


def _claim(claim: Claim, snippet: VettedSnippet, at: Place, source: TomlSource, known: Known) -> Iterator[Problem]:
    yield from _plain(claim.says, (*at, "says"), source)
    if re.search(r"[.!?:;,…]$", claim.says.rstrip()) or claim.says != claim.says.strip():
        cause = f"the claim {claim.says[-20:]!r} is no clause that another sentence can take in"
        yield source.problem((*at, "says"), cause, "leave out what stands before and behind it, the full stop too")
    if re.match(r"that\b", claim.says, re.IGNORECASE):
        cause = "the claim begins with the word that the wordings bring"
        yield source.problem((*at, "says"), cause, 'leave "that" out')
    yield from _unknown((*at, "about"), claim.about, "entity of the snippet", snippet.entities, source)
    for key in ("same_as", "against"):
        yield from _unknown((*at, key), getattr(claim, key), "thing of the graph", known.entities, source)
    both = sorted(set(claim.same_as) & set(claim.against))
    if both:
        cause = f"{both[0]!r} cannot both tell the same and tell otherwise"
        yield source.problem((*at, "against"), cause, "keep one of the two")


def _unknown(
    at: Place, named: Collection[str], kind: str, known: Collection[str], source: TomlSource
) -> Iterator[Problem]:
    for index, name in enumerate(named):
        if name not in known:
            yield source.problem((*at, index), f"unknown {kind} {name!r}", nearest(name, known or ["none"]))


def _state(snippet: VettedSnippet, at: Place, source: TomlSource) -> Iterator[Problem]:
    if snippet.state == "reviewed" and not (snippet.reviewed_by and snippet.reviewed_on):
        cause = "it is reviewed, but not by whom and when"
        yield source.problem((*at, "state"), cause, "give `reviewed_by` and `reviewed_on`")
    if snippet.state == "withdrawn" and not snippet.withdrawn_because:
        yield source.problem((*at, "state"), "it is withdrawn without a reason", "give `withdrawn_because`")
    for key, state in (("reviewed_by", "reviewed"), ("reviewed_on", "reviewed"), ("withdrawn_because", "withdrawn")):
        if getattr(snippet, key) and snippet.state != state:
            cause = f"{key!r} says something of a state that it is not in"
            yield source.problem((*at, key), cause, f"take it out, or write state = {state!r}")


def _dates(snippet: VettedSnippet, at: Place, source: TomlSource, today: date | None) -> Iterator[Problem]:
    if snippet.published and snippet.published > snippet.accessed:
        cause = f"it was published on {snippet.published}, after it was read on {snippet.accessed}"
        yield source.problem((*at, "published"), cause, "correct one of the two")
    if snippet.expires and snippet.expires <= snippet.accessed:
        cause = f"it expires on {snippet.expires}, and was read on {snippet.accessed}"
        yield source.problem((*at, "expires"), cause, "give a later day, or withdraw it")
    if today is not None and date.fromisoformat(snippet.accessed) > today:
        cause = f"it was read on {snippet.accessed}, which is still to come"
        yield source.problem((*at, "accessed"), cause, "give the day on which the page was read")


def _address(url: str, at: Place, source: TomlSource) -> Iterator[Problem]:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and "." in (parts.hostname or "")
        good = good and not parts.username and not re.search(r"[\s<>\"\\^`{}|]", url) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        yield source.problem(at, f"{url!r} is no address of a page", "give the whole address, with https://")


def _plain(text: str, at: Place, source: TomlSource) -> Iterator[Problem]:
    unseen = _UNSEEN.search(text)
    if unseen:
        cause = (
            f"a character that nobody sees (U+{ord(unseen.group()):04X}) stands behind {text[: unseen.start()][-20:]!r}"
        )
        yield source.problem(at, cause, "write a plain space, or nothing")
    found = _MARKUP.search(text)
    if found:
        cause = f"{found.group()!r} is markup or an address, and would be read out"
        yield source.problem(at, cause, "write plain words; the address has a key of its own")
    if _ORDERS.search(text):
        yield source.problem(at, "it gives orders instead of telling something", "write down what the page says")


def _wordings(
    root: Path, known: Known, problems: list[Problem], *, needed: bool
) -> tuple[tuple[str, ...], Mapping[str, VoiceWordings]]:
    """How each persona tells a claim: wanted as soon as there is anything to tell."""
    voices: dict[str, VoiceWordings] = {}
    if not (root / WORDING).exists():
        if needed:
            cause = "is missing, so that no snippet can be told"
            problems.append(Problem(WORDING, None, cause, "write a [[voice]] for each persona"))
        return (), voices
    source, faults = _read(root, WORDING)
    problems += faults
    if source is None:
        return (), voices
    found = validate(_Wordings, source)
    if isinstance(found, tuple):
        problems += found
        return (), voices
    for index, voice in enumerate(found.voice):
        place = ("voice", index, "persona")
        if voice.persona in voices:
            problems.append(source.problem(place, f"{voice.persona!r} has two voices", "make one of them"))
        if known.personas and voice.persona not in known.personas:
            cause = f"unknown persona {voice.persona!r}"
            problems.append(source.problem(place, cause, nearest(voice.persona, known.personas)))
        voices[voice.persona] = voice
        problems += _voice(voice, ("voice", index), source)
    for persona in sorted(set(known.personas) - voices.keys()):
        cause = f"nothing says how a snippet is told to persona {persona!r}"
        problems.append(source.problem((), cause, "write a [[voice]] for it"))
    return found.speakers, voices


def _voice(voice: VoiceWordings, at: Place, source: TomlSource) -> Iterator[Problem]:
    for key in ("tells", "hears", "relays", "differs"):
        texts: tuple[str, ...] = getattr(voice, key)
        for number, text in enumerate(texts):
            place = (*at, key, number)
            try:
                slots = {slot.name for slot in Wording.parse(text, SLOTS).slots}
            except WordingError as error:
                cause, _, remedy = str(error).partition("; ")
                yield source.problem(place, cause, remedy or "correct the wording")
                continue
            if not slots >= {"source", "claim"}:
                cause = "the wording does not say who says what"
                yield source.problem(place, cause, "name {source} and {claim} in it")
        if all("{year" in text for text in texts):
            cause = "every wording needs a year, and not every claim has one"
            yield source.problem((*at, key), cause, "add one without {year}")
