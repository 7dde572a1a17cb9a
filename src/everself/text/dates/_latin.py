"""Dates in English, and the most common ones in German, French and Spanish."""

from collections.abc import Iterable
from datetime import date
from typing import Final

from everself.text.dates import _spans as spans
from everself.text.dates._rules import Groups, Rule, begun, by_word, find_year, one_of
from everself.text.dates._spans import DateRange, Part, Season, Unit

MONTHS: Final = by_word(
    {
        1: "january|jan|januar|jänner|janvier|enero",
        2: "february|feb|februar|février|fevrier|febrero",
        3: "march|mar|märz|maerz|mars|marzo",
        4: "april|apr|avril|abril",
        5: "may|mai|mayo",
        6: "june|jun|juni|juin|junio",
        7: "july|jul|juli|juillet|julio",
        8: "august|aug|août|aout|agosto",
        9: "september|sep|sept|septembre|septiembre",
        10: "october|oct|oktober|okt|octobre|octubre",
        11: "november|nov|novembre|noviembre",
        12: "december|dec|dezember|dez|décembre|decembre|diciembre",
    }
)
# also words or names: not a month when alone
ALSO_WORDS: Final = by_word(
    {"word": "march|may|mars|mai|mayo|avril|julio|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez"}
    | {"name": "april|june|august"}
)
_AFTER_VERB_MAY: Final = by_word({"verb": "be|have|not|also|i|we|you|he|she|they|it|only|never|well|just|still|or"})
WEEKDAYS: Final = by_word(
    {
        0: "monday|montag|lundi|lunes",
        1: "tuesday|dienstag|mardi|martes",
        2: "wednesday|mittwoch|mercredi|miércoles",
        3: "thursday|donnerstag|jeudi|jueves",
        4: "friday|freitag|vendredi|viernes",
        5: "saturday|samstag|sonnabend|samedi|sábado",
        6: "sunday|sonntag|dimanche|domingo",
    }
)
# 0 is "a few"
_NUMBERS: Final = by_word(
    {
        0: "a few|few|several|some|ein paar|einigen|quelques|unos|unas|algunos|algunas",
        1: "a|an|one|ein|einen|einem|einer|eine|un|une|una|uno",
        2: "two|a couple of|a couple|couple of|couple|zwei|deux|dos",
        3: "three|drei|trois|tres",
        4: "four|vier|quatre|cuatro",
        5: "five|fünf|cinq|cinco",
        6: "six|sechs|seis",
        7: "seven|sieben|sept|siete",
        8: "eight|acht|huit|ocho",
        9: "nine|neun|neuf|nueve",
        10: "ten|zehn|dix|diez",
        11: "eleven|elf|onze|once",
        12: "twelve|zwölf|douze|doce",
    }
)
# Number words in a statement, without "one" and "once", which are seldom numbers.
NUMBER_WORDS: Final = {word: number for word, number in _NUMBERS.items() if number > 1 and word not in ("once", "elf")}
_UNITS: Final[dict[str, Unit]] = by_word(
    {
        "day": "day|days|tag|tage|tagen|jour|jours|día|días|dia|dias",
        "week": "week|weeks|woche|wochen|semaine|semaines|semana|semanas",
        "weekend": "weekend|weekends|week-end|wochenende|fin de semana",
        "month": "month|months|monat|monate|monaten|mois|mes|meses",
        "quarter": "quarter|quarters|quartal|trimestre",
        "year": "year|years|jahr|jahre|jahren|ans|année|années|año|años",
    }
)
_YEARS: Final = by_word(
    {
        0: "this year|dieses jahr|cette année|este año",
        -1: "last year|letztes jahr|l'année dernière|l'an dernier|el año pasado",
        -2: "the year before last|vorletztes jahr",
    }
)
PARTS: Final[dict[str, Part]] = by_word(
    {
        "early": "early|beginning of|start of|anfang|début|principios de",
        "mid": "mid|middle of|mitte|mi|mediados de",
        "late": "late|end of|ende|fin|finales de",
    }
)
_SEASONS: Final[dict[str, Season]] = by_word(
    {
        "spring": "spring|frühling|frühjahr|printemps|primavera",
        "summer": "summer|sommer|été|verano",
        "autumn": "autumn|fall|herbst|automne|otoño",
        "winter": "winter|hiver|invierno",
    }
)
# also other words: not a season when alone
_NOT_ALONE: Final = frozenset({"spring", "fall", "été"})
_ORDINALS: Final = by_word({1: "first|1st", 2: "second|2nd", 3: "third|3rd", 4: "fourth|4th"})
# how many days before today the word begins and ends
_DAY_WORDS: Final = by_word(
    {
        (0, 0): "today|tonight|this morning|this afternoon|this evening|heute|aujourd'hui|hoy",
        (1, 1): "yesterday|gestern|hier|ayer",
        (1, 0): "last night|anoche",
        (2, 2): "the day before yesterday|day before yesterday|vorgestern|avant-hier|anteayer|antes de ayer|antier",
    }
)
_VAGUE_DAYS: Final = "the other day|neulich|l'autre jour|el otro día"
_RECENT: Final = "recently|lately|these days|kürzlich|in letzter zeit|récemment|recientemente"
_FRENCH: Final = by_word({"fr": "je|tu|nous|vous|il|elle|on|que|quoi|qui|quand|où|ai|as|avons|avez|suis|fait|dit"})

_MONTH: Final = rf"(?P<month>{one_of(MONTHS)})\.?"
_NUMBER: Final = rf"(?P<number>\d{{1,3}}|{one_of(_NUMBERS)})"
_UNIT: Final = rf"(?P<unit>{one_of(_UNITS)})"
# in "the last day of school" and "to this day", a day is not a time span
_SPAN: Final = rf"(?P<unit>{one_of(word for word, unit in _UNITS.items() if unit != 'day')})"
_YEAR: Final = rf"(?P<year>\d{{4}}|{one_of(_YEARS)})"
_OF: Final = r"(?:of |de |del )?"
_AND_YEAR: Final = rf"(?:,? {_OF}{_YEAR})?"
_ROMANCE: Final = ("en", "desde", "depuis", "hasta", "durante", "au mois de", "mois de", "mes de")
BEFORE_MONTH: Final = one_of(
    (
        *("in", "during", "since", "until", "till", "of", "from", "before", "after", "around", "through", "throughout"),
        *("last", "this past", "for", "by", "between", "im", "seit", "bis", "letzten", *_ROMANCE),
    )
)
_BEFORE_YEAR: Final = one_of(
    (
        *("in", "during", "since", "until", "till", "of", "from", "before", "after", "around", "by", "throughout"),
        *("year", "im jahr", "seit", "en", "depuis", "desde", "between"),
    )
)


def _year(groups: Groups, today: date) -> int | None:
    return find_year(groups.get("year", ""), today, _YEARS)


def _iso_day(groups: Groups, today: date) -> Iterable[DateRange]:
    year = spans.check_year(int(groups["year"]))
    return (spans.day_of_month(today, year, int(groups["month"]), int(groups["day"])),)


def _iso_month(groups: Groups, today: date) -> Iterable[DateRange] | None:
    # part of a telephone number, a range or a path
    if groups["after"][:1] in tuple("-/") or groups["before"][-1:] in tuple("-/.+"):
        return None
    return (spans.month(today, spans.check_year(int(groups["year"])), int(groups["month"])),)


def _either_order(groups: Groups, today: date) -> Iterable[DateRange] | None:
    if groups["after"][:1] in tuple("-/") or groups["before"][-1:] in tuple("-/."):
        return None
    year = int(groups["year"])
    year = year + 2000 if year < 100 else spans.check_year(year)
    one, other = int(groups["one"]), int(groups["other"])
    if "." in groups["all"]:
        return (spans.day_of_month(today, year, other, one),)
    return tuple(spans.day_in_either_order(today, one, other, year))


def _day_and_month(groups: Groups, today: date) -> Iterable[DateRange] | None:
    year, number = _year(groups, today), MONTHS[groups["month"]]
    if year is None and _verb_follows(groups):
        return None
    return (spans.day_of_month(today, year, number, int(groups["day"])),)


def _part_of_month(groups: Groups, today: date) -> Iterable[DateRange] | None:
    year = _year(groups, today)
    if year is None and _verb_follows(groups):
        return None
    return (spans.month(today, year, MONTHS[groups["month"]], PARTS[groups["part"]]),)


def _month_and_year(groups: Groups, today: date) -> Iterable[DateRange]:
    return (spans.month(today, _year(groups, today), MONTHS[groups["month"]]),)


def _month_after_word(groups: Groups, today: date) -> Iterable[DateRange] | None:
    number = MONTHS[groups["month"]]
    # without a French or Spanish preposition, "mars" is the planet and "mayo" the sauce
    if groups["month"] in ("mars", "mayo") and groups["word"] not in _ROMANCE:
        return None
    if groups["word"] in ("last", "this past", "letzten"):
        return None if _verb_follows(groups) else tuple(spans.last_month_named(today, number))
    return (spans.month(today, None, number),)


def _bare_month(groups: Groups, today: date) -> Iterable[DateRange] | None:
    month = groups["month"]
    # "the April sales" is a month, "the march" a walk
    known = groups["before"].endswith(("the ", "my ", "our ", "your ", "their "))
    if month in ALSO_WORDS and not (known and ALSO_WORDS[month] == "name"):
        return None
    return (spans.month(today, None, MONTHS[month]),)


def _season(groups: Groups, today: date) -> Iterable[DateRange] | None:
    word, name, year = groups["word"], groups["season"], _year(groups, today)
    if name in _NOT_ALONE and not word and year is None:
        return None
    if word.startswith(("next", "nächst")):
        return ()
    over = word.startswith(("last", "letzt", "vorig", "previous"))
    found = tuple(spans.season(today, year, _SEASONS[name], over=over))
    # "this summer" in May is the coming one
    ahead = word in ("this", "diesen", "cet", "ce") and found and (today - found[-1].last).days > 183
    return () if ahead else found


def _quarter(groups: Groups, today: date) -> Iterable[DateRange]:
    word = groups["quarter"]
    number = _ORDINALS[word] if word in _ORDINALS else int(word)
    return (spans.quarter(today, _year(groups, today), number),)


def _day_word(groups: Groups, today: date) -> Iterable[DateRange] | None:
    word = groups["all"]
    # "hier" means "here" in German
    if word == "hier" and _FRENCH.keys().isdisjoint(_words(f"{groups['before']} {groups['after']}")):
        return None
    return (spans.days(today, *_DAY_WORDS[word]),)


def _ago(groups: Groups, today: date) -> Iterable[DateRange]:
    # "an" without a unit is a year in French
    unit, count = _UNITS.get(groups["unit"], "year"), _count(groups["number"])
    return (spans.ago(today, unit, count),)


def _past(groups: Groups, today: date) -> Iterable[DateRange]:
    return (spans.past(today, _UNITS[groups["unit"]], _count(groups.get("number", "one"))),)


def _unit(groups: Groups, today: date) -> Iterable[DateRange]:
    unit, word = _UNITS[groups["unit"]], groups["word"]
    if word.startswith(("next", "nächst", "kommend", "prochain", "próxim", "coming", "upcoming")):
        return ()
    if word.startswith(("this", "dies", "ce", "est", "current")):
        return begun(today, (spans.unit_back(today, unit, 0),))
    return (spans.unit_back(today, unit, 2 if word == "before last" else 1),)


def _weekday(groups: Groups, today: date) -> Iterable[DateRange]:
    number = WEEKDAYS[groups["weekday"]]
    word = groups.get("word") or groups.get("later") or ""
    if word in ("last", "this past", "past", "letzten", "vorigen", "dernier", "pasado"):
        return tuple(spans.last_weekday(today, number))
    if word in ("this", "diesen"):
        return begun(today, (spans.weekday(today, number, 0),))
    return (spans.weekday(today, number, None),) if word in ("", "on", "am", "el", "le") else ()


def _verb_follows(groups: Groups) -> bool:
    return groups["month"] == "may" and not _AFTER_VERB_MAY.keys().isdisjoint(_words(groups["after"])[:1])


def _words(text: str) -> list[str]:
    return text.replace("'", " ").replace(",", " ").replace("?", " ").split()


def _count(word: str) -> int:
    if word in _NUMBERS:
        return _NUMBERS[word]
    if not int(word):
        raise ValueError("no time at all")
    return int(word)


_LAST_DE: Final = r"letzte[nrs]?|vorige[nrs]?|vergangene[nrs]?"
_NEXT: Final = r"next|coming|upcoming|nächste[nrs]?|kommende[nrs]?"
_THIS: Final = r"this|current|diese[nrsm]?|cette|ce|est[ae]"

RULES: Final[tuple[Rule, ...]] = (
    (r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?:t\d\d:\d\d[0-9:.z+-]*)?", _iso_day),
    (r"(?P<one>\d{1,2})(?:/|-|\. ?)(?P<other>\d{1,2})(?:/|-|\. ?)(?P<year>\d{4})", _either_order),
    (r"(?P<one>\d{1,2})/(?P<other>\d{1,2})/(?P<year>\d{2})", _either_order),
    (rf"(?P<year>\d{{4}})[ -]?q(?P<quarter>[1-4])|q(?P<q>[1-4]) {_OF}(?P<y>\d{{4}})", lambda groups, today: _quarter(
        {"year": groups["year"] or groups["y"], "quarter": groups["quarter"] or groups["q"]}, today)),
    (rf"(?P<quarter>{one_of(_ORDINALS)}) quarter(?: of)? {_YEAR}", _quarter),
    (r"(?:in|during|since|last|of) q(?P<quarter>[1-4])", _quarter),
    (r"(?P<year>\d{4})[-/](?P<month>0?[1-9]|1[0-2])", _iso_month),
    (rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)? {_OF}{_MONTH}{_AND_YEAR}", _day_and_month),
    (rf"{_MONTH} (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b{_AND_YEAR}", _day_and_month),
    (rf"(?:the )?(?P<part>{one_of(PARTS)})[ -]{_MONTH}{_AND_YEAR}", _part_of_month),
    (rf"{_MONTH},? {_OF}{_YEAR}", _month_and_year),
    (rf"(?P<word>{BEFORE_MONTH}) {_MONTH}", _month_after_word),
    (_MONTH, _bare_month),
    (
        rf"(?:(?P<word>in|during|over|since|last|previous|this|past|next|im|letzten|vorigen|diesen|nächsten|en|cet|ce)"
        rf"(?: the)? |l')?(?P<season>{one_of(_SEASONS)})(?: {_OF}{_YEAR})?",
        _season,
    ),
    (one_of(_DAY_WORDS), _day_word),
    (_VAGUE_DAYS, lambda _, today: (spans.days(today, 7, 1, certain=False),)),
    (_RECENT, lambda _, today: (spans.recently(today),)),
    (r"(?:\w+ )?(?:hour|minute)s? ago", lambda _, today: (spans.days(today, 1, 0),)),
    (r"(?:half a year|six months) ago|vor einem halben jahr", lambda _, today: (spans.ago(today, "month", 6),)),
    (rf"{_NUMBER} {_UNIT} (?:ago|back)", _ago),
    (rf"(?:vor|il y a|hace) {_NUMBER} (?P<unit>{one_of(_UNITS)}|an)", _ago),
    (rf"(?:last|past|previous|letzten|vergangenen|últimos|últimas) {_NUMBER} {_UNIT}", _past),
    (rf"{_NUMBER} derni(?:er|ère)s {_UNIT}", _past),
    (rf"past {_SPAN}", _past),
    (rf"(?:the )?{_SPAN} (?P<word>before last)", _unit),
    (rf"(?P<word>last|previous|{_THIS}|{_LAST_DE}|{_NEXT}) {_SPAN}", _unit),
    (rf"{_SPAN} (?P<word>derni(?:er|ère)|pass[ée]e?|pasad[oa]|prochaine?|próxim[oa])", _unit),
    (r"(?:over|on|at|during|am) (?:the )?(?:weekend|wochenende)", lambda _, today: (spans.bare_weekend(today),)),
    (
        rf"(?:(?P<word>last|this past|past|this|on|next|every|each|good|black|letzten|vorigen|diesen|am|nächsten|jeden|"
        rf"chaque|el|le|cada) )?(?P<weekday>{one_of(WEEKDAYS)})(?: (?P<later>dernier|pasado|prochain|próximo))?",
        _weekday,
    ),
    (rf"(?:{_BEFORE_YEAR}) (?:the year )?(?P<year>(?:19|20)\d\d)",
     lambda groups, _: (spans.year_span(int(groups["year"])),)),
    (one_of(_YEARS), lambda groups, today: (spans.year_span(today.year + _YEARS[groups["all"]]),)),
)  # fmt: skip
