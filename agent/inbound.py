"""What a page may send, checked where it enters: Chainlit takes a page at its word.

Its session id is made by the page and becomes a directory that is deleted when the session ends; a message that lacks
a field comes back as the text of an exception.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

LONGEST_TEXT = 2_001
"""Characters let in of what a visitor types: one more than the router reads, so that it sees that there was more."""
LOOSE = ConfigDict(extra="ignore")
"""A page sends more than we read."""


class Arrival(BaseModel):
    """How a page introduces itself."""

    model_config = LOOSE

    sessionId: uuid.UUID  # noqa: N815  # Chainlit's spelling
    clientType: Literal["webapp", "copilot"] = "webapp"  # noqa: N815

    def for_chainlit(self) -> dict[str, Any]:
        """The fields that Chainlit reads; nobody logs in, resumes its threads or brings variables."""
        return {
            "sessionId": str(self.sessionId),
            "clientType": self.clientType,
            "userEnv": None,
            "chatProfile": None,
            "threadId": None,
        }


class PressedAction(BaseModel):
    """A press. The callback checks the payload against what the server knows."""

    model_config = LOOSE

    name: str
    payload: dict[str, Any] = {}


class Press(BaseModel):
    """The body of a press."""

    model_config = LOOSE

    sessionId: str  # noqa: N815
    action: PressedAction


class TypedText(BaseModel):
    """The part of a message that is read."""

    model_config = LOOSE

    id: uuid.UUID
    output: str


class TypedMessage(BaseModel):
    """What a visitor typed."""

    model_config = LOOSE

    message: TypedText

    def for_chainlit(self) -> dict[str, Any]:
        """The message without files, cut to LONGEST_TEXT."""
        message = {
            "id": str(self.message.id),
            "threadId": "",
            "name": "visitor",
            "type": "user_message",
            "output": self.message.output[:LONGEST_TEXT],
            "createdAt": "",
            "metadata": {},
        }
        return {"message": message, "fileReferences": []}


class Refused(Exception):
    """What a page sent is nothing that a page of ours sends."""


def arrival(auth: object) -> Arrival:
    """How the page introduces itself. Raises Refused."""
    try:
        found = Arrival.model_validate(auth)
    except ValidationError:
        raise Refused("no session id of ours") from None
    if not isinstance(auth, Mapping) or auth["sessionId"] != str(found.sessionId):
        raise Refused("a session id has one spelling")
    return found


def typed(payload: object) -> TypedMessage:
    """The message. Raises Refused."""
    try:
        found = TypedMessage.model_validate(payload)
    except ValidationError:
        raise Refused("no message of ours") from None
    if found.message.id.version != 4:
        raise Refused("no id of ours")
    return found
