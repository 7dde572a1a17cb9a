"""Texts of findings: printable names, counts, shell commands, errors."""

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
    """The name in printable form: file names can contain escape codes and invalid characters."""
    return path if path.isprintable() else ascii(path)


def counted(number: int, noun: str, nouns: str = "") -> str:
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def listed(names: Collection[str]) -> str:
    """The first few names, and the number of the rest."""
    first = ", ".join(shown(name) for name in sorted(names)[:EXAMPLES])
    more = len(names) - EXAMPLES
    return f"{first} and {more:,} more" if more > 0 else first


def command(*words: str) -> str:
    """A shell command with quoted words."""
    return " ".join(shlex.quote(shown(word)) for word in words)


def megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"


def failed(code: str, error: EverselfError | OSError, path: str = "") -> Finding:
    """Turn an error of a check into a finding."""
    told = error if isinstance(error, EverselfError) else say(error, path or str(error.filename or ""))
    return bad(code, shown(str(told)), told.mend or "Check the disk and the permissions there.", path)
