"""What a node is called: as in the graph that ours grew from if it stands there, else under a base of our own."""

from __future__ import annotations

from pathlib import Path

from graph_tools.build.mapping import MAPPING_FILE, Mapping
from graph_tools.errors import InvalidPack, Problem
from graph_tools.terms import Iri


class Names:
    """The bases of a mapping, and which names stay in the first one."""

    def __init__(self, mapping: Mapping, pack_dir: Path) -> None:
        """Raises InvalidPack where the list of kept names cannot be read."""
        self.base = mapping.prefixes[mapping.namespace]
        self.own = mapping.prefixes[mapping.minting.own] if mapping.minting else self.base
        self.file = (Path(MAPPING_FILE).parent / mapping.minting.kept).as_posix() if mapping.minting else ""
        self._kept = _lines(pack_dir / self.file, self.file) if mapping.minting else {}
        self._met: set[str] = set()

    @property
    def bases(self) -> tuple[str, ...]:
        """What the IRIs of the pack's own nodes begin with."""
        return tuple(dict.fromkeys((self.base, self.own)))

    def named(self, iri: str) -> Iri:
        """The node whose name the mapping gives in its namespace."""
        name = iri.removeprefix(self.base)
        if self.own == self.base or name == iri:
            return Iri(iri)
        if name in self._kept:
            self._met.add(name)
            return Iri(iri)
        return Iri(self.own + name)

    def faults(self) -> list[Problem]:
        """Names on the list that no row makes."""
        cause = "is the name of no node"
        return [
            Problem(self.file, line, f"{name!r} {cause}", "take it out, or correct it")
            for name, line in self._kept.items()
            if name not in self._met
        ]


def _lines(path: Path, shown: str) -> dict[str, int]:
    """Name -> its line, from 1."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        cause = f"cannot be read: {error}"
        raise InvalidPack([Problem(shown, None, cause, f"add it, or correct {MAPPING_FILE}")]) from None
    return {name: number for number, line in enumerate(text.splitlines(), start=1) if (name := line.strip())}
