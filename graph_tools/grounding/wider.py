"""What other questions say of the same thing: their words for a value that hangs on the same kind of statement.

"Comes from" is said of a place in one question; another that tells the same place in other words may use it too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from graph_tools.grounding.frames import Frames
from graph_tools.library import Library
from graph_tools.sparql_tree import Name
from graph_tools.template import Template
from graph_tools.terms import RDF_TYPE, Iri

Sign = tuple[str, str]
"""Class of what it is said of, and the property."""


class Wider:
    """Words by the kind of statement that a value stands in; made when first asked for."""

    def __init__(
        self,
        library: Library,
        frames: Callable[[str], Frames],
        teachers: Collection[str],
        common: Collection[str] = (),
    ) -> None:
        """`teachers`: the questions whose words others may use."""
        self._library = library
        self._teachers = tuple(sorted(teachers))
        self._common = frozenset(common)
        self._shared: frozenset[str] | None = None
        self._frames = frames
        self._words: dict[Sign, set[str]] | None = None
        self._cues: dict[tuple[str, str], frozenset[str]] = {}
        self._signs: dict[str, Mapping[str, frozenset[Sign]]] = {}

    def licenses(self, canon: str, cq: str, slot: str) -> bool:
        """True where some question says the word of such a value, and of nothing else beside it."""
        words = self._all()
        return any(canon in words.get(sign, ()) for sign in self.signs(cq).get(slot, ()))

    def cues(self, cq: str, slot: str) -> frozenset[str]:
        """How such a value stands in the wordings of all questions."""
        key = (cq, slot)
        if key not in self._cues:
            signs = self.signs(cq).get(slot, frozenset())
            found: set[str] = set()
            for other in self._teachers:
                for name, its in self.signs(other).items():
                    if its & signs:
                        found |= self._frames(other).cues.get(name, frozenset())
            self._cues[key] = frozenset(found)
        return self._cues[key]

    @property
    def shared(self) -> frozenset[str]:
        """Behind which prepositions the parameters that are filled by themselves stand, in the wordings of all
        questions."""
        if self._shared is None:
            self._shared = frozenset(
                cue
                for cq in self._teachers
                for name, its in self._frames(cq).cues.items()
                if name in self._common
                for cue in its
                if cue.startswith("P:")
            )
        return self._shared

    def signs(self, cq: str) -> Mapping[str, frozenset[Sign]]:
        """Slot -> the kinds of statements that its value is the object of."""
        known = self._signs.get(cq)
        if known is None:
            known = self._signs[cq] = _signs(self._library[cq])
        return known

    def _all(self) -> dict[Sign, set[str]]:
        if self._words is None:
            self._words = {}
            for cq in self._teachers:
                signs = self.signs(cq)
                for canon, segments in self._frames(cq).words.items():
                    for segment in segments:
                        if len(segment.results) == 1 and not segment.guarded:
                            for sign in signs.get(next(iter(segment.results)), ()):
                                self._words.setdefault(sign, set()).add(canon)
        return self._words


def _signs(template: Template) -> dict[str, frozenset[Sign]]:
    patterns = [*template.required, *(pattern for block in template.optional for pattern in block)]
    classes: dict[str, str] = {name: parameter.type for name, parameter in template.cq.parameters.items()}
    for subject, predicate, object_ in patterns:
        if predicate == RDF_TYPE and isinstance(subject, Name) and isinstance(object_, Iri):
            classes[subject.name] = object_.value
    found: dict[str, set[Sign]] = {}
    for subject, predicate, object_ in patterns:
        class_ = classes.get(subject.name, "") if isinstance(subject, Name) else ""
        if class_ and isinstance(object_, Name) and isinstance(predicate, Iri):
            found.setdefault(object_.name, set()).add((class_, predicate.value))
    return {name: frozenset(signs) for name, signs in found.items()}
