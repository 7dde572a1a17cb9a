"""The amounts that a text names, and the text without them. Knows units from the lexicon; calendar and clock are taken out before."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from everself.classify.contradiction._lexicon import PLAIN, Lexicon, lexicon
from everself.classify.contradiction._numerals import DIGITS, ENGLISH, HAN, NATIVE, SINO, number
from everself.classify.sentence_kinds import Language

if TYPE_CHECKING:
    import re2

_SINO_SIGNS: Final = "영일이삼사오육칠팔구십백천만억"
# stands where an amount was taken out; no word holds it
NUMBER: Final = "\u241f"
_CLOSE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Quantity:
    """`value` in the smallest unit of `measure`; the measure is empty where no unit was said."""

    value: float
    measure: str


def read_quantities(text: str, language: Language) -> tuple[tuple[Quantity, ...], str]:
    words = lexicon(language)
    found: list[Quantity] = []
    rest: list[str] = []
    last = 0
    for match in _pattern(language).finditer(text):
        groups = {name: value or "" for name, value in match.groupdict().items()}
        unit = (groups["unit"] or groups.get("counted", "") or groups.get("apart", "")).strip(" -")
        named = groups["named"] or groups.get("sino", "") or groups.get("many", "")
        value = number(groups["digits"] or named)
        spelled = groups["digits"] or _is_spelled(named, unit, language)
        if value is None or not spelled or _within_a_word(text, match.start(), language):
            continue
        known = words.units.get(unit)
        measure, factor = (known.measure, known.factor) if known is not None else (PLAIN, 1.0)
        if groups.get("sign"):
            measure = "money"
        if groups.get("tenth") and measure in ("money", "length"):
            # 一米五二 is 1.52
            value += sum((number(one) or 0) / 10**at for at, one in enumerate(groups["tenth"], 1))
        if groups.get("half"):
            value += 0.5
        found.append(Quantity(value * factor, measure))
        rest += [text[last : match.start()], f" {NUMBER} "]
        last = match.end()
    rest.append(text[last:])
    return _joined(found), "".join(rest)


def differ(ours: tuple[Quantity, ...], theirs: tuple[Quantity, ...]) -> bool:
    """Whether both name an amount of one measure and none of them is the same."""
    pairs = [(one, other) for one in ours for other in theirs if _comparable(one, other)]
    return bool(pairs) and not any(abs(one.value - other.value) <= _CLOSE * abs(one.value) for one, other in pairs)


def _comparable(one: Quantity, other: Quantity) -> bool:
    return one.measure == other.measure or PLAIN in (one.measure, other.measure)


def _joined(found: list[Quantity]) -> tuple[Quantity, ...]:
    """Hours and minutes that follow each other are one time."""
    if len(found) > 1 and all(one.measure == "time" for one in found):
        falling = all(one.value > other.value for one, other in pairwise(found))
        if falling:
            return (Quantity(sum(one.value for one in found), "time"),)
    return tuple(found)


def _within_a_word(text: str, start: int, language: Language) -> bool:
    before = text[start - 1] if start else " "
    if language == "ko" and not text[start].isdecimal():
        return before.isalpha()
    return before.isascii() and before.isalpha() and text[start].isascii() and text[start].isalpha()


@cache
def _pattern(language: Language) -> "re2._Regexp":
    import re2

    units = _alternatives(lexicon(language))
    match language:
        case "en":
            written = rf"(?P<sign>[£$€¥₩])?\b(?:(?P<digits>{DIGITS}k?)|(?P<named>{ENGLISH})\b)"
            return re2.compile(written + rf"(?P<unit>[ -]?(?:{units}\b|%))?")
        case "ko":
            written = rf"(?:(?P<digits>{DIGITS}[천만억]*)|(?P<named>{NATIVE}))(?P<unit>\s?{units})?"
            # one syllable alone is mostly the end of a word, and what follows the blank no unit
            return re2.compile(
                rf"{written}|(?P<sino>{SINO})(?P<counted>{units})|(?P<many>{SINO}{SINO})(?P<apart>\s{units})"
            )
        case _:
            written = rf"(?:(?P<digits>\d+万\d+千?|{DIGITS}[千万萬億亿]*)|(?P<named>{HAN}))"
            return re2.compile(written + rf"(?P<unit>\s?{units})?(?P<half>半)?(?P<tenth>[一二三四五六七八九]{1, 2})?")


def _is_spelled(named: str, unit: str, language: Language) -> bool:
    """Whether words that are also parts of other words are meant as a number here."""
    if language == "en" or unit:
        return True
    if language == "ko":
        return named[:1] not in _SINO_SIGNS and len(named) > 1
    return len(named) > 1 and any(sign in "十百千万萬億亿" for sign in named)


def _alternatives(words: Lexicon) -> str:
    import re2

    return "(?:" + "|".join(re2.escape(one) for one in sorted(words.units, key=len)[::-1]) + ")"
