"""Doctor on the gateway: what a dead one left, and tokens that somebody should look at."""

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest
from tests.operations.doctor.doctoring import codes, found, settle_in
from tests.operations.homes import HOME

from everself.clock import system_now
from everself.operations.caller import AT_TERMINAL
from everself.operations.doctor import examine
from everself.operations.gateway import SOCKET, folder_of, only_gateway
from everself.operations.token_file import FILE
from everself.operations.tokens import AddTokenRequest, add_token
from everself.storage.local_socket import listen_at

OURS = {"gateway-socket-open", "gateway-socket-left", "tokens-unreadable", "token-old", "token-without-agent"}


@pytest.fixture(autouse=True)
def _home() -> None:
    settle_in(Path(os.environ["HOME"]))


def folder() -> Path:
    return Path(folder_of(HOME.places))


def change_token(**changes: str) -> None:
    path = folder() / FILE
    stored = json.loads(path.read_text("utf-8"))
    stored["tokens"][0] |= changes
    path.write_text(json.dumps(stored), "utf-8")


def add() -> None:
    add_token(HOME, AT_TERMINAL, AddTokenRequest(name="editor", session="main"))


def test_a_gateway_that_is_well_is_no_finding() -> None:
    add()
    assert not OURS & set(codes(examine()))
    with only_gateway(HOME.places) as top, listen_at(f"{top}/{SOCKET}"):
        assert not OURS & set(codes(examine()))


def test_a_socket_that_a_killed_gateway_left_is_told() -> None:
    with only_gateway(HOME.places) as top:
        listen_at(f"{top}/{SOCKET}").close()
    assert found(examine(), "gateway-socket-left").mend == "everself gateway start"
    os.chmod(folder() / SOCKET, 0o666)
    assert found(examine(), "gateway-socket-open").severity == "error"


def test_a_token_is_old_after_a_year() -> None:
    add()
    change_token(since=(system_now() - timedelta(days=364)).isoformat())
    assert "token-old" not in codes(examine())
    change_token(since=(system_now() - timedelta(days=366)).isoformat())
    assert found(examine(), "token-old").mend == "everself gateway token rotate editor"
    change_token(since="yesterday")
    assert "token-old" in codes(examine())


def test_a_token_of_an_agent_that_is_gone_is_told() -> None:
    add()
    change_token(agent="gone")
    assert found(examine(), "token-without-agent").mend == "everself gateway token rm editor"


def test_a_list_of_tokens_that_cannot_be_read_is_told() -> None:
    add()
    (folder() / FILE).write_text("{", "utf-8")
    assert found(examine(), "tokens-unreadable").severity == "error"


def test_files_that_others_may_read_are_closed_to_them() -> None:
    add()
    (folder() / FILE).chmod(0o644)
    told = found(examine(), "open-to-others")
    assert "of the gateway" in told.message
    assert [one.code for one in examine(fix=True).fixed] == ["open-to-others"]
    assert (folder() / FILE).stat().st_mode & 0o777 == 0o600
