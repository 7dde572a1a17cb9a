"""What pages say, by key, from the catalogue. Knows no page."""

import tomllib
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import Any

_FOLDER = "everself.interfaces.web.strings"


@lru_cache(maxsize=1)
def catalogue() -> dict[str, str]:
    """Every phrase by its dotted key."""
    text = resources.files(_FOLDER).joinpath("en.toml").read_text(encoding="utf-8")
    return dict(_flat(tomllib.loads(text), ""))


def _flat(table: dict[str, Any], before: str) -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def phrase(key: str, /, **values: object) -> str:
    """`{name}` in a phrase is the value of that name. A key that is missing is a mistake, which a test finds."""
    return catalogue()[key].format(**values)


def find_phrase(key: str) -> str:
    return catalogue().get(key, "")


def counted(key: str, count: int, /, **values: object) -> str:
    """The phrase for one, or the one for any other number; `{count}` is written with separators."""
    return phrase(f"{key}.{'one' if count == 1 else 'many'}", count=f"{count:,}", **values)
