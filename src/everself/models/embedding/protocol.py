"""The embedder protocol. Knows no implementation."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Vectors = NDArray[numpy.float32]

Purpose = Literal["document", "query"]


class Embedder(Protocol):
    """Turns texts into vectors. Synchronous and thread-safe."""

    @property
    def provider(self) -> str:
        """local, openai, gemini, voyage, ollama, remote, or the name under which a package adds it."""

    @property
    def model(self) -> str:
        """The identity of the vectors, with the version of the weights. Vectors with different identities are never compared."""

    @property
    def dimensions(self) -> int | None:
        """The length of a vector; may be None before the first answer."""

    @property
    def paid(self) -> bool: ...

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":
        """One row of length 1 per text. Raises EmbeddingFailed."""
