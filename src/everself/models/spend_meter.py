"""Counts the cost of each model request, and stops unattended requests at the daily limit."""

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

# requests that the user made and waits for
ASKED = ("chat", "test")
# conversations whose cost nobody watches: behind the owner's tokens, and with guests
API, GUEST = "api", "guest"

Pricing = Callable[[ChatModel, Usage], int | None]


class SpendMeter:
    def __init__(self, spend: Spend, limits: SpendLimits, clock: Clock, price: Pricing) -> None:
        self._spend = spend
        self._limits = limits
        self._clock = clock
        self._price = price

    def allow(self, job: str) -> None:
        """Call this before each request. Raises ModelFailed (spend) if the daily limit is reached."""
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
        # a difference of moments, not of clock times: the UTC offset may change tonight
        wait = tomorrow.timestamp() - now.timestamp()
        return ModelFailed(f"{reason}; {_paused(words)} until tomorrow.", reason="spend", retry_after=wait, mend=mend)

    def charge(self, job: str, session: str, model: ChatModel, usage: Usage) -> int | None:
        """Record a request. Returns its cost in millionths of a dollar, None if the price is unknown. Unpaid models are free."""
        micros = self._price(model, usage) if model.paid else 0
        now = self._clock.now()
        day = self._clock.day_of(now).isoformat()
        tokens = (usage.sent, usage.received, usage.cached, usage.stored)
        priced = "unknown" if micros is None else f"${micros / 1_000_000:.6f}"
        _log.debug("Request of %s by %s: %d tokens in, %d out, price %s.", model.name, job, *tokens[:2], priced)
        self._spend.record(SpendRecord(new_id(), now.isoformat(), day, job, session, model.name, *tokens, micros))
        return micros

    def background(self) -> Cost:
        """The cost of background work today."""
        return self._spend.of_day(self._clock.today().isoformat(), but=(*ASKED, API, GUEST))


def _paused(words: str) -> str:
    return f"{words} is paused" if words == "background work" else f"{words} are paused"


def cost(model: ChatModel, usage: Usage) -> int | None:
    """The cost in millionths of a dollar; None if the price is unknown."""
    from everself.models.chat.model_table import cost_of, find_model_facts

    provider, _, name = model.name.partition("/")
    price = find_model_facts(provider, name).price_of(usage.sent)
    return None if price is None else cost_of(price, usage)
