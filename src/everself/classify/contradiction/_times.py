"""The points of the calendar and the clock that a text names, and the text without them.

Fields are compared, not days: "Friday" and "14 May" say different things of a day, and only what both name can differ. Knows no today.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from everself.classify.contradiction._lexicon import lexicon
from everself.classify.contradiction._numerals import HAN, NATIVE, SINO, number
from everself.classify.sentence_kinds import Language

if TYPE_CHECKING:
    import re2

Field = Literal["year", "month", "day", "weekday", "clock", "part", "feast", "nth"]
Groups = dict[str, str]
_Read = Callable[[Groups], "list[tuple[Field, float | str]]"]

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTH: Final = (
    r"(?P<month>jan(?:\w*ry)?|feb(?:\w*ry)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:\w*ber)?|"
    r"oct(?:\w*ber)?|nov(?:\w*ber)?|dec(?:\w*ber)?)\b\.?"
)
_ORDINALS: Final = {
    word: at
    for at, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ],
        1,
    )
}
_HOURS: Final = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_WORD_HOUR: Final = "(?:" + "|".join(_HOURS) + ")"


@dataclass(frozen=True, slots=True)
class Times:
    """What is named of each field."""

    fields: tuple[tuple[Field, frozenset[float | str]], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.fields)

    def differ(self, other: "Times") -> bool:
        """Whether something that both name is not the same. The clock is compared on its face where one does not say which half."""
        theirs = dict(other.fields)
        return any(field in theirs and _apart(field, named, theirs[field]) for field, named in self.fields)

    def same(self, other: "Times") -> bool:
        return bool(self.fields) and dict(self.fields) == dict(other.fields)


def _apart(field: Field, ours: frozenset[float | str], theirs: frozenset[float | str]) -> bool:
    if field == "clock":
        both = [(one, other) for one in ours for other in theirs]
        return not any(_one_hour(float(one), float(other)) for one, other in both)
    return ours.isdisjoint(theirs)


def _one_hour(one: float, other: float) -> bool:
    """Negative where morning or evening was not said."""
    if one < 0 or other < 0:
        return (abs(one) - abs(other)) % 720 == 0
    return one == other


def read_times(text: str, language: Language) -> tuple[Times, str]:
    found: dict[Field, set[float | str]] = {}
    for pattern, reader in _rules(language):
        rest: list[str] = []
        last = 0
        for match in pattern.finditer(text):
            read = reader({name: value or "" for name, value in match.groupdict().items()} | {"all": match.group()})
            if not read:
                continue
            for field, value in read:
                found.setdefault(field, set()).add(value)
            rest += [text[last : match.start()], " "]
            last = match.end()
        text = "".join([*rest, text[last:]])
    return Times(tuple((field, frozenset(values)) for field, values in found.items())), text


def _day(groups: Groups) -> "list[tuple[Field, float | str]]":
    days = [groups.get("day", ""), groups.get("until", "")]
    read: list[tuple[Field, float | str]] = [("month", float(_MONTHS.index(groups["month"][:3]) + 1))]
    read += [("day", value) for value in map(_ordinal, days) if value]
    return read


def _ordinal(words: str) -> float:
    bare = words.strip().removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    return float(bare) if bare.isdecimal() else float(_ORDINALS.get(words.strip(), 0))


def _english_clock(groups: Groups) -> "list[tuple[Field, float | str]]":
    hour = number(groups["hour"])
    if hour is None or hour > 24:
        return []
    minutes = 60 * hour + (number(groups.get("minute", "")) or 0)
    half = groups.get("half", "").replace(".", "").strip()
    if half.startswith("p") or "evening" in half or "afternoon" in half or "night" in half:
        return [("clock", minutes if hour >= 12 else minutes + 720)]
    if half or hour > 12 or groups["hour"].startswith("0"):
        return [("clock", minutes % 720 if hour == 12 else minutes)]
    return [("clock", -minutes)]


def _dense_clock(groups: Groups) -> "list[tuple[Field, float | str]]":
    hour = number(groups["hour"])
    if hour is None or hour > 25 or (groups["hour"] == "一" and not groups.get("part")):
        # 一点 is mostly "a little"
        return []
    minutes = 60 * hour + (30 if groups.get("minute") == "半" or groups.get("minute") == "반" else 0)
    if groups.get("minute") and groups["minute"] not in "半반":
        minutes += number(groups["minute"]) or 0
    part = groups.get("part", "")
    if part in _LATE and hour < 12:
        return [("clock", minutes + 720)]
    return [("clock", minutes if part or hour > 12 else -minutes or -1440)]


_LATE: Final = frozenset(
    ["下午", "晚上", "夜里", "傍晚", "午後", "夜", "夕方", "晩", "오후", "저녁", "밤", "每晚", "毎晩", "今晚", "晚"]
)
_PARTS: Final = (
    "凌晨|早上|早晨|清晨|上午|中午|下午|傍晚|晚上|每晚|夜里|午前|午後|毎朝|毎晩|朝|夕方|夜|오전|오후|새벽|아침|저녁|밤"
)


def _dense(field: Field) -> _Read:
    def read(groups: Groups) -> "list[tuple[Field, float | str]]":
        value = number(groups["value"])
        if value is None:
            return []
        if field == "year" and value < 100:
            value += 2000 if value < 70 else 1900
        return [(field, value)]

    return read


def _dense_date(groups: Groups) -> "list[tuple[Field, float | str]]":
    month, day = number(groups["month"]), number(groups.get("day", ""))
    read: list[tuple[Field, float | str]] = [] if month is None or month > 12 else [("month", month)]
    if day is not None and day <= 31:
        read.append(("day", day))
    elif groups.get("around"):
        read.append(("day", {"初": 5.0, "中": 15.0, "半": 15.0, "底": 28.0, "末": 28.0}[groups["around"][0]]))
    return read


def _as(field: Field, group: str) -> _Read:
    return lambda groups: [(field, groups[group])]


def _unless_more(reader: _Read) -> _Read:
    """Not where what follows makes it something else: 3 hours long, line 5."""
    return lambda groups: [] if groups.get("more") else reader(groups)


def _english() -> tuple[tuple[str, _Read], ...]:
    ordinal = r"\d{1,2}(?:st|nd|rd|th)?|" + "|".join(_ORDINALS)
    half = r"(?P<half> ?[ap]\.?m\b\.?| in the (?:morning|afternoon|evening)| at night)"
    return (
        (
            r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)\b",
            lambda g: [("year", float(g["year"])), ("month", float(g["month"])), ("day", float(g["day"]))],
        ),
        (
            r"\b(?P<day>\d{1,2})\.(?P<month>0\d|1[0-2])(?:\.|\b)(?P<more>\d?)",
            lambda g: [] if g["more"] else [("month", float(g["month"])), ("day", float(g["day"]))],
        ),
        (
            rf"\b(?P<day>{ordinal})(?: ?(?:-|to|until)(?: the)? ?(?P<until>{ordinal}))?(?: of)? {_MONTH}",
            _day,
        ),
        (rf"\b{_MONTH} (?:the )?(?P<day>{ordinal})(?: ?(?:-|to|until) ?(?P<until>{ordinal}))?\b", _day),
        (rf"\b(?:in|of|until|till|by|for|since|from|to|this|next|late|early|mid) {_MONTH}", _day),
        (r"\b(?P<long>january|february|april|june|july|august|september|october|november|december)\b",
         lambda g: [("month", float(_MONTHS.index(g["long"][:3]) + 1))]),
        (
            r"\b(?P<name>mon|tue|wed|thu|fri|sat|sun)(?:days?|sdays?|nesdays?|rsdays?|urdays?|s|rs?|\.)?(?:'s)?\b",
            lambda g: [("weekday", float(_WEEKDAYS.index(g["name"])))] if len(g["all"]) > 4 else [],
        ),
        (r"\b(?P<all_night>midnight|noon)\b", lambda g: [("clock", 0.0 if g["all_night"] == "midnight" else 720.0)]),
        (rf"\b(?P<hour>[012]?\d)[:.h](?P<minute>[0-5]\d)\b{half}?", _english_clock),
        (rf"\b(?P<hour>[01]?\d|{_WORD_HOUR}){half}", _english_clock),
        (rf"\b(?:at|around|by|past|before|after|from|till|until) (?P<hour>[012]?\d|{_WORD_HOUR})(?: o'?clock)?(?:$|[ ,;)])"
         r"(?P<more>(?:percent|minutes|hours|days|weeks|euros)?)", _unless_more(_english_clock)),
        (r"\b(?:in|since|until|from|of|by|for|year) (?P<value>(?:19|20)\d\d)\b", _dense("year")),
        (r"\b(?:christmas|easter|new year'?s(?: eve)?|halloween|thanksgiving)\b", _as("feast", "all")),
    )  # fmt: skip


def _chinese() -> tuple[tuple[str, _Read], ...]:
    figure = rf"(?:\d+|{HAN})"
    return (
        (rf"(?P<month>\d{{1,2}}|{HAN})月份?(?P<day>\d{{1,2}}|{HAN})[日号號]?", _dense_date),
        (rf"(?P<month>\d{{1,2}}|{HAN})月份?(?P<around>初|中旬?|底|末)?", _dense_date),
        (r"(?P<month>年底|岁末)", lambda _: [("month", 12.0)]),
        (rf"(?P<value>\d{{1,2}}|{HAN})[日号號](?P<more>线|楼)?", _unless_more(_dense("day"))),
        (r"每月(?P<nth>第[一二三四]|最后一?)个?(?:周|星期)", _as("nth", "nth")),
        (r"(?:周|星期|礼拜|週)(?P<name>[一二三四五六日天])", lambda g: [("weekday", g["name"].replace("天", "日"))]),
        (
            rf"(?P<part>{_PARTS})?(?:的)?(?P<hour>\d{{1,2}}|{HAN})(?:点|點|:)钟?(?P<minute>半|[0-5]\d|{HAN})?分?",
            _dense_clock,
        ),
        (r"(?P<value>(?:19|20)\d\d|[一二三四五六七八九〇零]{4})年(?P<more>期|级)?", _unless_more(_dense("year"))),
        (r"(?:^|是|在|从)(?P<value>\d\d)年", _dense("year")),
        (r"(?P<part>凌晨|早上|上午|中午|下午|晚上)", _as("part", "part")),
        (rf"逢(?P<value>{figure})", _dense("day")),
    )  # fmt: skip


def _japanese() -> tuple[tuple[str, _Read], ...]:
    return (
        (rf"(?P<month>\d{{1,2}}|{HAN})月(?P<day>\d{{1,2}}|{HAN})日", _dense_date),
        (rf"(?P<month>\d{{1,2}}|{HAN})月(?P<around>初め?|半ば|末)?", _dense_date),
        (r"(?P<value>\d{1,2})日(?P<more>間?)", _unless_more(_dense("day"))),
        (r"(?P<nth>第[1-4一二三四]|最終)の?", _as("nth", "nth")),
        (r"(?P<name>[月火水木金土日])曜日?", _as("weekday", "name")),
        (r"(?P<name>[月火水木金土日])・(?P<other>[月火水木金土日])", lambda g: [("weekday", g["name"]), ("weekday", g["other"])]),
        (rf"(?P<part>{_PARTS})?の?(?P<hour>\d{{1,2}}|{HAN})時(?P<minute>半|\d{{1,2}})?分?(?P<more>間?)", _unless_more(_dense_clock)),
        (r"(?P<value>(?:19|20)\d\d)年(?P<more>間?)", _unless_more(_dense("year"))),
    )  # fmt: skip


def _korean() -> tuple[tuple[str, _Read], ...]:
    hour = rf"\d{{1,2}}|{NATIVE}"
    return (
        (rf"(?P<month>\d{{1,2}}|{SINO})월 ?(?P<day>\d{{1,2}}|{SINO})일", _dense_date),
        (r"(?P<month>\d{1,2})월", _dense_date),
        (r"(?P<value>\d{1,2})일(?P<more>[가-힣]?)", lambda g: _dense("day")(g) if g["more"] in "로에은이까" else []),
        (r"(?P<nth>(?:첫|둘|셋|넷|마지막)째?) ?주", _as("nth", "nth")),
        (r"(?P<name>[월화수목금토일])요일", _as("weekday", "name")),
        (rf"(?:(?P<part>{_PARTS}) ?)?(?P<hour>{hour}) ?시(?: ?(?P<minute>반|\d{{1,2}}))?분?(?P<more>간)?", _unless_more(_dense_clock)),
        (r"(?P<value>(?:19|20)\d\d)년", _dense("year")),
        (r"(?P<part>오전|오후|새벽)", _as("part", "part")),
    )  # fmt: skip


@cache
def _rules(language: Language) -> "tuple[tuple[re2._Regexp, _Read], ...]":
    import re2

    table = {"en": _english, "zh": _chinese, "ja": _japanese, "ko": _korean}[language]()
    feasts = lexicon(language).lines("feast")
    named: tuple[tuple[str, _Read], ...] = (
        (("|".join(f"(?:{one})" for one in feasts), _as("feast", "all")),) if feasts else ()
    )
    return tuple((re2.compile(pattern), reader) for pattern, reader in (*table, *named))
