"""Computes the cost of a request from prices for a million tokens."""

from dataclasses import dataclass

from everself.models.chat.protocol import Usage


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens. What is read from the vendor's cache or written to it costs `sent` where nothing else is said."""

    sent: float
    received: float
    cached: float | None = None
    stored: float | None = None


def cost_of(price: Price, usage: Usage) -> int:
    """Millionths of a dollar. `cached` and `stored` are part of `sent`, whatever else a vendor may say."""
    cached = min(usage.cached, usage.sent)
    stored = min(usage.stored, usage.sent - cached)
    rates = (
        (usage.sent - cached - stored, price.sent),
        (cached, price.sent if price.cached is None else price.cached),
        (stored, price.sent if price.stored is None else price.stored),
        (usage.received, price.received),
    )
    # a dollar for a million tokens is a millionth of a dollar for one
    return round(sum(tokens * rate for tokens, rate in rates))
