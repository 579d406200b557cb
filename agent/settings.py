"""The operator's settings, and the only place that reads or writes the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from datetime import date
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, Json, SecretStr, ValidationError, field_validator

from graph_tools.errors import CuestoryError

VARIABLES = {
    "pack": "CUESTORY_PACK",
    "host": "HOST",
    "port": "PORT",
    "data": "CUESTORY_DATA",
    "origins": "CUESTORY_ORIGINS",
    "tool_steps": "CUESTORY_TOOL_STEPS",
    "keep_days": "CUESTORY_KEEP_DAYS",
    "workers": "WEB_CONCURRENCY",
    "contact": "CUESTORY_CONTACT",
    "strategy": "CUESTORY_STRATEGY",
    "embedder": "CUESTORY_EMBEDDER",
    "today": "CUESTORY_TODAY",
    "audit": "CUESTORY_AUDIT",
    "audit_days": "CUESTORY_AUDIT_DAYS",
    "audit_failure": "CUESTORY_AUDIT_FAILURE",
    "audit_words": "CUESTORY_AUDIT_WORDS",
    "narrator": "CUESTORY_NARRATOR",
    "model": "CUESTORY_MODEL",
    "model_url": "CUESTORY_MODEL_URL",
    "model_options": "CUESTORY_MODEL_OPTIONS",
    "model_seconds": "CUESTORY_MODEL_SECONDS",
    "visit_calls": "CUESTORY_VISIT_CALLS",
    "visit_tokens": "CUESTORY_VISIT_TOKENS",
    "day_calls": "CUESTORY_DAY_CALLS",
    "day_tokens": "CUESTORY_DAY_TOKENS",
    "google_api_key": "GOOGLE_API_KEY",
}
"""Field -> the variable it is read from. An empty variable counts as unset."""

SECRET = frozenset({"google_api_key", "model_options", "model_url"})
"""Fields whose value is never shown."""

QUIET = {
    # The safe reading of checkpoints is opt-in, and looked up when langgraph is imported.
    "LANGGRAPH_STRICT_MSGPACK": "true",
    # Nothing that a visitor does leaves this machine, whatever is set for the operator's other projects.
    "ANONYMIZED_TELEMETRY": "False",
    "DATABASE_URL": "",
    "HF_HUB_OFFLINE": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "LITERAL_API_KEY": "",
    "OTEL_SDK_DISABLED": "true",
    # Chainlit loads `.env` of the working directory.
    "CHAINLIT_ENV_FILE": os.devnull,
}

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""What the libraries behind numpy read when they are loaded."""


class InvalidSettings(CuestoryError):
    """A setting has a value that it cannot have."""


class Settings(BaseModel):
    """What an operator can choose. Every field has a default that works on a fresh machine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pack: Path | None = None
    """Directory of the story pack; None: the pack that comes with Cuestory."""
    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=8000, ge=0, le=65535)
    """0: any free port; the line that announces the chat says which."""
    data: Path = Field(default_factory=lambda: user_data_path("cuestory", appauthor=False))
    """The one directory that is written to: visits, and the chat's own files."""
    origins: tuple[str, ...] = ()
    """Further sites that may connect, call and frame the chat, as `https://museum.example`."""
    tool_steps: Literal["off", "on"] = "off"
    """Whether the chat shows each question put to the graph as a step of its own."""
    keep_days: int = Field(default=30, ge=1, le=36_500)
    """A visit that nobody came back to for so long is forgotten."""
    workers: int = Field(default=1, ge=1)
    """Processes. More than one is refused: sessions live in memory."""

    strategy: str = ""
    """The one strategy that every visit is told from; empty: visitors choose among those that the pack names."""
    embedder: str = Field(default="default", pattern=r"^(default|onnx|google:[A-Za-z0-9._/-]+)$")
    """By what strategy `hybrid` finds snippets that are like a question; `google:MODEL` sends them to Google."""
    today: Literal["", "clock"] | date = ""
    """The day by which snippets expire: none, that of this machine's clock at the start, or a date."""
    audit: Path | None = None
    """Directory of audit logs, one file a visit (docs/audit.md); None: none are written."""
    audit_days: int | None = Field(default=None, ge=1, le=36_500)
    """An audit log that nothing was written to for so long is deleted; None: as long as visits are kept."""
    audit_failure: Literal["go-on", "stop"] = "go-on"
    """Where the logs cannot be written: the stories go on, or none is told."""
    audit_words: Literal["off", "on"] = "off"
    """Whether what a visitor typed stands in the log."""
    contact: str = ""
    """E-mail or web address that `kg collect` gives to the services it asks; nothing else sends it anywhere."""

    narrator: Literal["template", "model"] = "template"
    """Who words the chat's stories. A model that cannot be used is a line in the log, and the template tells."""
    model: str = Field(default="", pattern=r"^([A-Za-z_][\w.]*:\S+)?$")
    """The language model as provider:name (agent.chat_models); empty: none."""
    model_url: str = Field(default="", pattern=r"^(https?://\S+)?$")
    """Where the provider is reached, if not at its own address: a proxy, or a server on this machine."""
    model_options: Json[dict[str, Any]] = {}
    """Further arguments for the provider's chat model, as a JSON object."""
    model_seconds: float = Field(default=8.0, gt=0, le=60)
    """How long a visitor waits for the model in a beat, all tries together."""
    visit_calls: int = Field(default=60, ge=0)
    """Calls of the model in one visit at most; after that, the template tells."""
    visit_tokens: int = Field(default=150_000, ge=0)
    day_calls: int = Field(default=2_000, ge=0)
    """Likewise, of all visits of one day (UTC)."""
    day_tokens: int = Field(default=5_000_000, ge=0)
    google_api_key: SecretStr | None = None
    """For the provider google_genai. Other providers read a key of their own."""

    @field_validator("origins", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value

    @field_validator("origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted({origin(text) for text in value}))

    @field_validator("data", "audit")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        try:
            return value.expanduser().absolute() if value else None
        except RuntimeError:
            raise ValueError("there is no such user") from None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """The settings that `environment` asks for (None: this process's own).

        Raises InvalidSettings with one line that names the variable, its value and what it may be.
        """
        source = os.environ if environment is None else environment
        given = {field: source[name] for field, name in VARIABLES.items() if source.get(name)}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            field = str(first["loc"][0])
            cause = first["msg"].removeprefix("Value error, ")
            value = "..." if field in SECRET else repr(given[field])
            raise InvalidSettings(f"{VARIABLES[field]}={value} cannot be used: {cause}") from None

    @property
    def own_records(self) -> Path:
        """Where records of strict template parses are kept, below the data directory."""
        return self.data / "templates"

    @property
    def vectors(self) -> Path:
        """Where the vectors of an embedder that costs time or money are kept, below the data directory."""
        return self.data / "snippets" / f"{self.embedder.replace(':', '-').replace('/', '-')}.json"

    @property
    def day(self) -> date | None:
        """The day by which snippets expire; None: none does."""
        if isinstance(self.today, date):
            return self.today
        return date.today() if self.today == "clock" else None

    @property
    def fetched(self) -> Path:
        """Where answers of web services are kept, below the data directory."""
        return self.data / "fetched"

    @property
    def phrasebook(self) -> Path:
        """The file of a language model's answers and of what each day cost, in the data directory."""
        return self.data / "phrasebook.sqlite"

    @property
    def chat_root(self) -> Path:
        """Chainlit's own directory, below the data directory."""
        return self.data / "chat"

    def prepare(self, environment: MutableMapping[str, str] | None = None) -> None:
        """Sets what the frameworks read when they are imported: call it before importing any of them."""
        target = os.environ if environment is None else environment
        target.update(QUIET, CHAINLIT_APP_ROOT=str(self.chat_root))


def one_thread_each(environment: MutableMapping[str, str] | None = None) -> None:
    """Lets every process that is started from now on calculate in one thread: as many processes as cores suffice.

    What an operator has set stays."""
    target = os.environ if environment is None else environment
    for name, value in ONE_THREAD.items():
        target.setdefault(name, value)


def origin(text: str) -> str:
    """A web origin in its one spelling, scheme and host in lower case. Raises ValueError for anything else."""
    try:
        parts = urlsplit(text.rstrip("/"))
        port = parts.port
    except ValueError:
        raise ValueError(f"{text!r} is no web address") from None
    bare = not (parts.path or parts.query or parts.fragment or parts.username)
    if parts.scheme not in ("http", "https") or not parts.hostname or not bare:
        raise ValueError(f"{text!r} is no origin: write scheme and host, as in https://museum.example")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    standard = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, standard) else "")
