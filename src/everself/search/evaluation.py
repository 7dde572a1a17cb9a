"""Measures how well search finds a user's own notes, without a model.

A question is made from a note: the rarest half of its words, some of them dropped, in another order. The choice of notes depends on their
paths only, so the same notes give the same questions for any index and settings. Knows no index file and no command: notes and search are
passed in.
"""

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Final

import re2

from everself.frozen import Frozen
from everself.search.index_file.protocol import IndexView
from everself.text.normalise import fold
from everself.values import Hit

if TYPE_CHECKING:
    from everself.search.snippets import SnippetSource

DEEPEST: Final = 10
SEED: Final = 1
# a note with fewer words cannot be asked for without copying it
_FEWEST_WORDS: Final = 4
_MOST_WORDS: Final = 8
_DROPPED: Final = 0.3
# number of standard errors beyond which a change of the mean is not chance (95 %)
_BEYOND_CHANCE: Final = 1.96
# scripts without spaces are split into pairs of characters, others into words
_WORD: Final = re2.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]{2}|[\p{L}\p{N}][\p{L}\p{M}\p{N}'’_-]*",
)


class Sample(Frozen):
    """A note that is asked about, and its location."""

    path: str
    first_line: int
    last_line: int
    text: str


class EvaluationQuestion(Frozen):
    text: str
    about: Sample


class Evaluation(Frozen):
    """`ranks` has the rank of the note for each question, 0 if it is not among the best ten.

    `asked` identifies the set of questions.
    """

    asked: str
    ranks: tuple[int, ...]

    @property
    def count(self) -> int:
        return len(self.ranks)

    def recall_at(self, place: int) -> float:
        return sum(1 for rank in self.ranks if 0 < rank <= place) / max(1, self.count)

    @property
    def reciprocals(self) -> list[float]:
        return [1 / rank if rank else 0.0 for rank in self.ranks]

    @property
    def mrr(self) -> float:
        return sum(self.reciprocals) / max(1, self.count)


def sample_notes(view: IndexView, served: "SnippetSource", seed: int = SEED) -> Iterator[Sample]:
    """Notes of all documents in turn, in an order given by the seed and the paths."""

    def lot(*parts: object) -> bytes:
        return hashlib.sha256("\0".join(map(str, (seed, *parts))).encode("utf-8", "surrogateescape")).digest()

    documents = sorted((one for one in view.documents.values() if one.count), key=lambda one: lot(one.path))
    orders = {one.number: sorted(range(one.count), key=partial(lot, one.path)) for one in documents}
    for turn in range(max((one.count for one in documents), default=0)):
        for document in documents:
            if turn >= document.count:
                continue
            number = document.first + orders[document.number][turn]
            (chunk,), (text,) = served.chunks([number]), served.texts([number])
            yield Sample(document.path, chunk.first_line, chunk.last_line, text)


def make_questions(
    samples: Iterator[Sample], commonness: Callable[[str], int], count: int, seed: int = SEED
) -> tuple[EvaluationQuestion, ...]:
    """At most `count` questions. `commonness` is the number of notes with a word; notes with too few words are skipped."""
    found: list[EvaluationQuestion] = []
    seen: set[str] = set()
    for sample in samples:
        if len(found) >= count:
            break
        folded = fold(sample.text)
        text = _ask(sample.text, commonness, random.Random(f"{seed} {folded}"))
        # the same text in two places counts as one note
        if text and folded not in seen:
            seen.add(folded)
            found.append(EvaluationQuestion(text, sample))
    return tuple(found)


def _ask(text: str, commonness: Callable[[str], int], chance: random.Random) -> str:
    words = list(dict.fromkeys(fold(word) for word in _WORD.findall(text)))
    known = sorted((commonness(word), word) for word in words)
    telling = [word for common, word in known if common]
    if len(telling) < _FEWEST_WORDS:
        return ""
    rarest = telling[: max(_FEWEST_WORDS, min(_MOST_WORDS, len(telling) // 2))]
    kept = chance.sample(rarest, max(2, round(len(rarest) * (1 - _DROPPED))))
    return " ".join(kept)


def evaluate(
    questions: Sequence[EvaluationQuestion],
    search: Callable[[str], Sequence[Hit]],
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Ask every question and find the rank of its note."""
    ranks: list[int] = []
    for at, question in enumerate(questions, 1):
        hits = search(question.text)[:DEEPEST]
        ranks.append(next((place for place, hit in enumerate(hits, 1) if _is_of(hit, question.about)), 0))
        if progress is not None:
            progress(at, len(questions))
    names = "\0".join(question.text for question in questions)
    return Evaluation(hashlib.sha256(names.encode("utf-8", "surrogateescape")).hexdigest()[:16], tuple(ranks))


def _is_of(hit: Hit, sample: Sample) -> bool:
    if hit.path == sample.path and hit.first_line <= sample.last_line and sample.first_line <= hit.last_line:
        return True
    # the same text in another place is the same note
    return fold(sample.text) in fold(hit.text)


def change_beyond_chance(before: Evaluation, now: Evaluation) -> float:
    """The change of MRR; 0 if it may be chance. Identical sets of questions are compared in pairs."""
    if not before.count or not now.count:
        return 0.0
    if before.asked == now.asked and before.count == now.count:
        changes = [b - a for a, b in zip(before.reciprocals, now.reciprocals, strict=True)]
        error = sqrt(_variance(changes) / len(changes))
    else:
        error = sqrt(_variance(before.reciprocals) / before.count + _variance(now.reciprocals) / now.count)
    change = now.mrr - before.mrr
    return change if abs(change) > _BEYOND_CHANCE * error else 0.0


def _variance(numbers: Sequence[float]) -> float:
    mean = sum(numbers) / len(numbers)
    return sum((number - mean) ** 2 for number in numbers) / max(1, len(numbers) - 1)
