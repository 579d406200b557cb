"""The shelf of files that pages load: whatever a request calls a file, and whoever asks."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from agent.assets import FOREVER, AssetShelf


async def fetch(shelf: AssetShelf, path: str) -> httpx.Response:
    transport = httpx.ASGITransport(app=shelf)
    async with httpx.AsyncClient(transport=transport, base_url="http://shelf.example") as client:
        return await client.get(path)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "outside.txt").write_text("secret", encoding="utf-8")
    shelf = tmp_path / "shelf"
    (shelf / "cards").mkdir(parents=True)
    (shelf / "page.css").write_text("a {}", encoding="utf-8")
    (shelf / "loop").symlink_to("loop")
    (shelf / "out.txt").symlink_to(tmp_path / "outside.txt")
    return shelf


@pytest.mark.parametrize(
    "path",
    [
        "/%00",
        "/page.css%00",
        "/" + "x" * 5_000,
        "/%ff",
        "/loop",
        "/cards",
        "/",
        "/none.css",
        "/%2e%2e/outside.txt",
        "/..%2foutside.txt",
        "/out.txt",
        "/%2fetc%2fpasswd",
        "/page.css/x",
    ],
)
async def test_a_name_that_no_file_of_the_shelf_has_is_not_found(directory: Path, path: str) -> None:
    answer = await fetch(AssetShelf(directory, FOREVER), path)
    assert answer.status_code == 404
    assert "secret" not in answer.text


async def test_one_file_is_kept_once_however_it_is_called(directory: Path) -> None:
    shelf = AssetShelf(directory, FOREVER)
    for path in ("/page.css", *("/" + "%2e/" * times + "page.css" for times in range(1, 20)), "/cards/%2e%2e/page.css"):
        assert (await fetch(shelf, path)).text == "a {}"
    assert len(shelf._prepared) == 1


async def test_a_file_that_is_gone_is_not_found(directory: Path) -> None:
    shelf = AssetShelf(directory, FOREVER)
    assert (await fetch(shelf, "/page.css")).status_code == 200
    (directory / "page.css").unlink()
    assert (await fetch(shelf, "/page.css")).status_code == 404
