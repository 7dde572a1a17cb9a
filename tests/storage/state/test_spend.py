"""The ledger of what models cost, on a real database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from everself.storage.state.database import State, open_state
from everself.storage.state.spend import Cost, DaySum, SpendRecord

KEY = bytes(range(32))


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    with open_state(str(tmp_path / "state.db"), KEY) as opened:
        yield opened


def _spent(identity: str, day: str, job: str, micros: int | None, session: str = "s1") -> SpendRecord:
    return SpendRecord(identity, f"{day}T09:00:00+09:00", day, job, session, "openai/gpt", 100, 10, 5, 2, micros)


def test_a_day_that_cost_nothing_is_zero(state: State) -> None:
    assert state.spend.of_day("2026-03-01") == Cost(0, 0)
    assert state.spend.list() == ()


def test_sums_are_by_day_job_and_model_with_the_newest_day_first(state: State) -> None:
    state.spend.record(_spent("a", "2026-03-01", "chat", 7))
    state.spend.record(_spent("b", "2026-03-01", "chat", 8))
    state.spend.record(_spent("c", "2026-03-02", "flush", None))
    assert state.spend.list() == (
        DaySum("2026-03-02", "flush", "openai/gpt", 1, 100, 10, 5, 2, 0, 110),
        DaySum("2026-03-01", "chat", "openai/gpt", 2, 200, 20, 10, 4, 15, 0),
    )
    assert [one.day for one in state.spend.list("2026-03-02")] == ["2026-03-02"]


def test_a_day_is_summed_for_one_job_or_for_all_but_one(state: State) -> None:
    for identity, job, micros in (("a", "chat", 100), ("b", "flush", 20), ("c", "miner", 3), ("d", "miner", None)):
        state.spend.record(_spent(identity, "2026-03-01", job, micros))
    state.spend.record(_spent("e", "2026-02-28", "miner", 1_000))
    assert state.spend.of_day("2026-03-01", "miner") == Cost(3, 110)
    assert state.spend.of_day("2026-03-01", but=("chat", "test")) == Cost(23, 110)
    assert state.spend.of_day("2026-03-01") == Cost(123, 110)


def test_the_same_request_is_counted_once(state: State) -> None:
    for _ in range(2):
        state.spend.record(_spent("a", "2026-03-01", "chat", 7))
    assert state.spend.of_day("2026-03-01") == Cost(7, 0)
