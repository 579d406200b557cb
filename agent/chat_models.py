"""Language models by name, and the door of their packages: nothing else imports a provider's client.

A name is provider:model. A provider is one of the table below, or the dotted path of any class with LangChain's
chat-model interface (`my_museum.models.OurChatModel:small`). A package is imported when its model is opened.
"""

from __future__ import annotations

import importlib
import logging
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agent.errors import NoModel
from graph_tools.errors import nearest

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

MOST_TOKENS = 2048
"""Of an answer. Three sentences take 200; a model that thinks counts its thoughts too."""


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a chat model comes from, and what its arguments are called."""

    module: str
    name: str
    package: str
    """To be installed for it."""
    tokens: str = "max_tokens"
    timeout: str = "timeout"
    """Empty: it has none of its own, and the narrator's time limit is the only one."""
    tries: Mapping[str, int] | None = None
    """The argument that keeps the client from trying again by itself; None where it does not."""
    key: str = ""
    """The variable that it reads its key from."""


PROVIDERS = {
    "anthropic": Provider(
        "langchain_anthropic", "ChatAnthropic", "langchain-anthropic", tries={"max_retries": 0}, key="ANTHROPIC_API_KEY"
    ),
    # 1 is one try; 0 would mean the default of the client, which is six.
    "google_genai": Provider(
        "langchain_google_genai", "ChatGoogleGenerativeAI", "langchain-google-genai", tries={"max_retries": 1},
        key="GOOGLE_API_KEY",
    ),
    "mistralai": Provider(
        "langchain_mistralai", "ChatMistralAI", "langchain-mistralai", tries={"max_retries": 1}, key="MISTRAL_API_KEY"
    ),
    "ollama": Provider("langchain_ollama", "ChatOllama", "langchain-ollama", tokens="num_predict", timeout=""),
    "openai": Provider(
        "langchain_openai", "ChatOpenAI", "langchain-openai", tries={"max_retries": 0}, key="OPENAI_API_KEY"
    ),
}  # fmt: skip


def open_model(
    name: str, *, url: str = "", key: str = "", seconds: float = 8.0, options: Mapping[str, Any] | None = None
) -> BaseChatModel:
    """The chat model of that name, at temperature 0. It asks nobody yet.

    `url`: where it is reached, if not at its provider's own address. `key`: for google_genai; other providers read
    theirs from a variable of their own. `options`: further arguments of the class, which go first. Raises NoModel, in
    one line that never holds the key.
    """
    provider, _, model = name.partition(":")
    if not provider or not model:
        raise NoModel("no language model is configured; set CUESTORY_MODEL to provider:name, as in google_genai:NAME")
    given = dict(options or {})
    if "." in provider:
        return _made(
            _imported(*provider.rsplit(".", 1), package=provider.partition(".")[0]), {"model": model} | given, name
        )
    known = PROVIDERS.get(provider)
    if known is None:
        raise NoModel(f"CUESTORY_MODEL: unknown provider {provider!r}; {nearest(provider, sorted(PROVIDERS))}")
    arguments: dict[str, Any] = {"model": model, "temperature": 0, known.tokens: MOST_TOKENS, **(known.tries or {})}
    if known.timeout:
        arguments[known.timeout] = seconds
    if url:
        arguments["base_url"] = url
    if provider == "google_genai":
        if not key:
            raise NoModel("GOOGLE_API_KEY is not set: google_genai needs a key")
        # It warns of every empty answer; the narrator says why it takes the template.
        logging.getLogger("langchain_google_genai").setLevel(logging.ERROR)
        # It forgets to await the body of a server's error.
        warnings.filterwarnings("ignore", "coroutine 'ClientResponse.json' was never awaited", RuntimeWarning)
        from langchain_google_genai import ChatGoogleGenerativeAI

        return _made(ChatGoogleGenerativeAI, {"google_api_key": key} | arguments | given, name)
    return _made(_imported(known.module, known.name, package=known.package), arguments | given, name, known.key)


def structure(name: str, url: str) -> str:
    """How the model is told the shape of its answer: "" as its class does by itself, or a method of LangChain's.

    Servers that speak OpenAI's protocol mostly know functions, and refuse a schema."""
    return "function_calling" if url and name.startswith("openai:") else ""


def _imported(module: str, name: str, *, package: str) -> Any:
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError as error:
        if error.name and not module.startswith(error.name):
            raise NoModel(f"CUESTORY_MODEL: {module} cannot be imported: {error.name} is missing") from None
        raise NoModel(f"CUESTORY_MODEL: {module} is not installed; install the package {package}") from None
    except AttributeError:
        raise NoModel(f"CUESTORY_MODEL: {module} has no {name}") from None


def _made(kind: Any, arguments: Mapping[str, Any], name: str, key: str = "") -> BaseChatModel:
    try:
        model: BaseChatModel = kind(**arguments)
    except Exception as error:  # noqa: BLE001  # a constructor of somebody else; its message may quote the key
        hint = f"; is {key} set?" if key else ""
        raise NoModel(f"CUESTORY_MODEL: {name} cannot be opened: {type(error).__name__}{hint}") from None
    return model
