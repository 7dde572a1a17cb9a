"""A deterministic embedder for tests: texts that share words get similar vectors.

It can fail in each way a real one does. Also contains the switch that forbids model calls.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from everself.errors import EmbeddingFailed, EmbeddingFault
from everself.models.call_switch import CALLS
from everself.models.embedding.protocol import Purpose

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Vectors

# An EmbeddingFault is raised as such; the others are wrong results that a broken model returns without an error.
Misdeed = EmbeddingFault | Literal["raise", "nan", "infinite", "zeros", "too few", "wrong size", "flat", "no table"]
_FAULTS = ("network", "timeout", "quota", "rate", "auth", "shape", "numbers", "missing", "other")


class FakeEmbedder:
    """Returns vectors made from hashed words. `fail` makes the next calls go wrong."""

    def __init__(
        self, dimensions: int = 64, *, provider: str = "local", model: str = "fake/1", paid: bool = False
    ) -> None:
        self.provider = provider
        self.model = model
        self.dimensions: int | None = dimensions
        self.paid = paid
        self.retry_after: float | None = None
        self.calls: list[tuple[tuple[str, ...], Purpose]] = []
        self._size = dimensions
        self._misdeed: Misdeed | None = None
        self._left = 0

    def fail(self, how: Misdeed | None, *, times: int = 1_000_000, retry_after: float | None = None) -> None:
        """Make the next `times` calls fail in this way; None ends it."""
        self._misdeed, self._left, self.retry_after = how, times, retry_after

    def resize(self, dimensions: int) -> None:
        """Return vectors of another size without changing `dimensions`."""
        self._size = dimensions

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":
        import numpy

        self.calls.append((tuple(texts), purpose))
        rows = numpy.stack([self._row(text) for text in texts]) if texts else numpy.empty((0, self._size), "f4")
        if self._misdeed is None or self._left <= 0:
            return rows
        self._left -= 1
        return self._spoil(rows, self._misdeed)

    def _row(self, text: str) -> "Vectors":
        import numpy

        row = numpy.zeros(self._size, numpy.float32)
        for word in text.casefold().split() or [text]:
            hashed = hashlib.sha256(word.strip(".,;:!?\"'()").encode("utf-8", "replace")).digest()
            for at in range(0, 16, 4):
                number = int.from_bytes(hashed[at : at + 4], "big")
                row[number % self._size] += 1 if number & 1 << 31 else -1
        length = float(numpy.linalg.norm(row))
        if length == 0:
            row[0] = length = 1.0
        return row / numpy.float32(length)

    def _spoil(self, rows: "Vectors", how: Misdeed) -> "Vectors":
        import numpy

        for fault in _FAULTS:
            if how == fault:
                words = f"The fake embedder was told to fail: {how}."
                raise EmbeddingFailed(words, reason=fault, retry_after=self.retry_after)  # type: ignore[arg-type]  # one of the Literal's
        if how == "raise":
            raise RuntimeError("the fake embedder was told to break")
        if how in ("nan", "infinite"):
            rows[0, 0] = numpy.nan if how == "nan" else numpy.inf
        elif how == "zeros":
            rows[0] = 0
        elif how == "too few":
            return rows[:-1]
        elif how == "wrong size":
            return numpy.concatenate([rows, rows[:, :1]], axis=1)
        elif how == "flat":
            return rows.ravel()
        elif how == "no table":
            return numpy.array(["no", "number"])
        return rows


@contextmanager
def forbid_model_calls() -> Iterator[None]:
    """Raise RefusedByRule for every request to a model outside this process, inside the block."""
    before = CALLS.allowed
    CALLS.allowed = False
    try:
        yield
    finally:
        CALLS.allowed = before
