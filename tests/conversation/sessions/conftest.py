"""A log over a real database and real files, on a clock that a test moves."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from everself.clock import Clock
from everself.conversation.sessions.log import SessionLog
from everself.conversation.sessions.transcripts import Transcripts
from everself.storage.lock import FileLock
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import State, open_state


class Hands:
    """The hands of a clock."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
def clock(hands: Hands) -> Clock:
    return Clock(ZoneInfo("Europe/Berlin"), hands)


@pytest.fixture
def state(tmp_path) -> Iterator[State]:
    with open_state(f"{tmp_path}/state.db", bytes(32)) as opened:
        yield opened


@pytest.fixture
def open_log(tmp_path, state: State, clock: Clock) -> Callable[[], SessionLog]:
    def make() -> SessionLog:
        files = Transcripts(RealFileSystem(str(tmp_path)), FileLock(f"{tmp_path}/sessions.lock"))
        return SessionLog(state.messages, files, clock)

    return make


@pytest.fixture
def log(open_log: Callable[[], SessionLog]) -> SessionLog:
    return open_log()
