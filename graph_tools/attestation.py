"""What a proof rests on beside its own statements: how the things it speaks of are named, and where it was read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from graph_tools.pack import StoryPack
from graph_tools.terms import Iri, Triple

_THINGS = re.compile(r"<([^>]*)> <[^>]*> (?:<([^>]*)> \.)?")


def attestations(proof: Iterable[str], pack: StoryPack) -> tuple[str, ...]:
    """The statements that name the things of a proof, give sources to its subjects, and tell of these pages.

    N-Triples in and out; sorted, each once, without the proof itself. What names and cites is the pack's vocabulary."""
    words = pack.vocabulary
    proven = set(proof)
    found = [match for statement in proven if (match := _THINGS.match(statement))]
    subjects = {Iri(match[1]) for match in found}
    things = subjects | {Iri(match[2]) for match in found if match[2]}
    cited = set(_matches(subjects, words.source, pack))
    pages = {triple.object for triple in cited if isinstance(triple.object, Iri)}
    naming = (*words.name, *words.short_name, *words.alternate_name, *words.pronoun)
    telling = (*words.source_url, *words.source_title, *words.source_publisher, *words.source_accessed)
    attested = {*_matches(things, naming, pack), *cited, *_matches(pages, telling, pack)}
    return tuple(sorted({triple.n3() for triple in attested} - proven))


def _matches(subjects: Iterable[Iri], properties: Iterable[str], pack: StoryPack) -> Iterator[Triple]:
    for subject in subjects:
        for name in properties:
            yield from pack.graph.match(subject, Iri(name))
