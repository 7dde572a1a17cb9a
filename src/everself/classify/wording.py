"""How people speak, from the files `asking.txt`: patterns by language and kind, with the words that they hold to be meant."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from everself.classify.pattern_sets import read_patterns
from everself.classify.sentence_kinds import Language
from everself.text.normalise import without_surrogates

# what keyboards and word processors make of the same sign; one character for one, so that places stay what they were
_PLAIN: Final = str.maketrans("‘’‛＇`´“”„＂\u00a0\u3000", "''''''\"\"\"\"  ")


def folded(text: str) -> str:
    """As the patterns want it: small letters and plain quotes, of the same length."""
    text = without_surrogates(text).translate(_PLAIN)
    small = text.lower()
    return small if len(small) == len(text) else text


class Wording:
    """The patterns of one kind in one language."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        import re2

        self._any = re2.compile("|".join(f"(?:{one})" for one in patterns)) if patterns else None
        self._each = tuple(map(re2.compile, patterns))

    def within(self, text: str) -> bool:
        return self._any is not None and self._any.search(text) is not None

    def found(self, text: str) -> Iterator[str]:
        """What the patterns find, or what is meant of it."""
        if self._any is not None:
            for match in self._any.finditer(text):
                yield next((group for group in match.groups() if group), match.group())

    def meant(self, text: str) -> tuple[int, int] | None:
        """Where the words stand that are meant, (0, 0) where the pattern speaks of none; nothing where none matches."""
        if not self.within(text):
            return None
        for one in self._each:
            found = one.search(text)
            if found is not None:
                return found.span(1) if one.groups and found.group(1) else (0, 0)
        return None


@cache
def wording(language: Language, kind: str, file: str = "asking") -> Wording:
    return Wording(tuple(pattern for section, pattern in read_patterns(file, language) if section == kind))
