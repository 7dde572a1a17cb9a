"""Secrets are looked up when asked, and shown to nobody else."""

import copy
import dataclasses
import json
import pickle

import pytest

from everself.config import Secret, Vault, find_places, load
from everself.config.display import get_setting, list_settings
from everself.config.host import parse_secrets
from everself.config.host_edits import plan_set, plan_unset
from everself.config.secrets import references
from everself.errors import BadConfig, UnknownKey, WrongUse

PLACES = find_places({"HOME": "/people/ada"})
HIDDEN = "sk-very-hidden"


def key_of(text: str, vault: Vault) -> Secret:
    secret = load(PLACES, text, vault=vault).config.provider("openai").api_key
    assert secret is not None
    return secret


def test_a_variable_is_looked_up_only_when_asked() -> None:
    text = '{provider: {openai: {apiKey: "${OPENAI}"}}}'
    assert key_of(text, Vault({"OPENAI": HIDDEN})).reveal() == HIDDEN
    missing = key_of(text, Vault())
    with pytest.raises(BadConfig, match="environment variable OPENAI, which is not set"):
        missing.reveal()


def test_a_stored_secret_is_looked_up_only_when_asked() -> None:
    text = '{provider: {openai: {apiKey: "${secret:my-key.1}"}}}'
    assert key_of(text, Vault(stored={"my-key.1": HIDDEN})).reveal() == HIDDEN
    with pytest.raises(BadConfig, match=r"secret my-key\.1, which is not in the secrets file"):
        key_of(text, Vault({"my-key.1": "wrong place"})).reveal()


def test_openclaws_reference_to_a_variable_is_understood() -> None:
    text = '{provider: {openai: {apiKey: {source: "env", provider: "default", id: "OPENAI"}}}}'
    assert key_of(text, Vault({"OPENAI": HIDDEN})).reveal() == HIDDEN


def test_a_header_may_hold_a_reference_within_its_text() -> None:
    text = '{memorySearch: {remote: {headers: {Authorization: "Bearer ${T}", "X-Empty": ""}}}}'
    ((name, secret),) = load(PLACES, text, vault=Vault({"T": HIDDEN})).config.agent().search.remote_headers
    assert (name, secret.reveal()) == ("Authorization", f"Bearer {HIDDEN}")


def test_a_literal_secret_is_read_and_reported_without_its_value() -> None:
    text = '{\n provider: {openai: {apiKey: "' + HIDDEN + '"}}}'
    loaded = load(PLACES, text)
    assert key_of(text, Vault()).reveal() == HIDDEN
    (finding,) = loaded.findings
    assert finding.code == "secret-in-file"
    assert finding.message.startswith("Line 2: provider.openai.apiKey")
    assert HIDDEN not in repr(loaded.findings)


def test_the_environment_gives_keys_of_known_providers() -> None:
    vault = Vault({"GEMINI_API_KEY": HIDDEN, "MY_OWN_API_KEY": "b"})
    config = load(PLACES, '{provider: {"my-own": {baseUrl: "http://x"}}}', vault=vault).config
    assert [provider.name for provider in config.providers] == ["my-own", "gemini"]
    for name, value in (("gemini", HIDDEN), ("my-own", "b")):
        key = config.provider(name).api_key
        assert key is not None
        assert key.reveal() == value
    assert config.provider("openai").api_key is None


def test_nothing_that_holds_a_secret_shows_it() -> None:
    vault = Vault({"OPENAI": HIDDEN}, {"stored": HIDDEN})
    for reference in (HIDDEN, "${OPENAI}", "${secret:stored}"):
        loaded = load(PLACES, f'{{provider: {{openai: {{apiKey: "{reference}"}}}}}}', vault=vault)
        secret = loaded.config.provider("openai").api_key
        assert secret is not None
        shown = [repr(loaded), str(loaded), repr(secret), str(secret), f"{secret}", f"{secret!r:>60}", repr(vault)]
        shown += [repr(list_settings(loaded)), repr(get_setting(loaded, "provider.openai.apiKey"))]
        assert HIDDEN not in "".join(shown)
        assert secret.reveal() == HIDDEN


def test_a_secret_cannot_be_written_by_accident() -> None:
    secret = Secret("provider.x.apiKey", HIDDEN, Vault())
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        json.dumps(secret)
    with pytest.raises(TypeError):
        copy.deepcopy(secret)
    with pytest.raises(TypeError):
        dataclasses.asdict(load(PLACES, f'{{provider: {{x: {{apiKey: "{HIDDEN}"}}}}}}').config)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("${A}", ("A",)),
        ("a${B}c${secret:d.e}", ("B", "secret:d.e")),
        ("${", ()),
        ("${}", ()),
        ("${1A}", ()),
        ("${a b}", ()),
        ("${secret:}", ()),
        ("${${A}}", ("A",)),
        ("$A {A}", ()),
    ],
)
def test_references_are_found(text: str, names: tuple[str, ...]) -> None:
    assert references(text) == names


def test_setting_a_secret_puts_its_value_into_the_secrets_file() -> None:
    edited = plan_set("{\n  // keys\n}\n", None, "provider.openai.apiKey", HIDDEN)
    assert HIDDEN not in edited.host
    assert "// keys" in edited.host
    assert HIDDEN not in repr(edited)
    assert edited.secrets is not None
    vault = Vault({}, parse_secrets(edited.secrets, "secrets.json"))
    assert key_of(edited.host, vault).reveal() == HIDDEN
    assert load(PLACES, edited.host, vault=vault).findings == ()


def test_setting_a_secret_keeps_the_others() -> None:
    edited = plan_set("{}", '{"other": "x"}', "agents.list.aria.memorySearch.remote.apiKey", HIDDEN)
    assert json.loads(edited.secrets or "") == {"other": "x", "agents.list.aria.memorySearch.remote.apiKey": HIDDEN}


def test_a_reference_given_for_a_secret_stands_in_the_host_file() -> None:
    edited = plan_set(None, None, "provider.openai.apiKey", "${MY_KEY}")
    assert edited.secrets is None
    assert '"${MY_KEY}"' in edited.host


def test_unsetting_a_secret_takes_its_value_away() -> None:
    edited = plan_set("{}", '{"other": "x"}', "provider.openai.apiKey", HIDDEN)
    removed = plan_unset(edited.host, edited.secrets, "provider.openai.apiKey")
    assert json.loads(removed.secrets or "") == {"other": "x"}
    assert load(PLACES, removed.host).config.providers == ()
    assert plan_unset("{}", None, "provider.openai.apiKey").secrets is None


def test_an_empty_secret_and_an_unknown_key_are_refused() -> None:
    with pytest.raises(WrongUse):
        plan_set("{}", None, "provider.openai.apiKey", "")
    with pytest.raises(UnknownKey) as caught:
        plan_set("{}", None, "provider.openai.apikey", HIDDEN)
    assert HIDDEN not in str(caught.value)


def test_a_damaged_secrets_file_is_told_without_its_values() -> None:
    for text in ('{"a": 1, "b": "' + HIDDEN + '"}', '{"b": "' + HIDDEN + '", x}', '["' + HIDDEN + '"]'):
        with pytest.raises(BadConfig) as caught:
            parse_secrets(text, "secrets.json")
        assert HIDDEN not in str(caught.value) + repr(caught.value.args) + caught.value.mend
