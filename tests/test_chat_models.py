"""A language model is found by its name, or one line says what is missing."""

from __future__ import annotations

import pytest

from agent.adversary import AdversaryChatModel
from agent.chat_models import PROVIDERS, open_model, structure
from agent.errors import NoModel


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("", "no language model is configured"),
        ("google_genai:", "no language model is configured"),
        ("gogle_genai:x", "unknown provider"),
        ("openai:x", "install the package langchain-openai"),
        ("agent.adversary.NoSuchModel:x", "agent.adversary has no NoSuchModel"),
        ("no_such_museum.models.OurModel:x", "no_such_museum.models is not installed"),
        ("agent.adversary.AdversaryChatModel:x", "cannot be opened: ValidationError"),
    ],
)
def test_what_is_missing_is_named_in_one_line(name: str, line: str) -> None:
    with pytest.raises(NoModel) as caught:
        open_model(name, key="sesame", options={"seed": "no number, sesame"})
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "sesame" not in str(caught.value)


def test_any_class_with_the_interface_can_be_named_by_its_path() -> None:
    model = open_model("agent.adversary.AdversaryChatModel:negated", options={"seed": 7})
    assert isinstance(model, AdversaryChatModel)
    assert (model.model, model.seed) == ("negated", 7)


def test_gemini_is_opened_with_one_try_a_time_limit_and_temperature_zero() -> None:
    model = open_model("google_genai:some", key="sesame", seconds=3, url="http://127.0.0.1:9", options={"top_p": 0.5})
    given = {name: getattr(model, name) for name in ("max_retries", "timeout", "temperature", "top_p")}
    assert given == {"max_retries": 1, "timeout": 3, "temperature": 0, "top_p": 0.5}
    assert "sesame" not in repr(model)


def test_a_provider_s_options_go_before_our_own() -> None:
    model = open_model("google_genai:some", key="sesame", options={"temperature": 0.4})
    assert model.temperature == 0.4  # type: ignore[attr-defined]


def test_every_provider_names_its_package() -> None:
    for provider in PROVIDERS.values():
        assert provider.package == provider.module.replace("_", "-")


def test_a_server_of_openai_s_protocol_is_told_the_shape_as_a_function() -> None:
    assert structure("openai:local", "http://127.0.0.1:8080/v1") == "function_calling"
    assert structure("openai:theirs", "") == structure("google_genai:any", "http://127.0.0.1:9") == ""
