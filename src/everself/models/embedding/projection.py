"""Projects the vectors of a local model so that a question is near its answer: a mean is subtracted, and a linear map applied.

Questions and documents have different projections, shipped in one file per model and made by `python -m tools.train_recall.maps`. The
hash of the file is part of the model's name, so that vectors of different projections are never compared. A model without a file is not
projected. Knows no index.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from everself.models.embedding._fallback import pin
from everself.models.embedding.protocol import Embedder, Purpose

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from everself.models.embedding.protocol import Vectors

    Array = NDArray[numpy.float32]

FOLDER: Final = os.path.join(os.path.dirname(__file__), "local", "projections")
# by the beginning of the model name
FILES: Final[Mapping[str, str]] = MappingProxyType(
    {"use-multilingual-3/": "use.npz", "multilingual-e5-small-q4/": "e5.npz"}
)
_LOCAL: Final = "local"
_TAG_LENGTH: Final = 8


class ProjectedEmbedder:
    """Projects the vectors of another embedder, if there is a projection for its model."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    def __repr__(self) -> str:
        return f"Projected({self._inner!r})"

    @property
    def provider(self) -> str:
        return self._inner.provider

    @property
    def model(self) -> str:
        inner = pin(self._inner)
        file = file_of(inner)
        return f"{inner.model}+{_tag(file)}" if file else inner.model

    @property
    def dimensions(self) -> int | None:
        return self._inner.dimensions

    @property
    def paid(self) -> bool:
        return self._inner.paid

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":
        inner = pin(self._inner)
        rows = inner.embed(texts, purpose=purpose)
        file = file_of(inner)
        return project(rows, _load(file)[purpose]) if file and len(rows) else rows


def file_of(embedder: Embedder) -> str:
    """The file with the projection of an embedder's model; empty if there is none."""
    if embedder.provider != _LOCAL:
        return ""
    name = next((file for start, file in FILES.items() if embedder.model.startswith(start)), "")
    path = os.path.join(FOLDER, name)
    return path if name and os.path.exists(path) else ""


def project(rows: "Vectors", by: "tuple[Array, Array | None]") -> "Vectors":
    """Projected rows of length 1. A row equal to the mean has no direction and is not changed."""
    import numpy

    mean, matrix = by
    moved = rows - mean
    if matrix is not None:
        moved = moved @ matrix
    lengths = numpy.linalg.norm(moved, axis=1, keepdims=True)
    return numpy.where(lengths > 1e-6, moved / numpy.maximum(lengths, 1e-6), rows).astype(numpy.float32)


@cache
def _tag(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_TAG_LENGTH]


@cache
def _load(path: str) -> "Mapping[Purpose, tuple[Array, Array | None]]":
    import numpy

    found: dict[Purpose, tuple[Array, Array | None]] = {}
    purposes: tuple[Purpose, ...] = ("query", "document")
    with numpy.load(path, allow_pickle=False) as held:
        for purpose in purposes:
            matrix: Array | None = None
            if f"{purpose}_map" in held:
                apart = held[f"{purpose}_map"].astype(numpy.float32) * held[f"{purpose}_scale"][:, None]
                matrix = apart + numpy.eye(len(apart), dtype=numpy.float32)
            found[purpose] = held[f"{purpose}_mean"].astype(numpy.float32), matrix
    return found
