"""Context window, output limit and price of known models: a table with the date on which it was compiled.

Settings override the table. An unknown model gets a cautious guess with a note. Contacts no vendor.
"""

from functools import cache
from importlib import resources

from everself.frozen import Frozen
from everself.models.chat.protocol import Usage


class Price(Frozen):
    """Dollars per million tokens. Cache reads and writes cost `sent` if no other price is given."""

    sent: float
    received: float
    cached: float | None = None
    stored: float | None = None


def cost_of(price: Price, usage: Usage) -> int:
    """The cost in millionths of a dollar. `cached` and `stored` are part of `sent`, even if a vendor counts differently."""
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


_GUESS = (32_000, 4_096)
# Ollama's default context length, whatever the model supports
_OLLAMA = (8_192, 2_048)
_SAME = {"openai-responses": "openai", "google": "gemini"}


class ModelFacts(Frozen):
    """The facts about one model. `note` says which numbers are guesses."""

    window: int
    most_output: int
    price: Price | None = None
    # requests that send more than `long` tokens cost `long_price`
    long: int = 0
    long_price: Price | None = None
    note: str = ""

    def price_of(self, sent: int) -> Price | None:
        """The price per million tokens for a request of this size."""
        return self.long_price if self.long and sent > self.long else self.price


class Row(Frozen):
    """A line of the table."""

    provider: str
    name: str
    known: ModelFacts


def find_model_facts(provider: str, model: str, own: int = 0) -> ModelFacts:
    """The facts about a model; `own` is the window from the settings, if set."""
    found = _in_table(_SAME.get(provider, provider), model)
    window, output = (found.window, found.most_output) if found else _OLLAMA if provider == "ollama" else _GUESS
    window, output = own or window, min(output, max(1, (own or window) // 2))
    price = Price(0.0, 0.0) if provider == "ollama" else None
    if found:
        return ModelFacts(window, output, found.price, found.long, found.long_price)
    if own:
        return ModelFacts(window, output, price)
    note = (
        f"The context window of {provider}/{model} is not known; {window:,} tokens are assumed. "
        f"Set it with: everself config set provider.{provider}.contextWindow TOKENS"
    )
    return ModelFacts(window, output, price, note=note)


def _in_table(provider: str, model: str) -> ModelFacts | None:
    fitting = [row for row in known_models() if row.provider == provider and _is_same(model, row.name)]
    if fitting:
        return max(fitting, key=lambda row: len(row.name)).known
    inner, _, name = model.partition("/")
    # gateways use the makers' model names, but have their own prices
    found = _in_table(_SAME.get(inner, inner), name) if name else None
    return ModelFacts(found.window, found.most_output) if found else None


def _is_same(model: str, name: str) -> bool:
    """`gpt-5-2025-08-07` is `gpt-5`; `gpt-5.9` and `gpt-5-mini` are something else."""
    rest = model.removeprefix(name)
    if not rest or rest == model:
        return model == name
    first = rest[1:].partition("-")[0]
    return rest[0] in "-@" and (first in ("latest", "preview", "exp") or (first.isdecimal() and len(first) >= 3))


@cache
def known_models() -> tuple[Row, ...]:
    """The whole table."""
    text = resources.files("everself.models.chat").joinpath("known.txt").read_text("utf-8")
    return tuple(_row(line) for line in text.splitlines() if line.strip() and not line.startswith("#"))


def _row(line: str) -> Row:
    fields, _, beyond = line.partition("beyond")
    provider, name, window, output, *prices = fields.split()
    long, *dear = beyond.split() or ("0",)
    known = ModelFacts(_tokens(window), _tokens(output), _price(prices), _tokens(long), _price(dear) if dear else None)
    return Row(provider, name, known)


def _tokens(field: str) -> int:
    return int(field.replace("_", ""))


def _price(fields: list[str]) -> Price:
    sent, received, cached, stored = (None if field == "-" else float(field) for field in fields)
    return Price(sent or 0.0, received or 0.0, cached, stored)
