"""Dates in Chinese, Japanese and Korean. One table serves all three."""

from collections.abc import Iterable
from datetime import date
from typing import Final

from everself.text.dates import _spans as spans
from everself.text.dates._rules import Groups, Rule, begun, by_word, find_year, one_of
from everself.text.dates._spans import DateRange, Part, Season, Unit

_DIGITS: Final = {sign: number for number, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_NATIVE: Final = by_word(
    {1: "한|일", 2: "두|이", 3: "세|석|삼", 4: "네|넉|사", 5: "다섯|오"}
    | {6: "여섯|육", 7: "일곱|칠", 8: "여덟|팔", 9: "아홉|구", 10: "열|십"}
)
_FEW: Final = frozenset({"几", "幾", "数", "數", "好几", "몇"})
_UNITS: Final[dict[str, Unit]] = by_word(
    {
        "day": "天|日|일|日間",
        "week": "周|週|週間|星期|礼拜|禮拜|주|주일|주간",
        "weekend": "周末|週末|주말",
        "month": "月|ヶ月|か月|カ月|ヵ月|箇月|개월|달",
        "quarter": "季度|四半期|분기",
        "year": "年|년|年間|해",
    }
)
_YEARS: Final = by_word({0: "今年|本年|올해|금년", -1: "去年|昨年|작년|지난해", -2: "前年|一昨年|おととし|재작년"})
# longer words that only look like one of the others have the value None
_DAY_WORDS: Final = by_word(
    {
        (0, 0): "今天|今日|本日|今晚|今早|今朝|きょう|오늘",
        (1, 1): "昨天|昨日|きのう|어제",
        (1, 0): "昨晚|昨夜|昨晩|ゆうべ|어젯밤",
        (2, 2): "前天|一昨日|おととい|그저께|엊그제",
        (3, 3): "大前天|さきおととい|그끄저께",
        None: "오늘날|今日头条|今日頭條",
    }
)
_FEW_DAYS: Final = "前(?:几|幾|些|两|兩)天|[几幾数]天前|数日前|며칠 ?전|先日|この[間前]|こないだ"
_RECENT: Final = "最近|近来|近來|近日|这几天|這幾天|这两天|這兩天|近頃|この頃|요즘|요새|최근"
_SEASONS: Final[dict[str, Season]] = by_word(
    {
        "spring": "春|春天|春季|봄",
        "summer": "夏|夏天|夏季|여름",
        "autumn": "秋|秋天|秋季|가을",
        "winter": "冬|冬天|冬季|겨울",
    }
)
_PARTS: Final[dict[str, Part]] = by_word(
    {"early": "初|初め|上旬|초|초순|상순", "mid": "中旬|중순", "late": "下旬|末|底|말|하순"}
)
# how many weeks, months or years back; None is in the future
_BACK: Final = by_word(
    {
        2: "上上|先々|지지난|저저번",
        1: "上|先|지난|저번",
        0: "这|這|本|今|이번|この",
        None: "下|下下|来|再来|다음|다다음",
    }
)
HAN_WEEKDAYS: Final = "一二三四五六日"
KANA_WEEKDAYS: Final = "月火水木金土日"
HANGUL_WEEKDAYS: Final = "월화수목금토일"
_COUNTED_DAYS: Final = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "열흘": 10, "보름": 15}

_NUMBER: Final = rf"(?P<number>\d{{1,3}}|[一二三四五六七八九十两兩]{{1,3}}|{one_of(_NATIVE)}|{one_of(_FEW)})"
_UNIT: Final = rf"(?:个|個)? ?(?P<unit>{one_of(_UNITS)})"
_YEAR: Final = rf"(?P<year>(?:\d{{4}}|[〇零一二三四五六七八九]{{4}}) ?[年년]|{one_of(_YEARS)})"
_MONTH: Final = r"(?P<month>0?[1-9]|1[0-2]|十[一二]?|[一二三四五六七八九]) ?[月월]"
_DAY: Final = r"(?P<day>[0-3]?[0-9]|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九]) ?[日号號일]"


def _number(text: str) -> int:
    """1–99 in digits, Han or native Korean numerals; 0 for "a few"."""
    if text in _FEW:
        return 0
    if text in _NATIVE:
        return _NATIVE[text]
    if "十" in text:
        tens, _, ones = text.partition("十")
        return _DIGITS.get(tens, 1) * 10 + _DIGITS.get(ones, 0)
    return int("".join(str(_DIGITS.get(char, char)) for char in text))


def _year(groups: Groups, today: date) -> int | None:
    text = groups["year"]
    if text in _YEARS or not text:
        return find_year(text, today, _YEARS)
    return find_year(str(_number(text.rstrip("年년 "))), today, _YEARS)


def _month(groups: Groups, today: date) -> Iterable[DateRange] | None:
    # "第三月", "每三月" and parts of a longer number are not months; neither is 5月曜
    if not groups["year"] and groups["before"][-1:] in tuple("第每毎几数十百"):
        return None
    year, number = _year(groups, today), _number(groups["month"])
    if groups["day"]:
        return (spans.day_of_month(today, year, number, _number(groups["day"])),)
    return (spans.month(today, year, number, _PARTS.get(groups["part"], "")),)


def _quarter(groups: Groups, today: date) -> Iterable[DateRange]:
    return (spans.quarter(today, _year(groups, today), _number(groups["quarter"])),)


def _season(groups: Groups, today: date) -> Iterable[DateRange] | None:
    name, back = groups["season"], _BACK.get(groups["word"], 0) if groups["word"] else 0
    if len(name) == 1 and not groups["year"] and not groups["word"]:
        return None
    return tuple(spans.season(today, _year(groups, today), _SEASONS[name], over=bool(back))) if back is not None else ()


def _one_year(groups: Groups, today: date) -> Iterable[DateRange] | None:
    year = _year(groups, today)
    return None if year is None else (spans.year_span(year),)


def _day_word(groups: Groups, today: date) -> Iterable[DateRange]:
    span = _DAY_WORDS[groups["all"]]
    return (spans.days(today, *span),) if span else ()


def _ago(groups: Groups, today: date) -> Iterable[DateRange]:
    unit, count = _UNITS[groups["unit"]], _number(groups["number"])
    if not count and groups["number"] not in _FEW:
        return ()
    return (spans.ago(today, unit, count),)


def _past(groups: Groups, today: date) -> Iterable[DateRange]:
    return (spans.past(today, _UNITS[groups["unit"]], _number(groups["number"])),)


def _unit(groups: Groups, today: date) -> Iterable[DateRange]:
    back = _BACK[groups["word"]]
    return () if back is None else begun(today, (spans.unit_back(today, _UNITS[groups["unit"]], back),))


def _weekday(groups: Groups, today: date) -> Iterable[DateRange] | None:
    sign, word = groups["weekday"], groups["word"]
    # 一周一次 is "once a week", 每周一 and 毎週月曜日 "every Monday"
    if groups["before"].endswith(("毎週", "매주 ")):
        return ()
    if groups["after"][:1] in tuple("次回趟") or (
        not word and groups["before"][-1:] in tuple("每毎一两三四五六七八九十")
    ):
        return ()
    back = _BACK[word] if word else -1
    if back is None:
        return ()
    if sign == "末":
        weekend = spans.bare_weekend(today) if back < 0 else spans.unit_back(today, "weekend", back)
        return begun(today, (weekend,))
    number = (HAN_WEEKDAYS if groups["han"] else KANA_WEEKDAYS).find("日" if sign == "天" else sign)
    if number < 0:
        number = HANGUL_WEEKDAYS.index(sign)
    return begun(today, (spans.weekday(today, number, None if back < 0 else back),))


def _korean_last_weekday(groups: Groups, today: date) -> Iterable[DateRange]:
    return tuple(spans.last_weekday(today, HANGUL_WEEKDAYS.index(groups["weekday"])))


RULES: Final[tuple[Rule, ...]] = (
    (_FEW_DAYS, lambda _, today: (spans.ago(today, "day", 0),)),
    (r"半年(?:以|之)?前|반년 ?전", lambda _, today: (spans.ago(today, "month", 6),)),
    (
        rf"(?P<word>{one_of(_COUNTED_DAYS)}) ?전",
        lambda groups, today: (spans.ago(today, "day", _COUNTED_DAYS[groups["word"]]),),
    ),
    # before the rule for "ago": in 5月7日前 the 7日 is not a count of days
    (
        rf"(?:{_YEAR}[の的]? ?)?{_MONTH}(?:份|の)?(?: ?{_DAY}|の? ?(?P<part>{one_of(_PARTS)}))?",
        _month,
    ),
    (rf"{_NUMBER} ?{_UNIT} ?(?:以|之)?[前전]", _ago),
    (rf"{_YEAR}[の的]? ?(?:第? ?(?P<quarter>[1-4一二三四]) ?(?:季度|季|四半期|분기))", _quarter),
    (rf"{_YEAR}[の的]? ?q(?P<quarter>[1-4])", _quarter),
    (
        rf"(?:{_YEAR}[の的]? ?|(?P<word>上|这|這|今|지난|저번|이번|다음|この)(?:个|個)? ?)?(?P<season>{one_of(_SEASONS)})",
        _season,
    ),
    (rf"(?:过去|過去|最近|近|지난|최근)の? ?{_NUMBER} ?{_UNIT}", _past),
    (one_of(_DAY_WORDS), _day_word),
    (r"(?P<word>先々|先|今|再来|来)(?P<unit>週末)", _unit),
    (
        r"(?P<word>上上|上|这|這|本|下下|下)?(?:个|個)?(?P<han>周|週|星期|礼拜|禮拜)(?P<weekday>[一二三四五六日天末])",
        _weekday,
    ),
    (
        r"(?:(?P<word>先々|先|今|再来|来)週の?)?(?P<han>)(?P<weekday>[月火水木金土日])曜日?",
        _weekday,
    ),
    (
        r"(?:(?P<word>지지난|저저번|지난|저번|이번|다음|다다음) ?주 )(?P<han>)(?P<weekday>[월화수목금토일])요일",
        _weekday,
    ),
    (r"(?:지난|저번) (?P<weekday>[월화수목금토일])요일", _korean_last_weekday),
    (r"(?P<word>)(?P<han>)(?P<weekday>[월화수목금토일])요일", _weekday),
    (r"(?P<word>上上|上|这|這|本|下下|下)(?:一)?(?:个|個)?(?P<unit>周末|週末|周|週|星期|礼拜|禮拜|月|季度)", _unit),
    (r"(?P<word>先々|先|今|再来|来)(?P<unit>週|月)", _unit),
    (r"(?P<word>지지난|저저번|지난|저번|이번|다음|다다음) ?(?P<unit>주말|주|달|분기)", _unit),
    (r"周末|週末|주말", lambda _, today: (spans.bare_weekend(today),)),
    (_YEAR, _one_year),
    (_RECENT, lambda _, today: (spans.recently(today),)),
)
