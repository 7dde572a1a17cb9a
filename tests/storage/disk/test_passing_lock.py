"""A lock whose file goes with its holder: still one holder at a time."""

import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from everself.errors import LockTimeout
from everself.storage.lock import STRETCHED, FileLock


def test_nothing_is_left_of_it(tmp_path: Path) -> None:
    lock = FileLock(str(tmp_path / "turn.lock"), passing=True)
    with lock.hold():
        assert lock.is_held()
        with pytest.raises(LockTimeout), FileLock(lock.path, passing=True).hold(0):
            pass
        # whoever gave up removed nothing
        assert lock.is_held()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("passing", [True, False])
def test_whoever_asks_for_a_passing_lock_counts_as_waiting(tmp_path: Path, passing: bool) -> None:
    lock = FileLock(str(tmp_path / "turn.lock"), passing=passing)
    with lock.hold():
        pass
    assert not lock.is_awaited
    with lock.hold(), pytest.raises(LockTimeout), FileLock(lock.path, passing=passing).hold(0):
        pass
    assert (lock._not_before > 0) == passing


def test_holders_exclude_each_other_though_the_file_comes_and_goes(tmp_path: Path) -> None:
    path = str(tmp_path / "turn.lock")
    inside, most, taken = 0, 0, 0
    guard = threading.Lock()

    def work() -> None:
        nonlocal inside, most, taken
        for _ in range(40):
            with FileLock(path, passing=True).hold():
                with guard:
                    inside, taken = inside + 1, taken + 1
                    most = max(most, inside)
                with guard:
                    inside -= 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, taken) == (1, 240)
    assert list(tmp_path.iterdir()) == []


def test_one_who_waited_for_a_file_that_is_gone_waits_for_the_one_of_that_name(tmp_path: Path) -> None:
    path = tmp_path / "turn.lock"
    entered = threading.Event()
    waiting = threading.Thread(target=lambda: _hold_once(FileLock(str(path), passing=True), entered))
    with ExitStack() as others:
        with FileLock(str(path), passing=True).hold():
            waiting.start()
            # it waits, and says so in the file
            while path.stat().st_size < STRETCHED:
                pass
            path.unlink()
            others.enter_context(FileLock(str(path), passing=True).hold())
        # the file that it waited for is free now; it has no name any more, and whoever left it did not take the other's
        assert not entered.wait(0.2)
        assert FileLock(str(path)).is_held()
    waiting.join(10)
    assert entered.is_set()
    assert list(tmp_path.iterdir()) == []


def _hold_once(lock: FileLock, entered: threading.Event) -> None:
    with lock.hold(10):
        entered.set()
