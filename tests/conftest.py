"""What every test stands on: no network but loopback, nothing of the user's own settings, a browser if there is one."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from agent.context import StoryContext
from graph_tools.pack import StoryPack

ROOT = Path(__file__).resolve().parent.parent
OFFLINE = ROOT / "tests" / "offline"
SCRATCH = Path(tempfile.mkdtemp(prefix="cuestory-tests-"))
REFUSED = SCRATCH / "refused-connections"
PARSES = SCRATCH / "data" / "cuestory" / "templates"
"""Where the commands keep their strict parses, in this process and in those that a test starts."""

SETTINGS = (
    *("CHAINLIT_", "CUESTORY_", "DATABASE_URL", "GEMINI_", "GOOGLE_", "HOST"),
    *("LANGCHAIN_", "LANGGRAPH_", "LANGSMITH_", "LITERAL_", "OTEL_", "PORT"),
)
"""How the variables begin that would make a test depend on who runs it."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # What the page asks of any other host fails at once, so that a test never waits for a name server.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)


OPERATOR: dict[str, str] = {}
"""What was set in the environment of whoever runs this: for tests marked live alone."""


def _set_environment() -> None:
    """Before anything is imported: chainlit, langgraph and langsmith read these when they are."""
    for name in list(os.environ):
        if name.startswith(SETTINGS) and name != "CUESTORY_REQUIRE_BROWSER":
            OPERATOR[name] = os.environ.pop(name)
    app_root = SCRATCH / "app"
    app_root.mkdir()
    os.environ.update(
        ANONYMIZED_TELEMETRY="False",
        CHAINLIT_APP_ROOT=str(app_root),
        HF_HUB_OFFLINE="1",
        LANGGRAPH_STRICT_MSGPACK="true",
        LANGSMITH_TRACING="false",
        OTEL_SDK_DISABLED="true",
        XDG_CACHE_HOME=str(SCRATCH / "cache"),
        XDG_CONFIG_HOME=str(SCRATCH / "config"),
        XDG_DATA_HOME=str(SCRATCH / "data"),
        XDG_STATE_HOME=str(SCRATCH / "state"),
    )


def _refuse_network() -> None:
    """Here, and through PYTHONPATH in every Python process that a test starts."""
    REFUSED.touch()
    os.environ["CUESTORY_REFUSED_CONNECTIONS"] = str(REFUSED)
    os.environ["PYTHONPATH"] = str(OFFLINE)
    guard = importlib.util.spec_from_file_location("offline_guard", OFFLINE / "sitecustomize.py")
    assert guard is not None
    assert guard.loader is not None
    module = importlib.util.module_from_spec(guard)
    sys.modules[guard.name] = module
    guard.loader.exec_module(module)


_set_environment()
# The same examples in every run, and no directory of them left behind.
settings.register_profile("cuestory", deadline=None, derandomize=True, database=None)
settings.load_profile("cuestory")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-slow", action="store_true", help="run the tests marked slow too (make test does)")
    parser.addoption("--run-live", action="store_true", help="run the tests marked live: they need a key and a network")
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files; review the diff")


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--run-live"):
        _refuse_network()


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(SCRATCH, ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for marker in ("slow", "live"):
        if not config.getoption(f"--run-{marker}"):
            skip = pytest.mark.skip(reason=f"{marker}: run with --run-{marker}")
            for item in items:
                if item.get_closest_marker(marker):
                    item.add_marker(skip)


@pytest.fixture(scope="session")
def operator() -> dict[str, str]:
    """The settings of whoever runs the live tests, GOOGLE_API_KEY and CUESTORY_MODEL among them."""
    return OPERATOR


@pytest.fixture(autouse=True)
def no_network() -> Iterator[None]:
    """Fails a test that tried to leave this machine, also where the code under test swallowed the refusal."""
    yield
    if REFUSED.exists() and (attempts := REFUSED.read_text(encoding="utf-8")):
        REFUSED.write_text("", encoding="utf-8")
        pytest.fail(f"tried to use the network:\n{attempts}")


@pytest.fixture(scope="session")
def project() -> Path:
    """The root of this checkout, which is the Live Aid pack too."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference material that lies beside some checkouts; the test is skipped where it does not."""
    path = ROOT.parent / "shared"
    if not path.is_dir():
        pytest.skip("no ../shared beside this checkout")
    return path


@pytest.fixture(scope="session")
def ctx(project: Path) -> StoryContext:
    """The project's own pack, opened once a session."""
    return StoryContext.of(StoryPack.open(project, cache=PARSES))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` compares `text` with tests/golden/`name`, or writes it there under --update-golden."""

    def compare(name: str, text: str) -> None:
        path = ROOT / "tests" / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{path} is missing; write it with --update-golden"
        assert text == path.read_text(encoding="utf-8"), f"differs from {path}; if it should, use --update-golden"

    return compare


@pytest.fixture(scope="session")
def browser_path() -> str:
    """An installed Chromium. Without one the test is skipped, or fails where CUESTORY_REQUIRE_BROWSER is 1."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found:
        return found
    message = "no Chromium on this machine; on Debian: apt-get install chromium"
    if os.environ.get("CUESTORY_REQUIRE_BROWSER") == "1":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def browser_flags() -> list[str]:
    """For `playwright.chromium.launch(executable_path=browser_path, args=browser_flags)`."""
    return list(BROWSER_FLAGS)


class ChatServer:
    """A chat server in a process of its own, on a port and a data directory that outlive it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.port = 0
        self.log = data.with_suffix(".log")
        self._process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        environment = {**os.environ, "PORT": str(self.port), "CUESTORY_DATA": str(self.data)}
        command = [sys.executable, "-c", "from agent.cli import main; main()", "serve"]
        with self.log.open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                command, cwd=self.data.parent, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert "http://127.0.0.1:" in line, self.log.read_text(encoding="utf-8")
        self.port = int(line.rsplit(":", 1)[1])

    def kill(self) -> None:
        """As a crash would: nothing is written or said any more."""
        assert self._process is not None
        self._process.kill()
        self._process.communicate()

    def stop(self) -> int:
        """As an operator would; the exit code."""
        assert self._process is not None
        self._process.terminate()
        self._process.communicate(timeout=20)
        return self._process.returncode


@pytest.fixture(scope="session")
def chat_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatServer]:
    """The project's own chat, started once a session. A test that kills it starts it again."""
    server = ChatServer(tmp_path_factory.mktemp("chat") / "data")
    server.start()
    yield server
    server.stop()
