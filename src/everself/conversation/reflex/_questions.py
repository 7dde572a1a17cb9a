"""What a question is about: its words that matter, the concepts it names, and the kind of answer it wants. Knows no memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

from everself.classify.pattern_sets import read_patterns
from everself.classify.sentence_kinds import Language
from everself.classify.wording import folded, wording
from everself.conversation.reflex._concepts import Concept, asked_in, other_words, owners
from everself.text.search import index_terms

if TYPE_CHECKING:
    import re2

FILE: Final = "asking"
Wanted = Literal["when", "clock", "year", "where", "who", "money", "duration", "count", "why", "name"]
# what is more particular comes first: "how much" also wants a number
WANTED: Final[tuple[Wanted, ...]] = (
    "duration",
    "money",
    "clock",
    "year",
    "when",
    "who",
    "where",
    "count",
    "why",
    "name",
)
_TYPES: Final = frozenset({"when", "clock", "year", "where", "who", "count", "duration", "why", "unit"})
# who asks for the first does not ask for the others: "how many years" is no date, "when is the rent due" no sum
_VAGUER: Final[dict[Wanted, tuple[Wanted, ...]]] = {
    "duration": ("when", "year", "clock", "count", "money"),
    "clock": ("when", "count", "money"),
    "year": ("when", "count", "money"),
    "when": ("count", "money"),
    "where": ("count", "money"),
    "who": ("count", "money"),
    "why": ("count", "money", "when", "where"),
    "money": ("count",),
    "name": ("who",),
}
_INTRODUCTIONS: Final[dict[Language, str]] = {
    "en": "hello, my name is, I am, call me, nice to meet you",
    "zh": "你好，我叫，我的名字是，叫我，喊我",
    "ko": "안녕, 내 이름은, 제 이름은, 라고 해, 라고 불러줘",
    "ja": "はじめまして、名前は、といいます、と申します、と呼んでください",
}
_PARTICLES: Final = "은는이가을를도에의로와과랑"
# a single character before one of these is a noun, often a name; before other kana it is a verb
_AFTER_NOUNS: Final = ("の", "は", "が", "を", "に", "で", "と", "も", "、", "")
_NAMES_WEIGH: Final = 2.0
_LIGHT: Final = 0.4
_MOST_OF_PEOPLE: Final = 6


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the question that matters. `forms` are what finds it in a text; `named`: it is written like a name."""

    text: str
    start: int
    end: int
    forms: tuple[str, ...]
    weight: float
    named: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    language: Language
    words: tuple[Word, ...]
    concepts: tuple[tuple[Concept, tuple[tuple[int, int], ...]], ...]
    wants: tuple[Wanted, ...]
    # people in the person's life that it speaks of
    owners: frozenset[str] = frozenset()
    own_name: bool = False
    # it says "I" or "my"
    of_self: bool = False
    # what is counted, where the number in an answer has it after it
    unit: str = ""

    @property
    def queries(self) -> tuple[str, ...]:
        """What to look for: the question, and the same in other words, because recall without vectors knows no synonyms."""
        if self.own_name:
            return (self.text, _INTRODUCTIONS[self.language])
        named = [word.text for word in self.words if word.named]
        others = other_words([one for one, _ in self.concepts])
        # who somebody is may stand in a memory that has nothing of the matter
        people = (*named, *other_words([one for one, _ in self.concepts if one.own])[:_MOST_OF_PEOPLE])
        found = (self.text, " ".join((*named, *others)) if others else "", " ".join(people))
        return tuple(dict.fromkeys(query for query in found if query))


def ask(question: str, language: Language) -> Asked:
    plain = folded(question)
    concepts = tuple((one, tuple(spans)) for one, spans in asked_in(question, language))
    wanted = [kind for kind in WANTED if wording(language, kind, FILE).within(plain)]
    vague = {kind for one in wanted for kind in _VAGUER.get(one, ())}
    wants = tuple(kind for kind in wanted if kind not in vague)
    return Asked(
        question,
        language,
        tuple(_words(question, plain, language, _edges(concepts) if language in ("zh", "ja") else frozenset())),
        concepts,
        wants,
        owners(question, language),
        wording(language, "own-name", FILE).within(plain),
        wording(language, "self").within(plain),
        "" if "when" in wants else next(wording(language, "unit", FILE).found(plain), ""),
    )


def _words(question: str, plain: str, language: Language, edges: frozenset[int]) -> list[Word]:
    bare = list(plain)
    for pattern in (_dropped(language), _wanting(language)):
        for match in pattern.finditer(plain):
            start, end = match.span()
            bare[start:end] = " " * (end - start)
    left = "".join(bare)
    found = []
    light = wording(language, "light", FILE)
    for start, end in _cut((match.span() for match in _pieces(language).finditer(left)), edges):
        word = left[start:end].rstrip("'")
        if len(word) == 1 and "ぁ" <= word <= "ゖ":
            # what is left of a verb where a concept ended
            continue
        named = language == "en" and start > 0 and question[start].isupper()
        if language == "en":
            forms = tuple(index_terms(word).counts)
            weight = _NAMES_WEIGH if named else _LIGHT if light.within(word) else 1.0
            found.append(Word(word, start, end, forms or (word,), weight, named))
        else:
            word = _stem(word) if language == "ko" else word
            weight = min(len(word), 4) / 2 * (_LIGHT if light.within(word) else 1.0)
            if language == "ja" and len(word) == 1 and plain[end : end + 1] in _AFTER_NOUNS:
                weight = 1.0
            nickname = language == "zh" and wording(language, "nickname", FILE).within(word)
            found.append(Word(word, start, end, _parts(word), weight, nickname))
    return found


def _edges(concepts: tuple[tuple[Concept, tuple[tuple[int, int], ...]], ...]) -> frozenset[int]:
    return frozenset(edge for _, spans in concepts for span in spans for edge in span)


def _cut(spans: Iterable[tuple[int, int]], edges: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Words of scripts without blanks, parted where a person or a concept begins or ends: "brother|married"."""
    for start, end in spans:
        places = [start, *(edge for edge in sorted(edges) if start < edge < end), end]
        yield from pairwise(places)


def _stem(word: str) -> str:
    """A Korean word without the particle at its end, a noun without the verb that it was made into."""
    made = _verbal().search(word)
    if made is not None and made.start() > 1:
        return word[: made.start()]
    short = word.rstrip(_PARTICLES)
    return short if len(short) > 1 else word


@cache
def _verbal() -> "re2._Regexp":
    import re2

    return re2.compile(
        "(?:하|되)(?:면|는|고|지|려고|기|여|게|던|나|니|다|죠|더라|신|시는|셨|자).*$|(?:해|돼|했|됐)(?:서|야|요|죠|지|더라|어|니|나|다|던|는지)?.*$"
    )


def _parts(word: str) -> tuple[str, ...]:
    """Pairs of characters: scripts without blanks have no better words. A word of one character is itself."""
    if word.isascii() or len(word) == 1:
        return (word,)
    return tuple(word[at : at + 2] for at in range(len(word) - 1))


@cache
def _dropped(language: Language) -> "re2._Regexp":
    import re2

    patterns = [pattern for section, pattern in read_patterns(FILE, language) if section == "drop"]
    return re2.compile("|".join(f"(?:{one})" for one in patterns))


@cache
def _wanting(language: Language) -> "re2._Regexp":
    """How a question says what kind of thing it wants: "which town" is "where", and no memory need say town."""
    import re2

    patterns = [pattern for section, pattern in read_patterns(FILE, language) if section in _TYPES]
    return re2.compile("|".join(f"(?:{one})" for one in patterns))


@cache
def _pieces(language: Language) -> "re2._Regexp":
    import re2

    if language == "en":
        return re2.compile(r"[\p{L}\p{N}][\p{L}\p{N}'_-]*")
    # a change of script parts words; hiragana that is left over is grammar more often than not
    return re2.compile(r"[\p{Latin}\p{N}][\p{Latin}\p{N}._-]*|\p{Han}+|[\p{Katakana}ー]+|\p{Hangul}+|\p{Hiragana}{2,}")
