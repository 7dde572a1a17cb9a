"""An embedder with a fallback while the first one pauses, and an embedder that only reports why it is unavailable.

Their vectors differ, so one call is never answered by both: to store vectors under a model's name, call `pin` and use its result.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from everself.errors import EmbeddingFailed
from everself.models.embedding._checked import CheckedEmbedder
from everself.models.embedding.protocol import Embedder, Purpose

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Vectors


class WithFallback:
    """`memorySearch.fallback`: delegates to the first embedder, or to the second one while the first pauses."""

    def __init__(self, first: CheckedEmbedder, second: CheckedEmbedder) -> None:
        self._first = first
        self._second = second

    def __repr__(self) -> str:
        return f"WithFallback({self._first!r}, {self._second!r})"

    @property
    def active(self) -> CheckedEmbedder:
        """The embedder that answers now."""
        return self._second if self._first.resting > 0 else self._first

    @property
    def provider(self) -> str:
        return self.active.provider

    @property
    def model(self) -> str:
        return self.active.model

    @property
    def dimensions(self) -> int | None:
        return self.active.dimensions

    @property
    def paid(self) -> bool:
        return self.active.paid

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":
        """A call during which the first embedder fails raises; the next call uses the second one, under its own name."""
        return self.active.embed(texts, purpose=purpose)


def pin(embedder: Embedder) -> Embedder:
    """The embedder that answers now, whose name does not change while it is held."""
    return embedder.active if isinstance(embedder, WithFallback) else embedder


class Unavailable:
    """An unavailable embedder: every call raises the reason."""

    dimensions = None
    paid = False

    def __init__(self, provider: str, model: str, failure: EmbeddingFailed) -> None:
        self.provider = provider
        self.model = model
        self._failure = failure

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":  # noqa: ARG002 (the protocol's)
        known = self._failure
        raise EmbeddingFailed(known.detail, reason=known.reason, mend=known.mend)
