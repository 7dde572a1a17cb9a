"""Numbers as people write them, in digits and in the words of four languages. Knows no units and no sentences."""

from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import re2

_SMALL: Final = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_SMALL_ENGLISH: Final = _SMALL | {"dozen": 12, "once": 1, "twice": 2, "hundred": 100, "thousand": 1000, "half": 0.5}
_HAN: Final = dict(zip("零〇一二两兩三四五六七八九", (0, 0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_HAN_STEPS: Final = {"十": 10, "百": 100, "千": 1000}
_HAN_LEAPS: Final = {"万": 1e4, "萬": 1e4, "億": 1e8, "亿": 1e8}
_SINO: Final = dict(zip("영일이삼사오육칠팔구", range(10), strict=True))
_SINO_STEPS: Final = {"십": 10, "백": 100, "천": 1000}
_SINO_LEAPS: Final = {"만": 1e4, "억": 1e8}
_NATIVE_ONES: Final = {
    "하나": 1, "한": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "석": 3, "넷": 4, "네": 4, "넉": 4, "다섯": 5, "여섯": 6,
    "일곱": 7, "여덟": 8, "아홉": 9,
}  # fmt: skip
_NATIVE_TENS: Final = {
    "열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70, "여든": 80, "아흔": 90,
}  # fmt: skip

DIGITS: Final = r"\d[\d,]*(?:\.\d+)*"
ENGLISH: Final = "(?:" + "|".join(sorted(_SMALL_ENGLISH, key=len)[::-1]) + ")"
HAN: Final = "[零〇一二两兩三四五六七八九十百千万萬億亿]+"
NATIVE: Final = (
    "(?:(?:" + "|".join(_NATIVE_TENS) + ")(?:" + "|".join(sorted(_NATIVE_ONES, key=len)[::-1]) + ")?|(?:"
    + "|".join(sorted(_NATIVE_ONES, key=len)[::-1]) + "))"
)  # fmt: skip
SINO: Final = "[일이삼사오육칠팔구십백천만억]+"


def number(words: str) -> float | None:
    """The number that is written there, digits or words; None where it is none."""
    bare = words.strip().replace(",", "")
    if not bare:
        return None
    if _digits().fullmatch(bare):
        return float(bare) if bare.count(".") < 2 else _version(bare)
    if bare in _SMALL_ENGLISH:
        return float(_SMALL_ENGLISH[bare])
    if bare[0].isdecimal():
        return _mixed(bare)
    if bare[0] in _HAN or bare[0] in _HAN_STEPS:
        return _stepped(bare, _HAN, _HAN_STEPS, _HAN_LEAPS)
    native = _native(bare)
    return native if native is not None else _stepped(bare, _SINO, _SINO_STEPS, _SINO_LEAPS)


@cache
def _digits() -> "re2._Regexp":
    import re2

    return re2.compile(DIGITS)


def _version(bare: str) -> float:
    """Three numbers with points between are a version; what counts is only that two differ."""
    found = 0.0
    for part in bare.split(".")[:5]:
        found = found * 1000 + float(part[:6])
    return found


def _mixed(bare: str) -> float | None:
    """Digits and a word of size after them: 3万, 45k; and again below it: 7万2千."""
    above, leap, below = bare.partition("万")
    if below[:1].isdecimal():
        high, low = _mixed(above + leap), number(below)
        return None if high is None or low is None else high + low
    head = bare.rstrip("kKm万萬億亿千만억천백십")
    tail = bare[len(head) :]
    if not _digits().fullmatch(head) or head.count(".") > 1:
        return None
    found = float(head)
    for sign in tail:
        found *= {"k": 1e3, "K": 1e3, "m": 1e6, "千": 1e3, "천": 1e3, "백": 1e2, "십": 10}.get(
            sign, _HAN_LEAPS.get(sign, _SINO_LEAPS.get(sign, 1.0))
        )
    return found


def _stepped(bare: str, ones: dict[str, int], steps: dict[str, int], leaps: dict[str, float]) -> float | None:
    total, below, digit, last_step = 0.0, 0.0, None, 0.0
    run = ""
    for sign in bare:
        if sign in ones:
            digit = ones[sign]
            run += str(digit)
        elif sign in steps:
            below += (1 if digit is None else digit) * steps[sign]
            last_step, digit, run = steps[sign], None, ""
        elif sign in leaps:
            total += (below + (digit or 0) or 1) * leaps[sign]
            below, last_step, digit, run = 0.0, leaps[sign], None, ""
        else:
            return None
    if len(run) > 1:
        # digit after digit, as in a year or a room
        return total + below + float(run[:15])
    if digit and last_step >= 100 and len(bare) > 2 and "零" not in bare and "〇" not in bare:
        # 一百二 is a hundred and twenty
        return total + below + digit * last_step / 10
    return total + below + (digit or 0)


def _native(bare: str) -> float | None:
    for tens, value in _NATIVE_TENS.items():
        if bare.startswith(tens):
            rest = bare[len(tens) :]
            return float(value + _NATIVE_ONES[rest]) if rest in _NATIVE_ONES else (float(value) if not rest else None)
    return float(_NATIVE_ONES[bare]) if bare in _NATIVE_ONES else None
