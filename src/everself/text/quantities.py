"""Finds the comparable values in a statement: days, times of day and numbers. Pure."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, get_args

from everself.frozen import Frozen
from everself.text.dates import NUMBER_WORDS, NamedDay, find_days, may_be_same
from everself.text.folding import fold_in_place
from everself.text.patterns import compiled

Kind = Literal["day", "time", "number"]
_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

_NOON: Final = 12
_HOURS: Final = 24
_MINUTES: Final = 60
_WORDS: Final = "|".join(sorted(NUMBER_WORDS, key=lambda word: (-len(word), word)))
_HALF, _QUARTER = 30, 15
_QUARTERS: Final = (
    rf"\b(?:(?P<after>quarter (?:past|after)|viertel nach)|quarter to|viertel vor) (?P<hour>[0-2]?\d\b|{_WORDS})"
)
# "10 to 2" may be a range
_PAST: Final = rf"\b(?P<past>[0-5]?\d|{_WORDS}) (?:minutes? )?(?:past|nach) (?P<hour>[0-2]?\d\b|{_WORDS})"
_TIMES: Final = (
    r"\b(?P<hour>[0-2]?\d)(?::| ?h ?)(?P<minute>[0-5]\d)(?: ?(?P<half>[ap])\.?m\b)?",
    r"\b(?P<hour>[0-2]?\d)(?:\.(?P<minute>[0-5]\d))? ?(?:(?P<half>[ap])\.?m\b|uhr\b|o'clock)",
    rf"\bhalf (?:past )?(?P<hour>[01]?\d\b|{_WORDS})",
    _QUARTERS,
    _PAST,
    r"(?P<hour>[0-2]?\d) ?(?:点|點|時|시)(?: ?(?:(?P<thirty>半|반)|(?P<minute>[0-5]\d) ?[分분]))?",
    r"\b(?:at|um|à|gegen|by|until|till) (?P<hour>[01]?\d|2[0-4])\b(?: in the (?P<part>morning|afternoon|evening))?",
)
# right after a day "9.20" is a time, and elsewhere a number; "3.50" may be a price
_AFTER_DAY: Final = r"^,? (?:at )?(?P<hour>0?[6-9]|1\d|2[0-3])\.(?P<minute>[0-5][05])(?:[^\d.]|\.?$)"
_NUMBER: Final = rf"\d+(?:[.,]\d+)*|\b(?:{_WORDS})\b"
_UNITS: Final = "gmlhk"
_UNIT: Final = r"^ ?(?:an? |per |/ ?)?(?P<unit>[\p{L}%°€$£]+)"


class Quantity(Frozen):
    """`value` is a day, minutes after midnight, or the number as written. `unit` is the word after a number."""

    kind: Kind
    start: int
    end: int
    value: "NamedDay | int | str"
    unit: str = ""

    def agrees(self, other: "Quantity") -> bool | None:
        """Whether two values of one kind may be equal; None if they cannot be compared."""
        if isinstance(self.value, NamedDay) and isinstance(other.value, NamedDay):
            return may_be_same(self.value, other.value)
        if self.kind == "time" and isinstance(self.value, int) and isinstance(other.value, int):
            return (self.value - other.value) % (_NOON * _MINUTES) == 0
        return self.value == other.value


@lru_cache(maxsize=4_096)
def read_quantities(text: str) -> tuple[Quantity, ...]:
    """The values in order; no position belongs to two values."""
    folded = fold_in_place(text)
    lowered = folded.lower() if len(folded.lower()) == len(folded) else folded
    found = [Quantity("day", one.start, one.end, one) for one in find_days(lowered)]
    rest = _without(lowered, found)
    days = [one.end for one in found]
    found += _times(rest)
    rest = _without(lowered, found)
    found += [time for end in days for time in _times_after(rest, end)]
    rest = _without(rest, found)
    for match in compiled(_NUMBER).finditer(rest):
        word, end = match.group(), match.end()
        if _is_part_of_a_name(rest, match.start(), end):
            continue
        unit = compiled(_UNIT).search(rest[end : end + 24])
        value = str(NUMBER_WORDS[word]) if word in NUMBER_WORDS else word.replace(",", "")
        found.append(Quantity("number", match.start(), end, value, unit.group("unit") if unit else ""))
    return tuple(sorted(found, key=lambda one: one.start))


def _times(text: str) -> Iterator[Quantity]:
    taken: list[tuple[int, int]] = []
    for rule in _TIMES:
        for match in compiled(rule).finditer(text):
            start, end = match.span()
            if any(start < last and first < end for first, last in taken):
                continue
            groups = {name: value for name, value in match.groupdict().items() if value}
            hour = NUMBER_WORDS.get(groups["hour"]) or int(groups["hour"])
            if hour > _HOURS:
                continue
            after = groups.get("half") == "p" or groups.get("part") in ("afternoon", "evening")
            hour += _NOON if after and hour < _NOON else 0
            half = "thirty" in groups or (groups.get("minute") is None and text[start:end].startswith("half"))
            minutes = _HALF if half else int(groups.get("minute", 0))
            spoken = rule in (_QUARTERS, _PAST)
            if spoken and "past" in groups:
                minutes = NUMBER_WORDS.get(groups["past"]) or int(groups["past"])
            elif spoken:
                minutes = _QUARTER if "after" in groups else -_QUARTER
            taken.append((start, end))
            # "half" and "quarter to" belong to the time, "at" does not
            start = start if half or spoken else match.start(compiled(rule).groupindex["hour"])
            yield Quantity("time", start, end, (hour * _MINUTES + minutes) % (_HOURS * _MINUTES))


def _times_after(text: str, start: int) -> Iterator[Quantity]:
    match = compiled(_AFTER_DAY).search(text[start : start + 16])
    if match is not None:
        hour, minute = int(match.group("hour")), int(match.group("minute"))
        first, last = match.start(1), match.end(2)
        yield Quantity("time", start + first, start + last, (hour * _MINUTES + minute) % (_HOURS * _MINUTES))


def _is_part_of_a_name(text: str, start: int, end: int) -> bool:
    """Whether a number is part of a name, such as "4b" or "v2". "590g" is not, and neither is a number in a script without spaces."""
    before, after = text[start - 1 : start], text[end : end + 2]
    single = after[:1].isascii() and after[:1].isalpha() and not after[1:].isalpha() and after[0] not in _UNITS
    return single or (before.isascii() and before.isalpha())


def _without(text: str, found: list[Quantity]) -> str:
    """The text with the found values blanked out; positions stay."""
    for one in found:
        text = text[: one.start] + "\x00" * (one.end - one.start) + text[one.end :]
    return text


@lru_cache(maxsize=4_096)
def compare_quantities(one: str, other: str) -> tuple[float, ...]:
    """Five features each for days, times and numbers: both have some; one is repeated; one is new; both; only the first has some."""
    found: list[float] = []
    for kind in _KINDS:
        mine, yours = ([each for each in read_quantities(text) if each.kind == kind] for text in (one, other))
        again = any(each.agrees(known) for each in mine for known in yours)
        fresh = bool(yours) and any(not any(map(each.agrees, yours)) for each in mine)
        told = (mine and yours, again, fresh, again and fresh, mine and not yours)
        found += [float(bool(each)) for each in told]
    return tuple(found)
