"""Puts the Live Aid pack into the wheel, under graph_tools/bundled. An editable install has the checkout itself."""

import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackBundler(BuildHookInterface[Any]):
    """Run by hatchling when a wheel is built; a missing pack file is an error, never a smaller wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            # A copy beside the checkout would grow stale, and the checkout is looked at first anyway.
            return
        root = Path(self.root)
        pack = tomllib.loads((root / "pack.toml").read_text(encoding="utf-8"))
        for name in ["pack.toml", "cqs", "snippets", "kg/LICENSE", *pack["graph"]]:
            build_data["force_include"][str(root / name)] = f"graph_tools/bundled/{name}"
