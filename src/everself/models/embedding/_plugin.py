"""An embedder that an installed package adds; where it cannot be used, every call says why and names the package."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everself.config.plugins import EMBEDDERS, Plugin
from everself.config.sections import Provider
from everself.errors import EmbeddingFailed
from everself.models.embedding._fallback import Unavailable
from everself.models.embedding.protocol import Embedder, Purpose
from everself.models.plugins import PluginFailed, fenced, find_plugin, make_from

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Vectors


class PluginEmbedder:
    """Its answers are not checked here."""

    def __init__(self, plugin: Plugin, made: Embedder) -> None:
        self._plugin = plugin
        self._made = made
        self.provider = made.provider
        self.model = made.model
        self.paid = made.paid

    @property
    def dimensions(self) -> int | None:
        try:
            with fenced(self._plugin):
                return self._made.dimensions
        except PluginFailed:
            # unknown, as before the first answer; whatever is wrong is told by that
            return None

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":
        try:
            with fenced(self._plugin):
                return self._made.embed(texts, purpose=purpose)
        except PluginFailed as failed:
            raise _told(failed) from None


def open_plugin(name: str, model: str, provider: Provider, cache: str) -> Embedder:
    """What the factory of the package makes of model, provider and cache."""
    try:
        plugin = find_plugin(EMBEDDERS, name)
        if plugin is None:
            raise PluginFailed(f'No installed package adds the embedder "{name}".', "everself config show memorySearch")
        made = make_from(plugin, _find_fault, model, provider, cache)
    except PluginFailed as failed:
        return Unavailable(name, model, _told(failed))
    return PluginEmbedder(plugin, made)


def _told(failed: PluginFailed) -> EmbeddingFailed:
    return EmbeddingFailed(failed.words, reason="missing", mend=failed.mend)


def _find_fault(made: Any, name: str) -> str:
    """What of the protocol it does not keep. Vectors are kept by provider and model, so these have to be its own."""
    if made.provider != name:
        return f'its provider is not "{name}"'
    if not isinstance(made.model, str) or not made.model:
        return "it names no model"
    if not callable(made.embed) or not isinstance(made.dimensions, int | None):
        return "embed is no method, or dimensions are no number"
    return "" if isinstance(made.paid, bool) else "it does not say whether it is paid"
