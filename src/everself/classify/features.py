"""The features of a text that the heads see: hashed character n-grams, words and word pairs, and its layout. Pure, in linear time.

Languages are not distinguished, because their n-grams differ anyway. The third part of the features, the sentence embedding, comes from
`encoder.py`.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final
from zlib import crc32

from everself.text.folding import one_script
from everself.text.normalise import without_surrogates

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from everself.models.embedding.protocol import Vectors

    Ints = NDArray[numpy.int64]
    Floats = NDArray[numpy.float32]
    Rows = NDArray[numpy.float64]

# Raised when the same text gives other features, because weights of another version cannot be used.
VERSION: Final = 2
BITS: Final = 16
GRAMS: Final = 1 << BITS
EMBEDDED: Final = 512
LAYOUT: Final = 20
# weights of an embedding, and of the products of its directions, relative to the other features
_EMBEDDING: Final = 3.0
_PRODUCTS: Final = 0.6
# Of a longer text only the beginning and the end are read.
LONGEST: Final = 600
_LENGTHS: Final = (2, 3, 4, 5)
_WORDS: Final = 120
_MULTIPLIER: Final = 0x9E3779B97F4A7C15
_MIXER: Final = 0xBF58476D1CE4E5B9
_EDGE: Final = "\x02"
_END: Final = "\x03"
_PLAIN: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "。": ".", "、": ",", "…": "."})
_CODE: Final = frozenset("{}[]<>=;_|\\/#$*`~^&")


@dataclass(frozen=True, slots=True)
class Features:
    """`grams` are the hash buckets of a text, each once; `layout` is one row of numbers between 0 and 1."""

    grams: "Ints"
    layout: "Vectors"


def features_of(text: str) -> Features:
    return Features(_grams(folded(text)), _layout(text))


def buckets(grams: "Ints", size: int) -> "Ints":
    """The buckets for heads with a smaller table, a half or a quarter of the size."""
    import numpy

    found: Ints = grams if size >= GRAMS else numpy.unique(grams // (GRAMS // size))
    return found


def expanded(vectors: "Vectors", mean: "Vectors", axes: "Vectors") -> "Vectors":
    """Embeddings, one row each, with the products of their components along the axes: pairs of properties that matter only together."""
    import numpy

    along = (vectors - mean) @ axes
    one, other = numpy.triu_indices(axes.shape[1])
    products = along[:, one] * along[:, other] / numpy.sqrt(axes.shape[1])
    return numpy.concatenate([_EMBEDDING * vectors, _PRODUCTS * products], axis=1).astype(numpy.float32)


def folded(text: str) -> str:
    """The text from which n-grams are taken: compatibility forms and case unified, each digit a zero, runs of blanks one blank."""
    text = without_surrogates(shortened(text)).translate(_PLAIN)
    text = one_script(unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join("0" if char.isdecimal() else char for char in text).split())


def shortened(text: str) -> str:
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} {text[-half:]}"


def _grams(text: str) -> "Ints":
    """The hash buckets of all character n-grams, edges included, of the words and of the word pairs."""
    import numpy

    codes = numpy.frombuffer(f"{_EDGE}{text}{_END}".encode("utf-32-le"), dtype=numpy.uint32).astype(numpy.uint64)
    multiplier = numpy.uint64(_MULTIPLIER)
    rolled = codes * multiplier
    found = []
    for length in _LENGTHS:
        if len(codes) < length:
            break
        rolled = (rolled[:-1] ^ (rolled[:-1] >> numpy.uint64(31))) * multiplier + codes[length - 1 :]
        found.append(rolled)
    words = [crc32(word.encode()) for word in text.split()[:_WORDS]]
    pairs = [one * 31 + other * 17 + 7 for one, other in pairwise(words)]
    found.append(numpy.array([*words, *pairs], dtype=numpy.uint64) * multiplier)
    mixed = numpy.concatenate(found)
    mixed = (mixed ^ (mixed >> numpy.uint64(29))) * numpy.uint64(_MIXER)
    buckets: Ints = numpy.unique(mixed >> numpy.uint64(64 - BITS)).astype(numpy.int64)
    return buckets


def _layout(text: str) -> "Vectors":
    import numpy

    bare = shortened(text).strip()
    letters = sum(char.isalpha() for char in bare)
    size = max(1, len(bare))
    dense = sum(char > "\u2e7f" for char in bare)
    words = len(bare.split())
    asks = bare.rstrip(" \"')]」』）~").endswith(("?", "？"))
    lines = text.strip().count("\n") + 1
    numbers: Sequence[float] = (
        asks,
        "?" in bare or "？" in bare,
        bare.endswith(("!", "！")),
        bare.endswith((".", "。")),
        bare.endswith((":", "：")),
        bare[:1] in "\"'“‘「『«>",
        any(char in '"“”「」『』«»' for char in bare),
        "`" in bare or "://" in bare,
        min(1.0, 8 * sum(char in _CODE for char in bare) / size),
        min(1.0, sum(char.isdecimal() for char in bare) / 4),
        min(1.0, 4 * sum(char.isdecimal() for char in bare) / size),
        min(1.0, 4 * sum(char.isupper() for char in bare) / max(1, letters)),
        dense > letters // 2,
        words <= 2 and dense <= 4,
        words <= 5 and dense <= 10,
        min(1.0, (len(bare) + 1.5 * dense) / 200),
        min(1.0, len(text) / 2_000),
        min(1.0, (lines - 1) / 10),
        bare[:1] in "-*•·" or bare[:2].rstrip(".)").isdecimal(),
        letters == 0,
    )
    return numpy.array(numbers, dtype=numpy.float32)
