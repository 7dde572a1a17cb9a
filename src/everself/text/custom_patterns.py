"""Whether a pattern of the person's own may be used. RE2 takes no pattern exponential time, but a huge one still takes memory and a
large constant, so its size counts too."""

from typing import Final

# instructions of the compiled program; a long alternation of words has a few hundred
LARGEST: Final = 1_500
# instructions of all of them together
LARGEST_TOGETHER: Final = 12_000
_MEMORY: Final = 1 << 20


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
