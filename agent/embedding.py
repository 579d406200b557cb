"""Google's embeddings, for an operator who asks for them: the only door through which snippets leave this machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from graph_tools.embedder import Vector
from graph_tools.errors import IndexUnavailable


class EmbeddingClient(Protocol):
    """What LangChain's embedding clients have in common."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of texts that will be found."""

    def embed_query(self, text: str) -> list[float]:
        """The vector of what they are found by."""


class GoogleEmbedder:
    """Vectors made by a model of Google's."""

    def __init__(self, model: str, client: EmbeddingClient | None = None) -> None:
        """`client`: who asks the model (none: LangChain's, which reads the key from the environment).

        Raises IndexUnavailable where there is no key."""
        self.name = f"google-{model}"
        self._client = client or _client(model)

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, of length 1. Raises IndexUnavailable."""
        try:
            found = self._client.embed_documents(list(texts))
        except Exception as error:
            raise _silent(error) from error
        if len(found) != len(texts):
            raise IndexUnavailable(f"{self.name} gave {len(found)} vectors for {len(texts)} texts; try another model")
        return [_unit(vector) for vector in found]

    def question(self, text: str) -> Vector:
        """The vector of any text. Raises IndexUnavailable."""
        try:
            return _unit(self._client.embed_query(text))
        except Exception as error:
            raise _silent(error) from error


def _client(model: str) -> EmbeddingClient:
    try:
        from langchain_google_genai import GoogleGenerativeAIEmbeddings

        return GoogleGenerativeAIEmbeddings(model=model)
    except Exception as error:
        raise _silent(error) from error


def _unit(vector: Sequence[float]) -> Vector:
    length = math.sqrt(math.fsum(part * part for part in vector))
    return [part / length for part in vector] if length else list(vector)


def _silent(error: BaseException) -> IndexUnavailable:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return IndexUnavailable(f"Google gave no vectors ({lines[0][:200]}); check GOOGLE_API_KEY and CUESTORY_EMBEDDER")
