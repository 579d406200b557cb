"""The pack gate. One fault each is in tests/packs/broken."""

from pathlib import Path

import pytest

from graph_tools.checks import check_pack, find_references
from graph_tools.errors import PackNotFound
from graph_tools.graph_files import GraphFile

TINY = Path(__file__).parent / "packs" / "tiny-observatory"


def test_the_tiny_pack_passes_the_gate() -> None:
    assert check_pack(TINY) == ()


def test_the_projects_own_pack_passes_the_gate(project: Path) -> None:
    assert [str(problem) for problem in check_pack(project)] == []


def test_no_pack_is_an_error_and_no_problem(tmp_path: Path) -> None:
    with pytest.raises(PackNotFound):
        check_pack(tmp_path)


def test_an_iri_is_found_in_full_and_by_prefix() -> None:
    text = """@prefix x: <http://x.example/> .
PREFIX y: <http://x.example/deep/>
x:a x:b x:ab .
<http://x.example/a> x:b x:a.b , x:c-a .
y:a x:b x:a.
"""
    found = find_references([GraphFile("kg.ttl", text.encode())], "http://x.example/a")
    assert [reference.line for reference in found] == [3, 4, 5]
    deep = find_references([GraphFile("kg.ttl", text.encode())], "http://x.example/deep/a")
    assert [reference.line for reference in deep] == [5]
