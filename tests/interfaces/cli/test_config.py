"""`everself config` as a person types it."""

import json
import os
import stat
from pathlib import Path

import pytest

KEY = "agents.defaults.heartbeat.every"
SECRET = "sk-a-value-nobody-may-see-0123456789"


@pytest.fixture
def host(home: Path) -> Path:
    folder = home / ".everself"
    folder.mkdir(exist_ok=True)
    return folder / "everself.json5"


def test_get_prints_the_bare_value(everself) -> None:
    assert everself("config", "get", KEY).out == "30m\n"
    assert everself("config", "get", "memorySearch.query.maxResults").out == "6\n"
    assert everself("config", "get", "history.enabled").out == "true\n"


def test_set_get_unset_keep_comments(everself, host: Path) -> None:
    text = "// my settings\n{\n  ui: { assistant: { name: 'Kim' } }, // a name\n}\n"
    host.write_text(text)
    assert everself("config", "set", KEY, "45m").code == 0
    assert everself("config", "get", KEY).out == "45m\n"
    assert "// my settings" in host.read_text()
    assert "// a name" in host.read_text()
    assert everself("config", "unset", KEY).code == 0
    assert everself("config", "get", KEY).out == "30m\n"
    assert everself("config", "get", "ui.assistant.name").out == "Kim\n"


def test_what_was_so_already_is_not_written(everself, host: Path) -> None:
    everself("config", "set", KEY, "45m")
    before = os.stat(host)
    assert "nothing was written" in everself("config", "set", KEY, "45m").out
    assert everself("config", "unset", "soul.policy", "--json").json["data"]["changed"] is False
    assert os.stat(host).st_ino == before.st_ino


def test_a_secret_is_stored_apart_and_never_shown(everself, host: Path) -> None:
    said = everself("config", "set", "provider.openai.apiKey", "-", typed=f"{SECRET}\n")
    secrets = host.with_name("secrets.json")
    assert said.code == 0
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    assert json.loads(secrets.read_text()) == {"provider.openai.apiKey": SECRET}
    assert SECRET not in host.read_text()
    shown = [
        said,
        everself("config", "show", "--all"),
        everself("config", "show", "--json"),
        everself("config", "get", "provider.openai.apiKey"),
        everself("config", "get", "provider.openai.apiKey", "--json"),
    ]
    assert not [one for one in shown if SECRET in one.out + one.err]
    assert "secret:provider.openai.apiKey" in shown[3].out
    assert everself("config", "unset", "provider.openai.apiKey").code == 0
    assert SECRET not in secrets.read_text()


def test_a_secrets_file_that_others_could_read_is_closed_when_it_is_written(everself, host: Path) -> None:
    secrets = host.with_name("secrets.json")
    secrets.write_text("{}")
    secrets.chmod(0o644)
    everself("config", "set", "provider.openai.apiKey", SECRET)
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600


def test_show_tells_where_each_value_comes_from(everself, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    everself("config", "set", KEY, "45m")
    (workspace / "CONFIG.md").write_text("```yaml\nsoul_max_tokens: 900\nidentity_tokens: 800\n```\n")
    lines = everself("config", "show").out.splitlines()
    assert f"{KEY} = 45m  (host file)" in lines
    assert "soul_max_tokens = 900  (CONFIG.md)" in lines
    assert "provider.openai.apiKey = (secret from ${OPENAI_API_KEY})  (environment)" in lines
    assert not [line for line in lines if "(default)" in line or line.startswith("identity_tokens")]
    everything = everself("config", "show", "--all", "--json").json["data"]["settings"]
    origins = {one["key"]: one["origin"] for one in everything}
    assert (origins["history.enabled"], origins["identity_tokens"]) == ("default", "CONFIG.md")
    assert all(one["doc"] for one in everything)


def test_nothing_set_is_said(everself) -> None:
    assert "Nothing is set" in everself("config", "show").out


def test_a_group_is_shown_whole(everself) -> None:
    said = everself("config", "show", "agents.defaults.heartbeat")
    assert said.code == 0
    assert f"{KEY} = 30m  (default)" in said.out
    assert "history" not in said.out
    assert everself("config", "show", "heartbeat").out == said.out


def test_a_value_for_one_agent(everself, host: Path) -> None:
    host.write_text("{ agents: { list: [{ id: 'aria' }, { id: 'bob' }] } }")
    assert everself("config", "set", "identity.name", "Aria", "--agent", "aria").code == 0
    assert everself("--agent", "aria", "config", "set", KEY, "5m").code == 0
    assert everself("config", "get", KEY, "--agent", "aria").out == "5m\n"
    assert everself("config", "get", KEY, "--agent", "bob").out == "30m\n"
    assert everself("config", "get", KEY).out == "30m\n"
    assert everself("config", "unset", KEY, "--agent", "aria").code == 0
    assert everself("config", "get", KEY, "--agent", "aria").out == "30m\n"


def test_what_is_the_same_for_all_is_not_set_for_one(everself) -> None:
    said = everself("config", "set", "history.enabled", "false", "--agent", "main")
    assert (said.code, "the same for all agents" in said.err) == (2, True)


@pytest.mark.usefixtures("workspace")
def test_setting_what_config_md_overrules_is_told(everself) -> None:
    said = everself("config", "set", "soul_max_tokens", "1000")
    assert said.code == 0
    assert "CONFIG.md in the workspace sets soul_max_tokens too" in said.err


@pytest.mark.parametrize(
    ("words", "code", "kind"),
    [
        (("get", "agents.defaults.hartbeat.every"), 1, "UnknownKey"),
        (("get", ""), 1, "UnknownKey"),
        (("get", "a..b"), 1, "UnknownKey"),
        (("get", "x" * 5_000), 1, "UnknownKey"),
        (("get", "agents.defaults"), 2, "WrongUse"),
        (("get", KEY, "--agent", "nobody"), 5, "NotFound"),
        (("set", KEY, "often"), 1, "BadConfig"),
        (("set", "no.such.key", "1"), 1, "UnknownKey"),
        (("set", "memorySearch.query.maxResults", "many"), 1, "BadConfig"),
        (("set", "agents.defaults.workspace", "relative/path"), 1, "BadConfig"),
        (("set", "provider.openai.apiKey", ""), 2, "WrongUse"),
        (("set", "ui.assistant.name", "\udc80"), 2, "WrongUse"),
        (("set", KEY, "5m", "--agent", "nobody"), 5, "NotFound"),
        (("set", KEY), 2, "WrongUse"),
        (("unset", "no.such.key"), 1, "UnknownKey"),
        (("show", "no.such.group"), 1, "UnknownKey"),
        (("show", "--agent", "nobody"), 5, "NotFound"),
        (("path", "x"), 2, "WrongUse"),
    ],
)
def test_bad_input_gives_words_and_changes_nothing(
    everself, host: Path, words: tuple[str, ...], code: int, kind: str
) -> None:
    said = everself("config", *words, "--json")
    assert (said.code, said.json["ok"], said.json["error"]["kind"]) == (code, False, kind)
    plain = everself("config", *words)
    assert (plain.code, plain.out) == (code, "")
    assert plain.err.startswith(said.json["error"]["message"][:20])
    assert not host.exists()


def test_a_value_too_large_for_the_file_is_refused(everself, host: Path) -> None:
    said = everself("config", "set", "ui.assistant.name", "x" * 300_000)
    assert said.code == 1
    assert len(said.err) < 2_000
    assert not host.exists()


def test_a_broken_host_file_is_named_and_left_alone(everself, host: Path) -> None:
    for text in ("{ a: [ }", "[]", "{ unknown: 1 }"):
        host.write_text(text)
        for words in (("get", KEY), ("show",)):
            said = everself("config", *words)
            assert said.code == 1
            assert str(host) in said.err
        assert host.read_text() == text
    host.write_bytes(b"{ /* \xff */ }")
    assert everself("config", "set", KEY, "5m").code == 1
    assert host.read_bytes() == b"{ /* \xff */ }"


def test_a_wrong_value_can_be_mended_by_setting_it(everself, host: Path) -> None:
    host.write_text("{ heartbeat: { every: 'often' } }")
    assert everself("config", "get", KEY).code == 1
    assert everself("config", "set", KEY, "5m").code == 0
    assert everself("config", "get", KEY).out == "5m\n"


def test_a_linked_host_file_stays_a_link(everself, host: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json5"
    real.write_text("{} // kept in a repository\n")
    host.symlink_to(real)
    assert everself("config", "set", KEY, "5m").code == 0
    assert host.is_symlink()
    assert "5m" in real.read_text()


def test_a_host_file_that_cannot_be_written_gives_words(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERSELF_CONFIG", "/proc/everself.json5")
    said = everself("config", "set", KEY, "5m")
    assert said.code in (1, 3, 5)
    assert said.err
    assert "mistake in Everself" not in said.err


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["fifo", "folder"])
def test_an_odd_thing_in_the_place_of_the_host_file_or_config_md_does_not_hang(
    everself, workspace: Path, host: Path, make
) -> None:
    config = workspace / "CONFIG.md"
    config.unlink()
    make(config)
    said = everself("config", "show")
    assert said.code == 0
    assert "1 remark" in said.err
    make(host)
    for words in (("show",), ("set", KEY, "5m")):
        said = everself("config", *words)
        assert said.code in (1, 3)
        assert "mistake in Everself" not in said.err


def test_path_prints_the_file_that_is_used(everself, host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert everself("config", "path").out == f"{host}\n"
    monkeypatch.setenv("EVERSELF_CONFIG", "/etc/everself.json5")
    assert everself("config", "path", "--json").json["data"] == {"path": "/etc/everself.json5"}


def test_a_relative_home_gives_words(everself, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "somewhere")
    said = everself("config", "show")
    assert said.code == 1
    assert "HOME is not an absolute path." in said.err


def test_a_value_whose_bytes_are_no_text_is_refused(everself, host: Path) -> None:
    said = everself("config", "set", "provider.openai.apiKey", "-", typed="sk-\ufffd\n")
    assert (said.code, "not UTF-8" in said.err) == (2, True)
    assert not host.exists()
