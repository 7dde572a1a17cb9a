"""The Jinja templates of the pages, with autoescape, and what they may use. Knows no page and no request."""

from collections.abc import Callable
from datetime import date, datetime
from functools import lru_cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from everself.interfaces.web import strange_text
from everself.interfaces.web.assets import asset_url
from everself.interfaces.web.phrases import counted, find_phrase, phrase

_FOLDER = "everself.interfaces.web"
_STEP = 1024


def _load(name: str) -> str | None:
    found = resources.files(_FOLDER).joinpath("templates", *name.split("/"))
    return found.read_text(encoding="utf-8") if found.is_file() else None


@lru_cache(maxsize=1)
def environment() -> Environment:
    made = Environment(
        loader=FunctionLoader(_load),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=400,
    )
    named: dict[str, Callable[..., Any]] = {
        "t": phrase,
        "n": counted,
        "known": find_phrase,
        "asset": asset_url,
    }
    made.globals.update(named)
    made.filters.update(
        shown=strange_text.shown,
        line=strange_text.one_line,
        number=number,
        percent=percent,
        moment=moment,
        day=day,
        bytes=size,
    )
    return made


def render(name: str, /, **values: object) -> str:
    return environment().get_template(name).render(values)


def number(value: float) -> str:
    """With separators: 12,345 or 0.35."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def size(count: int) -> str:
    """Bytes in the largest unit that keeps a digit before the point."""
    amount = float(count)
    for unit in ("bytes", "KB", "MB"):
        if amount < _STEP:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= _STEP
    return f"{amount:.1f} GB"


def percent(value: float) -> str:
    """A share between 0 and 1."""
    return f"{value * 100:.0f} %"


@pass_context
def moment(context: Context, value: datetime | str) -> str:
    """To the minute, in the owner's time zone where a page says which that is."""
    if not value:
        return "–"
    found = datetime.fromisoformat(value) if isinstance(value, str) else value
    zone = context.get("zone")
    if zone is not None and found.tzinfo is not None:
        found = found.astimezone(zone)
    return found.strftime("%Y-%m-%d %H:%M")


def day(value: date | str) -> str:
    return value if isinstance(value, str) else value.strftime("%Y-%m-%d")
