"""No test touches the real home or another machine."""

import os
import socket
from pathlib import Path

import pytest
from hypothesis import settings

ELSEWHERE = ("192.0.2.1", 9)  # TEST-NET-1: reserved for examples, never routed


def test_homes_are_temporary_and_empty(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = Path.home()
    assert home.is_relative_to(tmp_path_factory.getbasetemp())
    assert Path(os.environ["EVERSELF_HOME"]).is_relative_to(home)
    assert Path(os.environ["XDG_CONFIG_HOME"]).is_relative_to(home)
    assert list(home.iterdir()) == []


def test_no_key_of_the_machine_is_visible() -> None:
    assert [name for name in os.environ if name.endswith("_API_KEY")] == []


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_connecting_elsewhere_fails_the_test(kind: socket.SocketKind) -> None:
    with socket.socket(socket.AF_INET, kind) as reach:
        with pytest.raises(pytest.fail.Exception):
            reach.connect(ELSEWHERE)
        with pytest.raises(pytest.fail.Exception):
            reach.connect_ex(ELSEWHERE)


def test_a_datagram_to_elsewhere_fails_the_test() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as reach, pytest.raises(pytest.fail.Exception):
        reach.sendto(b"hello", ELSEWHERE)


def test_looking_up_a_name_fails_the_test() -> None:
    with pytest.raises(pytest.fail.Exception):
        socket.create_connection(("everself.invalid", 80), timeout=1)


def test_loopback_and_unix_sockets_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a Unix socket's path may hold 107 bytes only
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind("here")
        server.listen()
        client.connect("here")


def test_properties_are_the_same_on_every_machine() -> None:
    fixed = settings.get_profile("fixed")
    assert fixed.derandomize
    assert fixed.deadline is None


def test_the_seed_is_a_number_the_run_was_given(seed: int, pytestconfig: pytest.Config) -> None:
    assert seed == pytestconfig.getoption("--seed")
