"""What must hold inside one competency question's header, and between the header and its query."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from graph_tools.cq import CompetencyQuestion, Telling
from graph_tools.errors import Problem, nearest
from graph_tools.toml_source import Path, TomlSource
from graph_tools.wording import Wording, WordingError


def header_problems(
    cq: CompetencyQuestion, source: TomlSource, stem: str, variables: Collection[str] | None
) -> Iterator[Problem]:
    """Every fault; `stem` is the file's name, `variables` what the query selects (None: the query is at fault)."""
    if cq.id != stem:
        yield source.problem(("id",), f"id {cq.id!r} is not the name of the file", "give both the same name")
    for number, name in enumerate(cq.context):
        if name not in cq.results:
            cause = f"context {name!r} is no result"
            yield source.problem(("context", number), cause, nearest(name, cq.results))
    for name in sorted(cq.results.keys() & cq.parameters.keys()):
        yield source.problem(("results", name), f"{name!r} is a parameter and a result", "keep one of the two")
    if variables is not None:
        for name in cq.results:
            if name not in variables and name not in cq.parameters:
                yield source.problem(
                    ("results", name), f"result {name!r} is not in SELECT", nearest(name, variables or ["no variable"])
                )
        yield from _anchors(cq, source, variables)
    yield from _wordings(cq, source)
    yield from _people(cq, source)
    if cq.enrich and not cq.parameters:
        cause = "it is to be enriched, but asks about no entity by which snippets could be found"
        yield source.problem(("enrich",), cause, "declare a parameter, or take `enrich` out")
    if cq.id in cq.companions:
        yield source.problem(("companions",), "the question is its own companion", "take it out")


def _anchors(cq: CompetencyQuestion, source: TomlSource, variables: Collection[str]) -> Iterator[Problem]:
    for key, name in (("time", cq.anchor.time), ("place", cq.anchor.place)):
        if name and name not in cq.results and name not in variables:
            known = [*cq.results, *variables]
            yield source.problem(("anchor", key), f"{name!r} is no variable of the query", nearest(name, known))


def _people(cq: CompetencyQuestion, source: TomlSource) -> Iterator[Problem]:
    for key, table in (("hook", cq.hook), ("answer", cq.answer), ("lead_in", cq.lead_in)):
        for persona in sorted(table.keys() - set(cq.personas)):
            cause = f"persona {persona!r} is not among this question's personas"
            yield source.problem((key, persona), cause, nearest(persona, cq.personas))
    for index, telling in enumerate(cq.telling):
        for key, names in (("needs", telling.needs), ("lacks", telling.lacks)):
            for number, name in enumerate(names):
                if name not in cq.results:
                    place = ("telling", index, key, number)
                    yield source.problem(place, f"it {key} {name!r}, which is no result", nearest(name, cq.results))
        for persona in sorted(set(telling.personas) - set(cq.personas)):
            cause = f"persona {persona!r} is not among this question's personas"
            yield source.problem(("telling", index, "personas"), cause, nearest(persona, cq.personas))
    for persona in cq.personas:
        if not cq.tellings_for(persona):
            yield source.problem(("personas",), f"no telling is for {persona!r}", "write one, or take the persona out")


def _wordings(cq: CompetencyQuestion, source: TomlSource) -> Iterator[Problem]:
    slots = {*cq.parameters, *cq.results}
    yield from _wording(cq.question, set(cq.parameters), source, ("question",))
    if not cq.question.rstrip().endswith("?"):
        yield source.problem(("question",), "the question does not end in '?'", "end it so: it labels a button")
    for index, text in enumerate(cq.paraphrases):
        yield from _wording(text, set(cq.parameters), source, ("paraphrases", index))
    for index, text in enumerate(cq.factlet_wordings):
        yield from _wording(text, slots, source, ("factlet",) if isinstance(cq.factlet, str) else ("factlet", index))
    for key, table in (("hook", cq.hook), ("answer", cq.answer), ("lead_in", cq.lead_in)):
        for persona, wordings in table.items():
            for index, text in enumerate(wordings):
                yield from _wording(text, set(cq.parameters), source, (key, persona, index))
    for index, telling in enumerate(cq.telling):
        yield from _telling(telling, index, slots, source)


def _telling(telling: Telling, index: int, slots: set[str], source: TomlSource) -> Iterator[Problem]:
    place: Path = ("telling", index)
    if telling.max_rows is not None and telling.max_rows < telling.min_rows:
        yield source.problem((*place, "max_rows"), "max_rows is below min_rows", "raise it, or lower min_rows")
    if telling.item:
        yield from _wording(telling.item, slots, source, (*place, "item"))
    allowed = slots | {"items"} if telling.item else slots
    for number, text in enumerate(telling.say):
        yield from _wording(text, allowed, source, (*place, "say", number))
    if telling.item and not any("{items" in text for text in telling.say):
        yield source.problem((*place, "item"), "no wording uses {items}", "use it, or take `item` out")


def _wording(text: str, slots: Collection[str], source: TomlSource, place: Path) -> Iterator[Problem]:
    try:
        Wording.parse(text, slots)
    except WordingError as error:
        cause, _, remedy = str(error).partition("; ")
        yield source.problem(place, cause, remedy or "correct the wording")
