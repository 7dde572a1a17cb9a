"""A unix socket that only its owner may open, in the place of one that a dead process left, and of nothing else."""

import os
import socket
from pathlib import Path

import pytest

from everself.errors import RefusedByRule
from everself.storage.local_socket import listen_at, peer_user, remove_socket
from everself.storage.socket_address import LONGEST, socket_address


@pytest.fixture
def short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # the name of a socket is short; that of a test's folder may not be
    monkeypatch.chdir(tmp_path)
    return Path("s")


def test_it_is_private_whatever_the_umask_and_replaces_what_a_dead_process_left(short: Path) -> None:
    before = os.umask(0)
    try:
        for _ in range(2):
            with listen_at(str(short)):
                assert short.stat().st_mode & 0o777 == 0o600
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(str(short))
        assert os.umask(0) == 0
    finally:
        os.umask(before)
    remove_socket(str(short))
    assert not short.exists()
    remove_socket(str(short))


def test_a_file_of_that_name_is_not_removed(short: Path) -> None:
    short.write_text("a person's")
    with pytest.raises(RefusedByRule):
        listen_at(str(short))
    with pytest.raises(RefusedByRule):
        remove_socket(str(short))
    assert short.read_text() == "a person's"


def test_a_long_path_is_reached_by_a_descriptor_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 60) / ("y" * 60)
    folder.mkdir(parents=True)
    path = folder / "s"
    with listen_at(str(path)), socket.socket(socket.AF_UNIX) as client:
        assert path.stat().st_mode & 0o777 == 0o600
        before = len(os.listdir("/proc/self/fd"))
        with socket_address(str(path)) as address:
            client.connect(address)
        assert len(os.listdir("/proc/self/fd")) == before
    remove_socket(str(path))
    assert not path.exists()


def test_a_name_that_is_too_long_is_said(short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RefusedByRule, match="longer than"):
        listen_at("x" * (LONGEST + 1))
    monkeypatch.setattr("everself.storage.socket_address._DESCRIPTORS", str(tmp_path / "no descriptors"))
    with pytest.raises(RefusedByRule, match="longer than"):
        listen_at(f"{short}/{'x' * LONGEST}")


def test_the_kernel_says_who_is_at_the_other_end(short: Path) -> None:
    with listen_at(str(short)) as listening, socket.socket(socket.AF_UNIX) as client:
        client.connect(str(short))
        accepted, _ = listening.accept()
        with accepted:
            assert peer_user(accepted) == os.getuid()


def test_of_another_kind_of_socket_it_says_nothing() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()) as client,
    ):
        accepted, _ = listening.accept()
        with accepted:
            assert peer_user(accepted) is None
            assert peer_user(client) is None
