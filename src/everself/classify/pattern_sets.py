"""Pattern files `data/<set>.txt`, compiled into RE2 sets on first use.

A file has sections `[name]`, one pattern per line, reasons after `#`, and `let NAME = …` for a piece that replaces `{NAME}` in later lines.
Case is ignored; a set is matched in simplified characters. Does not know what the sections mean; the caller does.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Protocol

from everself.errors import Damaged
from everself.text.folding import one_script, whole

if TYPE_CHECKING:
    import re2

# RE2 fails silently if a set exceeds its memory; ours need a tenth of it
_MEMORY: Final = 64 << 20
_FOLDER: Final = os.path.join(os.path.dirname(__file__), "data")


class Matcher(Protocol):
    def Match(self, text: str) -> list[int] | None: ...  # noqa: N802 the name is google-re2's


@dataclass(frozen=True, slots=True)
class Match:
    """A pattern that matched a text. `name` is its section."""

    name: str
    pattern: str


class PatternSet:
    def __init__(self, name: str) -> None:
        self._patterns = tuple((section, one_script(pattern)) for section, pattern in read_patterns(name))
        self._compiled = compile_set(pattern for _, pattern in self._patterns) if self._patterns else None

    def matches(self, text: str) -> tuple[Match, ...]:
        """The patterns that match anywhere in the text, in file order."""
        if self._compiled is None:
            return ()
        return tuple(Match(*self._patterns[number]) for number in sorted(self._compiled.Match(whole(text)) or ()))


@cache
def regex(pattern: str, *, case: bool = True) -> "re2._Regexp":
    """One pattern, compiled on first use, because loading RE2 takes a while."""
    import re2

    options = re2.Options()
    options.case_sensitive = case
    options.log_errors = False
    return re2.compile(pattern, options)


@cache
def load_set(name: str) -> PatternSet:
    return PatternSet(name)


@cache
def read_patterns(name: str) -> tuple[tuple[str, str], ...]:
    """Section and pattern of each line; empty if the file does not exist."""
    try:
        with open(os.path.join(_FOLDER, f"{name}.txt"), encoding="utf-8") as file:
            return parse(file.read())
    except FileNotFoundError:
        return ()


def parse(text: str) -> tuple[tuple[str, str], ...]:
    section, pieces, found = "", dict[str, str](), list[tuple[str, str]]()
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]") and line[1:-1].replace("-", "").replace(" ", "").isalpha():
            section = line[1:-1]
            continue
        for name, piece in pieces.items():
            line = line.replace("{" + name + "}", piece)
        if line.startswith("let "):
            name, _, piece = line.removeprefix("let ").partition(" = ")
            pieces[name.strip()] = f"(?:{piece.strip()})"
            continue
        found.append((section, line))
    return tuple(found)


def compile_set(patterns: Iterable[str]) -> Matcher:
    """One RE2 set of all patterns; a match gives their indexes."""
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MEMORY
    compiled = re2.Set.SearchSet(options)
    for pattern in patterns:
        try:
            compiled.Add(pattern)
        except re2.error as problem:
            raise Damaged(f"A pattern of Everself is no RE2: {pattern}") from problem
    compiled.Compile()
    made: Matcher = compiled
    return made
