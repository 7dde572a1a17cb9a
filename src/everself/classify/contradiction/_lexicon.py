"""The words that the rules go by: `data/<language>.txt`, one file a language, read when a text of that language first comes.

Sections in square brackets, `#` for why. `[change]` and its like hold RE2 patterns; `[same]`, `[opposite]`, `[contrast]` and `[people]`
hold a group of words a line (opposites with `/` between the two sides); `[unit]` names a measure, its factor and its words;
`[frame NAME]` holds patterns of one exclusive attribute with the value in a group. Knows nothing of how they are used.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from everself.classify.pattern_sets import Matcher, compile_set, parse
from everself.classify.sentence_kinds import Language

if TYPE_CHECKING:
    import re2

_FOLDER: Final = os.path.join(os.path.dirname(__file__), "data")
# sorts before every measure that has a name
PLAIN: Final = ""
_FRAME: Final = "frame "


@dataclass(frozen=True, slots=True)
class Unit:
    """A measure and how many of its smallest this unit holds."""

    measure: str
    factor: float


@dataclass(frozen=True, slots=True)
class Frame:
    """An attribute that has one value at a time, and the ways to say it."""

    name: str
    patterns: "tuple[re2._Regexp, ...]"


class Lexicon:
    """One language's words, with each kind of pattern compiled when it is first asked for."""

    def __init__(self, language: Language, sections: dict[str, tuple[str, ...]]) -> None:
        self.language = language
        self._sections = sections
        self._compiled: dict[str, re2._Regexp | None] = {}
        self.same = {word: group[0] for group in self._groups("same") for word in group}
        self.people = {word: group[0] for group in self._groups("people") for word in group}
        self.contrast = {
            word: (number, word) for number, group in enumerate(self._groups("contrast")) for word in group
        }
        self.opposites = _opposites(self.lines("opposite"))
        self.units = _units(self.lines("unit"))
        self.stop = frozenset(word for line in self.lines("stop") for word in line.split())
        self.adjectives = frozenset(word for line in self.lines("adjective") for word in line.split())
        self.colours = frozenset(word for line in self.lines("colour") for word in line.split())
        self.endings = tuple(sorted((word for line in self.lines("ending") for word in line.split()), key=len)[::-1])
        self._frames: tuple[Frame, ...] | None = None
        self._names: tuple[tuple[str, ...], Matcher] | None = None

    def lines(self, section: str) -> tuple[str, ...]:
        return self._sections.get(section, ())

    def pattern(self, section: str) -> "re2._Regexp | None":
        """All lines of a section as one pattern; None where the language has none."""
        if section not in self._compiled:
            import re2

            lines = self.lines(section)
            self._compiled[section] = re2.compile("|".join(f"(?:{one})" for one in lines)) if lines else None
        return self._compiled[section]

    def says(self, section: str, text: str) -> bool:
        pattern = self.pattern(section)
        return pattern is not None and pattern.search(text) is not None

    def without(self, section: str, text: str) -> str:
        pattern = self.pattern(section)
        return text if pattern is None else pattern.sub(" ", text)

    def frames(self) -> tuple[Frame, ...]:
        if self._frames is None:
            import re2

            self._frames = tuple(
                Frame(name.removeprefix(_FRAME), tuple(map(re2.compile, lines)))
                for name, lines in self._sections.items()
                if name.startswith(_FRAME)
            )
        return self._frames

    def frames_in(self, text: str) -> frozenset[str]:
        """The names of the frames that a folded text speaks in, in one pass over it."""
        if self._names is None:
            ways = [(name, line) for name, lines in self._sections.items() for line in lines if name.startswith(_FRAME)]
            names = tuple(name.removeprefix(_FRAME) for name, _ in ways)
            self._names = names, compile_set((line for _, line in ways), any_case=False)
        names, every = self._names
        return frozenset(names[number] for number in every.Match(text) or ())

    def _groups(self, section: str) -> Iterator[tuple[str, ...]]:
        return (tuple(line.split()) for line in self.lines(section))


@cache
def lexicon(language: Language) -> Lexicon:
    with open(os.path.join(_FOLDER, f"{language}.txt"), encoding="utf-8") as file:
        return Lexicon(language, _sections(file.read()))


def _sections(text: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for section, line in parse(text):
        found.setdefault(section, []).append(line)
    return {name: tuple(lines) for name, lines in found.items()}


def _opposites(lines: tuple[str, ...]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in lines:
        left, _, right = line.partition("/")
        for ours, theirs in ((left.split(), right.split()), (right.split(), left.split())):
            for word in ours:
                found[word] = found.get(word, frozenset()) | frozenset(theirs)
    return found


def _units(lines: tuple[str, ...]) -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for line in lines:
        measure, factor, *words = line.split()
        found |= dict.fromkeys(words, Unit(measure, float(factor)))
    return found
