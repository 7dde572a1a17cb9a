"""What models cost is counted, and background work stops when its day is spent."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from everself.clock import Clock
from everself.config.sections import SpendLimits
from everself.errors import ModelFailed
from everself.models.chat.model_table import Price, cost_of
from everself.models.chat.protocol import ChatModel, ChatRequest, ReplyPart, Usage
from everself.models.spend_meter import SpendMeter
from everself.storage.state.database import State, open_state

USED = Usage(sent=400_000, received=100_000)


@dataclass
class _Wall:
    """A clock that a test turns."""

    now: datetime = datetime(2026, 3, 1, 14, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True)
class _Model:
    name: str = "acme/wise"
    window: int = 8_000
    most_output: int = 1_000
    paid: bool = True

    def stream(self, _: ChatRequest) -> AsyncIterator[ReplyPart]:
        raise AssertionError("nobody asks it anything here")


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    with open_state(str(tmp_path / "state.db"), bytes(32)) as opened:
        yield opened


def _priced(_: ChatModel, usage: Usage) -> int | None:
    return cost_of(Price(sent=1.0, received=2.0), usage)


def _unknown(_: ChatModel, _usage: Usage) -> int | None:
    return None


def test_a_request_is_recorded_under_the_day_of_the_human(state: State) -> None:
    # half past eleven at night in Seoul, though still the afternoon in UTC
    spend_meter = SpendMeter(state.spend, SpendLimits(), Clock(ZoneInfo("Asia/Seoul"), _Wall()), _priced)
    assert spend_meter.charge("chat", "s1", _Model(), USED) == 600_000
    late = Clock(ZoneInfo("Asia/Seoul"), _Wall(datetime(2026, 3, 1, 15, 30, tzinfo=UTC)))
    SpendMeter(state.spend, SpendLimits(), late, _priced).charge("chat", "s1", _Model(), USED)
    assert [one.day for one in state.spend.list()] == ["2026-03-02", "2026-03-01"]


def test_background_work_stops_at_its_dollars_and_goes_on_the_next_day(state: State) -> None:
    wall = _Wall()
    spend_meter = SpendMeter(state.spend, SpendLimits(background_per_day=1.0), Clock(ZoneInfo("UTC"), wall), _priced)
    for _ in range(2):
        spend_meter.allow("miner")
        spend_meter.charge("miner", "", _Model(), USED)
    with pytest.raises(ModelFailed, match=r"\$1\.00") as stopped:
        spend_meter.allow("flush")
    assert stopped.value.reason == "spend"
    assert "spend.backgroundPerDay" in stopped.value.mend
    wall.now += timedelta(days=1)
    spend_meter.allow("flush")


def test_a_conversation_is_never_stopped_and_does_not_use_up_the_background(state: State) -> None:
    spend_meter = SpendMeter(state.spend, SpendLimits(background_per_day=0.5), Clock(ZoneInfo("UTC"), _Wall()), _priced)
    for job in ("chat", "test"):
        spend_meter.charge(job, "s1", _Model(), USED)
        spend_meter.allow(job)
    spend_meter.allow("miner")


def test_where_the_price_is_unknown_tokens_are_counted(state: State) -> None:
    limits = SpendLimits(background_tokens_per_day=900_000)
    spend_meter = SpendMeter(state.spend, limits, Clock(ZoneInfo("UTC"), _Wall()), _unknown)
    assert spend_meter.charge("miner", "", _Model(), USED) is None
    spend_meter.allow("miner")
    spend_meter.charge("miner", "", _Model(), USED)
    with pytest.raises(ModelFailed, match="900,000 tokens"):
        spend_meter.allow("miner")


def test_nothing_is_allowed_where_the_limit_is_zero(state: State) -> None:
    spend_meter = SpendMeter(state.spend, SpendLimits(background_per_day=0), Clock(ZoneInfo("UTC"), _Wall()), _priced)
    with pytest.raises(ModelFailed):
        spend_meter.allow("miner")


def test_a_model_of_ones_own_costs_nothing_and_is_still_counted(state: State) -> None:
    spend_meter = SpendMeter(state.spend, SpendLimits(), Clock(ZoneInfo("UTC"), _Wall()), _unknown)
    assert spend_meter.charge("miner", "", _Model("ollama/small", paid=False), USED) == 0
    assert spend_meter.background().unpriced == 0
    assert state.spend.list()[0].requests == 1


@pytest.mark.parametrize(("job", "key"), [("api", "spend.apiPerDay"), ("guest", "spend.guestPerDay")])
def test_conversations_that_nobody_watches_stop_at_their_own_limits(state: State, job: str, key: str) -> None:
    wall = _Wall()
    limits = SpendLimits(background_per_day=5.0, api_per_day=1.0, guest_per_day=1.0)
    spend_meter = SpendMeter(state.spend, limits, Clock(ZoneInfo("Europe/Berlin"), wall), _priced)
    other = {"api": "guest", "guest": "api"}[job]
    for _ in range(2):
        spend_meter.allow(job)
        spend_meter.charge(job, "s", _Model(), USED)
    with pytest.raises(ModelFailed, match=r"\$1\.00") as stopped:
        spend_meter.allow(job)
    assert stopped.value.reason == "spend"
    assert key in stopped.value.mend
    # until the owner's midnight
    assert stopped.value.retry_after is not None
    assert 0 < stopped.value.retry_after <= 86_400
    # each has its own, and what the owner does is never stopped
    for free in (other, "chat", "miner"):
        spend_meter.allow(free)
    assert spend_meter.background().micros == 0
    wall.now += timedelta(days=1)
    spend_meter.allow(job)


def test_tokens_count_where_the_price_is_unknown(state: State) -> None:
    limits = SpendLimits(guest_tokens_per_day=1)
    spend_meter = SpendMeter(state.spend, limits, Clock(ZoneInfo("UTC"), _Wall()), lambda *_: None)
    spend_meter.charge("guest", "s", _Model(), USED)
    with pytest.raises(ModelFailed, match="tokens for conversations with guests"):
        spend_meter.allow("guest")
