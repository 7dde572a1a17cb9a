"""Parses the time spans that a question mentions, by trying the rules in order. Contains no words itself."""

from datetime import date
from typing import Final

from everself.frozen import Frozen
from everself.text.dates import _cjk as cjk
from everself.text.dates import _latin as latin
from everself.text.normalise import fold, without_surrogates
from everself.text.patterns import compiled

# a question is short; a text pasted behind it has times of its own
_LONGEST: Final = 4000


class DateSpan(Frozen):
    """The first and last day of a mentioned time, and the folded words for it.

    `certain` is False if something was guessed: a missing year, the order of day and month, the end of "recently" or of a season. Several
    spans with the same words are alternative readings of one expression.
    """

    first: date
    last: date
    words: str
    certain: bool


def read_dates(query: str, today: date) -> tuple[DateSpan, ...]:
    """Every time that the question mentions, in order. Future times ("next week") are skipped."""
    text = without_surrogates(fold(query[:_LONGEST]))
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, DateSpan]] = []
    # Chinese, Japanese and Korean dates are read first: their digits belong to the characters that follow them
    for pattern, reader in latin.RULES if text.isascii() else (*cjk.RULES, *latin.RULES):
        for match in compiled(pattern).finditer(text):
            start, end = match.span()
            if is_part_of_a_word(text, start, end) or any(start < last and first < end for first, last in taken):
                continue
            groups = {name: value or "" for name, value in match.groupdict().items()}
            groups |= {"all": match.group(), "before": text[:start], "after": text[end:]}
            try:
                readings = reader(groups, today)
                spans = [DateSpan(first, last, match.group(), certain) for first, last, certain in readings or ()]
            except (ValueError, OverflowError):
                # the 30th of February is not read as February either
                readings, spans = (), []
            if readings is not None:
                taken.append((start, end))
                found += [(start, span) for span in spans]
    found.sort(key=lambda one: one[0])
    return tuple(dict.fromkeys(span for _, span in found))


def is_part_of_a_word(text: str, start: int, end: int) -> bool:
    """Whether a match is part of a longer word. RE2 knows ASCII words only; Han, kana and hangul have no word boundaries."""
    return _touches(text[start - 1 : start], text[start : start + 1]) or _touches(
        text[end - 1 : end], text[end : end + 1]
    )


def _touches(one: str, other: str) -> bool:
    return bool(one and other) and all(char == "_" or (char.isalnum() and ord(char) < 0x2E80) for char in (one, other))
