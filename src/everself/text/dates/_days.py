"""Finds the days that a statement names, past or future: a weekday, a day of a month, a month. Knows no current day."""

from collections.abc import Iterator
from typing import Final

from everself.frozen import Frozen
from everself.text.dates import _cjk as cjk
from everself.text.dates import _latin as latin
from everself.text.dates._date_parser import is_part_of_a_word
from everself.text.dates._rules import one_of
from everself.text.patterns import compiled

_LONGEST: Final = 4000
_EARLY, _MID, _LATE = (1, 10), (11, 20), (21, 31)
_PARTS: Final = {"early": _EARLY, "mid": _MID, "late": _LATE}
_DAY: Final = r"(?P<day>[0-3]?\d)"
_YEAR: Final = r"(?:,? (?P<year>20\d\d))?"
_MONTH: Final = rf"(?P<month>{one_of(latin.MONTHS)})"
# the others are also words or names, and count as months only after certain words or with a day
_PLAIN: Final = one_of(word for word in latin.MONTHS if word not in latin.ALSO_WORDS)
_RULES: Final = (
    r"(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})",
    r"(?:(?P<year>\d{4}) ?[年년] ?)?(?P<number>\d{1,2}) ?[月월] ?(?P<day>\d{1,2}) ?[日号號일]",
    rf"{_DAY}(?:st|nd|rd|th|er|º|\.)? (?:of |de |del )?{_MONTH}{_YEAR}",
    rf"{_MONTH}\.? (?:the )?{_DAY}(?:st|nd|rd|th)?\b{_YEAR}",
    rf"(?P<part>{one_of(latin.PARTS)})[ -]{_MONTH}{_YEAR}",
    rf"(?:{latin.BEFORE_MONTH}) {_MONTH}{_YEAR}",
    rf"(?P<month>{_PLAIN})",
    r"(?P<number>\d{1,2}) ?[月월]",
    rf"(?P<weekday>{one_of(latin.WEEKDAYS)})s?",
    r"(?:周|週|星期|礼拜|禮拜)(?P<han>[一二三四五六日天])",
    r"(?P<kana>[月火水木金土日])曜日?|(?P<hangul>[월화수목금토일])요일",
    rf"{_DAY}(?:st|nd|rd|th)",
    rf"(?:am|vom|zum|den|bis) {_DAY}\.",
    rf"{_DAY}(?:日|号|號|일)",
)


class NamedDay(Frozen):
    """A day with its position in the text; parts that are not named are 0 or -1."""

    start: int
    end: int
    weekday: int = -1
    month: int = 0
    first: int = 0
    last: int = 0
    year: int = 0


def find_days(folded: str) -> tuple[NamedDay, ...]:
    """The days in a lower-case text, in order."""
    text = folded[:_LONGEST]
    found: list[NamedDay] = []
    for pattern in map(compiled, _RULES):
        for match in pattern.finditer(text):
            start, end = match.span()
            if is_part_of_a_word(text, start, end) or any(start < one.end and one.start < end for one in found):
                continue
            groups = {name: value for name, value in match.groupdict().items() if value}
            # without the word that introduces it
            first = start if "han" in groups else min(match.start(pattern.groupindex[name]) for name in groups)
            found += _read(first, end, groups)
    return tuple(sorted(found, key=lambda one: one.start))


def _read(start: int, end: int, groups: dict[str, str]) -> Iterator[NamedDay]:
    month = latin.MONTHS.get(groups.get("month", ""), 0) or int(groups.get("number", 0))
    day = int(groups.get("day", 0))
    if month > 12 or day > 31:
        return
    weekday = latin.WEEKDAYS.get(groups.get("weekday", ""), -1)
    for name, signs in (
        ("han", cjk.HAN_WEEKDAYS),
        ("kana", cjk.KANA_WEEKDAYS),
        ("hangul", cjk.HANGUL_WEEKDAYS),
    ):
        if name in groups:
            weekday = signs.index("日" if groups[name] == "天" else groups[name])
    if weekday < 0 and not month and not day:
        return
    whole = (1, 31) if month else (0, 0)
    first, last = (day, day) if day else _PARTS[latin.PARTS[groups["part"]]] if "part" in groups else whole
    yield NamedDay(start, end, weekday, month, first, last, int(groups.get("year", 0)))


def may_be_same(one: NamedDay, other: NamedDay) -> bool | None:
    """Whether two names may mean the same day; None if they cannot be compared, such as a weekday and a date."""
    if (one.weekday >= 0) != (other.weekday >= 0):
        return None
    if one.weekday >= 0:
        return one.weekday == other.weekday
    if any(mine and yours and mine != yours for mine, yours in ((one.month, other.month), (one.year, other.year))):
        return False
    return one.first <= other.last and other.first <= one.last
