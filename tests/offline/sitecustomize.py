"""Refuses every connection and name lookup that leaves this machine.

Python imports a module of this name at start, so one entry in PYTHONPATH guards each process that a test starts too.
An audit hook is used, and not a patched `socket` module: nothing in the process can go round it or take it out.
"""

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

RECORD = "CUESTORY_REFUSED_CONNECTIONS"
"""Environment variable that names the file to which each refused attempt is added, one a line."""


class NetworkRefused(RuntimeError):
    """No OSError on purpose: what handles a missing network quietly must not hide that a test tried to use one."""


def stays_here(host: object) -> bool:
    """Whether `host`, as the socket functions take it, can only mean this machine."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name is None or name in ("", "localhost", "::1", "::", "0.0.0.0", socket.gethostname()):
        return True
    return isinstance(name, str) and name.startswith("127.")


def _connected(args: tuple[object, ...]) -> object:
    endpoint, address = args[:2]
    inet = getattr(endpoint, "family", None) in (socket.AF_INET, socket.AF_INET6)
    return address[0] if inet and isinstance(address, tuple) else None


def _named(args: tuple[object, ...]) -> object:
    return args[0]


_HOST_OF: dict[str, Callable[[tuple[object, ...]], object]] = {
    "socket.connect": _connected,
    "socket.sendto": _connected,
    "socket.getaddrinfo": _named,
    "socket.gethostbyname": _named,
    "socket.gethostbyaddr": _named,
}


def refuse(event: str, args: tuple[object, ...]) -> None:
    """The audit hook. Raises NetworkRefused for whatever would leave this machine."""
    read = _HOST_OF.get(event)
    if read is None:
        return
    host = read(args)
    if stays_here(host):
        return
    if record := os.environ.get(RECORD):
        with Path(record).open("a", encoding="utf-8") as file:
            file.write(f"{event} {host!r}\n")
    raise NetworkRefused(f"{event} {host!r}: tests may use no network but loopback")


if RECORD in os.environ:
    sys.addaudithook(refuse)
