"""What an operator sets wrongly is one line that names the variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.settings import VARIABLES, InvalidSettings, Settings, one_thread_each

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("name", "value", "cause"),
    [
        ("CUESTORY_DATA", "~no-such-user-here/data", "there is no such user"),
        ("CUESTORY_KEEP_DAYS", "0", "greater than or equal to 1"),
        ("CUESTORY_KEEP_DAYS", "99999999999999999999", "less than or equal to 36500"),
        ("CUESTORY_ORIGINS", "*", "is no origin"),
        ("CUESTORY_DAY_TOKENS", "-1", "greater than or equal to 0"),
        ("CUESTORY_MODEL", "gemini", "should match pattern"),
        ("CUESTORY_MODEL_SECONDS", "0", "greater than 0"),
        ("CUESTORY_NARRATOR", "gemini", "'template' or 'model'"),
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


@pytest.mark.parametrize("name", ["CUESTORY_MODEL_OPTIONS", "CUESTORY_MODEL_URL"])
def test_what_may_hold_a_password_is_not_repeated(name: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        Settings.from_environment({name: "sesame {"})
    assert str(caught.value).startswith(f"{name}=... cannot be used: ")
    assert "sesame" not in str(caught.value)


def test_a_key_stands_in_no_form_of_the_settings() -> None:
    settings = Settings.from_environment({"GOOGLE_API_KEY": "sesame"})
    assert settings.google_api_key is not None
    assert "sesame" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"


def test_every_variable_stands_in_the_example_and_in_the_pages() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    pages = "".join((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("running", "models"))
    for name in VARIABLES.values():
        assert f"#{name}=" in example, name
        assert name in pages or name == "WEB_CONCURRENCY", name


def test_processes_calculate_in_one_thread_each_unless_the_operator_says_otherwise() -> None:
    environment = {"OPENBLAS_NUM_THREADS": "4"}
    one_thread_each(environment)
    assert environment == {"OPENBLAS_NUM_THREADS": "4", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
