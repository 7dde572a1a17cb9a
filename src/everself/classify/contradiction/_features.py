"""What speaks for and against a contradiction between two short statements: the signals that `weighing` adds up.

They are made to need few words: how much of the one is in the other, whether what differs is of one type, who is spoken of, and how the
newer speaks of a change. Each is a number between 0 and 1. Knows no weights.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from everself.classify.contradiction._lexicon import lexicon
from everself.classify.contradiction._quantities import differ
from everself.classify.contradiction._statement import Clause, Statement
from everself.classify.contradiction._topics import Topics, missing, overlap
from everself.classify.sentence_kinds import Language

if TYPE_CHECKING:
    import re2

CUES: Final = ("now", "switch", "mistake", "end", "begin")
# so many differing words may be one value
_VALUE: Final = 2
# so many words, or signs where there are no blanks, make the beginning of two statements the same
_FRAME: Final[dict[Language, int]] = {"en": 3, "ko": 2, "zh": 3, "ja": 3}
_FRAME_REST: Final = 4
_MANY: Final = 3.0


@dataclass(frozen=True, slots=True)
class _Differences:
    """In what two clauses differ that cannot be two at once, and how the newer speaks of a change."""

    number: bool
    time: bool
    negation: bool
    elsewhere: bool
    opposed: bool
    cues: frozenset[str]

    @property
    def count(self) -> int:
        return self.number + self.time + self.negation + self.opposed


def read_signals(before: Statement, after: Statement) -> dict[str, float]:
    """All signals of a pair; those that do not show are left out."""
    topics, differences = overlap(before, after), _differences(before, after)
    found: dict[str, float] = {
        **_of_topic(before, after, topics, differences),
        **_of_differences(before.clauses[0], after.clauses[0], topics, differences),
        **_of_change(before, after, topics, differences.cues),
        **_of_others(before, after),
    }
    return {name: float(value) for name, value in found.items() if value}


def _differences(before: Statement, after: Statement) -> _Differences:
    words = lexicon(before.language)
    ours, theirs = before.clauses[0], after.clauses[0]
    denies = ours.negative != theirs.negative
    elsewhere = denies and _denies_else(ours, theirs, before.language)
    return _Differences(
        number=differ(ours.quantities, theirs.quantities),
        time=ours.times.differ(theirs.times),
        negation=denies and not elsewhere,
        elsewhere=elsewhere,
        opposed=_opposed(ours, theirs, before.language),
        cues=frozenset(cue for cue in CUES if words.says(cue, after.text) and not _both_say(cue, before, after)),
    )


def _of_topic(before: Statement, after: Statement, topics: Topics, found: _Differences) -> dict[str, float]:
    words = lexicon(before.language)
    ours, theirs = before.clauses[0], after.clauses[0]
    single = words.says("single", ours.text) and words.says("single", theirs.text)
    framed = topics.valued and not (found.number or found.time or found.negation) and _one_frame(before, after)
    repeats = topics.known and not topics.valued and not found.count and not _turned_round(ours, theirs)
    brief = max(topics.rest_older, topics.rest_newer) <= _VALUE
    return {
        "topic-share-older": topics.of_older,
        "topic-share-newer": topics.of_newer,
        "topic-many": min(topics.shared, _MANY) / _MANY,
        "subject-kept": topics.subject_kept,
        "subject-known": topics.subject_known,
        "subjects-differ": topics.apart,
        "subject-same": topics.subject_same,
        "subject-kindred": topics.subject_kindred,
        "subject-kindred-unchanged": topics.subject_kindred and not found.cues,
        "single": single,
        "single-value": single and topics.subject_same and topics.valued,
        "single-change": single and bool(found.cues),
        "repeats": repeats and not found.cues,
        "frame": framed,
        "value": topics.valued and topics.subject_kept and topics.subject_known and brief,
        "value-named": topics.valued and _named(before, ours, theirs) and topics.known,
        "contained": topics.known and not topics.valued,
    }


def _of_differences(ours: Clause, theirs: Clause, topics: Topics, found: _Differences) -> dict[str, float]:
    number, time, negation, opposed = found.number, found.time, found.negation, found.opposed
    return {
        "differences-two": found.count > 1 and not found.cues,
        "differences-none": not found.count and not found.cues,
        "number": number,
        "number-measure": number and _one_measure(ours, theirs),
        "number-same-topic": number and topics.known,
        "number-same-subject": number and topics.subject_kept,
        "number-other-subject": number and topics.apart,
        "number-equal": bool(ours.quantities and theirs.quantities) and not number,
        "number-only-newer": bool(theirs.quantities) and not ours.quantities,
        "numbered": ours.numbered and theirs.numbered and number and not found.cues,
        "date": time,
        "date-same-topic": time and topics.known,
        "date-same-subject": time and topics.subject_kept,
        "date-other-subject": time and topics.apart,
        "date-equal": bool(ours.times and theirs.times) and not time,
        "date-only-newer": bool(theirs.times) and not ours.times,
        "negation": negation,
        "negation-elsewhere": found.elsewhere,
        "negation-same-topic": negation and topics.known,
        "negation-share": topics.of_older if negation else 0.0,
        "antonym": opposed,
        "antonym-same-topic": opposed and topics.known,
        "antonym-other-subject": opposed and topics.apart,
    }


def _of_change(before: Statement, after: Statement, topics: Topics, cues: frozenset[str]) -> dict[str, float]:
    changed, was, became = bool(cues), _event(before), _event(after)
    return {
        "change": changed,
        "change-twice": len(cues) > 1,
        "change-same-subject": changed and topics.subject_kept,
        "change-other-subject": changed and topics.apart,
        "change-share": topics.of_older if changed else 0.0,
        "change-more": changed and after.more,
        "past-older": before.past,
        "past-newer": after.past and not before.past and not changed,
        "event": became and not was,
        "event-older": was,
        "event-both": was and became,
        "reason": lexicon(after.language).says("reason", after.text),
        **{f"says-{cue}": True for cue in cues},
    }


def _of_others(before: Statement, after: Statement) -> dict[str, float]:
    """What speaks for two different things, or for several at once."""
    words = lexicon(before.language)
    ours, theirs = before.clauses[0], after.clauses[0]
    return {
        "people": _other_people(ours, theirs),
        "contrast": _apart(ours, theirs),
        "aside": words.says("aside", ours.text) != words.says("aside", theirs.text),
        "more": after.more,
        "many": words.says("many", ours.text) or words.says("many", theirs.text),
        "part": words.says("part", after.text),
        "unsure": before.unsure or after.unsure,
        "restated": any(_says_the_same(ours, clause) for clause in after.clauses[1:]),
    }


def _both_say(cue: str, before: Statement, after: Statement) -> bool:
    """Whether the cue's words in the newer are all in the older too: then they tell no change between them."""
    pattern = lexicon(after.language).pattern(cue)
    if pattern is None:
        return True
    said = frozenset(match.group() for match in pattern.finditer(after.text))
    return all(one in before.text for one in said)


def _opposed(ours: Clause, theirs: Clause, language: Language) -> bool:
    opposites = lexicon(language).opposites
    only, others = ours.opposites - theirs.opposites, theirs.opposites - ours.opposites
    return any(opposites[one] & others for one in only)


def _denies_else(ours: Clause, theirs: Clause, language: Language) -> bool:
    """Whether what the one denies is something that the other does not speak of."""
    denied, others = (ours.denied, theirs.content()) if ours.negative else (theirs.denied, ours.content())
    return bool(denied) and missing(others, (denied,), language) == (denied,)


def _says_the_same(ours: Clause, theirs: Clause) -> bool:
    same = ours.words == theirs.words and ours.negative == theirs.negative and bool(ours.words)
    return same and ours.quantities == theirs.quantities and ours.times == theirs.times


def _other_people(ours: Clause, theirs: Clause) -> bool:
    return bool(ours.people and theirs.people) and ours.people.isdisjoint(theirs.people)


def _turned_round(ours: Clause, theirs: Clause) -> bool:
    mine, other = ours.content(), theirs.content()
    return mine != other and frozenset(mine) >= frozenset(other) and mine[: len(other)] != other


def _one_frame(before: Statement, after: Statement) -> bool:
    """Whether both begin with the same words, function words too, and then say something else, not much: my brother lives in …"""
    blanks = before.language in ("en", "ko")
    ours, theirs = ((one.text.split() if blanks else list(one.text)) for one in (before, after))
    same = next((at for at, (one, two) in enumerate(zip(ours, theirs, strict=False)) if one != two), 0)
    return same >= _FRAME[before.language] and len(ours) - same <= (_FRAME_REST if blanks else 2 * _FRAME_REST)


def _one_measure(ours: Clause, theirs: Clause) -> bool:
    return not {one.measure for one in ours.quantities if one.measure}.isdisjoint(
        one.measure for one in theirs.quantities
    )


def _apart(ours: Clause, theirs: Clause) -> bool:
    mine, other = dict(ours.contrasts), dict(theirs.contrasts)
    return any(kind in other and other[kind] != word for kind, word in mine.items())


def _named(before: Statement, ours: Clause, theirs: Clause) -> bool:
    """Whether each has a name of its own, by its letters: Latin or Katakana where the rest is neither."""
    if before.language == "en":
        return False
    mine, other = (frozenset(word for word in one.content() if _foreign(word)) for one in (ours, theirs))
    return bool(mine - other and other - mine)


def _foreign(word: str) -> bool:
    return word.isascii() or all("ァ" <= sign <= "ー" for sign in word)


def _event(statement: Statement) -> bool:
    """Whether something is told as having happened."""
    return _happened(statement.language).search(statement.text) is not None


@cache
def _happened(language: Language) -> "re2._Regexp":
    import re2

    match language:
        case "en":
            told = r"(?:^|[,;.] |\b(?:i|we|they|he|she|it|who|has|have|had|been|got|was|were|'ve|just) )"
            return re2.compile(told + r"(?:\w+ed|got|went|put|made|took|left|sold|bought|had|found|began)\b")
        case "zh":
            return re2.compile(r"了(?:$|[ ,、。;!])|[掉完好到成走]了")
        case "ko":
            return re2.compile(r"[았었했졌렸겼됐났꿨왔갔샀켰섰줬봤탔췄뒀꼈](?:다|어|음|고|대|지|네|는|습)")
        case "ja":
            return re2.compile(r"(?:[っいきしちりれえけせてねべめ]た|ました|んだ)(?:$|[。、よわけので ]|そう|って)")
