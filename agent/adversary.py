"""A language model that lies in a named way, to show what stands between it and a visitor. It needs no network.

It is a chat model like any other: `CUESTORY_MODEL=agent.adversary.AdversaryChatModel:negated` puts it in the guide.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from agent.lies import Lie, Request, told


class AdversaryChatModel(BaseChatModel):
    """Answers every request with a lie of one kind (`agent.lies.KINDS`), the same one for the same prompt."""

    model: str
    """The kind."""
    names: tuple[str, ...] = ()
    """Names to lie with."""
    seed: int = 0
    _lies: list[Lie] = PrivateAttr(default_factory=list)

    @property
    def lies(self) -> Sequence[Lie]:
        """What it answered so far."""
        return tuple(self._lies)

    @property
    def _llm_type(self) -> str:
        return "adversary"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> ChatResult:
        asked = next(message.text for message in messages if message.type == "human")
        lie = told(self.model, Request.of(asked, self.names), Random(f"{self.seed}|{self.model}|{asked}"))
        self._lies.append(lie)
        message = AIMessage(lie.answer, response_metadata={"finish_reason": "stop"})
        return ChatResult(generations=[ChatGeneration(message=message)])
