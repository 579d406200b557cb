"""True sentences that people wrote in words of their own, each with the evidence that it was told from."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from agent import visit
from agent.context import StoryContext
from graph_tools.evidence import EvidencePack, Factlet
from graph_tools.grounding import complete_in
from graph_tools.plan import Question
from graph_tools.terms import Iri

FROZEN = ConfigDict(frozen=True, extra="forbid")


class _Told(BaseModel):
    model_config = FROZEN

    cq: str
    bind: dict[str, str] = {}
    """Parameter -> name; the pack's defaults fill the others."""
    cites: tuple[str, ...] = ()
    """Ids of factlets; empty: all of the answer."""
    plain: tuple[str, ...] = ()
    lively: tuple[str, ...] = ()


class _File(BaseModel):
    model_config = FROZEN

    evidence: tuple[_Told, ...]


@dataclass(frozen=True, slots=True)
class Reworded:
    """A true sentence and what it cites."""

    cq: str
    text: str
    register: Literal["plain", "lively"]
    seen: bool
    """True for the half that rules may be made with: the first, third, ... of each list."""
    cited: tuple[Factlet, ...]
    complete: frozenset[str]


def load(path: Path, ctx: StoryContext) -> list[Reworded]:
    """The sentences of a file. Raises UnknownEntity or KeyError where the pack no longer has their evidence."""
    found: list[Reworded] = []
    for told in _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).evidence:
        evidence = evidence_for(told.cq, told.bind, ctx)
        cited = tuple(f for f in evidence.factlets if not told.cites or f.id in told.cites)
        complete = complete_in(evidence, [factlet.id for factlet in cited])
        registers: tuple[tuple[Literal["plain", "lively"], tuple[str, ...]], ...] = (
            ("plain", told.plain),
            ("lively", told.lively),
        )
        for register, texts in registers:
            for number, text in enumerate(texts):
                found.append(Reworded(told.cq, text, register, number % 2 == 0, cited, complete))
    return found


def evidence_for(cq: str, bind: Mapping[str, str], ctx: StoryContext) -> EvidencePack:
    """The evidence of a question bound to entities by their names."""
    parameters = ctx.pack.library[cq].cq.parameters
    bindings = {name: iri.value for name, iri in ctx.pack.defaults.items() if name in parameters}
    bindings |= {name: ctx.pack.entities.find(text, Iri(parameters[name].type)).value for name, text in bind.items()}
    return visit.ask(Question(cq=cq, question="?", bindings=bindings), ctx)
