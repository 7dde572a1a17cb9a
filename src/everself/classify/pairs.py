"""The learned heads for two texts: whether a memory answers a question, whether two statements say the same, and whether one gives the
subject of the other another value.

The features are how much of one text occurs in the other, how far a memory leads the others that were found, and, if an encoder was offered
(`encoder.py`), where the two embeddings agree and differ. One head names the memory most likely to answer; a second one compares that
memory alone, word by word (`wording.py`), and says whether to be sure. Languages are not distinguished. Weights and thresholds are in
`pairs.bin`.
"""

import os
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log
from typing import TYPE_CHECKING, Any, Final

from everself.classify import encoder
from everself.classify.contradiction import contradicts
from everself.classify.coverage import in_same_order
from everself.classify.features import EMBEDDED, folded
from everself.classify.weights import Weights, load
from everself.classify.wording import SCALARS, explained
from everself.text.search import TermKind, index_terms, read_query

if TYPE_CHECKING:
    from everself.classify.features import Rows

PATH: Final = os.path.join(os.path.dirname(__file__), "pairs.bin")
# Raised when the same pair gives other features, because weights of another version cannot be used.
VERSION: Final = 2
# number of memories compared with one question
MOST: Final = 24
CROWD: Final = 10
# a memory with this probability is shown whatever the second head says
_AHEAD: Final = 0.4
_LENGTHS: Final = (2, 3, 4)
# weights of features of two embeddings relative to the others
_PRODUCT: Final = 16.0
_DISTANCE: Final = 8.0
_COUNTED: Final = 3.0
_DENSE: Final = "\u2e7f"
# the index of the feature with the similarity of the embeddings
NEAR: Final = 16


@dataclass(frozen=True, slots=True)
class Answering:
    """The probability of each memory to be the answer. `sure`: the best may be given as the answer; `near`: it may be shown as the
    nearest."""

    likely: tuple[float, ...]
    sure: bool
    near: bool

    @property
    def best(self) -> int:
        return max(range(len(self.likely)), key=lambda at: self.likely[at])


def answering(question: str, memories: Sequence[str]) -> Answering:
    """Compare a question with at most `MOST` memories. At most one of them is the answer."""
    import numpy

    if not memories:
        return Answering((), sure=False, near=False)
    looked = padded(memories[:MOST], shipped().told["background"])
    vectors = encoder.embed([question, *looked])
    kind = "light" if vectors is None else "deep"
    dense = None if vectors is None else numpy.stack(vectors).astype(numpy.float64)
    rows = answer_features(question, looked, dense)
    odds = _odds(f"answers.{kind}", rows)
    # the answer is one of them or none, and none has the odds of 1
    top = max(0.0, float(odds.max()))
    shares = numpy.exp(odds - top)
    total = float(shares.sum()) + exp(-top)
    told = shipped().told["answers"][kind]
    likely = [float(one) / total for one in shares][: len(memories)]
    best = likely.index(max(likely))
    value = likely[best]
    if dense is not None:
        # a second head says whether the best memory answers
        told, words = shipped().told["sure"], explained(question, memories[best])
        value = 0.0 if words is None else _likely("sure", sure_features(rows, odds, best, words, dense[0]))
    likely += [0.0] * (len(memories) - len(likely))
    near = value >= float(told["near"]) or likely[best] >= _AHEAD
    return Answering(tuple(likely), sure=value >= float(told["sure"]), near=near)


def padded(memories: Sequence[str], background: Sequence[str]) -> list[str]:
    """The memories, padded with other people's sentences if there are few, because rarity and a lead can only be measured in a crowd."""
    return [*memories, *background[: max(0, CROWD - len(memories))]]


def say_same(one: str, other: str) -> bool:
    """Whether two statements state the same fact, in whatever words. For merging, so a possibility is not enough. Two values of one thing
    are never the same, nor are "Ana beat Mia" and "Mia beat Ana", which look alike to every head."""
    bare = ["".join(char for char in text.casefold() if char.isalnum()) for text in (one, other)]
    if bare[0] == bare[1]:
        return True
    if contradicts(one, other) or not in_same_order(one, other):
        return False
    vectors = encoder.embed([one, other])
    kind = "light" if vectors is None else "deep"
    return _likely(f"same.{kind}", same_features(one, other, vectors)) >= float(shipped().told["same"][kind]["sure"])


@dataclass(frozen=True, slots=True)
class Replacing:
    """The probability that a statement gives the subject of another one a new value; `may`: high enough to ask about it."""

    likely: float
    may: bool


def replaces(newer: str, older: str) -> Replacing:
    """Whether the newer statement corrects this one, if it corrects anything. Not enough to close an entry, because one of two similar
    statements need not replace the other."""
    vectors = encoder.embed([newer, older])
    words = None if vectors is None else explained(newer, older)
    kind = "light" if vectors is None or words is None else "deep"
    likely = _likely(f"replaces.{kind}", replace_features(newer, older, vectors, words))
    return Replacing(likely, likely >= float(shipped().told["replaces"][kind]["sure"]))


def _likely(name: str, row: "Rows") -> float:
    return 1 / (1 + exp(-max(-60.0, min(60.0, float(_odds(name, row[None])[0])))))


def _odds(name: str, rows: "Rows") -> "Rows":
    arrays = shipped().arrays
    found: Rows = rows @ arrays[f"{name}.weights"].astype("float64") + float(arrays[f"{name}.bias"][0])
    return found


def shipped() -> Weights:
    return load(PATH, VERSION)


def answer_features(question: str, memories: Sequence[str], vectors: "Rows | None") -> "Rows":
    """One row per memory; `vectors` begin with the question's."""
    import numpy

    asked, held = _grams(question), [_grams(one) for one in memories]
    rare = {gram: _rarity(gram, held) for gram in asked}
    known = {gram: rare[gram] for gram in asked if any(gram in one for one in held)}
    words = [term.alternatives for term in read_query(question).terms if term.kind is not TermKind.STOP]
    terms = [_terms(one) for one in memories]
    heavy = [1 + _rarity(one[0], terms) for one in words]
    there = [[any(form in one for form in forms) for forms in words] for one in terms]
    whole = numpy.array([_share(rare, one) for one in held])
    ours = numpy.array([_share(known, one) for one in held])
    back = numpy.array([len(asked & one) / max(1, len(one)) for one in held])
    told = numpy.array([_weighed(heavy, one) for one in there])
    missing = numpy.array([float(len(one) - sum(one)) for one in there])
    counts = numpy.array([float(any(char.isdecimal() for char in one)) for one in memories])
    number = float(any(char.isdecimal() for char in question))
    columns = [
        *(whole, _lead(whole), ours, _lead(ours), whole == whole.max(), back, _lead(back), told, _lead(told)),
        *(numpy.minimum(missing, 4) / 4, missing == 0, counts, counts * number),
        numpy.array([_length(one, 160) for one in memories]),
        numpy.full(len(memories), _length(question, 80)),
        numpy.full(len(memories), min(2.0, len(words) / 5)),
    ]
    if vectors is not None:
        near = vectors[1:] @ vectors[0]
        behind = numpy.array([float((near > one).sum()) for one in near])
        columns += [near, _lead(near), near - near.mean(), behind == 0, numpy.minimum(behind, 5) / 5, told * near]
        columns += [whole * near]
    made = numpy.stack([numpy.asarray(one, dtype=numpy.float64) for one in columns], axis=1)
    if vectors is None:
        return made
    # the weights decide which questions want a number
    wanted = _COUNTED * vectors[:1] * numpy.array([float(any(map(_counts, one))) for one in memories])[:, None]
    return numpy.concatenate([made, wanted, _meeting(vectors[:1], vectors[1:])], axis=1)


def sure_features(rows: "Rows", odds: "Rows", best: int, words: "Rows", asked: "Rows") -> "Rows":
    """One row: the first head's features of the best memory and odds of all, how its words explain the question, and the question
    itself."""
    import numpy

    others = numpy.delete(odds, best)
    second = float(others.max()) if len(others) else -9.0
    top = max(0.0, float(odds.max()))
    some = top + log(float(numpy.exp(odds - top).sum()) + exp(-top))
    seen = rows[best, : rows.shape[1] % EMBEDDED]
    near = float(seen[NEAR])
    said = [float(odds[best]), second, some]
    return numpy.concatenate([seen, said, near * words[:SCALARS], words, asked])


def same_features(one: str, other: str, vectors: "Sequence[Any] | None") -> "Rows":
    """One row, the same for both orders of the texts."""
    import numpy

    grams, terms, numbers = [[read(text) for text in (one, other)] for read in (_grams, _terms, _numbers)]
    lengths = sorted((_length(one, 160), _length(other, 160)))
    numbered = bool(numbers[0] and numbers[1])
    found = [
        *_overlaps(*grams),
        *_overlaps(*terms),
        float(numbered and numbers[0] == numbers[1]),
        float(numbered and not numbers[0] & numbers[1]),
        float(numbered and numbers[0] != numbers[1]),
        float(bool(numbers[0]) != bool(numbers[1])),
        *lengths,
        lengths[1] - lengths[0],
    ]
    made = numpy.array(found, dtype=numpy.float64)
    if vectors is None:
        return made
    ours, theirs = (numpy.asarray(row, dtype=numpy.float64) for row in vectors)
    near = float(ours @ theirs)
    meeting = _meeting(ours[None], theirs[None])[0]
    return numpy.concatenate([made, [near, near * near, near * made[0], near * made[3]], meeting])


def replace_features(newer: str, older: str, vectors: "Sequence[Any] | None", words: "Rows | None") -> "Rows":
    """The features of `same_features`, and the words of each text that the other does not explain."""
    import numpy

    row = same_features(newer, older, vectors)
    if words is None:
        return row
    plain = len(row) % EMBEDDED
    left, over = words[SCALARS : SCALARS + EMBEDDED], words[SCALARS + EMBEDDED :]
    apart = [_DISTANCE * (left + over) / 2, _DISTANCE * numpy.abs(left - over), _PRODUCT * left * over]
    return numpy.concatenate([row[:plain], words[:SCALARS], row[plain:], *apart])


def _meeting(ours: "Rows", theirs: "Rows") -> "Rows":
    """Where two embeddings agree and how far they are apart, number by number."""
    import numpy

    return numpy.concatenate([_PRODUCT * ours * theirs, _DISTANCE * numpy.abs(ours - theirs)], axis=1)


def _overlaps(ours: Collection[str], theirs: Collection[str]) -> list[float]:
    shared = len(frozenset(ours) & frozenset(theirs))
    sizes = sorted((len(ours), len(theirs)))
    return [shared / max(1, sum(sizes) - shared), shared / max(1, sizes[0]), shared / max(1, sizes[1])]


def _lead(values: "Rows") -> "Rows":
    """How far each value is above the best of the others."""
    import numpy

    if len(values) == 1:
        return numpy.zeros(1)
    second, first = numpy.sort(values)[-2:]
    led: Rows = values - numpy.where(numpy.arange(len(values)) == int(values.argmax()), second, first)
    return led


def _rarity(part: str, texts: Sequence[Collection[str]]) -> float:
    return log((len(texts) + 1) / (sum(part in one for one in texts) + 0.5))


def _share(weights: dict[str, float], held: Collection[str]) -> float:
    """The share of the weights of parts in `held`. Summed in sorted order, because floating-point sums depend on the order."""
    total = sum(sorted(weights.values()))
    return sum(sorted(weight for part, weight in weights.items() if part in held)) / total if total > 0 else 0.0


def _weighed(weights: Sequence[float], there: Sequence[bool]) -> float:
    return sum(one for one, is_there in zip(weights, there, strict=True) if is_there) / max(1e-9, sum(weights))


def _length(text: str, long: int) -> float:
    """The length relative to `long`, at most 1. Scripts without blanks say the same in less than half as many characters."""
    return min(1.0, len(text) / (0.375 * long if any(char > _DENSE for char in text) else long))


def _counts(char: str) -> bool:
    return unicodedata.numeric(char, None) is not None


def _numbers(text: str) -> frozenset[str]:
    digits = "".join(char if char.isdecimal() else " " for char in text)
    return frozenset(one.lstrip("0") for one in digits.split())


@lru_cache(maxsize=4_096)
def _grams(text: str) -> frozenset[str]:
    plain = f" {folded(text)} "
    return frozenset(plain[at : at + length] for length in _LENGTHS for at in range(len(plain) - length + 1))


@lru_cache(maxsize=4_096)
def _terms(text: str) -> frozenset[str]:
    return frozenset(index_terms(text).counts)
