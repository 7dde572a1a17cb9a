"""Whether a memory answers a question: how much of what is asked stands in it, and whether it has the kind of thing that is wanted.

Knows no model, no tools and no wording of replies.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, get_args

from everself.classify.folding import one_script
from everself.classify.pattern_sets import read_patterns
from everself.classify.sentence_kinds import Language
from everself.classify.wording import folded, wording
from everself.conversation.reflex._concepts import Concept, is_told, owners
from everself.conversation.reflex._questions import FILE, Asked, Wanted, Word
from everself.conversation.reflex._weights import NEAR_WITH_MEANING, NEAR_WORDS_ONLY, WITH_MEANING, WORDS_ONLY, Model
from everself.text.search import index_terms

if TYPE_CHECKING:
    import re2

# what everybody has one of: told of somebody else it is no answer about oneself
_ONE_EACH: Final = frozenset(
    {"age", "birthday", "job", "employer", "height", "weight", "blood_type", "star_sign", "origin"}
)
_NEVER: Final = -100.0
_FOR_SURE: Final = 100.0

_EVIDENCE: Final[dict[Wanted, str]] = {
    "when": "has-time",
    "clock": "has-clock",
    "year": "has-year",
    "why": "has-reason",
    "where": "has-place",
    "who": "has-person",
    "count": "has-number",
    "money": "has-money",
    "duration": "has-duration",
}
# a concept in other words is nearly the word itself
_NAME: Final = "name"
_AS_GOOD: Final = 0.85
# rubbish is written in either kana
_ONE_KANA: Final = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
# lighter words are verbs of all work
_MATTERS: Final = 0.5
# of a word that is hardly there
_BARELY: Final = 0.34
_PAIR: Final = 2
_HALF: Final = 0.5
# a reason may well repeat words of the question
_GIVEN: Final = frozenset({"why"})
_NUMBERS: Final[dict[Language, str]] = {
    "en": r"\d",
    "zh": "[0-9０-９一二三四五六七八九十百千万两兩半几零]",
    "ko": "[0-9]|백|천|만|한|두|세|네|석|넉|서너|다섯|여섯|일곱|여덟|아홉|열|스무|서른|마흔|쉰|예순|일흔|여든|아흔|하나|둘|셋|넷",
    "ja": "[0-9０-９一二三四五六七八九十百千万半数]",
}
_PREFIX: Final = 5
_LONG: Final = 6


# Why a memory is no answer: it has not the kind of thing, not all that is asked whether, not the topic, another's, not the property, not
# the person, not the name, not the unit, not the one of two, not what is asked of it.
Reason = Literal["kind", "whether", "topic", "another", "property", "person", "name", "unit", "which", "asked"]
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)


@dataclass(frozen=True, slots=True)
class Standing:
    """How recall sees a memory. `lead`: how far it puts it before the next, from -1 to 1; `again`: only other words found it.

    `meaning`: how near it is to the question, where vectors were compared; `ahead`: how much nearer than the next.
    """

    lead: float
    again: bool = False
    meaning: float | None = None
    ahead: float = 0.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for and against a memory as the answer. `covered` is a share between 0 and 1, the others are counts.

    `rest`: how much is covered of what is no person and no name. `uncovered`: words of the question that matter and that it has not.
    `people`: those of the question that it speaks of. `shared` and `missing`: concepts of the question that it speaks of or not.
    `strangers`: people that it speaks of, though the question does not. `topic`, `matter`, `focus`: it lacks what the question begins with,
    everything that it is about, or the thing of which one is wanted. `out`: why it cannot be the answer at all, with the word that says so:
    a time that is wanted and is not there, somebody else of whom it speaks, another one of two of a kind.
    """

    covered: float
    uncovered: int = 0
    shared: int = 0
    missing: int = 0
    strangers: int = 0
    topic: int = 0
    matter: int = 0
    few: int = 0
    rest: float = 0.0
    people: int = 0
    focus: int = 0
    out: tuple[tuple[Reason, str], ...] = ()
    sure: bool = False

    def features(self, standing: Standing) -> tuple[float, ...]:
        """What the weights weigh; the last three only where there is a meaning."""
        words = (
            self.covered,
            min(self.uncovered, 1),
            max(0, min(self.uncovered, 3) - 1),
            standing.lead,
            standing.lead > 0,
            standing.again,
            min(self.shared, 2),
            min(self.missing, 2),
            min(self.strangers, 1),
            self.topic,
            self.matter,
            self.few,
            self.rest,
            min(self.people, 1),
            self.focus,
        )
        if standing.meaning is None:
            return tuple(map(float, words))
        return (*map(float, words), standing.meaning, standing.ahead, standing.meaning * (1 - self.covered))

    def near_features(self, standing: Standing) -> tuple[float, ...]:
        """The same, and how often each reason speaks against it: what is no answer may still be the nearest thing to one."""
        reasons = [reason for reason, _ in self.out]
        return (*self.features(standing), *(float(min(reasons.count(one), 2)) for one in REASONS))

    def value(self, standing: Standing) -> float:
        """How good an answer it is, as the logarithm of the odds above what is enough: from 0 on it is one."""
        if self.sure or self.out:
            return _NEVER if self.out else _FOR_SURE
        return _weighed(WORDS_ONLY if standing.meaning is None else WITH_MEANING, self.features(standing))

    def nearness(self, standing: Standing) -> float:
        """How good it is to be shown as the nearest thing that is known, likewise: from 0 on it may be."""
        return _weighed(
            NEAR_WORDS_ONLY if standing.meaning is None else NEAR_WITH_MEANING, self.near_features(standing)
        )


def _weighed(model: Model, features: Sequence[float]) -> float:
    return model.bias + sum(weight * one for weight, one in zip(model.weights, features, strict=True)) - model.enough


def weigh(asked: Asked, text: str, others: Sequence[str] = ()) -> Evidence:
    """`others` are what else was found: they may tell who it is that a memory names."""
    if asked.own_name:
        return _introduces(asked, text)
    plain = folded(text)
    terms = frozenset(index_terms(text).counts) if asked.language == "en" else frozenset[str]()
    concepts = [(one, spans, _speaks_of(asked, one, text, others)) for one, spans in asked.concepts]
    shares = [
        max(_share(word, plain, terms, asked.language), _helped(word, concepts), _known_as(word, asked, text, others))
        for word in asked.words
    ]
    pairs = list(zip(asked.words, shares, strict=True))
    total = sum(word.weight for word in asked.words)
    lost = [one for one, _, has in concepts if not has]
    matter = [
        (word, share)
        for word, share in pairs
        if not word.named and word.weight >= _MATTERS and not _is_owner(word, asked)
    ]
    uncovered = sum(word.weight >= _MATTERS and share < _BARELY for word, share in pairs)
    out: list[tuple[Reason, str]] = [("kind", kind) for kind in asked.wants if not _has(asked, kind, text, plain)]
    if uncovered and not asked.wants and wording(asked.language, "whether", FILE).within(folded(asked.text)):
        out.append(("whether", asked.text))
    # who is asked for somebody is told of somebody
    asks_for_people = "who" in asked.wants and not any(word.named for word in asked.words)
    strangers = frozenset[str]() if asked.owners or asks_for_people else owners(text, asked.language)
    topic = _lacks_topic(asked, pairs)
    if (
        topic
        and asked.words[0].start == 0
        and not wording(asked.language, "no-topic", FILE).within(asked.words[0].text)
    ):
        # of somebody or something else
        out.append(("topic", asked.words[0].text))
    if strangers and asked.of_self and any(one.name in _ONE_EACH for one, _ in asked.concepts):
        out += [("another", one) for one in sorted(strangers)]
    return Evidence(
        sum(word.weight * share for word, share in pairs) / total if total else _AS_GOOD * bool(concepts and not lost),
        uncovered=uncovered,
        shared=sum(has and not one.own for one, _, has in concepts),
        missing=sum(not one.strict and not one.own for one in lost),
        strangers=len(strangers),
        topic=int(topic),
        matter=int(bool(matter) and not any(share for _, share in matter)),
        few=int(len(asked.words) <= 1),
        rest=sum(word.weight * share for word, share in matter) / sum(word.weight for word, _ in matter)
        if matter
        else _HALF,
        people=sum(has and one.own for one, _, has in concepts),
        focus=int(_lacks_focus(asked, plain, terms, concepts)),
        out=(
            *out,
            *(("property", one.name) for one in lost if one.strict),
            *(("person", one.name) for one in lost if one.own and not one.strict),
            *(("name", word.text) for word, share in pairs if word.named and share == 0),
            *(() if _counts(asked, plain) else (("unit", asked.unit),)),
            *(("which", one) for one in _others(asked, plain)),
            *(("asked", one) for one in _lacks_asked(asked, plain, terms, concepts)),
        ),
    )


_Met = list[tuple[Concept, tuple[tuple[int, int], ...], bool]]


def _speaks_of(asked: Asked, one: Concept, text: str, others: Sequence[str]) -> bool:
    """Whether a memory speaks of a concept of the question: in words, or by the name that another memory gives it."""
    if is_told(one, text) or (one.name == _NAME and _named(asked, text)):
        return True
    if not one.own:
        return False
    known = (other for other in others if other != text and is_told(one, other))
    names = {name for other in known for name in _names_in(asked.language, other)}
    return any(name in folded(text) and name not in folded(asked.text) for name in names)


def _helped(word: Word, concepts: _Met) -> float:
    """A concept stands for a word of which it is at least half."""
    for _, spans, has in concepts:
        common = sum(max(0, min(end, word.end) - max(start, word.start)) for start, end in spans)
        if has and 2 * common >= word.end - word.start:
            return _AS_GOOD
    return 0.0


def _known_as(word: Word, asked: Asked, text: str, others: Sequence[str]) -> float:
    """Of whom an English memory speaks as "my brother" is named where another one tells who the brother is."""
    if asked.language != "en" or not word.named or _names_in(asked.language, text):
        return 0.0
    whose = owners(text, asked.language)
    told = (other for other in others if word.text in _names_in(asked.language, other))
    return _AS_GOOD if any(whose & owners(other, asked.language) for other in told) else 0.0


def _names_in(language: Language, text: str) -> frozenset[str]:
    """Names that a text gives to people; capitals tell them in English."""
    told = wording(language, "named-so", FILE).found(text if language == "en" else folded(text))
    return frozenset(map(folded, told))


def _lacks_topic(asked: Asked, pairs: list[tuple[Word, float]]) -> bool:
    """Scripts without capitals put first whom or what a question is about."""
    if asked.language == "en" or asked.of_self or not pairs:
        return False
    word, share = pairs[0]
    return share == 0 and (len(word.text) > 1 or word.weight >= 1)


def _others(asked: Asked, plain: str) -> Iterator[str]:
    """What tells one of its kind from another, such as last year, and is not there."""
    for one in wording(asked.language, "which-one", FILE).found(folded(asked.text)):
        if one not in plain:
            yield one


def _lacks_asked(asked: Asked, plain: str, terms: frozenset[str], concepts: _Met) -> Iterator[str]:
    """What is asked of the matter, such as who conducts it or when it is served, and is not spoken of."""
    question = folded(asked.text)
    for one in wording(asked.language, "asked-of-it", FILE).found(question):
        if not _stands(asked, one, plain, terms, concepts):
            yield one


def _lacks_focus(asked: Asked, plain: str, terms: frozenset[str], concepts: _Met) -> bool:
    found = wording(asked.language, "focus", FILE).found(folded(asked.text))
    return any(not _stands(asked, one, plain, terms, concepts) for one in found)


def _stands(asked: Asked, one: str, plain: str, terms: frozenset[str], concepts: _Met) -> bool:
    """Whether a text speaks of a part of the question, by its words or by a concept; of what is vague every text does."""
    if wording(asked.language, "no-focus", FILE).within(one):
        return True
    start = folded(asked.text).index(one)
    met = [span for _, spans, has in concepts if has for span in spans]
    if asked.language == "en":
        told = any(first < start + len(one) and start < last for first, last in met)
        return told or any(form in terms for form in index_terms(one).counts)
    # of "English teacher" both matter: what no concept tells stands in the text, at least at both its ends
    rest = "".join(
        " " if any(first <= at < last for first, last in met) else char for at, char in enumerate(one, start)
    )
    parts = (part for part in rest.split() if len(part) >= min(_PAIR, len(one)))
    return all(part in plain or (part[:_PAIR] in plain and part[-_PAIR:] in plain) for part in parts)


def _introduces(asked: Asked, text: str) -> Evidence:
    """Only who says "my name is" or "call me" tells their name."""
    wanted = wording(asked.language, "own-name-told", FILE)
    if not wanted.within(text) and not wanted.within(folded(text)):
        return Evidence(0.0, out=(("name", _NAME),))
    return Evidence(1.0, sure=True)


def _is_owner(word: Word, asked: Asked) -> bool:
    return any(
        one.own and any(start < word.end and word.start < end for start, end in spans) for one, spans in asked.concepts
    )


def _share(word: Word, plain: str, terms: frozenset[str], language: Language) -> float:
    """How much of a word stands in a text."""
    if language == "en":
        if any(form in terms for form in word.forms):
            return 1.0
        # misspelled and derived words share their beginning
        return 0.7 if len(word.text) >= _LONG and any(term.startswith(word.text[:_PREFIX]) for term in terms) else 0.0
    if language == "ko":
        # what follows the stem is grammar
        found = next((length for length in range(len(word.text), 1, -1) if word.text[:length] in plain), 0)
        return 1.0 if word.text in plain else found / len(word.text)
    plain = one_script(plain) if language == "zh" else plain.translate(_ONE_KANA)
    if len(word.text) == 1 and _inside().search(plain.replace(word.text, "\0")) is not None:
        # a car park is no car
        return 0.0
    forms = map(one_script, word.forms) if language == "zh" else (form.translate(_ONE_KANA) for form in word.forms)
    return sum(form in plain for form in forms) / len(word.forms)


@cache
def _inside() -> "re2._Regexp":
    import re2

    return re2.compile(r"^(?:[^\x00]*\p{Han}\x00\p{Han})+[^\x00]*$")


def _has(asked: Asked, kind: Wanted, text: str, plain: str) -> bool:
    """Whether a text has the kind of thing that is wanted. What the question said itself is no answer to it."""
    if kind not in _EVIDENCE:
        return True
    if kind == "who" and _named(asked, text):
        return True
    question = folded(asked.text)
    told = wording(asked.language, _EVIDENCE[kind], FILE).found(plain)
    no_place = wording(asked.language, "no-place", FILE)
    return any(
        kind in _GIVEN or (one.strip() not in question and (kind != "where" or not no_place.within(one)))
        for one in told
    )


def _counts(asked: Asked, plain: str) -> bool:
    """Whether a text counts what the question counts."""
    if not asked.unit:
        return True
    import re2

    same = next((one for one in _same_units(asked.language) if one.search(asked.unit)), None)
    unit = same.pattern.strip("^$") if same is not None else re2.escape(asked.unit)
    return re2.search(f"(?:{_NUMBERS[asked.language]}) ?{unit}", plain) is not None


@cache
def _same_units(language: Language) -> tuple["re2._Regexp", ...]:
    import re2

    return tuple(re2.compile(pattern) for section, pattern in read_patterns(FILE, language) if section == "same-unit")


def _named(asked: Asked, text: str) -> bool:
    """Whether an English text names somebody: a capital that no place, month or beginning accounts for, and not from the question."""
    if asked.language != "en":
        return False
    before = ""
    for number, raw in enumerate(text.split()):
        word = raw.strip(".,;:!?()\"'“”’")
        small = word.lower()
        capital = word[:1].isupper() and word[1:2].islower() and (number > 0 or _opens(small, text))
        if (
            capital
            and before not in _BEFORE_PLACES
            and small.removesuffix("'s") not in folded(asked.text)
            and small not in _CAPITALS
        ):
            return True
        before = small
    return False


def _opens(small: str, text: str) -> bool:
    """Whether the first word of an English text is a name: what it does comes next."""
    after = text.split()[1:2]
    return bool(after) and after[0] in _DOES and small not in _NO_NAMES and not small.endswith(("ing", "s"))


_DOES: Final = frozenset(
    {"is", "was", "has", "had", "and", "lives", "works", "runs", "gave", "got", "said", "says", "moved", "owes"}
)
_NO_NAMES: Final = frozenset(
    {"it", "he", "she", "this", "that", "there", "who", "what", "one", "everyone", "nobody", "mine", "dinner"}
)
_BEFORE_PLACES: Final = frozenset({"in", "at", "from", "near", "on", "of"})
_CAPITALS: Final = frozenset(
    {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mr", "mrs", "ms", "dr"}
    | {
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    }
)
