"""What a question's header says that can be recomputed: the terms of its query, and the sources of its facts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from graph_tools.checks.findings import finding
from graph_tools.checks.matrix import Survey
from graph_tools.errors import Problem
from graph_tools.pack import StoryPack
from graph_tools.template import Template
from graph_tools.terms import Iri

MOST_SOURCES = 5
"""Publishers that a header names."""


def header_problems(survey: Survey) -> Iterator[Problem]:
    """Headers whose `terms` or `sources` are not what the query and its proofs have."""
    for cq_id, template in survey.pack.library.items():
        yield from _differing(survey.pack, template, "terms", template.cq.terms, template.terms)
        if survey.covered[cq_id].answered and not survey.covered[cq_id].error:
            yield from _differing(survey.pack, template, "sources", template.cq.sources, publishers(survey, cq_id))


def publishers(survey: Survey, cq_id: str) -> tuple[str, ...]:
    """Who published the pages on which the question's facts were read: of most statements first, then by name."""
    counted: Counter[str] = Counter()
    subjects = Counter(triple.subject for triple in survey.covered[cq_id].proof if isinstance(triple.subject, Iri))
    for subject, statements in subjects.items():
        for publisher in {s.publisher for s in survey.pack.entities.sources(subject) if s.publisher}:
            counted[publisher] += statements
    ranked = sorted(counted, key=lambda publisher: (-counted[publisher], publisher))
    return tuple(ranked[:MOST_SOURCES])


def _differing(
    pack: StoryPack, template: Template, key: str, told: Sequence[str], found: Sequence[str]
) -> Iterator[Problem]:
    if tuple(told) == tuple(found):
        return
    lacking, surplus = [name for name in found if name not in told], [name for name in told if name not in found]
    parts = [f"lacks {', '.join(lacking)}"] if lacking else []
    parts += [f"has {', '.join(surplus)} too much"] if surplus else []
    cause = f"`{key}` {' and '.join(parts) or 'has them in another order'}"
    remedy = f"write: #+ {key} = {json.dumps(list(found), ensure_ascii=False)}"
    yield finding(pack, template, (key,), f"question-{key}", (cause, remedy))
