"""RE2 patterns that are compiled when they are first used: a command that needs none does not even import RE2."""

from functools import cache
from typing import Any


@cache
def _compiled(pattern: str | bytes) -> Any:
    import re2

    return re2.compile(pattern)


class LazyPattern:
    """Has what a compiled pattern of RE2 has."""

    def __init__(self, pattern: str | bytes) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        # kept, so that the next access finds it without this method
        found = self.__dict__[name] = getattr(_compiled(self._pattern), name)
        return found
