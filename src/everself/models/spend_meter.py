"""Counts the cost of each model request and stops background work at the daily limit."""

from collections.abc import Callable

from everself.clock import Clock
from everself.config.sections import SpendLimits
from everself.errors import ModelFailed
from everself.logs import get_logger
from everself.models.chat.protocol import ChatModel, Usage
from everself.storage.state.spend import Cost, Spend, SpendRecord
from everself.values import new_id

_log = get_logger(__name__)

# what a person asked for and waits for; everything else is background
ASKED = ("chat", "test")

Pricing = Callable[[ChatModel, Usage], int | None]


class SpendMeter:
    def __init__(self, spend: Spend, limits: SpendLimits, clock: Clock, price: Pricing) -> None:
        self._spend = spend
        self._limits = limits
        self._clock = clock
        self._price = price

    def allow(self, job: str) -> None:
        """Ask before each request. Raises ModelFailed (spend) for background work whose day is spent."""
        if job in ASKED:
            return
        used = self.background()
        if used.micros >= self._limits.background_per_day * 1_000_000:
            dollars = f"${self._limits.background_per_day:.2f}"
            raise _stopped(f"The daily limit of {dollars} for background work is spent", "spend.backgroundPerDay")
        if used.unpriced >= self._limits.background_tokens_per_day:
            tokens = f"{self._limits.background_tokens_per_day:,} tokens"
            raise _stopped(
                f"The daily limit of {tokens} for background work is used up", "spend.backgroundTokensPerDay"
            )

    def charge(self, job: str, session: str, model: ChatModel, usage: Usage) -> int | None:
        """Record one request; millionths of a dollar, None where the price is unknown. One that nobody pays for is free."""
        micros = self._price(model, usage) if model.paid else 0
        now = self._clock.now()
        day = self._clock.day_of(now).isoformat()
        tokens = (usage.sent, usage.received, usage.cached, usage.stored)
        priced = "unknown" if micros is None else f"${micros / 1_000_000:.6f}"
        _log.debug("Request of %s by %s: %d tokens in, %d out, price %s.", model.name, job, *tokens[:2], priced)
        self._spend.record(SpendRecord(new_id(), now.isoformat(), day, job, session, model.name, *tokens, micros))
        return micros

    def background(self) -> Cost:
        """What background work has cost today."""
        return self._spend.of_day(self._clock.today().isoformat(), but=ASKED)


def _stopped(words: str, key: str) -> ModelFailed:
    mend = f"It resumes tomorrow. everself spend shows the costs; everself config set {key} VALUE raises the limit."
    return ModelFailed(f"{words}; background work is paused until tomorrow.", reason="spend", mend=mend)


def cost(model: ChatModel, usage: Usage) -> int | None:
    """Millionths of a dollar, None where the price is unknown."""
    from everself.models.chat.model_table import cost_of, find_model_facts

    provider, _, name = model.name.partition("/")
    price = find_model_facts(provider, name).price_of(usage.sent)
    return None if price is None else cost_of(price, usage)
