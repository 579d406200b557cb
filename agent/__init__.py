"""The conversational half: stories, the chat, the terminal. No query can be run from here."""

__all__: list[str] = []
