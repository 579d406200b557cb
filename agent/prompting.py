"""What a language model is asked: prompts from `agent/prompts`, with the facts of a beat as data in them.

Nothing that a visitor typed is ever part of it: the question is the library's own, the facts are the graph's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from agent.narrator import Brief, Telling
from graph_tools.evidence import Factlet
from graph_tools.persona import Persona

_HOLE = re.compile(r"\{\{(\w+)\}\}")
_CLOCKS = {"clock": "as in 6:41 in the evening", "time": "as in 18:41"}
Fault = Mapping[str, object]


def task(telling: Telling, cited: Sequence[Factlet], brief: Brief, most: int) -> list[BaseMessage]:
    """The request for one beat. `cited`: the facts of the telling; `most`: sentences at most."""
    persona = brief.scene.persona
    drafts = [
        {
            "draft": _without(telling.lead_in, sentence.text),
            "facts": [factlet.id for factlet in message.saying.factlets],
        }
        for sentence, message in zip(telling.sentences, telling.messages, strict=False)
    ]
    lead_in = filled("lead_in", words=json.dumps(telling.lead_in, ensure_ascii=False)) if telling.lead_in else ""
    return [
        SystemMessage(filled("rules", most=str(most), words=str(persona.max_words))),
        HumanMessage(
            filled(
                "beat",
                question=brief.evidence.questions[0].question,
                persona=_style(persona),
                facts=as_data({"id": factlet.id, "fact": factlet.text} for factlet in cited),
                drafts=as_data(drafts),
                lead_in=lead_in,
            ).strip()
        ),
    ]


def repair(asked: Sequence[BaseMessage], answer: str, faults: Iterable[Fault]) -> list[BaseMessage]:
    """The request to answer once more, with the faults of the first answer."""
    return [*asked, AIMessage(answer), HumanMessage(filled("repair", faults=as_data(faults)))]


def as_data(items: Iterable[Fault]) -> str:
    """One JSON object a line; no item can end the fence that it stands in."""
    lines = (json.dumps(item, ensure_ascii=False) for item in items)
    return "\n".join(line.replace("<", "\\u003c").replace(">", "\\u003e").replace("`", "\\u0060") for line in lines)


def filled(name: str, **holes: str) -> str:
    """The prompt of that name with its `{{holes}}` filled, all at once: what fills one is not looked at again."""
    return _HOLE.sub(lambda hole: holes[hole[1]], _prompt(name))


def _style(persona: Persona) -> str:
    return f"{persona.tagline} {' '.join(persona.description.split())} Times of day {_CLOCKS[persona.clock]}."


def _without(lead_in: str, text: str) -> str:
    """A draft without the clause that leads into it."""
    if lead_in and text.casefold().startswith(lead_in.casefold()):
        rest = text[len(lead_in) :]
        return rest[:1].upper() + rest[1:]
    return text


@lru_cache
def _prompt(name: str) -> str:
    return (Path(__file__).parent / "prompts" / f"{name}.md").read_text(encoding="utf-8")
