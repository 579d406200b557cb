"""The rules of the gate by id; docs/checks.md tells curators what each means."""

from __future__ import annotations

from dataclasses import replace

from graph_tools.errors import Problem

RULES = frozenset(
    (
        *("file", "pack", "personas", "arcs", "question", "words", "replies", "snippets", "sources", "build-stale"),
        *("term-undeclared", "term-twin", "term-undocumented", "term-domain", "term-range"),
        *("iri-dangling", "iri-untyped", "iri-pattern", "iri-case", "iri-numbered", "blank-node"),
        *("id-shared", "id-hub", "id-two", "id-spelling", "id-page"),
        *("twin-name", "twin-event", "class-conflict"),
        *("shape-violation", "shape-idle", "shape-missing", "shape-query", "shape-unknown"),
        *("literal-datatype", "literal-canonical", "date-kinds", "date-padded", "date-offset", "number-kinds"),
        *("time-order", "time-rising", "time-offset", "value-bounds", "link-self", "link-cycle", "sense-idle"),
        *("list-order", "text-control", "text-encoding", "text-lookalike", "text-markup"),
        *("name-missing", "name-two", "name-placeholder", "name-camel"),
        *("tour", "tour-unreachable", "tour-dead-end", "tour-cycle", "tour-condition", "tour-lock"),
        *("tour-empty", "tour-staging", "tour-large"),
        *("coverage-none", "coverage-low", "coverage-failed", "coverage-unknown", "accept-unused"),
        *("group-empty", "group-unused", "group-untyped"),
        *("question-terms", "question-sources", "question-slot", "paraphrase-shared", "wording-leak"),
        *("relations", "relation-term", "relation-idle", "relation-hub"),
        *("rows-twice", "pattern-tight", "story-unserved", "story-twice"),
        *("snippet-beyond", "snippet-spoken", "snippet-long", "snippet-idle"),
    )
)
"""Every id that a finding may have."""

_OF_FILES = {
    "pack.toml": "pack",
    "cqs/personas.toml": "personas",
    "cqs/arcs.toml": "arcs",
    "cqs/words.toml": "words",
    "cqs/replies.toml": "replies",
    "cqs/relations.toml": "relations",
}


def with_rule(problem: Problem) -> Problem:
    """The problem with the rule that its file stands for, where it has none of its own."""
    if problem.rule:
        return problem
    if problem.file.startswith("cqs/tours/"):
        return replace(problem, rule="tour")
    if problem.file.startswith("snippets/"):
        return replace(problem, rule="snippets")
    if problem.file.startswith("kg/sources/"):
        return replace(problem, rule="sources")
    rule = _OF_FILES.get(problem.file, "question" if problem.file.startswith("cqs") else "file")
    return replace(problem, rule=rule)
