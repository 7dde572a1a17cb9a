"""The embedder protocol. Knows no implementation."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Vectors = NDArray[numpy.float32]

Purpose = Literal["document", "query"]


class Embedder(Protocol):
    """Texts to vectors. Synchronous, and safe to ask from several threads."""

    @property
    def provider(self) -> str:
        """local, openai, gemini, voyage, ollama, remote, or the name under which a package adds it."""

    @property
    def model(self) -> str:
        """The identity of the vectors, the version of the weights included: two that differ here are never compared."""

    @property
    def dimensions(self) -> int | None:
        """None until the first answer has told."""

    @property
    def paid(self) -> bool: ...

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":
        """One row of length 1 per text; raises EmbeddingFailed."""
