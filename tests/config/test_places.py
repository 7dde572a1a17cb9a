"""Where things live, decided by the environment alone."""

import pytest

from everself.config import Places, find_places
from everself.errors import BadConfig


def test_everything_stands_below_the_home_folder_by_default() -> None:
    places = find_places({"HOME": "/people/ada"})
    assert places.home == "/people/ada/.everself"
    assert places.host_file == "/people/ada/.everself/everself.json5"
    assert places.secrets_file == "/people/ada/.everself/secrets.json"
    assert places.key_folder == "/people/ada/.config/everself"
    assert places.state_of("aria") == "/people/ada/.everself/agents/aria"
    assert places.default_workspace_of("main") == "/people/ada/.everself/workspace"
    assert places.default_workspace_of("aria") == "/people/ada/.everself/workspace-aria"
    assert places.profile == ""


def test_each_place_can_be_moved() -> None:
    places = find_places(
        {
            "HOME": "/people/ada",
            "EVERSELF_HOME": "~/self/",
            "EVERSELF_CONFIG": "/etc/everself.json5",
            "EVERSELF_KEYS": "/keys",
            "EVERSELF_PROFILE": "aria",
        }
    )
    assert places == Places("/people/ada/self", "/etc/everself.json5", "/keys", "/people/ada", "aria")
    assert places.secrets_file == "/etc/secrets.json"


def test_the_key_folder_follows_xdg_unless_that_is_relative() -> None:
    assert find_places({"HOME": "/h", "XDG_CONFIG_HOME": "/x"}).key_folder == "/x/everself"
    assert find_places({"HOME": "/h", "XDG_CONFIG_HOME": "x"}).key_folder == "/h/.config/everself"


def test_without_a_home_folder_absolute_places_are_enough() -> None:
    places = find_places({"EVERSELF_HOME": "/srv/self", "EVERSELF_KEYS": "/srv/keys"})
    assert places.host_file == "/srv/self/everself.json5"
    with pytest.raises(BadConfig, match="HOME is not set"):
        places.expand("~/x", "agents.defaults.workspace")


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({}, "HOME is not set"),
        ({"HOME": ""}, "HOME is not set"),
        ({"HOME": "ada"}, "HOME is not an absolute path"),
        ({"HOME": "/h", "EVERSELF_HOME": "self"}, "EVERSELF_HOME must be an absolute path"),
        ({"HOME": "/h", "EVERSELF_CONFIG": "~bob/x.json5"}, "EVERSELF_CONFIG must be an absolute path"),
        ({"HOME": "/h", "EVERSELF_KEYS": "./keys"}, "EVERSELF_KEYS must be an absolute path"),
        ({"HOME": "/h", "EVERSELF_PROFILE": "../x"}, "EVERSELF_PROFILE"),
    ],
)
def test_a_place_that_makes_no_sense_is_named(environ: dict[str, str], words: str) -> None:
    with pytest.raises(BadConfig, match=words) as caught:
        find_places(environ)
    assert caught.value.mend


@pytest.mark.parametrize("agent", ["", "..", "a/b", "-x", "ä", "a" * 65, "a b", ".hidden"])
def test_an_id_that_would_not_be_a_plain_folder_is_refused(agent: str) -> None:
    with pytest.raises(BadConfig, match="not a valid agent id"):
        find_places({"HOME": "/h"}).state_of(agent)


def test_a_path_through_a_parent_is_not_rewritten() -> None:
    assert find_places({"HOME": "/h", "EVERSELF_HOME": "/a/link/../b"}).home == "/a/link/../b"


def test_colour_is_off_when_asked() -> None:
    assert find_places({"HOME": "/h"}).color
    assert find_places({"HOME": "/h", "NO_COLOR": ""}).color
    assert not find_places({"HOME": "/h", "NO_COLOR": "1"}).color
    assert not find_places({"HOME": "/h", "TERM": "dumb"}).color


def test_the_process_environment_is_read_when_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERSELF_HOME", "/somewhere/else")
    assert find_places().home == "/somewhere/else"
