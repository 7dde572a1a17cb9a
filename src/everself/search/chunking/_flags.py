"""Properties of a chunk for ranking: whether it asks a question, mentions a time, or has a date in its title.

Pure, by patterns only: no model, no clock. The words of seven languages are in `words/times.txt`.
"""

from datetime import date
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from everself.workspace.layout.dates import find_day

if TYPE_CHECKING:
    import re2

_QUESTION_MARKS = "?？⁇⁈؟"
# Endings of questions without a mark: Chinese particles, Japanese and Korean endings.
_ASKING = (
    *("吗", "嗎", "呢", "是不是", "好不好", "ですか", "ますか", "ましたか", "でしたか", "ませんか"),
    *("でしょうか", "だろうか", "のか", "かな", "까요", "나요", "습니까", "입니까", "을까"),
)
# Maximum distance of a question mark from the end: emoji, quotation marks and brackets may follow it.
_TAIL = 400
_DENSE = "# dense"


def asks(text: str) -> bool:
    """Whether the text ends with a question, ignoring brackets after it."""
    tail = text[-_TAIL:].rstrip()
    while tail.endswith(("]", ")", "）")) and (begin := max(tail.rfind(mark) for mark in "[(（")) >= 0:
        tail = tail[:begin].rstrip()
    end = len(tail)
    while end and not tail[end - 1].isalnum():
        if tail[end - 1] in _QUESTION_MARKS:
            return True
        end -= 1
    return tail[:end].endswith(_ASKING)


def is_timed(text: str | bytes) -> bool:
    """Whether the text mentions a time: a day, a month, a year, an hour, or something relative to now."""
    return bool(_times().Match(text))


@cache
def _times() -> "re2.Set":
    """A set, because only the fact of a match matters; it needs one pass over the text."""
    from importlib import resources

    import re2

    listed = resources.files("everself.search.chunking").joinpath("words", "times.txt").read_text(encoding="utf-8")
    spaced, _, dense = listed.partition(_DENSE)
    found = re2.Set.SearchSet()
    found.Add(rf"(?i)(?:^|[^\pL\pN])(?:{_alternatives(spaced)})(?:[^\pL\pN]|$)")
    found.Add(_alternatives(dense))
    found.Compile()
    return found


def _alternatives(listed: str) -> str:
    return "|".join(f"(?:{line})" for line in listed.splitlines()[1:] if line)


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@lru_cache(maxsize=4096)
def day_in(title: str) -> date | None:
    """The day that a heading names: 2023-05-08, 2023/5/8, 2023年5月8日, 8 May 2023, May 8th, 2023."""
    day = find_day(title)
    if day is not None or not any(char.isdecimal() for char in title):
        return day
    for pattern, order in _dates():
        found = pattern.search(title)
        if found is not None:
            year, month, number = (found.group(place) for place in order)
            if not month.isdecimal():
                month = _MONTHS.index(month[:3].lower()) + 1
            try:
                return date(int(year), int(month), int(number))
            except ValueError:
                continue
    return None


@cache
def _dates() -> "tuple[tuple[re2._Regexp, tuple[int, int, int]], ...]":
    import re2

    month = rf"\b({'|'.join(_MONTHS)})[a-z]*\.?"
    number, year = r"\b([0-9]{1,2})(?:st|nd|rd|th)?", r"\b((?:19|20|21)[0-9]{2})"
    return (
        (re2.compile(year + r"(?:[/.]|\s?[年년]\s?)([0-9]{1,2})(?:[/.]|\s?[月월]\s?)([0-9]{1,2})"), (1, 2, 3)),
        (re2.compile(rf"(?i){number}(?: of)?[ -]{month},?[ -]{year}"), (3, 2, 1)),
        (re2.compile(rf"(?i){month} {number},? {year}"), (3, 1, 2)),
    )
