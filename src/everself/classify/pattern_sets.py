"""Pattern files, compiled into RE2 sets when they are first needed: `data/<set>.txt`, or `data/<language>/<set>.txt`.

A file has sections `[name]`, one pattern a line, `#` for why, and `let NAME = …` for a piece that `{NAME}` stands for in later
lines. Case never matters. Knows nothing of what the sections mean: whoever loads a set does.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol, get_args

from everself.classify.sentence_kinds import Language
from everself.errors import Damaged

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
# RE2 gives up silently where a set outgrows its memory; ours need a tenth of it
_MEMORY: Final = 64 << 20
_FOLDER: Final = os.path.join(os.path.dirname(__file__), "data")


class Matcher(Protocol):
    def Match(self, text: str) -> list[int] | None: ...  # noqa: N802 the name is google-re2's


@dataclass(frozen=True, slots=True)
class Match:
    """A pattern that a text matches. `name` is its section."""

    language: Language
    name: str
    pattern: str


class PatternSet:
    """The patterns of one name in all languages, each language compiled when it is first asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._sets: dict[Language, tuple[tuple[tuple[str, str], ...], Matcher | None]] = {}

    def matches(self, text: str, *languages: Language) -> tuple[Match, ...]:
        """What matches anywhere in the text, in the order of the file. All languages where none is named."""
        found: list[Match] = []
        for language in languages or LANGUAGES:
            patterns, compiled = self._of(language)
            for number in sorted(compiled.Match(whole(text)) or ()) if compiled is not None else ():
                section, pattern = patterns[number]
                found.append(Match(language, section, pattern))
        return tuple(found)

    def names(self, text: str, *languages: Language) -> frozenset[str]:
        """The sections that match."""
        return frozenset(match.name for match in self.matches(text, *languages))

    def _of(self, language: Language) -> tuple[tuple[tuple[str, str], ...], Matcher | None]:
        if language not in self._sets:
            patterns = read_patterns(self.name, language)
            self._sets[language] = patterns, compile_set(one for _, one in patterns) if patterns else None
        return self._sets[language]


@cache
def load_set(name: str) -> PatternSet:
    """The set of that name. Nothing is read or compiled yet."""
    return PatternSet(name)


@cache
def read_patterns(name: str, language: Language | None = None) -> tuple[tuple[str, str], ...]:
    """Section and pattern of each line; empty where a language has no such file. Without a language, of the file for all of them."""
    try:
        with open(os.path.join(_FOLDER, language or "", f"{name}.txt"), encoding="utf-8") as file:
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


def whole(text: str) -> str:
    """The text without lone surrogates, which RE2 cannot be given; as long as before."""
    return text.encode("utf-8", "replace").decode("utf-8")


def compile_set(patterns: Iterable[str], *, any_case: bool = True) -> Matcher:
    """One set of all of them: a match names each by its number."""
    import re2

    options = re2.Options()
    options.case_sensitive = not any_case
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
