"""Whether a passage reads like an order to its reader: a linear head over words close to each other. Pure, in linear time.

A text is judged in windows: its sentences, pairs of adjacent ones, and short stretches of tokens. The sums of all windows come from running
sums, so a page costs little more than its length. Knows no language: scripts without blanks are read in pairs of characters.
"""

import math
import os
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

from everself.classify.weights import Weights, load
from everself.text.folding import one_script
from everself.text.normalise import nfkc

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]
    Ints = NDArray[numpy.int64]
    Hashes = NDArray[numpy.uint64]

PATH: Final = os.path.join(os.path.dirname(__file__), "injection.bin")
# Raised when the same text gives other features.
VERSION: Final = 2
BITS: Final = 18
# largest distance between two tokens that form a feature
_REACH: Final = 6
_STEM: Final = 5
_STRETCHES: Final = (14, 30, 70)
# a longer sentence is read in stretches, because its whole adds nothing
_LONGEST: Final = 120
_MULTIPLIER: Final = 0x9E3779B97F4A7C15
_MIXER: Final = 0xBF58476D1CE4E5B9
_DENSE: Final = (("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uac00", "\ud7af"))
_ENDS: Final = frozenset(".!?\n")
_PLAIN: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "。": ".", "、": ",", "…": "."})


class Tokens(NamedTuple):
    """`places` are the start and end of each token in `text`; `ends` are the numbers of tokens after which a sentence ends."""

    hashes: "Hashes"
    places: tuple[tuple[int, int], ...]
    ends: tuple[int, ...]
    text: str


def tokens_of(text: str) -> Tokens:
    import numpy

    text = one_script(nfkc(text.translate(_PLAIN)).casefold())
    found: list[int] = []
    places: list[tuple[int, int]] = []
    ends: list[int] = []
    split = list(_split(text))
    for number, (start, end) in enumerate(split):
        word = text[start:end]
        if word == "\n":
            ends.append(len(found))
            continue
        if end - start == 1 and word > "\u303f" and word.isalpha():
            follows = text[slice(*split[number + 1])] if number + 1 < len(split) else ""
            word += follows if len(follows) == 1 and follows > "\u303f" and follows.isalpha() else ""
        elif word[0].isdecimal():
            word = "0"
        found.append(crc32(word[:_STEM].encode()))
        places.append((start, end))
        if word in _ENDS and (end == len(text) or not text[end].isalnum()):
            ends.append(len(found))
    return Tokens(numpy.array(found, dtype=numpy.uint64), tuple(places), tuple(dict.fromkeys(ends)), text)


def _split(text: str) -> Iterator[tuple[int, int]]:
    """The positions of words with their apostrophes, letters of a dense script, other signs, and line ends."""
    at, size = 0, len(text)
    while at < size:
        start, char = at, text[at]
        at += 1
        if _is_word(char):
            while at < size and (_is_word(text[at]) or (text[at] == "'" and at + 1 < size and _is_word(text[at + 1]))):
                at += 1
        if char == "\n" or not char.isspace():
            yield start, at


def _is_word(char: str) -> bool:
    return char.isalnum() and (char < "\u3040" or not any(first <= char <= last for first, last in _DENSE))


def buckets(hashes: "Hashes") -> "list[Ints]":
    """The buckets of the features that begin at each token: the token, it with each one within reach, and it with the next two."""
    import numpy

    number = numpy.uint64
    rows = [hashes * number(_MULTIPLIER) + number(1)]
    for far in range(1, _REACH + 1):
        both = hashes[:-far] * number(31) + hashes[far:] * number(17) + number(min(far, 3))
        rows.append(both * number(_MULTIPLIER))
    three = hashes[:-2] * number(131) + hashes[1:-1] * number(37) + hashes[2:] * number(7) + number(5)
    rows.append(three * number(_MULTIPLIER))
    return [(((row ^ (row >> number(29))) * number(_MIXER)) >> number(64 - BITS)).astype(numpy.int64) for row in rows]


# distance in tokens between the first and the last token of each kind of feature
SPANS: Final = (0, *range(1, _REACH + 1), 2)


def windows(tokens: Tokens) -> "Ints":
    """The start and the end of each window, one row each."""
    import numpy

    size = len(tokens.hashes)
    edges = sorted({0, size, *(end for end in tokens.ends if 0 < end < size)})
    found = [*pairwise(edges), *zip(edges, edges[2:], strict=False)]
    found = [(begin, min(end, begin + _LONGEST)) for begin, end in found]
    for length in _STRETCHES:
        for begin, end in pairwise(edges):
            if end - begin > 1.3 * length:
                found += [(at, min(end, at + length)) for at in range(begin, end - length // 2, length // 2)]
    if 0 < size <= _LONGEST:
        found.append((0, size))
    return numpy.array(sorted(set(found)), dtype=numpy.int64).reshape(-1, 2)


class Head:
    def __init__(self, weights: Weights) -> None:
        told = weights.told
        self._limits = [(float(told[name]), float(told[f"{name} slope"])) for name in ("limit", "weak")]
        self._bias, self._scale = float(told["bias"]), float(told["scale"])
        self._table: Any = weights.arrays["table"]

    def order_in(self, text: str) -> tuple[str, bool] | None:
        """The passage most like an order and whether that is sure, or None below both limits. These rise with the number of windows."""
        tokens = tokens_of(text)
        places = windows(tokens)
        if not len(places):
            return None
        odds = window_odds(tokens, places, self._table) * self._scale + self._bias
        sure, weak = (float(odds.max()) >= limit + slope * math.log(len(places)) for limit, slope in self._limits)
        if not (sure or weak):
            return None
        first, last = places[int(odds.argmax())]
        return tokens.text[tokens.places[first][0] : tokens.places[last - 1][1]], sure


def window_odds(tokens: Tokens, places: "Ints", table: Any) -> "Floats":
    """The sum of the weights of each window's features, divided by the square root of their number."""
    import numpy

    total = numpy.zeros(len(places))
    count = numpy.zeros(len(places))
    for row, span in zip(buckets(tokens.hashes), SPANS, strict=True):
        if not len(row):
            continue
        sums = numpy.concatenate([[0.0], numpy.cumsum(table[row], dtype=numpy.float64)])
        last = numpy.clip(places[:, 1] - span, places[:, 0], len(row))
        first = numpy.minimum(places[:, 0], last)
        total += sums[last] - sums[first]
        count += last - first
    return numpy.asarray(total / numpy.sqrt(numpy.maximum(1, count)))


@cache
def head() -> Head:
    return Head(load(PATH, VERSION))
