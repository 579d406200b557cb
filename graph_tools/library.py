"""All competency questions of a pack, each one loaded, and all of them checked against each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from graph_tools.errors import InvalidPack, Problem, UnknownQuestion, nearest
from graph_tools.graph_files import leads_out
from graph_tools.knowledge_graph import KnowledgeGraph
from graph_tools.persona import Arcs, Persona
from graph_tools.template import Template, load_template
from graph_tools.terms import Iri, Literal
from graph_tools.toml_source import TomlSource

SKOS_IN_SCHEME = Iri("http://www.w3.org/2004/02/skos/core#inScheme")
SKOS_PREF_LABEL = Iri("http://www.w3.org/2004/02/skos/core#prefLabel")


class Library(Mapping[str, Template]):
    """Question id -> template, in the order of ids."""

    def __init__(self, templates: Collection[Template]) -> None:
        self._templates = {template.cq.id: template for template in sorted(templates, key=lambda t: t.cq.id)}
        self.stands_for = {other: cq_id for cq_id, t in self._templates.items() for other in t.cq.stands_for}
        """Id of a published question -> the question that answers it too."""

    def find(self, cq_id: str) -> Template:
        """The template with that id, or the one that stands for it. Raises UnknownQuestion, which names the nearest."""
        if cq_id not in self and cq_id in self.stands_for:
            return self[self.stands_for[cq_id]]
        if cq_id not in self:
            known = {*self, *self.stands_for}
            raise UnknownQuestion(f"unknown question {cq_id!r}; {nearest(cq_id, known)}")
        return self[cq_id]

    def __getitem__(self, cq_id: str) -> Template:
        """The question's template. Raises UnknownQuestion, which names the nearest ids."""
        try:
            return self._templates[cq_id]
        except KeyError:
            raise UnknownQuestion(f"unknown question {cq_id!r}; {nearest(cq_id, self._templates)}") from None

    def get(self, cq_id: str, default: Any = None, /) -> Any:
        """The question's template, or the default."""
        return self._templates.get(cq_id, default)

    def __contains__(self, cq_id: object) -> bool:
        return cq_id in self._templates

    def __iter__(self) -> Iterator[str]:
        return iter(self._templates)

    def __len__(self) -> int:
        return len(self._templates)


def load_library(root: Path, *, cache: Path | None = None) -> tuple[Library, tuple[str, ...], tuple[Problem, ...]]:
    """The questions in `root/cqs`, the ids of the files that have faults, and those faults: one hides no other."""
    templates: list[Template] = []
    broken: list[str] = []
    problems: list[Problem] = []
    for path in sorted((root / "cqs").glob("*.rq")):
        name = path.relative_to(root).as_posix()
        try:
            if leads_out(root, path):
                raise InvalidPack([Problem(name, None, "the path leads out of the pack", "keep the file inside it")])
            templates.append(load_template(path, file=name, cache=cache))
        except InvalidPack as invalid:
            broken.append(path.stem)
            problems += invalid.problems
    if not templates and not problems:
        problems.append(Problem("cqs", None, "there is no question (*.rq)", "write at least one"))
    return Library(templates), tuple(broken), tuple(problems)


def cross_check(
    library: Library,
    broken: Collection[str],
    personas: Mapping[str, Persona],
    arcs: Arcs | None,
    source: TomlSource | None,
) -> Iterator[Problem]:
    """Faults between questions, personas and arcs.

    `broken` are ids of files that exist but could not be loaded, `source` the text of arcs.toml. What could not be read
    itself is not checked against."""
    known = sorted({*library, *broken})
    for template in library.values():
        yield from _companions(template, library, known)
        for persona in template.cq.personas:
            if personas and persona not in personas:
                cause = f"unknown persona {persona!r}"
                yield template.header.problem(("personas",), cause, nearest(persona, personas))
    if arcs is None or source is None:
        return
    steps = {beat.step for skeleton in arcs.skeletons.values() for beat in skeleton.beats}
    for template in library.values():
        for step in template.cq.steps:
            if step not in steps:
                cause = f"step {step!r} is in no arc"
                yield template.header.problem(("steps",), cause, nearest(step, steps))
    for step in sorted(arcs.step_names.keys() - steps):
        yield source.problem(("step_names", step), f"step {step!r} is in no arc", nearest(step, steps))
    yield from _arcs(library, known, personas, arcs, source)


def theme_problems(library: Library, graph: KnowledgeGraph) -> Iterator[Problem]:
    """Themes of questions that no concept scheme (SKOS) of the graph has as a preferred label."""
    labels = themes(graph)
    for template in library.values():
        for index, theme in enumerate(template.cq.themes):
            if theme not in labels:
                cause = f"theme {theme!r} is in no concept scheme of the graph"
                yield template.header.problem(("themes", index), cause, nearest(theme, labels or ["none"]))


def interest_problems(
    personas: Collection[Persona], source: TomlSource | None, graph: KnowledgeGraph
) -> Iterator[Problem]:
    """Interests of personas that are no theme of the graph; `source` is the text of personas.toml."""
    labels = themes(graph)
    for index, persona in enumerate(personas):
        for theme in persona.interests:
            if source is not None and theme not in labels:
                cause = f"theme {theme!r} is in no concept scheme of the graph"
                place = ("personas", index, "interests", theme)
                yield source.problem(place, cause, nearest(theme, labels or ["none"]))


def themes(graph: KnowledgeGraph) -> set[str]:
    """The preferred labels of all concepts (SKOS) of the graph."""
    concepts = {triple.subject for triple in graph.match(predicate=SKOS_IN_SCHEME)}
    return {
        triple.object.lexical
        for triple in graph.match(predicate=SKOS_PREF_LABEL)
        if triple.subject in concepts and isinstance(triple.object, Literal)
    }


def _companions(template: Template, library: Library, known: list[str]) -> Iterator[Problem]:
    for index, companion in enumerate(template.cq.companions):
        place = ("companions", index)
        if companion not in known:
            yield template.header.problem(place, f"unknown companion {companion!r}", nearest(companion, known))
        elif companion in library:
            more = library[companion].cq.parameters.keys() - template.cq.parameters.keys()
            if more:
                cause = f"companion {companion} needs {', '.join(sorted(more))}, which {template.cq.id} does not bind"
                yield template.header.problem(place, cause, "choose a companion with the same parameters or fewer")


def _arcs(
    library: Library, known: list[str], personas: Mapping[str, Persona], arcs: Arcs, source: TomlSource
) -> Iterator[Problem]:
    for persona, skeleton in arcs.skeletons.items():
        if personas and persona not in personas:
            yield source.problem(("arcs", persona), f"unknown persona {persona!r}", nearest(persona, personas))
            continue
        for index, beat in enumerate(skeleton.beats):
            place = ("arcs", persona, "beats", index)
            for cq_id in beat.named:
                if cq_id not in known:
                    yield source.problem(place, f"unknown question {cq_id!r}", nearest(cq_id, known))
                elif cq_id in library and not library[cq_id].cq.serves(persona):
                    cause = f"{cq_id} is not for {persona!r}"
                    yield source.problem(place, cause, "take it out, or add the persona to the question")
            offered = beat.named or tuple(cq for cq in library if library[cq].cq.serves(persona, beat.step))
            if not offered:
                cause = f"no question serves step {beat.step!r} for {persona!r}"
                yield source.problem(place, cause, "name some in `cqs`, or add the step to a question")
    for persona in sorted(personas.keys() - arcs.skeletons.keys()):
        yield source.problem(("arcs",), f"persona {persona!r} has no arc", f"add [arcs.{persona}]")


def dead_questions(library: Library, arcs: Arcs, toured: Collection[str]) -> Iterator[Problem]:
    """Questions that no persona's arc has a step for, and that are not among those that tours name."""
    used = set(toured)
    for persona, skeleton in arcs.skeletons.items():
        for beat in skeleton.beats:
            used |= {*beat.named, *(cq for cq in library if library[cq].cq.serves(persona, beat.step))}
    for cq_id in library:
        if cq_id not in used:
            cause = f"no arc of its personas has a step that {cq_id} serves, and no tour names it"
            remedy = "add a step of theirs, or name it in arcs.toml or in a tour"
            yield library[cq_id].header.problem(("steps",), cause, remedy)
