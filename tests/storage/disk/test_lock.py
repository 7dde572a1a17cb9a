"""One writer at a time, and a clear word about who holds the lock."""

import os
import threading
from pathlib import Path

import pytest

from everself.clock import pause
from everself.errors import LockTimeout
from everself.storage.lock import STRETCHED, FileLock


def test_a_second_holder_waits_and_is_told_who_is_first(tmp_path: Path) -> None:
    path = str(tmp_path / "write.lock")
    with FileLock(path).hold(), pytest.raises(LockTimeout) as told, FileLock(path).hold(timeout=0.05):
        pass
    assert f"process {os.getpid()}" in str(told.value)
    with FileLock(path).hold(timeout=0.05):
        assert FileLock(path).is_held()
    assert not FileLock(path).is_held()


def test_threads_exclude_each_other(tmp_path: Path) -> None:
    path = str(tmp_path / "write.lock")
    inside = most = 0
    guard = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with FileLock(path).hold():
                with guard:
                    inside += 1
                    most = max(most, inside)
                with guard:
                    inside -= 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_the_owner_is_named_and_a_dead_one_is_known_as_dead(tmp_path: Path) -> None:
    lock = FileLock(str(tmp_path / "write.lock"))
    assert lock.owner() is None
    with lock.hold():
        owner = lock.owner()
        assert owner is not None
        assert (owner.pid, owner.alive, owner.stopped) == (os.getpid(), True, False)
    (tmp_path / "write.lock").write_text('{"pid": 2147483646, "command": "x", "since": "y"}')
    gone = lock.owner()
    assert gone is not None
    assert not gone.alive


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"pid": "x"}', "\0" * 10])
def test_a_spoilt_signature_is_no_signature(tmp_path: Path, text: str) -> None:
    (tmp_path / "write.lock").write_text(text)
    lock = FileLock(str(tmp_path / "write.lock"))
    assert lock.owner() is None
    with lock.hold(timeout=0.1):
        pass


def test_a_link_in_the_locks_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("precious")
    (tmp_path / "write.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError), FileLock(str(tmp_path / "write.lock")).hold(timeout=0.1):
        pass
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_whoever_waits_gets_its_turn_from_one_that_always_comes_back(tmp_path: Path) -> None:
    path = str(tmp_path / "write.lock")
    greedy = FileLock(path)
    rounds = 0
    waiting, served = threading.Event(), threading.Event()

    def wait() -> None:
        waiting.set()
        with FileLock(path).hold():
            served.set()

    thread = threading.Thread(target=wait)
    with greedy.hold():
        thread.start()
        waiting.wait()
        # until the other has looked and left its mark
        while os.path.getsize(path) < STRETCHED:
            pause(0.002)
    while not served.is_set() and rounds < 500:
        rounds += 1
        with greedy.hold():
            pause(0.002)
    thread.join()
    assert rounds < 200


def test_waiting_for_a_lock_is_logged_with_its_path(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = str(tmp_path / "write.lock")
    held, free = threading.Event(), threading.Event()

    def hold() -> None:
        with FileLock(path).hold():
            held.set()
            free.wait(60)

    thread = threading.Thread(target=hold)
    with caplog.at_level("INFO", "everself"):
        thread.start()
        assert held.wait(60)
        with pytest.raises(LockTimeout), FileLock(path).hold(timeout=0.01):
            pass
        threading.Timer(0.05, free.set).start()
        with FileLock(path).hold():
            thread.join()
    told = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert told[0] == ("WARNING", f"The lock {path} was not free within 0.01 s.")
    assert told[1][0] == "INFO"
    assert told[1][1].endswith(f" s for the lock {path}.")
    with caplog.at_level("INFO", "everself"), FileLock(path).hold():
        # asking whether it is free is nothing to tell
        with pytest.raises(LockTimeout), FileLock(path).hold(timeout=0):
            pass
        assert len(caplog.records) == 2
