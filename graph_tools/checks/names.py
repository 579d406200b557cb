"""Names as a visitor would hear them: there, one in each language, and no identifier or placeholder in their place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from graph_tools.checks.examined import Examined
from graph_tools.errors import Problem
from graph_tools.terms import Iri, Literal

_WHOLLY = re.compile(r"[\W_]*(unknown|untitled|no name|todo|tbd|n/?a|none|null|nan|xxx|\?+)?[\W_]*", re.I)
_GLUED = re.compile(r"[^\W\d_]*[a-z][A-Z]\w*")


def name_problems(graph: Examined) -> Iterator[Problem]:
    """Every typed thing that has no name, or one that cannot be said."""
    exempt = set(graph.checks.unnamed)
    unspoken = set(graph.checks.unspoken)
    for subject in graph.subjects:
        classes = graph.classes(subject)
        names = graph.called(subject)
        if not names and classes and not exempt & classes:
            remedy = "name it, or exempt its class in pack.toml [checks] unnamed"
            yield graph.problem(subject, "name-missing", f"has no name ({', '.join(sorted(classes))})", remedy)
        if unspoken & classes:
            continue
        for language, count in sorted(Counter(name.language for name in names).items()):
            if count > 1:
                said = " and ".join(repr(name.lexical) for name in names if name.language == language)
                yield graph.problem(
                    subject, "name-two", f"has {count} names: {said}", "keep one, and make others alternate names"
                )
        for name in names:
            yield from _said(graph, subject, name)


def _said(graph: Examined, subject: Iri, name: Literal) -> Iterator[Problem]:
    shown = repr(name.lexical)
    if _WHOLLY.fullmatch(name.lexical) or re.search(r"\[[^\]]*\]", name.lexical):
        yield graph.problem(
            subject, "name-placeholder", f"is called {shown}, a placeholder", "give its real name, or take it out"
        )
        return
    glued = [word for word in _GLUED.findall(name.lexical) if not _written_so(graph, word)]
    if glued or "_" in name.lexical:
        cause = f"is called {shown}, which reads like an identifier"
        remedy = "write the name as people do; a word that is written so goes to [checks] written_so"
        yield graph.problem(subject, "name-camel", cause, remedy)


def _written_so(graph: Examined, word: str) -> bool:
    """True for MacArthur and DeLong, and for the words that the pack lists."""
    if word in graph.checks.written_so:
        return True
    humps = re.split(r"(?<=[a-z])(?=[A-Z])", word)
    return len(humps) == 2 and humps[0] in graph.conventions.glue.prefixes and not re.search(r"\d", word)
