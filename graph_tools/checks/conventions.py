"""What the gate knows of common vocabularies: which properties name, identify and order; read from conventions.toml."""

from __future__ import annotations

import re
import tomllib
from functools import cache, cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from graph_tools.sense_tables import Iris, Order

_FILE = Path(__file__).with_name("conventions.toml")


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Scheme(_Strict):
    """One kind of identifier, and how its IRIs are written."""

    kind: str
    id: str
    """Regular expression for any spelling of the whole IRI; its group is the key."""
    canonical: str
    page: bool = False
    """True where it names a page about a thing and not the thing."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """`id`, compiled."""
        return re.compile(self.id)

    def key(self, iri: str) -> str | None:
        """The identifier in the IRI, lower case where case has no meaning; None where it is of another kind."""
        found = self.pattern.fullmatch(iri)
        return found.group(1) if found else None


class Apart(_Strict):
    """Classes of one kind of thing."""

    kind: str
    classes: frozenset[str]


class Lists(_Strict):
    """How ordered lists are said."""

    element: tuple[str, ...] = ()
    position: tuple[str, ...] = ()


class GluedNames(_Strict):
    """Where a capital inside a word is how people write it."""

    prefixes: tuple[str, ...] = ()


class Conventions(_Strict):
    """conventions.toml."""

    names: tuple[str, ...]
    same_as: frozenset[str]
    merges: str
    lists: Lists
    schemes: tuple[Scheme, ...] = Field(alias="scheme")
    apart: tuple[Apart, ...]
    order: tuple[Order, ...] = ()
    acyclic: Iris = ()
    """Properties that never lead back to where they began."""
    glue: GluedNames = Field(alias="names_that_glue")

    def identify(self, iri: str) -> tuple[Scheme, str] | None:
        """The kind of identifier that the IRI is, and its key; None for any other IRI."""
        for scheme in self.schemes:
            key = scheme.key(iri)
            if key is not None:
                return scheme, key
        return None


@cache
def conventions() -> Conventions:
    """The conventions that ship with the project."""
    return Conventions.model_validate(tomllib.loads(_FILE.read_text(encoding="utf-8")))
