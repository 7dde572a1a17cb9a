"""Detects whether a question asks for a time, or for the current state rather than the past; in several languages."""

from typing import Final

from everself.text.normalise import fold, without_surrogates
from everself.text.patterns import LazyPattern

_LONGEST: Final = 4000
_UNITS: Final = "date|day|time|year|month|week|weekday|season|hour"

# "when" also joins sentences ("she laughed when I fell"): as a question it is before a verb or after a verb of asking.
_ASKING: Final = (
    r"\bwhen(?:'s|'d|'ll| (?:did|do|does|was|were|is|are|am|will|would|had|has|have|should|can|could|exactly))\b",
    r"\b(?:know|knew|remember|remind me|tell me|recall|sure|idea|since|until|by|exactly) when\b",
    r"\bwhen ?(?:$|\?)",
    rf"\b(?:what|which|what's the|whats the) (?:exact |very )?(?:{_UNITS})s?\b",
    r"\bwhat (?:is|was|are|were) the (?:exact )?(?:date|day|time)s?\b",
    r"\bhow (?:long ago|recently|many (?:days|weeks|months|years) ago|long (?:has it been|is it since|since))\b",
    r"\b(?:on|at|in|since|by) (?:what|which) (?:" + _UNITS + r")s?\b",
    r"\b(?:wann|seit wann|welche[snm]? (?:datum|tag|jahr|monat)|wie lange (?:ist .{0,40})?her)\b",
    r"(?:^|[.!?,;:] |\b(?:depuis|jusqu'à|sais|dis-moi|et|c'était|était-ce) )quand\b",
    r"\bquand (?:est-ce|as-tu|ai-je|a-t|avons|avez|est|était|sont)|\bquel(?:le)? (?:date|jour|année|mois|heure)\b",
    r"\bcu[aá]ndo (?:fue|es|será|era|hab|nos|me|te|se|lo|la|empez|vi|estuv|fui|fuimos|hice|dij)|¿ ?(?:desde )?cu[aá]ndo|\bcuándo\b",
    r"\b(?:qué|que) (?:fecha|día|año|mes)\b",
    "什么时候|什麼時候|甚麼時候|啥时候|几时|幾時|何时|何時|哪(?:一)?[天年]|哪(?:一)?个?(?:月|星期|周|季)|哪個月|几月|幾月|几号|幾號",
    "星期几|周几|礼拜几|星期幾|几点|幾點|多久(?:以|之)?前|多少[天年](?:以|之)?前|几[天年](?:以|之)?前|什么日期|哪个日期|日期是",
    "いつ(?:から|ごろ|頃|まで(?:[^も]|$)|で(?:す|し)|[^もかでまの]|の(?:[^間ま]|$)|$)",
    "何(?:年|月|曜日?)|何日(?:[^もか]|$)|どの(?:くらい|ぐらい)前|どれ(?:くらい|ぐらい)前|どの(?:日|月|年)",
    "언제(?:[^나든]|$)|며칠(?:이|에|날|인|\\?|$)|몇 ?(?:월|시|년도?|일)|무슨 ?(?:요일|날)|어느 ?(?:날|해|달)|얼마나 (?:오래 )?전",
)
_PATTERN: Final = LazyPattern("|".join(f"(?:{one})" for one in _ASKING))


def asks_when(query: str) -> bool:
    """Whether the answer must be a time."""
    return _PATTERN.search(without_surrogates(fold(query[:_LONGEST]))) is not None


_NOW: Final = LazyPattern(
    r"\b(?:do|does|am|is|are|have|has|can) (?:i|we|my|our)\b|\b(?:current|currently|now|nowadays|recent|recently|latest|newest|so far|"
    r"still|these days)\b|\b(?:did|have|has) (?:i|we) (?:switch|change)"
    "|现在|現在|目前|如今|最近|至今|还在|지금|현재|요즘|최근|아직|今は|今の|いま|最新"
)
# an old time beside these words describes something else
_EXPRESSLY: Final = LazyPattern(
    r"\b(?:currently|right now|nowadays|these days|so far|at the moment)\b"
    "|现在|目前|지금|현재|今は|現在は"
)
_THEN: Final = LazyPattern(
    r"\b(?:previous|previously|before|initial|initially|earlier|earliest|first|original|originally|former|formerly|"
    r"used to|back then|ago)\b"
    "|以前|之前|从前|原来|最初|当时|예전|이전|처음|원래|以前|最初|もともと|昔|当時"
)


def asks_for_now(query: str) -> bool:
    """Whether the newest of several answers is the right one."""
    words = without_surrogates(fold(query[:_LONGEST]))
    if _EXPRESSLY.search(words):
        return True
    return _NOW.search(words) is not None and _THEN.search(words) is None
