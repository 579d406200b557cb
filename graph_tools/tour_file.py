"""The tours of a pack: each file loaded, checked against the questions, and its names turned into entities."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from graph_tools.entities import EntityIndex
from graph_tools.errors import BindingError, InvalidPack, Problem, UnknownTour, nearest
from graph_tools.graph_files import leads_out
from graph_tools.library import Library
from graph_tools.persona import Arcs
from graph_tools.template import read_text
from graph_tools.terms import Iri
from graph_tools.toml_source import Path as Place
from graph_tools.toml_source import TomlSource, read_toml, validate
from graph_tools.tour import ID, AnyOf, Branch, Stop, Tour

FOLDER = "cqs/tours"


class Tours(Mapping[str, Tour]):
    """Name -> tour, in the order of names; each with the file that it was read from."""

    def __init__(self, tours: Mapping[str, Tour], sources: Mapping[str, TomlSource]) -> None:
        self._tours = dict(sorted(tours.items()))
        self._sources = dict(sources)

    def __getitem__(self, name: str) -> Tour:
        """The tour. Raises UnknownTour, which names the nearest ones."""
        if name not in self._tours:
            raise self._unknown(name)
        return self._tours[name]

    def __contains__(self, name: object) -> bool:
        return name in self._tours

    def __iter__(self) -> Iterator[str]:
        return iter(self._tours)

    def __len__(self) -> int:
        return len(self._tours)

    def source(self, name: str) -> TomlSource:
        """The text of a tour's file, for the lines of its parts. Raises UnknownTour."""
        if name not in self._sources:
            raise self._unknown(name)
        return self._sources[name]

    def _unknown(self, name: str) -> UnknownTour:
        known = nearest(name, self._tours) if self._tours else "this pack has none"
        return UnknownTour(f"unknown tour {name!r}; {known}")


@dataclass(frozen=True, slots=True)
class Known:
    """What a tour may refer to. What could not be read itself is not checked against."""

    library: Library
    broken: Collection[str]
    """Ids of questions whose files have faults."""
    personas: Collection[str]
    arcs: Arcs | None
    defaults: Mapping[str, Iri]
    entities: EntityIndex | None
    """None where the graph could not be read."""

    @property
    def steps(self) -> set[str]:
        """Steps of the pack's arcs."""
        lengths = self.arcs.arcs.values() if self.arcs else ()
        return {beat.step for arcs in lengths for arc in arcs.values() for beat in arc.beats}

    @property
    def questions(self) -> list[str]:
        """Every id that a question has, readable or not."""
        return sorted({*self.library, *self.broken})


def load_tours(root: Path, known: Known) -> tuple[Tours, tuple[Problem, ...]]:
    """The tours in `root/cqs/tours` that can be walked, and the faults of all: one hides no other.

    A tour that asks a question with faults is left out: they are named with the question."""
    tours: dict[str, Tour] = {}
    sources: dict[str, TomlSource] = {}
    problems: list[Problem] = []
    for path in sorted((root / FOLDER).glob("*.toml")):
        file = path.relative_to(root).as_posix()
        try:
            if leads_out(root, path):
                raise InvalidPack([Problem(file, None, "the path leads out of the pack", "keep the file inside it")])
            source = read_toml(read_text(path, file), file)
        except InvalidPack as invalid:
            problems += invalid.problems
            continue
        if isinstance(source, Problem):
            problems.append(source)
            continue
        if not re.fullmatch(ID, path.stem):
            cause = f"{path.stem!r} is no name of a tour"
            problems.append(source.problem((), cause, "use small letters, digits and hyphens"))
        found = validate(Tour, source)
        if isinstance(found, tuple):
            problems += found
            continue
        faults = [*_faults(found, source, known)]
        whole = known.entities is not None and not _asks_unread(found, known)
        if whole and not faults:
            found, faults = _resolved(found, source, known)
        problems += faults
        if whole and not faults:
            tours[path.stem], sources[path.stem] = found, source
    return Tours(tours, sources), tuple(problems)


def _faults(tour: Tour, source: TomlSource, known: Known) -> Iterator[Problem]:
    ids = tour.ids
    yield from _unknown(source, ("start",), "stop", [tour.start], ids)
    if known.personas:
        yield from _unknown(source, ("personas",), "persona", tour.personas, known.personas)
    for index, stop in enumerate(tour.stops):
        at = ("stops", index)
        if stop.id in ids[:index]:
            yield source.problem((*at, "id"), f"there are two stops {stop.id!r}", "give one another id")
        yield from _unknown(source, (*at, "cq"), "question", [stop.cq] if stop.cq else [], known.questions)
        yield from _unknown(source, (*at, "companions"), "question", stop.companions, known.questions)
        yield from _unknown(source, (*at, "next"), "stop", [stop.next] if stop.next else [], ids)
        if stop.any_ is not None:
            yield from _any_faults(stop.any_, source, (*at, "any"), known)
        keys = [branch.key for branch in stop.branches]
        for number, branch in enumerate(stop.branches):
            here = (*at, "branches", number)
            if branch.key in keys[:number]:
                cause = f"stop {stop.id!r} has two branches {branch.key!r}"
                yield source.problem(here, cause, "give one an `id` of its own")
            yield from _branch_faults(branch, tour, source, here)


def _branch_faults(branch: Branch, tour: Tour, source: TomlSource, at: Place) -> Iterator[Problem]:
    yield from _unknown(source, (*at, "to"), "stop", [branch.to], tour.ids)
    yield from _unknown(source, (*at, "heard"), "stop", branch.heard, tour.ids)
    yield from _unknown(source, (*at, "unheard"), "stop", branch.unheard, tour.ids)
    yield from _unknown(source, (*at, "personas"), "persona", branch.personas, tour.personas)
    yield from _unknown(source, (*at, "chosen"), "choice", branch.chosen, list(tour.choices()) or ["none"])


def _any_faults(any_: AnyOf, source: TomlSource, at: Place, known: Known) -> Iterator[Problem]:
    themes = {theme for template in known.library.values() for theme in template.cq.themes}
    yield from _unknown(source, (*at, "cqs"), "question", any_.cqs, known.questions)
    yield from _unknown(source, (*at, "step"), "step", [any_.step] if any_.step and known.arcs else [], known.steps)
    yield from _unknown(source, (*at, "themes"), "theme", any_.themes if not known.broken else (), themes or ["none"])
    if any_.class_ and known.entities is not None and not known.entities.of_class(Iri(any_.class_)):
        classes = sorted({type_.value for types in known.entities.typed.values() for type_ in types})
        cause = f"the graph has nothing of class {any_.class_!r}"
        yield source.problem((*at, "class"), cause, nearest(any_.class_, classes))


def _asks_unread(tour: Tour, known: Known) -> bool:
    """True where some stop asks, or may draw, a question that could not be read."""
    for stop in tour.stops:
        drawn = (stop.any_.cqs or known.questions) if stop.any_ is not None else ()
        if set(known.broken) & {stop.cq, *stop.companions, *drawn}:
            return True
    return False


def _unknown(
    source: TomlSource, at: Place, what: str, asked: Collection[str], known: Collection[str]
) -> Iterator[Problem]:
    for name in asked:
        if name not in known:
            yield source.problem(at, f"unknown {what} {name!r}", nearest(name, known))


def _resolved(tour: Tour, source: TomlSource, known: Known) -> tuple[Tour, list[Problem]]:
    """The tour with entities in place of their names, and what could not be found."""
    problems: list[Problem] = []
    stops = []
    for index, stop in enumerate(tour.stops):
        changed, faults = _bound(stop, source, ("stops", index), known)
        stops.append(changed)
        problems += faults
    return tour.model_copy(update={"stops": tuple(stops)}), problems


def _bound(stop: Stop, source: TomlSource, at: Place, known: Known) -> tuple[Stop, list[Problem]]:
    if known.entities is None:
        return stop, []
    classes = _classes(stop, known.library)
    problems: list[Problem] = []
    bind: dict[str, str] = {}
    for name, text in sorted(stop.bind.items()):
        if name not in classes:
            cause = f"nothing that is asked here has a parameter {name!r}"
            problems.append(source.problem((*at, "bind", name), cause, nearest(name, classes or ["none"])))
        else:
            bind[name] = _entity(text, classes[name], source, (*at, "bind", name), known.entities, problems)
    any_ = stop.any_
    if any_ is not None:
        place = (*at, "any", "among")
        among = [_entity(text, any_.class_, source, place, known.entities, problems) for text in any_.among]
        any_ = any_.model_copy(update={"among": tuple(among)})
    if stop.cq in known.library:
        missing = known.library[stop.cq].cq.parameters.keys() - bind.keys() - known.defaults.keys()
        if missing and not problems:
            cause = f"{stop.cq} asks about {' and '.join(sorted(missing))}, which nothing binds"
            problems.append(source.problem((*at, "cq"), cause, 'add it: bind = { parameter = "name" }'))
        for companion in (known.library[cq] for cq in stop.companions if cq in known.library):
            if more := companion.cq.parameters.keys() - known.library[stop.cq].cq.parameters.keys():
                cause = f"companion {companion.cq.id} needs {', '.join(sorted(more))}, which {stop.cq} does not bind"
                remedy = "choose one with the same parameters or fewer"
                problems.append(source.problem((*at, "companions"), cause, remedy))
    return stop.model_copy(update={"bind": bind, "any_": any_}), problems


def _classes(stop: Stop, library: Library) -> dict[str, str]:
    """Parameter -> class, over the questions that may be asked at a stop."""
    ids = [stop.cq] if stop.cq else list((stop.any_.cqs if stop.any_ else ()) or library)
    found: dict[str, str] = {}
    for cq_id in ids:
        if cq_id in library:
            found |= {name: parameter.type for name, parameter in library[cq_id].cq.parameters.items()}
    return found


def _entity(
    text: str, class_iri: str, source: TomlSource, at: Place, entities: EntityIndex, problems: list[Problem]
) -> str:
    try:
        return entities.find(text, Iri(class_iri) if class_iri else None).value
    except BindingError as error:
        cause, _, remedy = str(error).partition("; ")
        problems.append(source.problem(at, cause, remedy or "choose another entity"))
        return text
