"""Puts the content into the wheel: the pack under graph_tools/bundled, the files of the chat under agent/bundled.

An editable installation has the checkout itself and gets no copy.
"""

import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CHAT = (".chainlit/config.toml", ".chainlit/words.json", "chainlit.md", "public")


class ContentBundler(BuildHookInterface[Any]):
    """Run by hatchling when a wheel is built; a missing file is an error, never a smaller wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        pack = tomllib.loads((root / "pack.toml").read_text(encoding="utf-8"))
        content = ["pack.toml", "cqs", "kg/LICENSE", "kg/void.ttl", *pack["graph"]]
        content += [name for name in ("kg/shapes", "kg/vocabulary", "snippets") if (root / name).is_dir()]
        for package, names in (("graph_tools", content), ("agent", CHAT)):
            for name in names:
                build_data["force_include"][str(root / name)] = f"{package}/bundled/{name}"
