"""Counts the cost of each model request and stops at the daily limit what nobody watches."""

from collections.abc import Callable
from datetime import datetime, time, timedelta

from everself.clock import Clock
from everself.config.sections import SpendLimits
from everself.errors import ModelFailed
from everself.logs import get_logger
from everself.models.chat.protocol import ChatModel, Usage
from everself.storage.state.spend import Cost, Spend, SpendRecord
from everself.values import new_id

_log = get_logger(__name__)

# what a person asked for and waits for
ASKED = ("chat", "test")
# conversations whose bill nobody watches: behind a token of the owner's, and with everybody else
API, GUEST = "api", "guest"

Pricing = Callable[[ChatModel, Usage], int | None]


class SpendMeter:
    def __init__(self, spend: Spend, limits: SpendLimits, clock: Clock, price: Pricing) -> None:
        self._spend = spend
        self._limits = limits
        self._clock = clock
        self._price = price

    def allow(self, job: str) -> None:
        """Ask before each request. Raises ModelFailed (spend) where the day of what nobody watches is spent."""
        if job in ASKED:
            return
        limits = self._limits
        if job == API:
            words, key = "conversations behind tokens", "spend.api"
            most, tokens = limits.api_per_day, limits.api_tokens_per_day
        elif job == GUEST:
            words, key = "conversations with guests", "spend.guest"
            most, tokens = limits.guest_per_day, limits.guest_tokens_per_day
        else:
            words, key = "background work", "spend.background"
            most, tokens = limits.background_per_day, limits.background_tokens_per_day
        used = self._of_today(job) if job in (API, GUEST) else self.background()
        if used.micros >= most * 1_000_000:
            raise self._stopped(f"The daily limit of ${most:.2f} for {words} is spent", words, f"{key}PerDay")
        if used.unpriced >= tokens:
            raise self._stopped(
                f"The daily limit of {tokens:,} tokens for {words} is used up", words, f"{key}TokensPerDay"
            )

    def _of_today(self, job: str) -> Cost:
        return self._spend.of_day(self._clock.today().isoformat(), job)

    def _stopped(self, reason: str, words: str, key: str) -> ModelFailed:
        mend = f"It resumes tomorrow. everself spend shows the costs; everself config set {key} VALUE raises the limit."
        now = self._clock.now()
        tomorrow = datetime.combine(now.date() + timedelta(days=1), time(), now.tzinfo)
        # seconds between two moments, not between two clock faces: the hour may change tonight
        wait = tomorrow.timestamp() - now.timestamp()
        return ModelFailed(f"{reason}; {_paused(words)} until tomorrow.", reason="spend", retry_after=wait, mend=mend)

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
        return self._spend.of_day(self._clock.today().isoformat(), but=(*ASKED, API, GUEST))


def _paused(words: str) -> str:
    return f"{words} is paused" if words == "background work" else f"{words} are paused"


def cost(model: ChatModel, usage: Usage) -> int | None:
    """Millionths of a dollar, None where the price is unknown."""
    from everself.models.chat.model_table import cost_of, find_model_facts

    provider, _, name = model.name.partition("/")
    price = find_model_facts(provider, name).price_of(usage.sent)
    return None if price is None else cost_of(price, usage)
