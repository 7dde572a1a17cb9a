"""From names in the settings to models, and what is known of them."""

import pytest

from everself.config.secrets import Secret, Vault
from everself.config.sections import Provider
from everself.errors import ModelFailed
from everself.models.chat.factory import find_account, open_model
from everself.models.chat.model_table import find_model_facts, known_models


def _key(value: str) -> Secret:
    return Secret("provider.x.apiKey", value, Vault())


@pytest.mark.parametrize(
    ("name", "base", "wire", "url"),
    [
        ("anthropic/claude-sonnet-5", "", "anthropic", "https://api.anthropic.com"),
        ("anthropic/claude-sonnet-5", "https://proxy.example/v1/", "anthropic", "https://proxy.example"),
        ("openai/gpt-5.2", "", "openai", "https://api.openai.com/v1"),
        ("openai-responses/gpt-5.2", "", "responses", "https://api.openai.com/v1"),
        ("gemini/models/gemini-2.5-flash", "", "gemini", "https://generativelanguage.googleapis.com"),
        ("gemini/gemini-2.5-flash", "https://g.example/v1beta", "gemini", "https://g.example"),
        ("google/gemini-2.5-flash", "", "gemini", "https://generativelanguage.googleapis.com"),
        ("ollama/qwen3:8b", "", "ollama", "http://127.0.0.1:11434/v1"),
        ("ollama/qwen3", "http://box:11434", "ollama", "http://box:11434/v1"),
        ("openrouter/meta/llama-4", "https://openrouter.ai/api/v1", "compatible", "https://openrouter.ai/api/v1"),
    ],
)
def test_a_name_stands_for_a_wire_and_an_address(name: str, base: str, wire: str, url: str) -> None:
    provider = name.partition("/")[0]
    account = find_account(name, (Provider(provider, base_url=base),))
    assert (account.wire, account.url) == (wire, url)
    assert open_model(name, (Provider(provider, base_url=base),)).name == account.name


def test_a_model_keeps_the_slashes_of_its_name() -> None:
    account = find_account(
        "openrouter/meta/llama-4", (Provider("openrouter", base_url="https://openrouter.ai/api/v1"),)
    )
    assert (account.provider, account.model) == ("openrouter", "meta/llama-4")


@pytest.mark.parametrize(
    ("name", "base"),
    [("gpt-5", ""), ("/gpt-5", ""), ("openai/", ""), ("nobody/x", ""), ("box/x", "ftp://box"), ("box/x", "http://")],
)
def test_a_name_that_stands_for_nobody_is_refused_with_a_way_out(name: str, base: str) -> None:
    with pytest.raises(ModelFailed) as caught:
        open_model(name, (Provider("box", base_url=base),))
    assert caught.value.reason == "missing"
    assert caught.value.mend.startswith("everself ")


def test_a_key_goes_to_its_own_provider_only() -> None:
    providers = (Provider("openai", _key("sk-openai")), Provider("box", base_url="http://box:1/v1"))
    assert find_account("box/tiny", providers).key is None
    shared = find_account("openai-responses/gpt-5.2", providers).key
    assert shared is not None
    assert shared.reveal() == "sk-openai"


def test_the_key_of_the_alias_is_found_under_either_name() -> None:
    found = find_account("gemini/gemini-2.5-pro", (Provider("google", _key("g")),)).key
    assert found is not None
    assert found.reveal() == "g"


@pytest.mark.parametrize(
    ("provider", "model", "window"),
    [
        ("openai", "gpt-5-2025-08-07", 400_000),
        ("openai-responses", "gpt-5-mini", 400_000),
        ("anthropic", "claude-opus-4-20250514", 200_000),
        ("google", "gemini-2.5-pro-preview-05-06", 1_048_576),
    ],
)
def test_a_dated_name_is_the_model_it_begins_with(provider: str, model: str, window: int) -> None:
    known = find_model_facts(provider, model)
    assert (known.window, known.note) == (window, "")
    assert known.price is not None


@pytest.mark.parametrize(
    ("provider", "model"), [("openai", "gpt-5.99"), ("openai", "gpt-5-codex-max"), ("box", "tiny")]
)
def test_what_is_not_in_the_table_is_guessed_cautiously_and_says_so(provider: str, model: str) -> None:
    known = find_model_facts(provider, model)
    assert (known.window, known.price) == (32_000, None)
    assert f"provider.{provider}.contextWindow" in known.note


def test_the_settings_go_before_the_table_and_before_the_guess() -> None:
    assert open_model("openai/gpt-5", (Provider("openai", context_window=50_000),)).window == 50_000
    own = open_model("ollama/qwen3", (Provider("ollama", context_window=40_960),))
    assert (own.window, own.note, own.paid) == (40_960, "", False)


def test_a_gateway_lends_the_window_of_a_model_but_not_its_price() -> None:
    known = find_model_facts("openrouter", "anthropic/claude-opus-4-5")
    assert (known.window, known.price) == (200_000, None)


def test_long_requests_have_a_price_of_their_own() -> None:
    known = find_model_facts("openai", "gpt-5.4")
    short, long = known.price_of(1_000), known.price_of(300_000)
    assert short is not None
    assert long is not None
    assert (short.sent, long.sent) == (2.5, 5.0)


def test_every_line_of_the_table_makes_sense() -> None:
    names = [(row.provider, row.name) for row in known_models()]
    assert len(names) == len(set(names)) > 50
    for row in known_models():
        assert 0 < row.known.most_output <= row.known.window
        assert row.known.price is not None
        assert 0 < row.known.price.sent < row.known.price.received
        assert bool(row.known.long) == bool(row.known.long_price)
