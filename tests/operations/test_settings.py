"""The verbs over settings: what is saved, in which order, and what happens when somebody else saves too."""

import json
from pathlib import Path

import pytest
from tests.operations.homes import get_value, list_values, own_key, set_value, unset_value

from everself.errors import BadConfig, ChangedMeanwhile, DiskError, LockTimeout, WrongUse
from everself.operations import settings

KEY = "agents.defaults.heartbeat.every"
API_KEY = "provider.openai.apiKey"


@pytest.fixture
def host(_own_home: Path) -> Path:
    return _own_home / ".everself" / "everself.json5"


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files in the order in which they are saved."""
    names: list[str] = []
    real = settings.save_file

    def save(path: str, data: bytes, base: bytes | None) -> None:
        names.append(Path(path).name)
        real(path, data, base)

    monkeypatch.setattr(settings, "save_file", save)
    return names


def test_a_secret_is_there_before_what_refers_to_it_and_goes_after(host: Path, saved: list[str]) -> None:
    report = set_value(API_KEY, "a-secret")
    assert saved == ["secrets.json", "everself.json5"]
    assert (report.changed, report.secrets_file) == (True, str(host.with_name("secrets.json")))
    saved.clear()
    unset_value(API_KEY)
    assert saved == ["everself.json5", "secrets.json"]


def test_a_failure_between_the_two_files_leaves_no_dangling_reference(
    host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = settings.save_file

    def fail_for_host(path: str, data: bytes, base: bytes | None) -> None:
        if path.endswith("everself.json5"):
            raise DiskError("full")
        real(path, data, base)

    with monkeypatch.context() as patch:
        patch.setattr(settings, "save_file", fail_for_host)
        with pytest.raises(DiskError):
            set_value(API_KEY, "a-secret")
    assert not host.exists()
    set_value(API_KEY, "a-secret")

    def fail_for_secrets(path: str, data: bytes, base: bytes | None) -> None:
        if path.endswith("secrets.json"):
            raise DiskError("full")
        real(path, data, base)

    monkeypatch.setattr(settings, "save_file", fail_for_secrets)
    with pytest.raises(DiskError):
        unset_value(API_KEY)
    assert "secret:" not in host.read_text()


def test_whoever_was_faster_is_not_overwritten(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_value("ui.assistant.name", "Kim")
    real, edits = settings.save_file, ["// one\n", "// two\n"]

    def save(path: str, data: bytes, base: bytes | None) -> None:
        if edits:
            host.write_text(edits.pop(0) + host.read_text())
        real(path, data, base)

    monkeypatch.setattr(settings, "save_file", save)
    set_value(KEY, "5m")
    text = host.read_text()
    assert "// one" in text
    assert "// two" in text
    assert (get_value(KEY).value, get_value("ui.assistant.name").value) == ("5m", "Kim")


def test_a_rival_without_end_is_a_conflict_and_a_lock_is_not_waited_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def raising(error: Exception):
        def save(path: str, *_: object) -> None:
            calls.append(path)
            raise error

        return save

    monkeypatch.setattr(settings, "save_file", raising(ChangedMeanwhile("")))
    with pytest.raises(ChangedMeanwhile):
        set_value(KEY, "5m")
    assert len(calls) == settings.ATTEMPTS
    calls.clear()
    monkeypatch.setattr(settings, "save_file", raising(LockTimeout("")))
    with pytest.raises(LockTimeout):
        set_value(KEY, "5m")
    assert len(calls) == 1


def test_the_usual_folder_of_an_agent_has_its_name(host: Path) -> None:
    set_value("agents.list.main.id", "main")
    set_value("agents.list.b.id", "b")
    assert get_value("workspace", "b").value == str(host.parent / "workspace-b")
    assert get_value("agents.list.b.workspace").value == str(host.parent / "workspace-b")


def test_what_would_make_the_file_unusable_is_not_saved(host: Path) -> None:
    set_value("agents.list.a.id", "a")
    set_value("agents.list.b.id", "b")
    before = host.read_bytes()
    with pytest.raises(BadConfig, match="share"):
        set_value("agents.list.b.workspace", str(get_value("agents.list.a.workspace").value))
    with pytest.raises(BadConfig):
        set_value("agents.defaults.workspace", "not/absolute")
    assert host.read_bytes() == before


def test_a_file_that_was_odd_before_can_still_be_changed(host: Path) -> None:
    host.parent.mkdir()
    host.write_text("{ telegram: { token: 'x' }, nonsense: 1 }")
    report = set_value(KEY, "5m")
    assert report.changed
    assert [one.code for one in report.remarks] == []
    assert "nonsense" in host.read_text()


def test_a_new_remark_is_told_once(host: Path) -> None:
    report = set_value("provider.openai.baseUrl", "http://localhost:1")
    assert report.remarks == ()
    host.write_text("{}\n")
    # an alias beside the proper name, with another value
    host.write_text("{ heartbeat: { every: '1m' }, agents: { defaults: { heartbeat: { every: '2m' } } } }")
    assert "setting-twice" in {one.code for one in list_values().remarks}


def test_the_environment_is_named_as_the_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-outside")
    found = get_value(API_KEY)
    assert (found.origin, found.value) == ("environment", "(secret from ${OPENAI_API_KEY})")
    set_value(API_KEY, "${OTHER}")
    found = get_value(API_KEY)
    assert (found.origin, found.value) == ("host file", "(secret from ${OTHER})")
    assert [one.origin for one in list_values().settings if one.key == API_KEY] == ["host file"]


def test_a_reference_is_no_secret_and_stays_in_the_host_file(host: Path) -> None:
    report = set_value(API_KEY, "${MY_KEY}")
    assert report.secrets_file == ""
    assert "${MY_KEY}" in host.read_text()
    assert not host.with_name("secrets.json").exists()


def test_other_secrets_are_kept(host: Path) -> None:
    set_value(API_KEY, "one")
    set_value("provider.voyage.apiKey", "two")
    set_value(API_KEY, "three")
    assert json.loads(host.with_name("secrets.json").read_text()) == {API_KEY: "three", "provider.voyage.apiKey": "two"}


@pytest.mark.parametrize(
    ("key", "own"),
    [
        (KEY, "agents.list.main.heartbeat.every"),
        ("heartbeat.every", "agents.list.main.heartbeat.every"),
        ("memorySearch.remote.headers.X", "agents.list.main.memorySearch.remote.headers.X"),
        ("agents.defaults.memorySearch.remote.headers.X", "agents.list.main.memorySearch.remote.headers.X"),
        ("identity.name", "agents.list.main.identity.name"),
        ("soul.policy", "agents.list.main.soul.policy"),
        ("agents.list.main.model", "agents.list.main.model"),
    ],
)
def test_the_key_of_one_agent(key: str, own: str) -> None:
    assert own_key(key, "main") == own


@pytest.mark.parametrize("key", ["history.enabled", API_KEY, "agents.list.other.model"])
def test_what_is_not_for_one_agent_is_refused(key: str) -> None:
    with pytest.raises(WrongUse):
        own_key(key, "main")


@pytest.mark.parametrize(
    ("own", "patterns", "origin"),
    [
        ("[]", ["storm"], "host file"),
        ("[{pattern: frost, route: miner}]", ["storm", "frost"], "both files"),
    ],
)
def test_patterns_are_shown_with_the_files_that_they_come_from(
    host: Path, own: str, patterns: list[str], origin: str
) -> None:
    key = "heartbeat_custom_patterns"
    config = host.parent / "workspace" / "CONFIG.md"
    config.parent.mkdir(parents=True)
    config.write_text(f"```yaml\n{key}: {own}\n```\n")
    # CONFIG.md does not overrule them, so nothing is said of it
    assert set_value(key, '[{pattern: "storm", route: "miner"}]').remarks == ()
    shown = get_value(key)
    assert isinstance(shown.value, tuple)
    assert [one["pattern"] for one in shown.value if isinstance(one, dict)] == patterns
    assert shown.origin == origin
