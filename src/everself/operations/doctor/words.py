"""How findings speak: names a terminal can show, numbers with their nouns, commands that can be pasted, errors as findings."""

import shlex
from collections.abc import Collection
from functools import partial

from everself.errors import EverselfError
from everself.storage.filesystem import say
from everself.values import Finding

EXAMPLES = 3
FIX = "everself doctor --fix"

bad = partial(Finding, "error")
warning = partial(Finding, "warning")
note = partial(Finding, "note")


def shown(path: str) -> str:
    """The name as a person may safely see it: a file name can hold escape codes and half characters."""
    return path if path.isprintable() else ascii(path)


def counted(number: int, noun: str, nouns: str = "") -> str:
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def listed(names: Collection[str]) -> str:
    """The first few names, and how many more there are."""
    first = ", ".join(shown(name) for name in sorted(names)[:EXAMPLES])
    more = len(names) - EXAMPLES
    return f"{first} and {more:,} more" if more > 0 else first


def command(*words: str) -> str:
    """A command line with its words quoted where they need it."""
    return " ".join(shlex.quote(shown(word)) for word in words)


def megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"


def failed(code: str, error: EverselfError | OSError, path: str = "") -> Finding:
    """An error that a check ran into, as a finding."""
    told = error if isinstance(error, EverselfError) else say(error, path or str(error.filename or ""))
    return bad(code, shown(str(told)), told.mend or "Check the disk and the permissions there.", path)
