"""The guard that keeps all other tests off the network."""

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

OUTSIDE = "192.0.2.1"  # a documentation address: nobody answers there


@pytest.fixture
def refused() -> Iterator[Path]:
    """Where refused attempts are written down; emptied, so that the ones made here on purpose fail no test."""
    record = Path(os.environ["CUESTORY_REFUSED_CONNECTIONS"])
    yield record
    record.write_text("", encoding="utf-8")


def test_a_connection_that_leaves_the_machine_is_refused_and_written_down(refused: Path) -> None:
    with pytest.raises(RuntimeError, match="no network but loopback"):
        socket.create_connection((OUTSIDE, 80), timeout=1)
    assert OUTSIDE in refused.read_text(encoding="utf-8")


def test_a_name_of_another_machine_is_not_looked_up(refused: Path) -> None:
    with pytest.raises(RuntimeError, match="no network but loopback"):
        socket.getaddrinfo("example.org", 443)


def test_a_process_that_a_test_starts_is_guarded_too(refused: Path) -> None:
    code = f"import socket\ntry: socket.create_connection(({OUTSIDE!r}, 80))\nexcept RuntimeError: print('refused')"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert result.stdout == "refused\n"
    assert OUTSIDE in refused.read_text(encoding="utf-8")


def test_loopback_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()[:2]) as client:
        assert client.getpeername() == server.getsockname()
    assert socket.getaddrinfo("localhost", 80)


def test_nothing_is_traced_and_nothing_of_the_user_is_read() -> None:
    assert os.environ["LANGSMITH_TRACING"] == "false"
    assert os.environ["LANGGRAPH_STRICT_MSGPACK"] == "true"
    assert not [
        name
        for name, value in os.environ.items()
        if value and name.endswith("_API_KEY") and name.startswith(("GOOGLE", "LITERAL", "LANG"))
    ]
    for name in ("CHAINLIT_APP_ROOT", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        assert Path(os.environ[name]).is_relative_to(tempfile.gettempdir())
