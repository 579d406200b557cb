"""The line to a language model: one finished answer in time and within budget, or the reason why there is none."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.exceptions import (
    ModelAuthenticationError,
    ModelInvalidRequestError,
    ModelNotFoundError,
    ModelPermissionDeniedError,
)
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable

from agent.breaker import Breaker
from agent.budget import Budget
from agent.errors import MalformedReply, ModelUnavailable
from agent.phrasebook import Phrasebook
from agent.reply import Reply, estimate, finished_text, read_reply, reply_schema, tokens_of

FOR_GOOD = (ModelAuthenticationError, ModelInvalidRequestError, ModelNotFoundError, ModelPermissionDeniedError)
"""Refusals that asking again does not mend: a wrong key, a model that was switched off."""
ANSWER_TOKENS = 300
"""What an answer is reckoned at before it comes."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer."""

    reply: Reply
    text: str
    """As it came."""


class ModelLine:
    """Asks one model. Used from one event loop only."""

    def __init__(
        self,
        model: BaseChatModel,
        name: str,
        phrasebook: Phrasebook,
        budget: Budget,
        breaker: Breaker,
        *,
        structure: str = "",
    ) -> None:
        """`name`: as configured, provider:model; no key is part of it. `structure`: agent.chat_models.structure."""
        self.name = name
        self.calls = 0
        """Calls made since the start, answered or not."""
        self._model = model
        self._asked = _structured(model, structure)
        self._phrasebook = phrasebook
        self._budget = budget
        self._breaker = breaker

    async def ask(
        self,
        messages: Sequence[BaseMessage],
        offered: Collection[str],
        *,
        key: Sequence[str],
        visit: str,
        seconds: float,
    ) -> Answer:
        """The answer to these messages, which may cite the ids that are `offered`.

        `key`: what else its meaning depends on; a question that was answered before is not asked again.
        `seconds`: how long it may take. Raises ModelUnavailable, MalformedReply; the reason names neither key nor fact.
        """
        kept_as = _digest([self.name, *key, *(f"{message.type}: {message.text}" for message in messages)])
        kept = self._phrasebook.answer(kept_as)
        if kept is not None:
            return Answer(read_reply(kept, offered), kept)
        sent = sum(estimate(message.text) for message in messages)
        if over := self._budget.exhausted(visit, sent + ANSWER_TOKENS):
            raise ModelUnavailable(f"budget: {over} are used up")
        if seconds <= 0:
            raise ModelUnavailable("no time is left")
        if not self._breaker.lets_through():
            raise ModelUnavailable("the breaker is open")
        try:
            message = await self._call(messages, visit, seconds)
            self._budget.used(visit, tokens_of(message, sent))
            text = finished_text(message)
            reply = read_reply(text, offered)
        except (ModelUnavailable, MalformedReply) as error:
            self._breaker.failed(for_good=isinstance(error.__cause__, FOR_GOOD))
            raise
        self._breaker.succeeded()
        self._phrasebook.keep(kept_as, text)
        return Answer(reply, text)

    async def close(self) -> None:
        """Gives back what the model's client and the phrasebook hold."""
        self._phrasebook.close()
        if hasattr(self._model, "aclose"):
            await self._model.aclose()

    async def _call(self, messages: Sequence[BaseMessage], visit: str, seconds: float) -> AIMessage:
        self._budget.call(visit)
        self.calls += 1
        try:
            async with asyncio.timeout(seconds):
                given = await self._asked.ainvoke(list(messages))
        except TimeoutError as error:
            raise ModelUnavailable("no answer in time") from error
        except Exception as error:  # clients raise what they like; their words may hold the request, so they stay out
            raise ModelUnavailable(f"the call failed: {type(error).__name__}") from error
        message = given["raw"] if isinstance(given, dict) else given
        if not isinstance(message, AIMessage):
            raise ModelUnavailable("the call failed: no message came")
        return message


def _structured(model: BaseChatModel, structure: str) -> Runnable[Any, Any]:
    """The model, told the shape of its answer where it can be. What it sends is read by us: LangChain's own parser
    completes JSON that was cut off."""
    try:
        method = {"method": structure} if structure else {}
        return model.with_structured_output(reply_schema(), include_raw=True, **method)
    except (NotImplementedError, ValueError, TypeError):
        return model


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(list(parts), ensure_ascii=False).encode()).hexdigest()
