"""Pattern files, compiled into RE2 sets when they are first needed: `data/<set>.txt`.

A file has sections `[name]`, one pattern a line, `#` for why, and `let NAME = …` for a piece that `{NAME}` stands for in later
lines. Case never matters; a set is matched in simplified characters. Knows nothing of what the sections mean: whoever loads a set does.
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

# RE2 gives up silently where a set outgrows its memory; ours need a tenth of it
_MEMORY: Final = 64 << 20
_FOLDER: Final = os.path.join(os.path.dirname(__file__), "data")


class Matcher(Protocol):
    def Match(self, text: str) -> list[int] | None: ...  # noqa: N802 the name is google-re2's


@dataclass(frozen=True, slots=True)
class Match:
    """A pattern that a text matches. `name` is its section."""

    name: str
    pattern: str


class PatternSet:
    def __init__(self, name: str) -> None:
        self._patterns = tuple((section, one_script(pattern)) for section, pattern in read_patterns(name))
        self._compiled = compile_set(pattern for _, pattern in self._patterns) if self._patterns else None

    def matches(self, text: str) -> tuple[Match, ...]:
        """What matches anywhere in the text, in the order of the file."""
        if self._compiled is None:
            return ()
        return tuple(Match(*self._patterns[number]) for number in sorted(self._compiled.Match(whole(text)) or ()))


@cache
def regex(pattern: str, *, case: bool = True) -> "re2._Regexp":
    """One pattern, compiled when it is first needed: RE2 takes a while to load."""
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
    """Section and pattern of each line; empty where there is no such file."""
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
    """One set of all of them: a match names each by its number."""
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
