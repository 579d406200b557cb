"""The entities of a pack's graph: what they are called, what they are, and where that was read.

How a graph says these things is the pack's `[vocabulary]`; templates never fetch names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from graph_tools.errors import UnknownEntity, WrongEntityType, nearest
from graph_tools.evidence import Source
from graph_tools.knowledge_graph import KnowledgeGraph
from graph_tools.terms import RDF_TYPE, Iri, Literal, Term

_QUOTES = str.maketrans(dict.fromkeys("‘’‛′`´", "'") | dict.fromkeys("“”„″", '"') | dict.fromkeys("‐‑‒–—−", "-"))


def _is_iri(text: str) -> str:
    if not re.fullmatch(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\]+', text):
        raise ValueError(f"{text!r} is no whole IRI")
    return text


Property = Annotated[str, AfterValidator(_is_iri)]


class Vocabulary(BaseModel):
    """`[vocabulary]` of pack.toml: property IRIs, in order of preference."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: tuple[Property, ...] = Field(min_length=1)
    short_name: tuple[Property, ...] = ()
    alternate_name: tuple[Property, ...] = ()
    pronoun: tuple[Property, ...] = ()
    """Its values are he, she, it or they."""
    source: tuple[Property, ...] = ()
    """Subject -> the node that describes where it was read."""
    source_url: tuple[Property, ...] = ()
    source_title: tuple[Property, ...] = ()
    source_publisher: tuple[Property, ...] = ()
    """An entity with a name, or a literal."""
    source_accessed: tuple[Property, ...] = ()


class EntityIndex:
    """Names, types and sources of everything that the graph speaks of."""

    def __init__(self, graph: KnowledgeGraph, vocabulary: Vocabulary, language: str, pack: str = "") -> None:
        """`language` is the pack's default; `pack` its name, for messages."""
        self._graph = graph
        self._vocabulary = vocabulary
        self._language = language
        self._pack = pack
        self._sources: dict[Iri, tuple[Source, ...]] = {}

    def name(self, iri: Iri, language: str = "") -> str:
        """The one full name: in the asked language, else the pack's, else untagged, else any; "" where it has none."""
        return self._best(self._names.get(iri, ()), language)

    def short(self, iri: Iri, language: str = "") -> str:
        """The short name that people use, or ""."""
        return self._best(self._shorts.get(iri, ()), language)

    def pronoun(self, iri: Iri) -> str:
        """he, she, it or they, or "" where the graph does not say."""
        return self._best(self._pronouns.get(iri, ()), "")

    def aliases(self, iri: Iri) -> tuple[str, ...]:
        """Every other name, sorted."""
        return tuple(sorted({name.lexical for name in self._alternates.get(iri, ())}))

    def opens(self, text: str) -> bool:
        """True where `text` opens with a name, spelled as in the graph, of somebody or something with a pronoun."""
        return any(text.startswith(name) for name in self._callable_names.get(text[:1], ()))

    def spoken_of(self, text: str) -> tuple[Iri, ...]:
        """Everybody and everything with a pronoun whose name, spelled as in the graph, stands in `text`, sorted."""
        whole, bearers = self._bearers
        found = {iri for name in whole.findall(text) for iri in bearers[name]}
        return tuple(sorted(found))

    def types(self, iri: Iri) -> tuple[Iri, ...]:
        """The classes that the graph states for it, sorted; nothing is inferred."""
        return self._types.get(iri, ())

    def of_class(self, class_iri: Iri) -> tuple[Iri, ...]:
        """All entities of a class, sorted."""
        return self._members.get(class_iri, ())

    def sources(self, subject: Iri) -> tuple[Source, ...]:
        """Where statements about the subject were read, sorted."""
        known = self._sources.get(subject)
        if known is None:
            found = {self._source(node) for node in self._objects(subject, self._vocabulary.source)}
            key = sorted((s for s in found if s is not None), key=lambda s: (s.url, s.title, s.publisher, s.accessed))
            known = self._sources[subject] = tuple(key)
        return known

    def check(self, iri: Iri, class_iri: str) -> None:
        """Raises UnknownEntity where the graph does not speak of it, WrongEntityType where it has another class."""
        types = self.types(iri)
        if Iri(class_iri) in types:
            return
        if not types and not self._exists(iri):
            raise UnknownEntity(f"{iri.value!r} is not in {self._where}; {self._closest(iri.value)}")
        has = ", ".join(type_.value for type_ in types) or "no class"
        shown = self.name(iri) or iri.value
        raise WrongEntityType(f"{shown!r} is no {class_iri}: it has {has}; choose another entity")

    def find(self, text: str, class_iri: Iri | None = None) -> Iri:
        """The entity with that IRI or with that unambiguous name, short name or alternate name.

        Letter case, typographic quotes and hyphens and a leading "the" do not matter. Raises UnknownEntity with the
        nearest names or the entities that share the name, WrongEntityType for an IRI of another class."""
        asked = text.strip().removeprefix("<").removesuffix(">")
        if (iri := Iri(asked)) in self._types or ("://" in asked and self._exists(iri)):
            if class_iri is not None:
                self.check(iri, class_iri.value)
            return iri
        found = self._named(fold(text))
        if class_iri is not None and found:
            fitting = tuple(iri for iri in found if class_iri in self.types(iri))
            if not fitting:
                self.check(found[0], class_iri.value)
            found = fitting
        if len(found) == 1:
            return found[0]
        if found:
            shown = ", ".join(f"{self.name(iri)} <{iri.value}>" for iri in found[:5])
            raise UnknownEntity(f"{text!r} fits several entities; write one of {shown}")
        raise UnknownEntity(f"{text!r} is not in {self._where}; {self._closest(text, class_iri)}")

    @property
    def named(self) -> frozenset[Iri]:
        """Every entity that has a name."""
        return frozenset(self._names)

    @property
    def typed(self) -> Mapping[Iri, tuple[Iri, ...]]:
        """Every entity with a class, and its classes."""
        return self._types

    @property
    def _where(self) -> str:
        return f"pack {self._pack!r}" if self._pack else "the graph"

    def _named(self, folded: str) -> tuple[Iri, ...]:
        """Entities by folded name: full names first, so that an alias never hides somebody's own name."""
        for names in (self._by_name, self._by_alias):
            if folded in names:
                return names[folded]
        return ()

    def _closest(self, text: str, class_iri: Iri | None = None) -> str:
        pool = self._names if class_iri is None else self.of_class(class_iri)
        asked = text.rsplit("/", 1)[-1].rsplit("#", 1)[-1] if "://" in text else text
        named = sorted({name for iri in pool if (name := self.name(iri))})
        return nearest(asked, named) if named else "it names nothing of that class"

    def _exists(self, iri: Iri) -> bool:
        try:
            return any(self._graph.match(iri)) or any(self._graph.match(None, None, iri))
        except ValueError:  # no IRI at all
            return False

    def _objects(self, subject: Iri, properties: Iterable[str]) -> list[Term]:
        """Values of the first of the properties that the subject has, sorted."""
        for property_ in properties:
            found = [triple.object for triple in self._graph.match(subject, Iri(property_))]
            if found:
                return sorted(found, key=lambda term: term.n3())
        return []

    def _source(self, node: Term) -> Source | None:
        if not isinstance(node, Iri):
            return None
        words = self._vocabulary
        url = self._text(node, words.source_url) or node.value
        publisher = self._objects(node, words.source_publisher)
        return Source(
            url=url,
            title=self._text(node, words.source_title),
            publisher=self._plain(publisher[0]) if publisher else "",
            accessed=self._text(node, words.source_accessed),
        )

    def _text(self, node: Iri, properties: Iterable[str]) -> str:
        found = self._objects(node, properties)
        literals = [term for term in found if isinstance(term, Literal)]
        return self._best(literals, "") if literals else (self._plain(found[0]) if found else "")

    def _plain(self, term: Term) -> str:
        if isinstance(term, Literal):
            return term.lexical
        return (self.name(term) or term.value) if isinstance(term, Iri) else ""

    def _best(self, names: Iterable[Literal], language: str) -> str:
        ranked = sorted(names, key=lambda name: (_distance(name.language, language, self._language), name.lexical))
        return ranked[0].lexical if ranked else ""

    def _values(self, properties: Iterable[str]) -> dict[Iri, tuple[Literal, ...]]:
        """Subject -> literals of the first of the properties that it has."""
        found: dict[Iri, tuple[Literal, ...]] = {}
        for property_ in properties:
            here: dict[Iri, list[Literal]] = {}
            for subject, _, value in self._graph.match(None, Iri(property_)):
                if isinstance(subject, Iri) and isinstance(value, Literal) and subject not in found:
                    here.setdefault(subject, []).append(value)
            found |= {subject: tuple(values) for subject, values in here.items()}
        return found

    @cached_property
    def _names(self) -> dict[Iri, tuple[Literal, ...]]:
        return self._values(self._vocabulary.name)

    @cached_property
    def _callable_names(self) -> dict[str, tuple[str, ...]]:
        """Names of what has a pronoun, by first letter."""
        found: dict[str, set[str]] = {}
        for iri in self._pronouns:
            for name in (self.name(iri), self.short(iri), *self.aliases(iri)):
                if name:
                    found.setdefault(name[0], set()).add(name)
        return {letter: tuple(sorted(names)) for letter, names in found.items()}

    @cached_property
    def _bearers(self) -> tuple[re.Pattern[str], dict[str, tuple[Iri, ...]]]:
        """A pattern of the names of what has a pronoun, and whose they are; of two names the longer one is read."""
        found: dict[str, set[Iri]] = {}
        for iri in self._pronouns:
            for name in {self.name(iri), self.short(iri), *self.aliases(iri)} - {""}:
                found.setdefault(name, set()).add(iri)
        longest = sorted(found, key=lambda name: (-len(name), name))
        pattern = "|".join(map(re.escape, longest)) or "(?!)"
        return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"), {name: tuple(sorted(iris)) for name, iris in found.items()}

    @cached_property
    def _shorts(self) -> dict[Iri, tuple[Literal, ...]]:
        return self._values(self._vocabulary.short_name)

    @cached_property
    def _alternates(self) -> dict[Iri, tuple[Literal, ...]]:
        return self._values(self._vocabulary.alternate_name)

    @cached_property
    def _pronouns(self) -> dict[Iri, tuple[Literal, ...]]:
        return self._values(self._vocabulary.pronoun)

    @cached_property
    def _types(self) -> dict[Iri, tuple[Iri, ...]]:
        found: dict[Iri, set[Iri]] = {}
        for subject, _, class_ in self._graph.match(None, RDF_TYPE):
            if isinstance(subject, Iri) and isinstance(class_, Iri):
                found.setdefault(subject, set()).add(class_)
        return {iri: tuple(sorted(classes)) for iri, classes in sorted(found.items())}

    @cached_property
    def _members(self) -> dict[Iri, tuple[Iri, ...]]:
        members: dict[Iri, list[Iri]] = {}
        for iri, classes in self._types.items():
            for class_ in classes:
                members.setdefault(class_, []).append(iri)
        return {class_: tuple(sorted(found)) for class_, found in members.items()}

    @cached_property
    def _by_name(self) -> dict[str, tuple[Iri, ...]]:
        return _index((self._names,))

    @cached_property
    def _by_alias(self) -> dict[str, tuple[Iri, ...]]:
        return _index((self._shorts, self._alternates))


def fold(text: str) -> str:
    """A name as it is compared: compatibility form, no letter case, plain quotes and hyphens, no leading "the"."""
    plain = " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold().split())
    return plain.removeprefix("the ")


def _index(tables: Iterable[Mapping[Iri, tuple[Literal, ...]]]) -> dict[str, tuple[Iri, ...]]:
    found: dict[str, set[Iri]] = {}
    for table in tables:
        for iri, names in table.items():
            for name in names:
                found.setdefault(fold(name.lexical), set()).add(iri)
    return {name: tuple(sorted(iris)) for name, iris in found.items()}


def _distance(tag: str, asked: str, default: str) -> int:
    """How far a name's language is from what is wanted: asked, default, untagged, any."""
    for rank, wanted in enumerate((asked, default)):
        if wanted and tag.casefold().split("-")[0] == wanted.casefold().split("-")[0]:
            return 2 * rank + (tag.casefold() != wanted.casefold())
    return 5 if tag else 4
