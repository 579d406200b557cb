"""Groups of entities that questions are for: natural kinds that a pack names, each found by a query.

`[groups.NAME]` of pack.toml. A group is declared without a look at any question's own pattern: whether a question is
answered for all of those that it is for is what coverage finds out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from graph_tools import sparql_scope, sparql_subset, sparql_tree, template_record
from graph_tools.errors import Problem
from graph_tools.knowledge_graph import KnowledgeGraph
from graph_tools.sparql_braces import Fault
from graph_tools.sparql_scope import Compiled
from graph_tools.terms import Iri
from graph_tools.toml_source import TomlSource

MEMBER = "it"
"""The one variable that a group's query selects."""


class Group(BaseModel):
    """One natural kind of entities."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    meaning: str = Field(min_length=10)
    """Who belongs to it, in one line."""
    query: str
    """SELECT ?it in the template language; its other variables need not be selected."""


class Groups:
    """The groups of a pack over one graph; each is asked for once. Only what passed the strict check may be here."""

    def __init__(self, groups: Mapping[str, Group], graph: KnowledgeGraph) -> None:
        self.declared = dict(sorted(groups.items()))
        self._graph = graph
        self._members: dict[str, tuple[Iri, ...]] = {}

    def over(self, graph: KnowledgeGraph) -> Groups:
        """The same groups over another graph."""
        return Groups(self.declared, graph)

    def __contains__(self, name: object) -> bool:
        return name in self.declared

    def members(self, name: str) -> tuple[Iri, ...]:
        """Who belongs to the group, sorted. Raises KeyError, QueryFailed."""
        known = self._members.get(name)
        if known is None:
            rows = self._graph.select(self.declared[name].query)
            known = self._members[name] = tuple(sorted({t for row in rows if isinstance(t := row.get(MEMBER), Iri)}))
        return known

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All of them, sorted."""
        return tuple(self.declared)


def strictly(
    groups: Mapping[str, Group], source: TomlSource, cache: Path | None = None
) -> tuple[dict[str, Group], tuple[Problem, ...]]:
    """The groups whose queries pass the strict check, and what it refuses in the others; `cache` as for questions."""
    sound: dict[str, Group] = {}
    problems: list[Problem] = []
    for name, group in groups.items():
        place = ("groups", name, "query")
        line = source.line(place)
        text = source.text.split("\n")[line - 1]
        below = 0 if text.rstrip().endswith(('"""', "'''")) else 1  # a query in its own lines begins below the key
        faults = select_faults(group.query, (MEMBER,), cache)
        for fault in faults:
            at = line if fault.line is None else line + fault.line - below
            problems.append(Problem(source.file, at, f"group {name!r}: {fault.cause}", fault.remedy))
        if not faults:
            sound[name] = group
    return sound, tuple(problems)


def select_faults(query: str, selected: tuple[str, ...], cache: Path | None) -> tuple[Fault, ...]:
    """What the strict check refuses in a pack's query without parameters, which selects just these variables."""
    kept = f"group\n{query}"
    if template_record.recall(cache, kept) is not None:
        return ()
    scan = sparql_subset.scan(query, frozenset())
    if scan.faults:
        return scan.faults
    tree = sparql_tree.parse(scan.tokens, scan.prefixes)
    if isinstance(tree, Fault):
        return (tree,)
    if tree.selected != selected:
        where = next((token.line for token in scan.tokens if token.text.upper() == "SELECT"), None)
        shown = " ".join(f"?{name}" for name in tree.selected)
        return (Fault(where, f"it selects {shown}", f"select {' '.join(f'?{name}' for name in selected)} alone"),)
    compiled = sparql_scope.compile_tree(tree, frozenset(), scan.tokens, shown=False)
    if not isinstance(compiled, Compiled):
        return compiled
    template_record.remember(cache, kept, compiled)
    return ()
