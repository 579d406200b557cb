"""What an operator sets wrongly is one line that names the variable."""

from __future__ import annotations

import pytest

from agent.settings import InvalidSettings, Settings


@pytest.mark.parametrize(
    ("name", "value", "cause"),
    [
        ("CUESTORY_DATA", "~no-such-user-here/data", "there is no such user"),
        ("CUESTORY_KEEP_DAYS", "0", "greater than or equal to 1"),
        ("CUESTORY_KEEP_DAYS", "99999999999999999999", "less than or equal to 36500"),
        ("CUESTORY_ORIGINS", "*", "is no origin"),
        ("PORT", "70000", "less than or equal to 65535"),
        ("PORT", "http", "valid integer"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name: str, value: str, cause: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        Settings.from_environment({name: value})
    assert str(caught.value).startswith(f"{name}={value!r} cannot be used: ")
    assert cause in str(caught.value)
    assert "\n" not in str(caught.value)
