"""Compares a message with what is known: which entries it makes wrong, and whether it corrects anything at all.

The message is compared with every entry that recall found: how much of one occurs in the other, where their values differ, how far an entry
leads the others, whether the assistant's last reply mentions it, and what the heads say of the message alone.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from typing import TYPE_CHECKING, Final

from everself.classify import encoder
from everself.classify.contradiction import contradicts
from everself.classify.coverage import denies, names_in, words_of_substance, words_shared
from everself.classify.difference import differ_in_one_word
from everself.classify.features import EMBEDDED, features_of
from everself.classify.messages import SUREST, WHOLE, odds_of, read_whole
from everself.classify.model import heads, prepare, score
from everself.classify.pairs import NEAR, answer_features, padded, replace_features
from everself.classify.pairs import shipped as pairs
from everself.classify.weights import Weights, load
from everself.classify.wording import explained
from everself.text.quantities import compare_quantities
from everself.text.sentences import split

if TYPE_CHECKING:
    from everself.classify.features import Rows

PATH: Final = os.path.join(os.path.dirname(__file__), "grounded.bin")
# VERSION is raised when the same texts give other features; MOST entries are compared with one message.
VERSION: Final = 1
MOST: Final = 14
# weight of an embedding's numbers relative to the others
_SCALE: Final = 2.0
# the outputs of the layer over a message
OUTPUTS: Final = ("correction", "keep")


@dataclass(frozen=True, slots=True)
class Judgement:
    """`likely` is the probability that the message makes something known wrong or outdated; `sure` and `may`: high enough to act on it, or
    to ask. `shares` are the probabilities of the entries to be the wrong one, if one is; `closes` are the indexes of those above the
    threshold. `keep`: the message says something worth keeping."""

    likely: float
    sure: bool
    may: bool
    shares: tuple[float, ...]
    closes: tuple[int, ...]
    keep: bool


def judge(message: str, entries: Sequence[str], before: str = "") -> Judgement | None:
    """`before` is the assistant's last reply, if the message may react to one. None if no encoder was offered."""
    import numpy

    looked = padded(entries[:MOST], pairs().told["background"])
    vectors = encoder.embed([message, before or message, *looked])
    words = [explained(message, one) for one in looked] if vectors is not None else []
    known = [one for one in words if one is not None]
    if vectors is None or len(known) < len(looked):
        return None
    dense = numpy.stack(vectors).astype(numpy.float64)
    dense[1] *= bool(before)
    said, arrays, told = said_of(message), shipped().arrays, shipped().told
    rows = pair_features((message, before), said, looked, dense, known)
    odds = rows @ arrays["pair.weights"].astype(numpy.float64) + float(arrays["pair.bias"][0])
    seen = message_features(message, said, rows, odds, dense)
    found = seen @ arrays["layer.weights"].astype(numpy.float64) + arrays["layer.bias"]
    likely, keep = (1 / (1 + exp(-max(-60.0, min(60.0, float(one))))) for one in found)
    shares = tuple(float(one) for one in among(odds)[: len(entries)])
    sure, may = (likely >= told["correction"][name] for name in ("sure", "may"))
    closes = tuple(at for at, one in enumerate(shares) if one >= told["closes"]["sure"])
    return Judgement(likely, sure, may, shares, closes, keep >= told["keep"]["sure"])


def makes_wrong(message: str, reply: str, entries: Sequence[str]) -> Sequence[float]:
    """The probability that a message after that reply makes each of these entries wrong; 0 if no encoder was offered."""
    judged = judge(message, entries, reply)
    found = [] if judged is None else [judged.likely * one for one in judged.shares]
    return [*found, *(0.0 for _ in entries[len(found) :])]


def shipped() -> Weights:
    return load(PATH, VERSION)


def said_of(message: str) -> "Rows":
    """The odds of the heads for a message alone: for its text, for the message as a whole, and the highest for any of its sentences."""
    import numpy

    sentences = [message[start:end] for start, end in split(message)][: encoder.MOST - 1] or [message]
    prepare([message, *sentences])
    names = heads("deep").names
    each = numpy.max([odds_of(score(one), names) for one in sentences], axis=0)
    parts = [odds_of(score(message), names), odds_of(read_whole(sentences), WHOLE), each]
    return numpy.asarray(numpy.clip(numpy.concatenate(parts), -SUREST, SUREST), dtype=numpy.float64)


def among(odds: "Rows") -> "Rows":
    """The probability of each entry to be the wrong one, given that one of them is."""
    import numpy

    raised = numpy.exp(odds - odds.max())
    return numpy.asarray(raised / raised.sum())


def message_features(message: str, said: "Rows", rows: "Rows", odds: "Rows", vectors: "Rows") -> "Rows":
    """One row: the odds of the best pairs, the odds of the heads, the layout, maximum and mean of the pair features, and the embeddings of
    the message and of the reply before it."""
    import numpy

    top = max(0.0, float(odds.max()))
    some = top + float(numpy.log(numpy.exp(odds - top).sum() + exp(-top)))
    first, second = (float(one) for one in numpy.sort(odds)[::-1][:2])
    seen = rows[:, : rows.shape[1] % EMBEDDED]
    parts = [[some, first, first - second], said, features_of(message).layout, seen.max(axis=0), seen.mean(axis=0)]
    return numpy.concatenate([*parts, *(_SCALE * vectors[:2])]).astype(numpy.float64)


def pair_features(
    said: tuple[str, str], alone: "Rows", entries: Sequence[str], vectors: "Rows", words: "Sequence[Rows]"
) -> "Rows":
    """One row per entry. `said` is the message and the reply before it, which may be empty; `vectors` begin with their embeddings."""
    import numpy

    (message, before), (own, reply), held = said, vectors[:2], vectors[2:]
    crowd, heard = (answer_features(one, entries, numpy.delete(vectors, 1 - at, axis=0)) for at, one in enumerate(said))
    crowd, heard = (one[:, : one.shape[1] % EMBEDDED] for one in (crowd, heard * bool(before)))
    again = numpy.array(compare_quantities(message, before)) * bool(before)
    rows = []
    for at, entry in enumerate(entries):
        row = replace_features(message, entry, [own, held[at]], words[at])
        plain = len(row) % EMBEDDED
        told = [float(bool(before)), float(reply @ held[at]), float(bool(before)) * crowd[at, NEAR]]
        valued = compare_quantities(message, entry)
        parts = [row[:plain], crowd[at], heard[at], told, _aligned(message, entry), valued, again, row[plain:]]
        rows.append(numpy.concatenate([alone / 2, *parts]))
    return numpy.stack(rows)


@lru_cache(maxsize=4_096)
def _aligned(message: str, entry: str) -> tuple[float, ...]:
    """Features of a pair: in what two otherwise similar statements differ, the names and words they share, and negations."""
    verdict = contradicts(entry, message)
    ours, theirs = set(names_in(message)), set(names_in(entry))
    mine, yours = (max(1, len(set(words_of_substance(one)))) for one in (message, entry))
    shared = len(words_shared(message, entry))
    named = float(bool(ours & theirs)), float(bool(ours and theirs and not ours & theirs)), float(bool(ours - theirs))
    common = min(1.0, shared / 4), shared / mine, shared / yours
    denied = float(denies(message)), float(denies(entry)), float(denies(message) and not denies(entry))
    return (verdict.sure, float(differ_in_one_word(entry, message)), *named, *common, *denied)
