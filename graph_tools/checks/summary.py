"""Many findings, told so that one cause which repeats does not bury the others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from graph_tools.errors import Problem

MOST = 10
"""Findings of one kind that are told one by one."""
_PARTICULAR = re.compile(r"""<[^<>]*>|\w+://[^\s,;)]+|"(?:[^"\\]|\\.)*"|'[^']*'|[\w.:-]*\d[\w.:+-]*""")
"""What differs between findings of one kind: IRIs, quoted texts, whatever has a figure in it."""


def told(problems: Iterable[Problem], most: int | None = MOST) -> Iterator[str]:
    """One line a finding, at most so many of one kind (None: all), then how many of each kind are left."""
    left: Counter[str] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    for problem in problems:
        kind = problem.rule, _PARTICULAR.sub("", problem.cause)
        seen[kind] += 1
        if most is None or seen[kind] <= most:
            yield str(problem)
        else:
            left[problem.rule] += 1
    for rule, count in sorted(left.items()):
        yield f"... and {count:,} more of rule {rule} with such causes; --all shows them"


def counts(problems: Iterable[Problem]) -> Iterator[str]:
    """How many findings each rule has, most first; then all of them."""
    found = Counter(problem.rule for problem in problems)
    if len(found) > 1:
        yield from (f"{count:>6,}  {rule}" for rule, count in sorted(found.items(), key=lambda of: (-of[1], of[0])))
    whole = found.total()
    yield f"{whole:,} problem{'' if whole == 1 else 's'}" if whole else "no problems"
