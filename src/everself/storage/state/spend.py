"""Rows of model requests and their cost, and sums of them. Independent of prices, limits and models."""

import json
from collections.abc import Sequence
from dataclasses import astuple

from everself.frozen import Frozen
from everself.storage.engine import Engine
from everself.storage.state._queries import load_queries

_SQL = load_queries("spend")


class SpendRecord(Frozen):
    """One request. `day`: the human day; `micros`: millionths of a dollar, None if the price is unknown."""

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
    """`micros`: the cost of requests with a known price; `unpriced`: the tokens of the others."""

    micros: int = 0
    unpriced: int = 0


class DaySum(Frozen):
    """The requests of one job to one model on one day. `unpriced`: tokens whose price is unknown."""

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
        """Store a request; a second one with the same id is ignored."""
        self._engine.write(lambda writer: writer.run(_SQL["add_spend"], astuple(spent)))

    def of_day(self, day: str, job: str = "", *, but: Sequence[str] = ()) -> Cost:
        """The cost of a day: of one job, or of all jobs except `but`."""
        return Cost(*self._engine.read(_SQL["of_day"], (day, job, json.dumps(but)))[0])

    def list(self, since: str = "") -> tuple[DaySum, ...]:
        """The sums by day, job and model since that day, newest day first."""
        return tuple(DaySum(*row) for row in self._engine.read(_SQL["sums"], (since,)))
