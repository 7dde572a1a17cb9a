"""RE2 patterns that are compiled on first use: a command that needs none does not import RE2.

Also decides whether a user's pattern may be used. RE2 is never exponential, but a huge pattern takes memory and time, so its size is
limited.
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
    """The compiled pattern, cached."""
    import re2

    return re2.compile(pattern)


class LazyPattern:
    """A compiled RE2 pattern, compiled on first use."""

    def __init__(self, pattern: str | bytes) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        # stored, so that the next access does not call this method
        found = self.__dict__[name] = getattr(compiled(self._pattern), name)
        return found


def size_of(pattern: str) -> int | str:
    """The size of the compiled pattern, or the reason why it cannot be used, without any part of the pattern."""
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
        # the text after the colon is a part of the pattern
        return f"RE2 cannot read it: {words.partition(':')[0]}"
    size = int(compiled.programsize)
    if size > LARGEST:
        return f"it is too large: {size} instructions; the limit is {LARGEST}"
    if compiled.search("") is not None:
        return "it matches every message"
    return size
