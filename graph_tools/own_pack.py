"""Where the pack that comes with the project stands: the checkout's own folders, or their copy inside the wheel."""

from __future__ import annotations

from pathlib import Path


def own_pack() -> Path:
    """The directory with the project's own `pack.toml`; a checkout goes before the wheel's copy."""
    here = Path(__file__).resolve().parent
    checkout = here.parent
    return checkout if (checkout / "pack.toml").is_file() else here / "bundled"
