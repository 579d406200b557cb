"""The sections of the gate put together: for a pack, and for one graph file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from graph_tools.checks.conventions import conventions
from graph_tools.checks.coverage import coverage_problems, group_problems
from graph_tools.checks.dates import date_problems
from graph_tools.checks.examined import Examined
from graph_tools.checks.headers import header_problems
from graph_tools.checks.identifiers import identifier_problems
from graph_tools.checks.identity import identity_problems
from graph_tools.checks.literals import literal_problems
from graph_tools.checks.matrix import Survey
from graph_tools.checks.names import name_problems
from graph_tools.checks.relations import relation_problems
from graph_tools.checks.rows import row_problems
from graph_tools.checks.rules import with_rule
from graph_tools.checks.sense import sense_problems
from graph_tools.checks.shapes import shape_problems
from graph_tools.checks.snippets import snippet_problems
from graph_tools.checks.sources import source_problems
from graph_tools.checks.stories import story_problems
from graph_tools.checks.tours import TourGate
from graph_tools.checks.twins import twin_problems
from graph_tools.checks.vocabulary import join_problems, load_terms, scheme_twins, term_problems
from graph_tools.checks.wording import wording_problems
from graph_tools.errors import Problem, in_order
from graph_tools.graph_files import read_graph_files
from graph_tools.knowledge_graph import EmbeddedGraph
from graph_tools.pack import StoryPack, examine
from graph_tools.pack_file import Accepted, Checks


def check_pack(path: Path, *, cache: Path | None = None) -> tuple[Problem, ...]:
    """Every problem of the pack, by file and line; none means that it may be told. Raises PackNotFound."""
    pack, problems = examine(path, cache=cache)
    beside = tuple(source_problems(path))
    if pack is None:
        return _ordered([*problems, *beside])
    files, _ = read_graph_files(pack.root, pack.graph_files)
    graph = Examined(pack.graph, files, pack.vocabulary.name, pack.checks, pack.root)
    read, found = _as_meant(graph)
    if read.graph is not graph.graph:
        pack = pack.with_graph(read.graph)
    survey = Survey.of(pack)
    found += [*_graph_problems(read, pack), *_library_problems(survey, whole=not problems)]
    # Nobody walks through a pack that does not open.
    walked = [] if problems else TourGate(pack, survey.answers).all_problems()
    return _ordered([*problems, *beside, *_settled(found, pack.checks.accept), *walked])


def _library_problems(survey: Survey, *, whole: bool) -> Iterator[Problem]:
    yield from group_problems(survey.pack, whole=whole)
    yield from coverage_problems(survey)
    yield from header_problems(survey)
    yield from row_problems(survey)
    yield from wording_problems(survey.pack, whole=whole)
    yield from story_problems(survey.pack)
    yield from relation_problems(survey.pack)
    yield from snippet_problems(survey.pack)


def check_graph(file: Path, pack: StoryPack | None = None) -> tuple[Problem, ...]:
    """Every problem of one graph file; with a pack, by its vocabulary, its shapes and what it lets pass, too."""
    files, problems = read_graph_files(file.parent, [file.name])
    graph, more = EmbeddedGraph.load(files)
    if graph is None or problems or more:
        return _ordered([*problems, *more])
    names, checks, root = conventions().names, Checks(), file.parent
    if pack is not None:
        names, checks, root = pack.vocabulary.name, pack.checks, pack.root
    read, found = _as_meant(Examined(graph, files, names, checks, root))
    accepted = {(entry.rule, entry.iri) for entry in checks.accept}
    return _ordered(p for p in [*found, *_graph_problems(read, pack)] if (p.rule, p.iri) not in accepted)


def _as_meant(graph: Examined) -> tuple[Examined, list[Problem]]:
    """The graph as its other checks read it, and what is wrong with its terms.

    One term in the wrong scheme would have each of its uses found once more, as a name or a class that is missing."""
    terms, problems = load_terms(graph.root, graph.checks.vocabulary)
    if terms is None:
        return graph, list(problems)
    found = [*problems, *term_problems(graph, terms)]
    return graph.renamed(scheme_twins(graph, terms)), found


def _graph_problems(graph: Examined, pack: StoryPack | None = None) -> Iterator[Problem]:
    terms, _ = load_terms(graph.root, graph.checks.vocabulary)
    if terms is not None:
        yield from join_problems(graph, terms)
    yield from identifier_problems(graph)
    yield from identity_problems(graph)
    yield from twin_problems(graph)
    yield from name_problems(graph)
    yield from literal_problems(graph)
    yield from date_problems(graph)
    yield from sense_problems(graph)
    if pack is not None and terms is not None:
        asked = (parameter.type for template in pack.library.values() for parameter in template.cq.parameters.values())
        yield from shape_problems(graph, terms, frozenset(asked))


def _settled(problems: Iterable[Problem], accepted: Iterable[Accepted]) -> Iterator[Problem]:
    """The problems without those that the pack accepts; and what it accepts in vain."""
    found = tuple(problems)
    by_key = {(problem.rule, problem.iri) for problem in found}
    known = {(entry.rule, entry.iri) for entry in accepted}
    yield from (problem for problem in found if (problem.rule, problem.iri) not in known)
    for rule, iri in sorted(known - by_key):
        cause = f"[[checks.accept]] lets {rule} pass for <{iri}>, which is no longer found"
        yield Problem("pack.toml", None, cause, "take the entry out", "accept-unused", iri)


def _ordered(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """By file and line, each once, each with its rule."""
    return in_order(map(with_rule, problems))
