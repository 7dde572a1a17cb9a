"""A part of an opened agent is made once, whichever threads ask for it at the same time."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property
from threading import Barrier, Event, Lock, Thread

import pytest
from tests.operations.homes import settle

from everself.agent import open_runtime
from everself.conversation.message_actions import MessageActions
from everself.conversation.shared_state import SharedState
from everself.lazy import part
from everself.runtime import Runtime
from everself.storage.state.database import State, open_state

pytestmark = pytest.mark.slow

THREADS = 6
# for what never comes: a second maker
A_WHILE = 0.3
LONG = 60.0


class Maker:
    """Counts who makes something at once: the first waits a while for a second."""

    def __init__(self) -> None:
        self.count = 0
        self._lock = Lock()
        self._second = Event()

    def __call__(self) -> int:
        with self._lock:
            self.count += 1
            number = self.count
        if number > 1:
            self._second.set()
        self._second.wait(A_WHILE)
        return number


def at_once(work: Callable[[], object], threads: int = THREADS) -> list[object]:
    """What each of several threads gets that begin at the same moment."""
    ready = Barrier(threads)
    found: list[object] = []

    def run() -> None:
        ready.wait(LONG)
        found.append(work())

    running = [Thread(target=run, daemon=True) for _ in range(threads)]
    for one in running:
        one.start()
    for one in running:
        one.join(LONG)
    assert len(found) == threads
    return found


@pytest.fixture
def unlocked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11 as 3.12 is: a cached property has no lock."""
    for owner in (Runtime, SharedState, MessageActions):
        for one in vars(owner).values():
            if isinstance(one, cached_property) and hasattr(one, "lock"):
                monkeypatch.setattr(one, "lock", nullcontext())


@pytest.mark.usefixtures("unlocked")
def test_threads_that_ask_at_once_open_one_database(monkeypatch: pytest.MonkeyPatch) -> None:
    settle()
    count = Maker()

    def opening(path: str, key: bytes) -> State:
        count()
        return open_state(path, key)

    monkeypatch.setattr("everself.workspace.state_factory.open_state", opening)
    with open_runtime() as app:
        found = at_once(lambda: app.state)
    assert count.count == 1
    assert len({id(one) for one in found}) == 1


@pytest.mark.usefixtures("unlocked")
def test_keepers_that_ask_at_once_share_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    settle()
    count = Maker()

    def opening(*_: object) -> object:
        return count()

    monkeypatch.setattr("everself.conversation.chat_models.open_chat_model", opening)
    monkeypatch.setattr("everself.conversation.chat_models.REFLEX", "")
    with open_runtime() as app:
        model = app.keepers._sources.model
        assert at_once(lambda: model.found) == [1] * THREADS


class Opened:
    def __init__(self) -> None:
        self.count = Maker()
        self.troubles = 0

    @part
    def first(self) -> int:
        """The first part."""
        return self.count()

    @part
    def second(self) -> tuple[int, ...]:
        # a part whose making waits for another thread that asks for another part
        found: list[int] = []
        thread = Thread(target=lambda: found.append(self.first), daemon=True)
        thread.start()
        thread.join(LONG)
        return tuple(found)

    @part
    def broken(self) -> int:
        self.troubles += 1
        if self.troubles == 1:
            raise OSError("not yet")
        return self.troubles

    @part
    def nothing(self) -> None:
        self.troubles += 1


def test_a_part_is_made_once_for_each_instance() -> None:
    one, other = Opened(), Opened()
    assert at_once(lambda: one.first) == [1] * THREADS
    assert "first" in one.__dict__
    assert "first" not in other.__dict__
    assert (other.first, other.count.count, one.count.count) == (1, 1, 1)


def test_making_a_part_may_wait_for_a_thread_that_asks_for_another() -> None:
    assert Opened().second == (1,)


def test_a_part_that_could_not_be_made_is_tried_again() -> None:
    opened = Opened()
    with pytest.raises(OSError, match="not yet"):
        _ = opened.broken
    assert "broken" not in opened.__dict__
    assert opened.broken == 2
    assert opened.broken == 2


def test_nothing_is_a_part_too() -> None:
    opened = Opened()
    assert (opened.nothing, opened.nothing, opened.troubles) == (None, None, 1)


def test_the_class_has_the_descriptor_with_its_words() -> None:
    assert isinstance(Opened.first, part)
    assert Opened.first.__doc__ == "The first part."
