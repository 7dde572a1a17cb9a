"""The Jinja templates of the pages, with autoescape, and what they may use. Knows no page and no request."""

from collections.abc import Callable
from datetime import date, datetime
from functools import lru_cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from everself.config.places import find_places
from everself.interfaces.web import strange_text
from everself.interfaces.web.assets import asset_url
from everself.interfaces.web.phrases import counted, find_phrase, phrase
from everself.interfaces.web.times import said_times
from everself.memory.provenance import PERSON
from everself.text.markdown.blocks import BlockKind, scan

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
        source=source_name,
        person=person_name,
        unwrapped=unwrapped,
        folder=folder,
        times=said_times,
    )
    return made


def render(name: str, /, **values: object) -> str:
    return environment().get_template(name).render(values)


def unwrapped(text: str) -> str:
    """Each paragraph of a document as one line, so that it fills the column that it stands in; everything else as it is written."""
    data = text.encode("utf-8", "surrogatepass")
    made = []
    for block in scan(data).blocks:
        part = data[block.start : block.end].decode("utf-8", "surrogatepass")
        if BlockKind.PARAGRAPH in (block.kind, block.lead) and block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM):
            first, *more = part.rstrip().split("\n")
            part = " ".join([first.rstrip(), *(line.strip() for line in more)]) + part[len(part.rstrip()) :]
        made.append(part)
    return "".join(made)


def source_name(source: str) -> str:
    """Who said it, as a reader calls them: `owner` is whoever looks at the page. A name that somebody else chose stands behind what they
    are, so that nobody passes for the owner by being called "You"."""
    kind, _, name = source.partition(":")
    known = find_phrase(f"source.{kind}")
    return ": ".join(filter(None, (known or find_phrase("source.unknown"), name if known else source)))


def folder(path: str) -> str:
    """A folder as its owner writes it: below the home folder it begins with `~`."""
    home = find_places().user_home.rstrip("/")
    return f"~{path[len(home) :]}" if home and path.startswith(f"{home}/") else path


def person_name(who: str) -> str:
    """Whom an entry is about: `person:ana` is Ana's id."""
    return who.removeprefix(PERSON)


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
