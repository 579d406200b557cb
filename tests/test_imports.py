"""Who may import whom: the rules hold, they catch a breach of each, and what is light stays light."""

import os
import pkgutil
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import agent
import evaluation
import graph_tools

ROOT = Path(__file__).resolve().parent.parent
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
NAMES = {contract["id"]: contract["name"] for contract in CONTRACTS}

BREACHES = {
    "halves": ("graph_tools/terms.py", "from agent import story"),
    "no-model": ("graph_tools/planner.py", "import langchain_core.messages"),
    "no-query": ("agent/story.py", "import rdflib"),
    "chat-door": ("agent/presenter.py", "import chainlit"),
    "model-door": ("agent/story.py", "from google import genai"),
    "vector-door": ("graph_tools/planner.py", "import chromadb"),
    "web-door": ("graph_tools/planner.py", "import httpx2"),
    "straight-line": ("agent/visit.py", "import langgraph.graph"),
    "agent-layers": ("agent/newcomer.py", "NAME = 'a module without a place'"),
    "gate-layers": ("graph_tools/grounding/text.py", "from graph_tools.grounding import gate"),
    "measurement-layers": ("evaluation/metrics/fit.py", "from evaluation import grid"),
    "symbol-layers": ("graph_tools/terms.py", "from graph_tools import planner"),
}
"""For each contract a line that breaks it, added to the end of a file."""


def lint(directory: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(directory), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The three packages and the rules, to be broken."""
    for package in ("agent", "evaluation", "graph_tools"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_a_breach_is_planted_for_every_contract() -> None:
    assert set(BREACHES) == set(NAMES)


@pytest.mark.slow
def test_the_import_rules_hold_in_a_copy_without_a_breach(copy: Path) -> None:
    result = lint(copy)
    assert result.returncode == 0, result.stdout
    assert f"{len(NAMES)} kept, 0 broken" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("contract", sorted(BREACHES))
def test_a_planted_breach_is_refused(copy: Path, contract: str) -> None:
    name, line = BREACHES[contract]
    with (copy / name).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    result = lint(copy)
    assert result.returncode == 1
    assert f"{NAMES[contract]} BROKEN" in result.stdout


def without_the_chat() -> list[str]:
    """Every module but the two doors of the chat: chainlit itself writes its folders when it is imported."""
    return sorted(
        module.name
        for package in (agent, evaluation, graph_tools)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if module.name not in ("agent.app", "agent.server")
    )


def loaded_by(code: str, directory: Path) -> set[str]:
    """The top-level packages that are loaded after `code` has run in a process of its own, in an empty directory."""
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{code}\nimport sys\nprint('\\nLOADED', *{{name.split('.')[0] for name in sys.modules}})",
        ],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return set(result.stdout.rsplit("LOADED", 1)[1].split())


def test_every_public_name_of_the_packages_exists_and_the_list_is_sorted() -> None:
    for package in (agent, evaluation, graph_tools):
        assert list(package.__all__) == sorted(package.__all__)
        assert [name for name in package.__all__ if not hasattr(package, name)] == []


ALL_AT_ONCE = """
import importlib, os
before = dict(os.environ)
for name in {names!r}:
    importlib.import_module(name)
assert dict(os.environ) == before, "the environment has changed"
"""


def test_importing_writes_no_file_and_changes_no_environment(tmp_path: Path) -> None:
    loaded = loaded_by(ALL_AT_ONCE.format(names=without_the_chat()), tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert "chainlit" not in loaded


TELL = """
import sys
from agent.cli import main
sys.argv = ["cuestory", "tell", "--persona", "emma", "--length", "small", "--seed", "7"]
try: main()
except SystemExit as end: assert not end.code, end.code
"""


def test_telling_a_story_loads_neither_the_machine_nor_the_chat_nor_a_parser(tmp_path: Path) -> None:
    heavy = {
        "chainlit",
        "chromadb",
        "evaluation",
        "fastapi",
        "google",
        "langchain_core",
        "langchain_google_genai",
        "langgraph",
        "numpy",
        "uvicorn",
    }
    assert not loaded_by(TELL, tmp_path) & heavy
    # By now the strict parse of every template is on record, and the parser is not needed again.
    assert not loaded_by(TELL, tmp_path) & (heavy | {"rdflib"})


def test_the_pack_gate_loads_no_model_and_no_chat(tmp_path: Path) -> None:
    loaded = loaded_by("import graph_tools.pack, graph_tools.planner, graph_tools.retrieval.kg", tmp_path)
    assert not loaded & {"agent", "chainlit", "google", "langchain_core", "langgraph"}


EACH_FIRST = """
import importlib, os, sys
for name in {names!r}:
    importlib.import_module(name)
for key in [key for key in sys.modules if key.split(".")[0] in ("agent", "evaluation", "graph_tools")]:
    del sys.modules[key]
for name in {names!r}:
    child = os.fork()
    if not child:
        importlib.import_module(name)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, name
"""


@pytest.mark.slow
def test_every_module_of_a_room_can_be_the_first_that_is_imported(tmp_path: Path) -> None:
    # Between the modules of the two packages the layers leave no way for a cycle; within a room there is a way, and it
    # shows itself only when the other end comes first. What others wrote is imported once, before the forks.
    rooms = [name for name in without_the_chat() if name.count(".") > 1]
    loaded_by(EACH_FIRST.format(names=rooms), tmp_path)


def test_the_architecture_page_gives_every_module_its_place() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    names = {
        child.name for package in (agent, evaluation, graph_tools) for child in pkgutil.iter_modules(package.__path__)
    }
    assert sorted(name for name in names if f"`{name}`" not in page) == []
