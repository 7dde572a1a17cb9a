"""What models were asked and what it cost, request by request: rows and their sums. Knows no price, no limit and no model."""

import json
from collections.abc import Sequence
from dataclasses import astuple

from everself.frozen import Frozen
from everself.storage.engine import Engine
from everself.storage.state._queries import load_queries

_SQL = load_queries("spend")


class SpendRecord(Frozen):
    """One request. `day` is the human's; `micros` are millionths of a dollar, None where nobody knows the price."""

    id: str
    at: str
    day: str
    job: str
    session: str
    model: str
    sent: int
    received: int
    cached: int = 0
    stored: int = 0
    micros: int | None = None


class Cost(Frozen):
    """`micros` of what has a price, and the tokens of what has none."""

    micros: int = 0
    unpriced: int = 0


class DaySum(Frozen):
    """What one job asked of one model on one day. `unpriced` are the tokens whose price nobody knows."""

    day: str
    job: str
    model: str
    requests: int
    sent: int
    received: int
    cached: int
    stored: int
    micros: int
    unpriced: int


class Spend:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def record(self, spent: SpendRecord) -> None:
        """Once for each id."""
        self._engine.write(lambda writer: writer.run(_SQL["add_spend"], astuple(spent)))

    def of_day(self, day: str, job: str = "", *, but: Sequence[str] = ()) -> Cost:
        """What a day cost: one job, or all of them but some."""
        return Cost(*self._engine.read(_SQL["of_day"], (day, job, json.dumps(but)))[0])

    def list(self, since: str = "") -> tuple[DaySum, ...]:
        """By day, job and model from that day on, the newest day first."""
        return tuple(DaySum(*row) for row in self._engine.read(_SQL["sums"], (since,)))
