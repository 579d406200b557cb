"""The tours of a pack, walked every way by every persona: whether all can be reached, ended, and told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from graph_tools.checks.rules import with_rule
from graph_tools.checks.tour_news import WHO, news_findings
from graph_tools.checks.tour_staging import staging_findings
from graph_tools.checks.tour_structure import Finding, Structure
from graph_tools.checks.tour_ways import explore
from graph_tools.composer import BeatComposer
from graph_tools.eligibility import Answers
from graph_tools.errors import Problem, in_order
from graph_tools.pack import StoryPack, examine
from graph_tools.retrieval import KgRetriever
from graph_tools.tour_beats import StopBeats
from graph_tools.tour_file import FOLDER


def check_tours(
    path: Path, name: str | None = None, *, cache: Path | None = None
) -> tuple[tuple[Problem, ...], dict[str, int]]:
    """The problems of a pack's tours, or of one of them, and in how many situations each was looked at.

    Where the pack does not open, no tour is walked: what keeps it from that is named, of the tours if it lies there.
    Raises PackNotFound, or UnknownTour."""
    pack, problems = examine(path, cache=cache)
    files = f"{FOLDER}/{name}.toml" if name else FOLDER
    own = [problem for problem in problems if problem.file.startswith(files)]
    found = [with_rule(problem) for problem in own or problems]
    situations: dict[str, int] = {}
    if pack is not None and not problems:
        gate = TourGate(pack)
        for tour in [name] if name else list(pack.tours):
            found += gate.problems(tour)
            situations[tour] = gate.situations(tour)
    return in_order(found), situations


class TourGate:
    """Looks at the tours of one pack. Strategy `kg`: whatever another adds, it takes no fact away."""

    def __init__(self, pack: StoryPack, answers: Answers | None = None) -> None:
        """`answers`: what the pack's questions have been asked already."""
        self._pack = pack
        self._retriever = KgRetriever(pack, answers or Answers(pack))
        self._composers = {persona: BeatComposer(pack, self._retriever, persona) for persona in pack.personas}
        self._known: dict[str, Structure] = {}

    def all_problems(self) -> Iterator[Problem]:
        """The problems of all tours."""
        for name in self._pack.tours:
            yield from self.problems(name)

    def problems(self, name: str) -> Iterator[Problem]:
        """The problems of one tour, each once, with everybody who meets it. Raises UnknownTour."""
        source = self._pack.tours.source(name)
        for (at, rule, cause, remedy), personas in self._findings(name).items():
            said = cause.replace(WHO, " and ".join(personas))
            yield replace(source.problem(at, said, remedy), rule=rule)

    def situations(self, name: str) -> int:
        """In how many situations visitors of the tour can be, over all personas."""
        return sum(len(ways.steps) for ways in self._structure(name).ways)

    def _structure(self, name: str) -> Structure:
        if name not in self._known:
            tour = self._pack.tours[name]
            self._known[name] = Structure(tour, tuple(explore(tour, persona) for persona in tour.personas))
        return self._known[name]

    def _findings(self, name: str) -> dict[Finding, list[str]]:
        """Finding -> the personas that meet it, where it names them."""
        structure = self._structure(name)
        tour = structure.tour
        found: dict[Finding, list[str]] = {finding: [] for finding in structure.findings()}
        for ways in structure.ways:
            if ways.complete:
                for finding in news_findings(structure, ways, self._composers[ways.persona]):
                    found.setdefault(finding, []).append(ways.persona)
        beats = StopBeats(tour, self._composers[tour.personas[0]])
        staging = staging_findings(tour, beats, self._retriever, self._pack.entities)
        return found | {finding: [] for finding in staging}
