"""Tools from outside are off until the host file lets them in; CONFIG.md never does."""

import pytest

from everself.config import Vault, find_places, load
from everself.config.display import get_setting, list_settings
from everself.errors import BadConfig, UnknownKey

PLACES = find_places({"HOME": "/people/ada"})


def test_nothing_reaches_outside_unless_it_is_said() -> None:
    config = load(PLACES, "{}").config
    assert not config.tools.exec.enabled
    assert not config.tools.fetch.enabled
    assert config.mcp_servers == ()


def test_the_values_of_exec_and_fetch_are_told() -> None:
    text = """{tools: {
        exec: {enabled: true, allow: ["git", "ls"], workdir: "~/play", timeoutSec: 5},
        web: {fetch: {enabled: true, maxChars: 500, maxResponseBytes: 1000, timeoutSeconds: 2, maxRedirects: 0,
                      privateHosts: ["wiki.lan:8080"]}}}}"""
    tools = load(PLACES, text).config.tools
    assert (tools.exec.enabled, tools.exec.allow, tools.exec.timeout) == (True, ("git", "ls"), 5)
    assert tools.exec.workdir == "/people/ada/play"
    fetch = tools.fetch
    assert (fetch.enabled, fetch.max_chars, fetch.max_bytes, fetch.timeout) == (True, 500, 1000, 2)
    assert (fetch.max_redirects, fetch.private_hosts) == (0, ("wiki.lan:8080",))


def test_a_server_is_a_program_or_an_address_with_its_secrets() -> None:
    text = """{mcp: {servers: {
        notes: {command: "~/bin/notes", args: ["--root", "~/notes"], env: {NOTES_TOKEN: "${T}", EMPTY: ""}},
        far: {url: "https://mcp.example/mcp", headers: {Authorization: "Bearer ${T}"}, enabled: false}}}}"""
    loaded = load(PLACES, text, vault=Vault({"T": "hidden-1"}))
    far, notes = loaded.config.mcp_servers
    assert (notes.name, notes.command, notes.args) == (
        "notes",
        "/people/ada/bin/notes",
        ("--root", "/people/ada/notes"),
    )
    assert [(name, value.reveal()) for name, value in notes.env] == [("NOTES_TOKEN", "hidden-1")]
    assert (notes.enabled, far.enabled, far.url) == (True, False, "https://mcp.example/mcp")
    assert [(name, value.reveal()) for name, value in far.headers] == [("Authorization", "Bearer hidden-1")]
    assert "hidden-1" not in repr(loaded) + repr(list_settings(loaded))
    assert get_setting(loaded, "mcp.servers.notes.command").value == "~/bin/notes"
    assert get_setting(loaded, "mcp.servers.far.headers.Authorization").value == "(secret from ${T})"


@pytest.mark.parametrize("key", ["tools.exec.alow", "tools.web.fetch.privateHost"])
def test_a_slip_in_the_name_of_a_limit_is_an_error(key: str) -> None:
    inner = "[]"
    for name in reversed(key.split(".")):
        inner = f'{{"{name}": {inner}}}'
    with pytest.raises(UnknownKey, match=rf"Did you mean {key[:9]}"):
        load(PLACES, inner)


def test_what_only_openclaw_knows_beside_them_is_left_with_a_warning() -> None:
    text = """{tools: {profile: "coding", deny: ["browser"], exec: {security: "full", ask: "off"},
        web: {search: {enabled: true}, fetch: {readability: true}}},
        mcp: {sessionIdleTtlMs: 1, servers: {docs: {url: "http://x", transport: "streamable-http"}}}}"""
    loaded = load(PLACES, text)
    assert {finding.code for finding in loaded.findings} == {"setting-unused"}
    assert len(loaded.findings) == 8
    assert not loaded.config.tools.exec.enabled


@pytest.mark.parametrize("group", ["mcp: {servers: {%s}}", "provider: {%s}"])
def test_a_name_with_a_dot_is_left_out_with_a_warning(group: str) -> None:
    loaded = load(PLACES, "{" + group % '"my.own": {url: "http://x"}' + "}")
    (finding,) = loaded.findings
    assert "my.own" in finding.message
    assert loaded.config.mcp_servers == ()
    assert list_settings(loaded)


def test_config_md_lets_nothing_in() -> None:
    page = "```yaml\ntools:\n  exec:\n    enabled: true\nmcp:\n  servers:\n    x:\n      command: sh\n```\n"
    loaded = load(PLACES, "{}", page)
    assert not loaded.config.tools.exec.enabled
    assert loaded.config.mcp_servers == ()
    assert loaded.findings


@pytest.mark.parametrize(
    "text",
    [
        "{tools: {exec: {timeoutSec: 0}}}",
        '{tools: {exec: {allow: "git"}}}',
        '{tools: {exec: {workdir: "here"}}}',
        "{tools: {web: {fetch: {maxRedirects: 21}}}}",
        '{mcp: {servers: {x: {args: "a b"}}}}',
        "{mcp: {servers: []}}",
        '{mcp: {servers: {x: "npx"}}}',
    ],
)
def test_a_value_that_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(BadConfig):
        load(PLACES, text)
