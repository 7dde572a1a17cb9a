"""RE2 patterns that are compiled when they are first used: a command that needs none does not even import RE2.

Also says whether a pattern of the person's own may be used. RE2 takes no pattern exponential time, but a huge one still takes memory and
a large constant, so its size counts too.
"""

from functools import cache
from typing import Any, Final

# instructions of the compiled program; a long alternation of words has a few hundred
LARGEST: Final = 1_500
# instructions of all of them together
LARGEST_TOGETHER: Final = 12_000
_MEMORY: Final = 1 << 20


@cache
def compiled(pattern: str | bytes) -> Any:
    """The compiled pattern, made once."""
    import re2

    return re2.compile(pattern)


class LazyPattern:
    """Has what a compiled pattern of RE2 has."""

    def __init__(self, pattern: str | bytes) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        # kept, so that the next access finds it without this method
        found = self.__dict__[name] = getattr(compiled(self._pattern), name)
        return found


def size_of(pattern: str) -> int | str:
    """The size of the compiled pattern, or in words why it cannot be used. The words repeat nothing of the pattern."""
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as problem:
        told = problem.args[0] if problem.args else b""
        words = told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)
        # what follows the colon is a piece of the pattern
        return f"RE2 cannot read it: {words.partition(':')[0]}"
    size = int(compiled.programsize)
    if size > LARGEST:
        return f"it is too large: {size} instructions; the limit is {LARGEST}"
    if compiled.search("") is not None:
        return "it matches every message"
    return size
