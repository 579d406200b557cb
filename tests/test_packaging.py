"""What gets installed: versions, owners of names, the wheel, and what a bare machine is told."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import entry_points, packages_distributions, version
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from agent.settings import VARIABLES

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
VERSION = PYPROJECT["project"]["version"]

EXTRAS = PYPROJECT["project"]["optional-dependencies"].values()
DIRECT = [Requirement(line) for lines in (PYPROJECT["project"]["dependencies"], *EXTRAS) for line in lines]
CONSTRAINTS = [Requirement(line) for line in PYPROJECT["tool"]["uv"]["constraint-dependencies"]]


def requirement_name(requirement: Requirement) -> str:
    return requirement.name


@pytest.mark.parametrize("requirement", DIRECT + CONSTRAINTS, ids=requirement_name)
def test_every_requirement_has_a_floor_and_the_installed_version_meets_it(requirement: Requirement) -> None:
    assert any(bound.operator in (">=", "==") for bound in requirement.specifier)
    assert Version(version(requirement.name)) in requirement.specifier


@pytest.mark.parametrize("requirement", DIRECT + CONSTRAINTS, ids=requirement_name)
def test_every_locked_version_meets_its_floor(requirement: Requirement) -> None:
    name = canonicalize_name(requirement.name)
    locked = [package["version"] for package in LOCK["package"] if package["name"] == name]
    assert locked
    assert all(Version(each) in requirement.specifier for each in locked)


def test_the_lock_was_made_from_this_pyproject() -> None:
    (own,) = (package for package in LOCK["package"] if package["name"] == "cuestory")
    wanted = {str(requirement.specifier) + canonicalize_name(requirement.name) for requirement in DIRECT}
    written = {entry.get("specifier", "") + entry["name"] for entry in own["metadata"]["requires-dist"]}
    assert written == wanted
    assert own["version"] == VERSION
    assert LOCK["requires-python"] == PYPROJECT["project"]["requires-python"]


@pytest.mark.parametrize("name", ["agent", "evaluation", "graph_tools"])
def test_nobody_else_owns_our_import_names(name: str) -> None:
    # An editable installation is listed under no import name, so absence is as good as our own name.
    assert set(packages_distributions().get(name, ["cuestory"])) == {"cuestory"}


def test_the_tests_are_no_package_because_a_dependency_installs_one_of_that_name() -> None:
    assert not (ROOT / "tests" / "__init__.py").exists()


def test_the_command_is_registered_and_the_distribution_cannot_be_uploaded() -> None:
    (script,) = entry_points(group="console_scripts", name="cuestory")
    assert script.value == "agent.cli:main"
    assert callable(script.load())
    assert "Private :: Do Not Upload" in PYPROJECT["project"]["classifiers"]


def test_the_evaluation_is_a_command_that_the_service_finds_by_name() -> None:
    (point,) = entry_points(group="cuestory.commands")
    assert (point.name, point.value) == ("evaluate", "evaluation.commands:evaluate")


def files_below(folder: str) -> set[str]:
    return {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file()}


def test_the_wheel_carries_the_pack_and_the_chat_and_only_our_packages(tmp_path: Path) -> None:
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(built) as wheel:
        names = wheel.namelist()
    pack = tomllib.loads((ROOT / "pack.toml").read_text(encoding="utf-8"))
    content = {"pack.toml", "kg/LICENSE", "kg/void.ttl", *pack["graph"]}
    content = content.union(*map(files_below, ("cqs", "kg/shapes", "kg/vocabulary", "snippets")))
    chat = {"chainlit.md", ".chainlit/config.toml", ".chainlit/words.json"} | files_below("public")
    assert {"evaluation/published.toml", "evaluation/stopwords.txt"} <= set(names)
    for package, wanted in (("graph_tools", content), ("agent", chat)):
        prefix = f"{package}/bundled/"
        assert {name.removeprefix(prefix) for name in names if name.startswith(prefix)} == wanted
    assert {name.split("/")[0] for name in names} == {
        "agent",
        "evaluation",
        "graph_tools",
        f"cuestory-{VERSION}.dist-info",
    }
    assert len(names) == len(set(names))


def bare_machine(directory: Path, python: str | None) -> dict[str, str]:
    """The environment of a machine with make and coreutils, and `python` (a shell script) as its only python3."""
    tools = directory / "bin"
    tools.mkdir()
    for name in ("cat", "dirname", "echo", "env", "make", "mkdir", "pwd", "rm", "sh", "tail", "touch"):
        path = shutil.which(name)
        assert path is not None
        (tools / name).symlink_to(path)
    if python is not None:
        (tools / "python3").write_text(f"#!/bin/sh\n{python}\n", encoding="utf-8")
        (tools / "python3").chmod(0o755)
    return {"PATH": str(tools), "HOME": str(directory)}


def make(directory: Path, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    for name in ("Makefile", "pyproject.toml", "uv.lock", ".ci/setup.sh"):
        copy = directory / name
        copy.parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / name, copy)
    return subprocess.run(
        [environment["PATH"] + "/make", *words],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="no make on this machine")

TOO_OLD = 'case "$2" in *print*) echo 3.9.2 ;; *) exit 1 ;; esac'
WITHOUT_PIP_AND_VENV = f"""case "$*" in *ensurepip*|"-m "*) exit 1 ;; esac
exec {sys.executable} "$@" """


@needs_make
@pytest.mark.parametrize("target", ["chat", "test"])
@pytest.mark.parametrize(
    ("python", "words"),
    [
        pytest.param(None, ["Python 3.11 or later", "apt-get install python3"], id="no-python"),
        pytest.param(TOO_OLD, ["Python 3.11 or later", "python3 is 3.9.2"], id="python-too-old"),
        pytest.param(WITHOUT_PIP_AND_VENV, ["neither", "apt-get install python3-venv"], id="no-pip-no-venv"),
    ],
)
def test_a_machine_that_lacks_something_is_told_what_in_one_line(
    tmp_path: Path, target: str, python: str | None, words: list[str]
) -> None:
    result = make(tmp_path, bare_machine(tmp_path, python), target)
    assert result.returncode != 0
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert all(word in result.stderr for word in words)
    assert not (tmp_path / ".venv").exists()
    assert not (tmp_path / ".tools").exists()


@needs_make
def test_make_alone_says_what_there_is(tmp_path: Path) -> None:
    result = make(tmp_path, bare_machine(tmp_path, None), "help")
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [
        ["make", "chat"],
        ["make", "test"],
        ["make", "test-all"],
        ["make", "check"],
    ]
    assert result.stderr == ""


def set_up(directory: Path) -> None:
    """A .venv that make takes for ready, in which `cuestory` prints the settings that it was given."""
    programs = directory / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, script in (("python", "exit 0"), ("cuestory", 'echo "$*|$HOST|$PORT|$CUESTORY_DATA"')):
        (programs / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (programs / name).chmod(0o755)


@needs_make
@pytest.mark.parametrize(
    ("given", "variables", "printed"),
    [
        pytest.param({}, [], "serve|0.0.0.0|8100|/srv/my visits", id="from-env-file"),
        pytest.param({"PORT": "9000"}, [], "serve|0.0.0.0|9000|/srv/my visits", id="from-environment"),
        pytest.param({}, ["PORT=9100", "HOST=::1"], "serve|::1|9100|/srv/my visits", id="from-make"),
    ],
)
def test_make_chat_honours_port_and_host_and_what_is_set_outside_goes_before_the_env_file(
    tmp_path: Path, given: dict[str, str], variables: list[str], printed: str
) -> None:
    set_up(tmp_path)
    (tmp_path / ".venv" / ".ready-to-chat").touch()
    (tmp_path / ".env").write_text('HOST=0.0.0.0\nPORT=8100\nCUESTORY_DATA="/srv/my visits"\n', encoding="utf-8")
    result = make(tmp_path, bare_machine(tmp_path, None) | given, "chat", *variables)
    assert (result.stdout, result.stderr) == (f"{printed}\n", "")


def test_the_example_of_an_env_file_names_every_setting_and_no_other() -> None:
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    named = [line.removeprefix("#").split("=")[0] for line in lines if "=" in line and not line.startswith("# ")]
    assert sorted(named) == sorted(VARIABLES.values())


def test_what_continuous_integration_runs_is_executable() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
