"""A story pack: a directory with pack.toml, a graph, questions, personas and arcs. Opened whole, or not at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

from graph_tools.choice_checks import choice_problems
from graph_tools.cq import Parameter
from graph_tools.cross_checks import group_references, reference_problems
from graph_tools.entities import EntityIndex, Vocabulary
from graph_tools.errors import InvalidPack, PackNotFound, Problem, in_order, nearest
from graph_tools.gate_words import GateWords
from graph_tools.graph_files import leads_out, read_graph_files, unreadable
from graph_tools.groups import Groups, strictly
from graph_tools.knowledge_graph import EmbeddedGraph, KnowledgeGraph
from graph_tools.lexicon import Words
from graph_tools.library import (
    Library,
    cross_check,
    dead_questions,
    interest_problems,
    load_library,
    theme_problems,
    themes,
)
from graph_tools.media import Media, media_problems
from graph_tools.pack_file import Checks, Export, PackFile
from graph_tools.persona import Arcs, Persona
from graph_tools.relations import FILE as RELATIONS
from graph_tools.relations import Relations, RelationsFile, Walk, examined
from graph_tools.replies import Replies
from graph_tools.snippet import Snippets
from graph_tools.snippet_file import FOLDER as SNIPPETS
from graph_tools.snippet_file import Known as KnownToSnippets
from graph_tools.snippet_file import load_snippets
from graph_tools.template import read_text
from graph_tools.terms import Iri
from graph_tools.timeline import Timeline, timeline_problems
from graph_tools.toml_source import TomlSource, read_toml, validate
from graph_tools.tour_file import Known, Tours, load_tours
from graph_tools.wording import Wording, WordingError

LINK_SLOTS = {
    **dict.fromkeys(("later", "earlier", "years_later", "years_earlier"), frozenset({"gap"})),
    **dict.fromkeys(("same_place", "other_place"), frozenset({"place"})),
    **dict.fromkeys(("same_entity", "wider"), frozenset({"entity"})),
    "same_day": frozenset[str](),
}
"""What a persona's linking clause may name."""
M = TypeVar("M", bound=BaseModel)


class _Personas(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    personas: tuple[Persona, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Digests:
    """Fingerprints of the content, each "sha256:" and hex digits."""

    kg: str
    cqs: str
    snippets: str


@dataclass(frozen=True)
class StoryPack:
    """Everything that a pack holds, checked."""

    name: str
    version: str
    title: str
    language: str
    root: Path
    graph: KnowledgeGraph = field(repr=False)
    library: Library = field(repr=False)
    personas: Mapping[str, Persona] = field(repr=False)
    arcs: Arcs = field(repr=False)
    entities: EntityIndex = field(repr=False)
    defaults: Mapping[str, Iri]
    digests: Digests
    graph_files: tuple[str, ...]
    """Relative to the pack."""
    checks: Checks
    vocabulary: Vocabulary = field(repr=False)
    tours: Tours = field(repr=False)
    groups: Groups = field(repr=False)
    export: Export
    strategies: Mapping[str, str]
    """Strategy -> its name for visitors, in the order in which they are offered."""
    words: Words = field(default=Words(), repr=False)
    """How its visitors speak."""
    replies: Replies = field(default=Replies(), repr=False)
    """What is said where nothing can be told."""
    walk: Walk = field(default=Walk(), repr=False)
    relations: Relations = field(default=Relations(), repr=False)
    """The ways of strategy `graph`, and how far it goes on them."""
    gate_words: GateWords = field(default=GateWords(), repr=False)
    """What the evidence gate knows of the pack's language."""
    snippets: Snippets = field(default=Snippets(), repr=False)

    timeline: Timeline = field(default=Timeline(), repr=False)
    """How its day is drawn, if it is."""
    media: Media = field(default=Media(), repr=False)
    """Which pictures and films are pointed to."""

    def with_graph(self, graph: KnowledgeGraph) -> StoryPack:
        """The same pack over another graph."""
        entities = EntityIndex(graph, self.vocabulary, self.language, self.name)
        digests = replace(self.digests, kg=graph.digest)
        return replace(self, graph=graph, entities=entities, digests=digests, groups=self.groups.over(graph))

    @cached_property
    def hubs(self) -> frozenset[str]:
        """IRIs of what all of the pack is about, so that it joins nothing: members of the classes of `[walk] hubs`."""
        return frozenset(iri.value for class_ in self.walk.hubs for iri in self.entities.of_class(Iri(class_)))

    def iri(self, name: str) -> Iri:
        """What a question, persona or user story of this pack is called where it is published."""
        return Iri((self.export.namespace or f"urn:cuestory:{self.name}:") + quote(name, safe=""))

    def meant(self, parameter: Parameter) -> tuple[Iri, ...]:
        """The entities that a parameter is for, sorted: its class, or what its group has of that class.

        A group that is at fault limits nothing."""
        members = self.entities.of_class(Iri(parameter.type))
        if parameter.applies_to not in self.groups:
            return members
        group = frozenset(self.groups.members(parameter.applies_to))
        return tuple(iri for iri in members if iri in group)

    @classmethod
    def open(cls, path: Path | str, *, cache: Path | None = None, today: date | None = None) -> StoryPack:
        """The pack in that directory; `cache` holds records of strict parses (none: every start parses all).

        `today`: the day by which snippets expire (none: no snippet does).
        Raises PackNotFound, or InvalidPack with every problem of every file."""
        pack, problems = examine(Path(path), cache=cache, today=today)
        if pack is None or problems:
            raise InvalidPack(problems)
        return pack


def examine(
    root: Path, *, cache: Path | None = None, today: date | None = None
) -> tuple[StoryPack | None, tuple[Problem, ...]]:
    """The pack as far as it can be opened, and all its problems. Raises PackNotFound."""
    if not (root / "pack.toml").is_file():
        raise PackNotFound(f"no pack at {root}: there is no pack.toml; give the directory that holds one")
    source, head = _file(root, "pack.toml", PackFile)
    problems = list(head) if isinstance(head, tuple) else []
    personas_source, personas, more = _personas(root)
    problems += more
    arcs_source, arcs = _file(root, "cqs/arcs.toml", Arcs)
    problems += arcs if isinstance(arcs, tuple) else []
    library, broken, faults = load_library(root, cache=cache)
    problems += faults
    whole = arcs if isinstance(arcs, Arcs) else None
    problems += cross_check(library, broken, personas, whole, arcs_source)
    problems += choice_problems(library, broken, whole, arcs_source)
    problems += reference_problems(library, broken, personas)
    graph: EmbeddedGraph | None = None
    if source is not None:
        graph, more = _graph(root, _graph_names(head, source), source)
        problems += more
    defaults: dict[str, Iri] = {}
    entities: EntityIndex | None = None
    if graph is not None and isinstance(head, PackFile):
        defaults = {name: Iri(iri) for name, iri in sorted(head.defaults.items())}
        entities = EntityIndex(graph, head.vocabulary, head.language, head.name)
    tours, faults = load_tours(root, Known(library, broken, personas, whole, defaults, entities))
    problems += faults
    if whole is not None:
        toured = {cq_id for tour in tours.values() for cq_id in tour.questions}
        problems += dead_questions(library, whole, toured)
    if graph is None or entities is None or not isinstance(head, PackFile) or source is None:
        return None, in_order(problems)
    problems += _defaults(head, source, entities, library)
    problems += theme_problems(library, graph)
    sound, refused = strictly(head.groups, source, cache)
    problems += refused
    problems += group_references(library, head.groups)
    words, unread = _optional(root, "cqs/words.toml", Words)
    replies, unsaid = _optional(root, "cqs/replies.toml", Replies)
    timeline, undrawn = _optional(root, "cqs/timeline.toml", Timeline)
    media, unshown = _optional(root, "cqs/media.toml", Media)
    problems += [*undrawn, *timeline_problems(timeline, cache), *unshown, *media_problems(media, cache)]
    ways, unwalked = _optional(root, RELATIONS, RelationsFile)
    ways_source = _file(root, RELATIONS, RelationsFile)[0] if (root / RELATIONS).exists() else None
    relations, faults = examined(ways, ways_source, tuple(personas), cache)
    gate_words, unknown = _optional(root, f"cqs/lexicon/{head.language.split('-')[0]}.toml", GateWords)
    problems += [*unread, *unsaid, *unwalked, *faults, *unknown]
    problems += interest_problems(personas.values(), personas_source, graph)
    described = frozenset(iri.value for iri in entities.typed)
    snippets, faults = load_snippets(root, KnownToSnippets(described, themes(graph), personas, today))
    problems += faults
    digests: dict[Path, str] = {}
    for folder in (root / "cqs", root / SNIPPETS):
        try:
            digests[folder] = tree_digest(folder)
        except OSError as error:
            name = Path(error.filename or folder).relative_to(root).as_posix()
            problems.append(Problem(name, None, f"cannot be read: {error.strerror}", "check its permissions"))
    if whole is None or arcs_source is None or len(digests) < 2:
        return None, in_order(problems)
    problems += _leads(whole, arcs_source, entities, None if broken else library)
    pack = StoryPack(
        name=head.name,
        version=head.version,
        title=head.title,
        language=head.language,
        root=root,
        graph=graph,
        library=library,
        personas=personas,
        arcs=whole,
        entities=entities,
        defaults=defaults,
        digests=Digests(graph.digest, digests[root / "cqs"], digests[root / SNIPPETS]),
        graph_files=head.graph,
        checks=head.checks,
        vocabulary=head.vocabulary,
        groups=Groups(sound, graph),
        export=head.export,
        strategies=head.strategies,
        words=words,
        replies=replies,
        timeline=timeline,
        media=media,
        walk=head.walk,
        relations=relations,
        gate_words=gate_words,
        snippets=snippets,
        tours=tours,
    )
    return pack, in_order(problems)


def tree_digest(folder: Path) -> str:
    """ "sha256:" and the digest over names, lengths and bytes of all files below the folder; of nothing if empty."""
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")):
        data = path.read_bytes()
        name = os.fsencode(path.relative_to(folder).as_posix())
        whole.update(name + f"\0{len(data)}\0".encode() + data)
    return "sha256:" + whole.hexdigest()


def _graph_names(head: PackFile | tuple[Problem, ...], source: TomlSource) -> tuple[str, ...]:
    """The graph's files, as far as they can be told: a fault elsewhere in pack.toml hides none of theirs."""
    if isinstance(head, PackFile):
        return head.graph
    named = source.data.get("graph")
    return tuple(name for name in named if isinstance(name, str)) if isinstance(named, list) else ()


def _graph(root: Path, graph_names: Sequence[str], source: TomlSource) -> tuple[EmbeddedGraph | None, list[Problem]]:
    """The whole graph or none: a part of it would answer other things than the whole."""
    problems: list[Problem] = []
    names: list[str] = []
    for index, name in enumerate(graph_names):
        fault = unreadable(root, name)
        if fault is None and name in names:
            fault = "the file is named twice", "name it once"
        if fault is None:
            names.append(name)
        else:
            problems.append(source.problem(("graph", index), f"{name!r}: {fault[0]}", fault[1]))
    files, unread = read_graph_files(root, names)
    graph, unparsed = EmbeddedGraph.load(files)
    problems += [*unread, *unparsed]
    return (None if problems else graph), problems


def _file(root: Path, name: str, model: type[M]) -> tuple[TomlSource | None, M | tuple[Problem, ...]]:
    try:
        if leads_out(root, root / name):
            raise InvalidPack([Problem(name, None, "the path leads out of the pack", "keep the file inside it")])
        source = read_toml(read_text(root / name, name), name)
    except InvalidPack as invalid:
        return None, invalid.problems
    if isinstance(source, Problem):
        return None, (source,)
    return source, validate(model, source)


def _optional(root: Path, name: str, model: type[M]) -> tuple[M, tuple[Problem, ...]]:
    """The file as that model, or the model's own defaults where a pack has no such file."""
    if not (root / name).exists():
        return model(), ()
    _, found = _file(root, name, model)
    return (model(), found) if isinstance(found, tuple) else (found, ())


def _personas(root: Path) -> tuple[TomlSource | None, dict[str, Persona], list[Problem]]:
    source, found = _file(root, "cqs/personas.toml", _Personas)
    if isinstance(found, tuple) or source is None:
        return source, {}, list(found) if isinstance(found, tuple) else []
    problems: list[Problem] = []
    personas: dict[str, Persona] = {}
    for index, persona in enumerate(found.personas):
        if persona.id in personas:
            cause = f"there are two personas {persona.id!r}"
            problems.append(source.problem(("personas", index, "id"), cause, "give one another id"))
        personas[persona.id] = persona
        for kind, clauses in persona.links.items():
            for number, clause in enumerate(clauses):
                try:
                    Wording.parse(clause, LINK_SLOTS[kind])
                except WordingError as error:
                    cause, _, remedy = str(error).partition("; ")
                    place = ("personas", index, "links", kind, number)
                    problems.append(source.problem(place, cause, remedy or "correct the clause"))
    return source, personas, problems


def _defaults(head: PackFile, source: TomlSource, entities: EntityIndex, library: Library) -> Iterator[Problem]:
    parameters: dict[str, set[str]] = {}
    for template in library.values():
        for name, parameter in template.cq.parameters.items():
            parameters.setdefault(name, set()).add(parameter.type)
    for name, iri in head.defaults.items():
        place = ("defaults", name)
        if library and name not in parameters:
            yield source.problem(place, f"no question has a parameter {name!r}", nearest(name, parameters or ["none"]))
        types = {type_.value for type_ in entities.types(Iri(iri))}
        if not types:
            yield source.problem(place, f"{iri!r} is no typed entity of the graph", "correct the IRI")
        elif parameters.get(name) and not types & parameters[name]:
            wanted = ", ".join(sorted(parameters[name]))
            yield source.problem(place, f"{iri!r} has none of the classes {wanted}", "choose another entity")


def _leads(arcs: Arcs, source: TomlSource, entities: EntityIndex, library: Library | None) -> Iterator[Problem]:
    """What stories follow and are kept in balance over has to be there; None: not all questions could be read."""
    if not entities.of_class(Iri(arcs.lead_class)):
        classes = sorted({type_.value for types in entities.typed.values() for type_ in types})
        yield source.problem(
            ("lead_class",), f"the graph has nothing of class {arcs.lead_class!r}", nearest(arcs.lead_class, classes)
        )
    for kind, wanted in arcs.scoring.kinds.items():
        for number, class_ in enumerate(wanted):
            if not entities.of_class(Iri(class_)):
                classes = sorted({type_.value for types in entities.typed.values() for type_ in types})
                place = ("scoring", "kinds", kind, number)
                yield source.problem(place, f"the graph has nothing of class {class_!r}", nearest(class_, classes))
    names = {name for template in (library or {}).values() for name in template.cq.parameters}
    if library is not None and arcs.lead_parameter not in names:
        cause = f"no question has a parameter {arcs.lead_parameter!r}"
        yield source.problem(("lead_parameter",), cause, nearest(arcs.lead_parameter, names or ["none"]))
