"""Chainlit's own directory: made from the files that Cuestory ships, outside the checkout.

Chainlit reads its configuration, translations and public files from one directory and writes beside them; what is
shipped is copied there at every start, so that nothing is ever written into the repository.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agent.settings import InvalidSettings, Settings

CONFIG = ".chainlit/config.toml"
COPIED = ("chainlit.md", "public")
WORDS = ".chainlit/words.json"
"""What our English differs in from Chainlit's: it speaks of language models, and there is none here."""
_ORIGINS = re.compile(r"(?m)^allow_origins = .*$")


def shipped() -> Path:
    """Where the shipped files are: the checkout, or inside the installed package."""
    here = Path(__file__).resolve().parent
    return next(root for root in (here.parent, here / "bundled") if (root / "chainlit.md").is_file())


@contextmanager
def occupied(settings: Settings) -> Iterator[None]:
    """Holds the data directory, made where there is none, for this process alone.

    Raises InvalidSettings where it cannot be written to or another server works in it.
    """
    try:
        settings.data.mkdir(parents=True, exist_ok=True)
        lock = (settings.data / "lock").open("w")
    except OSError as error:
        raise _unwritable(settings, error) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InvalidSettings(
                f"another server works in {settings.data}; stop it, or set CUESTORY_DATA to another directory"
            ) from None
        yield


def furnish(settings: Settings, origins: tuple[str, ...]) -> None:
    """Puts the shipped files into the chat's directory, with the origins that may call it.

    Raises InvalidSettings where it cannot be written to.
    """
    source, root = shipped(), settings.chat_root
    listed = f"allow_origins = {json.dumps(list(origins))}"
    config = _ORIGINS.sub(lambda _: listed, (source / CONFIG).read_text(encoding="utf-8"), count=1)
    words = _merged(_chainlit_english(), json.loads((source / WORDS).read_text(encoding="utf-8")))
    try:
        for name in COPIED:
            _copy(source / name, root / name)
        _write(root / CONFIG, config)
        _write(root / ".chainlit/translations/en-US.json", json.dumps(words, indent=1, ensure_ascii=False))
    except OSError as error:
        raise _unwritable(settings, error) from None


def _unwritable(settings: Settings, error: OSError) -> InvalidSettings:
    return InvalidSettings(
        f"cannot write to {settings.data}: {error.strerror}; set CUESTORY_DATA to a directory that can be written"
    )


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.rmtree(target, ignore_errors=True)  # what is no longer shipped must not be served any more
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)  # noqa: PTH105  # the atomic one


def _chainlit_english() -> dict[str, Any]:
    found = find_spec("chainlit")  # looks the package up without importing it
    if found is None or found.origin is None:
        raise InvalidSettings("chainlit is not installed; run make chat, which installs what is missing")
    path = Path(found.origin).parent / "translations/en-US.json"
    english: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return english


def _merged(base: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    both = {key: _merged(base[key], ours[key]) for key in base.keys() & ours.keys() if isinstance(base[key], dict)}
    return base | ours | both
