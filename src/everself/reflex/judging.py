"""Whether a memory answers a question: how much of what is asked stands in it, and whether it has the kind of thing that is wanted.

Knows no model, no tools and no wording of replies. The weights were chosen by hand on the open part of tests/corpora/reflex.
"""

from dataclasses import dataclass
from typing import Final

from everself.patterns.reading import Language
from everself.patterns.wording import folded, wording
from everself.reflex.asking import FILE, Asked, Wanted, Word
from everself.reflex.concepts import is_told, owners
from everself.text.search import index_terms

_ONE_EACH: Final = frozenset({"age", "birthday", "job", "employer", "height", "weight"})
# a memory worth less is no answer
ENOUGH: Final = 0.48

_EVIDENCE: Final[dict[Wanted, str]] = {
    "when": "has-time",
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
_PREFIX: Final = 5
_LONG: Final = 6


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for and against a memory as the answer. `covered` is a share between 0 and 1, the others are counts.

    `shared` and `missing`: concepts of the question that it speaks of or not, `strict` those it may not lack. `strangers`: people that
    it speaks of, though the question does not. `unwanted`: kinds of things that are wanted, such as a time, and are not there.
    """

    covered: float
    shared: int = 0
    missing: int = 0
    strict: int = 0
    unnamed: int = 0
    unplaced: int = 0
    lost_names: int = 0
    lost_owners: int = 0
    strangers: int = 0
    lost_topic: int = 0
    lost_matter: int = 0
    unwanted: int = 0

    def value(self, score: float) -> float:
        """How good an answer it is; `score` is what recall gave it."""
        return (
            0.5 * self.covered
            + 0.4 * min(1.0, score)
            + 0.08 * min(self.shared, 2)
            - 0.12 * min(self.missing, 2)
            - 0.45 * self.strict
            - 0.25 * self.unnamed
            - 0.36 * self.unplaced
            - 0.5 * self.lost_names
            - 0.55 * self.lost_owners
            - 0.2 * min(self.strangers, 1)
            - 0.2 * self.lost_topic
            - 0.25 * self.lost_matter
            - 0.45 * self.unwanted
        )


def weigh(asked: Asked, text: str) -> Evidence:
    if asked.own_name:
        return _introduces(asked, text)
    plain = folded(text)
    terms = frozenset(index_terms(text).counts) if asked.language == "en" else frozenset[str]()
    concepts = [
        (one, spans, is_told(one, text) or (one.name == _NAME and _named(asked, text))) for one, spans in asked.concepts
    ]
    covered = total = 0.0
    matter: list[float] = []
    lost_names = lost_topic = 0
    for number, word in enumerate(asked.words):
        share = _share(word, plain, terms, asked.language)
        helped = any(
            has and any(start < word.end and word.start < end for start, end in spans) for _, spans, has in concepts
        )
        share = max(share, _AS_GOOD if helped else 0.0)
        total += word.weight
        covered += word.weight * share
        lost_names += word.named and share == 0
        if not word.named and word.weight >= _MATTERS and not _is_owner(word, asked):
            matter.append(share)
        lost_topic += number == 0 and share == 0 and len(word.text) > 1 and asked.language != "en" and not asked.of_self
    lacking = [kind for kind in asked.wants if not _has(asked.language, kind, text, plain)]
    unplaced = sum(kind in ("where", "who") for kind in lacking)
    lost = [one for one, _, has in concepts if not has]
    return Evidence(
        covered / total if total else _AS_GOOD * bool(concepts and not lost),
        shared=len(concepts) - len(lost),
        missing=sum(not one.strict and not one.own for one in lost),
        strict=sum(one.strict and (one.name != _NAME or asked.language == "en") for one in lost),
        unnamed=sum(one.name == _NAME and asked.language != "en" for one in lost),
        lost_names=lost_names,
        lost_owners=sum(one.own for one in lost),
        strangers=len(owners(text, asked.language)) if not asked.owners and _about_one(asked) else 0,
        lost_topic=lost_topic,
        lost_matter=int(bool(matter) and not any(matter)),
        unplaced=unplaced,
        unwanted=len(lacking) - unplaced,
    )


def _introduces(asked: Asked, text: str) -> Evidence:
    """Only who says "my name is" or "call me" tells their name."""
    wanted = wording(asked.language, "own-name-told", FILE)
    if not wanted.within(text) and not wanted.within(folded(text)):
        return Evidence(0.0, strict=1)
    return Evidence(1.0, shared=2)


def _about_one(asked: Asked) -> bool:
    """What everybody has one of: told of somebody else it is no answer."""
    return any(one.name in _ONE_EACH for one, _ in asked.concepts)


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
    plain = plain.translate(_ONE_KANA)
    return sum(form.translate(_ONE_KANA) in plain for form in word.forms) / len(word.forms)


def _has(language: Language, kind: Wanted, text: str, plain: str) -> bool:
    if kind not in _EVIDENCE:
        return True
    return wording(language, _EVIDENCE[kind], FILE).within(text if kind == "who" else plain)


def _named(asked: Asked, text: str) -> bool:
    """Whether an English text names somebody: a capital that no place, month or beginning accounts for, and not from the question."""
    if asked.language != "en":
        return False
    before = ""
    for number, raw in enumerate(text.split()):
        word = raw.strip(".,;:!?()\"'“”’")
        small = word.lower()
        capital = number > 0 and word[:1].isupper() and word[1:2].islower()
        if (
            capital
            and before not in _BEFORE_PLACES
            and small.removesuffix("'s") not in folded(asked.text)
            and small not in _CAPITALS
        ):
            return True
        before = small
    return False


_BEFORE_PLACES: Final = frozenset({"in", "at", "to", "from", "near", "on", "of", "by", "for"})
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
