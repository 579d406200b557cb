"""A chat model that answers what it was told to, in turn: an adapter of LangChain's interface, without a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr


def stopped(text: str, **more: Any) -> AIMessage:
    """A finished answer."""
    return AIMessage(text, response_metadata={"finish_reason": "stop"}, **more)


class ScriptedModel(BaseChatModel):
    """Says one line a call; the last one again and again."""

    script: Sequence[Any]
    """Texts, whole messages, or exceptions to be raised."""
    _heard: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def heard(self) -> list[list[BaseMessage]]:
        """The messages of each call so far."""
        return self._heard

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        line = self.script[min(len(self._heard), len(self.script) - 1)]
        self._heard.append(messages)
        if isinstance(line, Exception):
            raise line
        message = stopped(line) if isinstance(line, str) else line
        return ChatResult(generations=[ChatGeneration(message=message)])
