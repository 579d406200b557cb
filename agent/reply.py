"""What a language model answered, read strictly: a finished answer, whole JSON, known ids, or nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from langchain_core.messages import AIMessage
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.errors import MalformedReply, ModelUnavailable

FINISHED = frozenset({"stop", "end_turn", "tool_use", "tool_calls", "function_call"})
"""How providers say that an answer was not cut off or blocked, folded."""
LONGEST = 4_000
"""Characters of an answer that are read."""
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)


class Said(BaseModel):
    """One sentence of an answer, and the ids of the facts that it says."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    text: str = Field(min_length=1, max_length=600)
    evidence: list[str] = Field(min_length=1, max_length=40)


class Reply(BaseModel):
    """A whole answer."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    sentences: list[Said] = Field(min_length=1, max_length=3)


def reply_schema() -> dict[str, Any]:
    """The shape of an answer, as JSON Schema in the subset that every provider takes."""
    text = {"type": "string", "description": "One plain sentence."}
    ids = {"type": "array", "items": {"type": "string"}, "description": "Ids of the facts that the sentence says."}
    sentence = {"type": "object", "properties": {"text": text, "evidence": ids}, "required": ["text", "evidence"]}
    return {
        "title": "Beat",
        "description": "One to three sentences, each with the ids of the facts that it says.",
        "type": "object",
        "properties": {"sentences": {"type": "array", "items": sentence}},
        "required": ["sentences"],
    }


def finished_text(message: AIMessage) -> str:
    """The text of a finished answer, without thoughts. Raises ModelUnavailable with the reason that was given."""
    metadata = message.response_metadata
    reason = next((r for name in ("finish_reason", "stop_reason", "done_reason") if (r := metadata.get(name))), "")
    if str(reason).casefold() not in FINISHED:
        feedback = metadata.get("prompt_feedback")
        blocked = feedback.get("block_reason") if isinstance(feedback, dict) else None
        raise ModelUnavailable(f"unfinished answer: {_plain(blocked or reason) or 'no reason given'}")
    if message.tool_calls:  # where a provider gives structure by calling a function
        return json.dumps(message.tool_calls[0]["args"])
    text = "".join(_texts(message.content))
    if not text.strip():
        raise ModelUnavailable("unfinished answer: it is empty")
    return text


def read_reply(text: str, offered: Collection[str]) -> Reply:
    """The answer. Raises MalformedReply: nothing is mended, and no sentence of a broken answer is used.

    `offered`: ids of the facts that it may cite.
    """
    if len(text) > LONGEST:
        raise MalformedReply(f"longer than {LONGEST} characters")
    fenced = _FENCED.fullmatch(text)
    try:
        found = Reply.model_validate(json.loads(fenced[1] if fenced else text))
    except ValidationError as error:
        first = error.errors()[0]
        raise MalformedReply(f"{'.'.join(map(str, first['loc']))}: {first['type']}") from None
    except (ValueError, RecursionError):
        raise MalformedReply("no JSON") from None
    unknown = {id_ for said in found.sentences for id_ in said.evidence} - set(offered)
    if unknown:
        raise MalformedReply(f"{len(unknown)} ids that were not offered")
    return found


def tokens_of(message: AIMessage, sent: int) -> int:
    """Tokens of the call as the provider counts them; else estimated. `sent`: an estimate of the prompt's."""
    usage = message.usage_metadata
    return usage["total_tokens"] if usage else sent + estimate("".join(_texts(message.content)))


def estimate(text: str) -> int:
    """About how many tokens a text has: four letters each, as providers say of English."""
    return len(text) // 4 + 1


def _texts(content: str | list[Any]) -> Iterator[str]:
    """The parts that are text: neither thoughts nor signatures, nor pictures."""
    if isinstance(content, str):
        yield content
        return
    for part in content:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and part.get("type") == "text":
            yield str(part.get("text", ""))


def _plain(reason: object) -> str:
    """A reason as one word for the log: an enum's name, whatever the provider sends."""
    return re.sub(r"[^A-Za-z_ ]", "", str(getattr(reason, "value", reason) or ""))[:40]
