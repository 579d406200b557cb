"""What has to make sense: tables of `[checks]` in pack.toml, and of the gate's own conventions.

A path is one property, or several followed one after the other; `^` before one follows it backwards.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

STEP = r"^\^?[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+$"
OFFSET = r"^[+-](0\d|1[0-4]):[0-5]\d$"
_BOUND = re.compile(r"\d{4}(-\d\d(-\d\d)?)?|P[0-9YMDTHS]+|-?\d+(\.\d+)?")


def _as_path(value: object) -> object:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


def _as_bound(value: object) -> str:
    text = str(value)
    if not _BOUND.fullmatch(text):
        raise ValueError(f"{text!r} is no date (1950 or 1950-05-30), duration (PT3H) or number")
    return text


Step = Annotated[str, Field(pattern=STEP)]
Path = Annotated[tuple[Step, ...], BeforeValidator(_as_path), Field(min_length=1)]
Bound = Annotated[str, BeforeValidator(_as_bound)]
Iris = tuple[Annotated[str, Field(pattern=STEP)], ...]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Order(_Table):
    """`[[checks.order]]`: whatever has both, what is `earlier` does not come after what is `later`."""

    earlier: Path
    later: Path

    @property
    def steps(self) -> Iris:
        """Every property that it looks at."""
        return (*self.earlier, *self.later)


class Rising(_Table):
    """`[[checks.rising]]`: among things that share `within`, the greater number is no earlier."""

    along: Step
    """Property with a whole number."""
    by: Step
    """Property with a date or time."""
    within: Path

    @property
    def steps(self) -> Iris:
        """Every property that it looks at."""
        return (self.along, self.by, *self.within)


class Offsets(_Table):
    """`[[checks.offsets]]`: a time has the offset from UTC of its place."""

    time: Step
    """Property with a time."""
    place: Path
    allowed: dict[str, tuple[Annotated[str, Field(pattern=OFFSET)], ...]] = Field(min_length=1)
    """IRI of a place -> its offsets, as +01:00. Elsewhere any offset passes."""

    @property
    def steps(self) -> Iris:
        """Every property that it looks at."""
        return (self.time, *self.place)


class Bounds(_Table):
    """`[[checks.bounds]]`: no value is below `least` or above `most`, both included."""

    value: Step
    """Property with a date, a duration or a number."""
    of: str = ""
    """Class whose members are meant; empty: all."""
    least: Bound = ""
    most: Bound = ""

    @property
    def steps(self) -> Iris:
        """Every property that it looks at."""
        return (self.value,)
