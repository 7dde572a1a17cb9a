"""Wraps any embedder: returns the right number of finite rows of length 1, or raises EmbeddingFailed.

Waits as long as a server asks, if that is short; otherwise it pauses and fails at once until the pause is over. Knows neither HTTP nor
models.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from everself import clock
from everself.errors import EmbeddingFailed, EmbeddingFault
from everself.frozen import Frozen
from everself.logs import get_logger
from everself.models.embedding.protocol import Embedder, Purpose

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Vectors

_log = get_logger(__name__)

# Longer texts are cut: the smallest service accepts 8,192 tokens, and a Chinese character can be one token.
LONGEST_TEXT = 8_000
# Services refuse an empty text, and some tokenizers strip blanks.
_BLANK = "-"
_LONGEST_REST = 3_600.0
# Seconds of pause after the first failure of a kind, doubled by each further one. Other failures concern one request, not the service.
_RESTS: Mapping[EmbeddingFault, float] = MappingProxyType(
    {"network": 15, "timeout": 30, "rate": 15, "quota": 300, "auth": 300, "missing": 60, "shape": 60, "numbers": 60}
)
_RETRIED: frozenset[EmbeddingFault] = frozenset({"network", "timeout", "rate"})
# Exceptions that third-party code raises on unexpected input.
_FAULTS = (
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


class RetryPolicy(Frozen):
    """The number of attempts, the longest wait between them and the first wait, in seconds."""

    attempts: int
    longest_wait: float
    backoff: float = 0.5


# a user waits for a query, but not for a batch
ASKING = RetryPolicy(attempts=2, longest_wait=1.0, backoff=0.2)
INDEXING = RetryPolicy(attempts=4, longest_wait=60.0)


class Limits(Frozen):
    batch: int = 256
    batch_characters: int = 100_000
    asking: RetryPolicy = ASKING
    indexing: RetryPolicy = INDEXING


@dataclass(slots=True)
class _Rest:
    """The end and the cause of a pause."""

    until: float = 0.0
    failures: int = 0
    cause: EmbeddingFailed = field(default_factory=EmbeddingFailed)


class CheckedEmbedder:
    """An embedder that checks the answers of another one."""

    def __init__(
        self,
        inner: Embedder,
        limits: Limits = Limits(),  # noqa: B008 (frozen, so it may be shared)
        *,
        monotonic: Callable[[], float] = clock.monotonic,
        pause: Callable[[float], None] = clock.pause,
    ) -> None:
        self._inner = inner
        self._limits = limits
        self._monotonic = monotonic
        self._pause = pause
        self._learned: int | None = None
        self._rest = _Rest()

    def __repr__(self) -> str:
        return f"Checked({self.provider}, {self.model})"

    @property
    def provider(self) -> str:
        return self._inner.provider

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def dimensions(self) -> int | None:
        return self._inner.dimensions or self._learned

    @property
    def paid(self) -> bool:
        return self._inner.paid

    @property
    def resting(self) -> float:
        """Seconds until the embedder may be called again."""
        return max(0.0, self._rest.until - self._monotonic())

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":
        """Embed in batches. Fails if one batch fails for good."""
        import numpy

        parts = [self._ask(batch, purpose) for batch in _batches(texts, self._limits)]
        if not parts:
            return numpy.empty((0, self.dimensions or 0), numpy.float32)
        return numpy.concatenate(parts) if len(parts) > 1 else parts[0]

    def _ask(self, batch: list[str], purpose: Purpose) -> "Vectors":
        self._refuse_while_resting()
        patience = self._limits.asking if purpose == "query" else self._limits.indexing
        attempt = 1
        while True:
            try:
                rows = self._check(self._call(batch, purpose), len(batch))
            except EmbeddingFailed as failure:
                wait = _wait_after(failure, attempt, patience)
                _log.warning("%s/%s failed at attempt %d (%s).", self.provider, self.model, attempt, failure.reason)
                if wait is None:
                    self._take_rest(failure)
                    raise
            else:
                self._rest = _Rest()
                return rows
            self._pause(wait)
            attempt += 1

    def _call(self, batch: list[str], purpose: Purpose) -> object:
        try:
            return self._inner.embed(batch, purpose=purpose)
        except _FAULTS as error:
            raise EmbeddingFailed(f"{self.provider} failed: {type(error).__name__}.", reason="other") from error

    def _check(self, answer: object, count: int) -> "Vectors":
        import numpy

        try:
            rows = numpy.array(answer, dtype=numpy.float32)
        except (TypeError, ValueError, OverflowError) as error:
            raise EmbeddingFailed(f"{self.provider} did not return a table of numbers.", reason="shape") from error
        if rows.ndim != 2 or rows.shape[0] != count or rows.shape[1] == 0:
            words = f"{self.provider} returned a table of {' × '.join(map(str, rows.shape))} for {count} texts."
            raise EmbeddingFailed(words, reason="shape")
        expected = self.dimensions
        if expected is not None and rows.shape[1] != expected:
            words = f"{self.model} returned {rows.shape[1]} dimensions; it returned {expected} before."
            raise EmbeddingFailed(words, reason="shape")
        if not numpy.isfinite(rows).all():
            raise EmbeddingFailed(f"{self.provider} returned a value that is not a finite number.", reason="numbers")
        # scaled by the largest value first: squares of extreme numbers overflow float32
        largest = numpy.abs(rows).max(axis=1, keepdims=True)
        if not largest.all():
            raise EmbeddingFailed(f"{self.provider} returned a zero vector.", reason="numbers")
        rows /= largest
        rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
        self._learned = rows.shape[1]
        return rows

    def _refuse_while_resting(self) -> None:
        left = self.resting
        if left > 0:
            cause = self._rest.cause
            words = f"{cause.detail} Retry in {left:.0f} s."
            raise EmbeddingFailed(words, reason=cause.reason, retry_after=left, mend=cause.mend)

    def _take_rest(self, failure: EmbeddingFailed) -> None:
        first = _RESTS.get(failure.reason)
        if first is None:
            return
        failures = self._rest.failures + 1
        # the exponent is bounded, so that many failures do not give a huge number
        length = max(min(first * 2 ** min(failures - 1, 16), _LONGEST_REST), failure.retry_after or 0.0)
        self._rest = _Rest(self._monotonic() + length, failures, failure)


def _wait_after(failure: EmbeddingFailed, attempt: int, patience: RetryPolicy) -> float | None:
    """Seconds until a retry; None if a retry would not help or takes too long."""
    if failure.reason not in _RETRIED or attempt >= patience.attempts:
        return None
    asked_for = failure.retry_after
    wait = patience.backoff * 2 ** (attempt - 1) if asked_for is None else asked_for
    return wait if wait <= patience.longest_wait else None


def _batches(texts: Sequence[str], limits: Limits) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in map(_clean, texts):
        if batch and (len(batch) >= limits.batch or size + len(text) > limits.batch_characters):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _clean(text: str) -> str:
    """A text that every embedder accepts: without NUL and lone surrogates, not empty, limited in length."""
    text = text[:LONGEST_TEXT].replace("\0", " ")
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    return text if text.strip() else _BLANK
