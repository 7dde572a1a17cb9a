"""Opens an embedder from the settings. Weights, connections and secrets are first used by the first `embed`.

An unavailable embedder is replaced by one that reports why, so that search continues with keywords.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from everself.config import Secret
from everself.config.plugins import EMBEDDERS, Plugin
from everself.config.sections import Embedding, Provider, Search
from everself.errors import EmbeddingFailed
from everself.models.embedding import local
from everself.models.embedding._checked import CheckedEmbedder, Limits
from everself.models.embedding._fallback import Unavailable, WithFallback
from everself.models.embedding._remote import EmbeddingAccount, RemoteEmbedder, Timeouts, find_fault, is_at_home
from everself.models.embedding._wire_formats import WIRE_FORMATS
from everself.models.embedding.local import has_quality, open_local
from everself.models.embedding.protocol import Embedder, Purpose
from everself.models.plugins import PluginFailed, fenced, find_plugin, make_from

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Vectors


class PluginEmbedder:
    """An embedder of another package. Its answers are not checked here."""

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
            # unknown, as before the first answer, which will report the failure
            return None

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":
        try:
            with fenced(self._plugin):
                return self._made.embed(texts, purpose=purpose)
        except PluginFailed as failed:
            raise _told(failed) from None


def open_plugin(name: str, model: str, provider: Provider, cache: str) -> Embedder:
    """The embedder that the package's factory returns for model, provider and cache."""
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
    """The part of the protocol that the object does not implement. Vectors are stored by provider and model, so these names must be its
    own."""
    if made.provider != name:
        return f'its provider is not "{name}"'
    if not isinstance(made.model, str) or not made.model:
        return "it names no model"
    if not callable(made.embed) or not isinstance(made.dimensions, int | None):
        return "embed is not a method, or dimensions is not a number"
    return "" if isinstance(made.paid, bool) else "it does not say whether it is paid"


# dollars for a million tokens, as of 2025-11-01
PRICES: Mapping[tuple[str, str], float] = MappingProxyType(
    {
        ("openai", "text-embedding-3-small"): 0.02,
        ("openai", "text-embedding-3-large"): 0.13,
        ("openai", "text-embedding-ada-002"): 0.10,
        ("gemini", "text-embedding-004"): 0.0,
        ("gemini", "gemini-embedding-001"): 0.15,
        ("voyage", "voyage-3.5"): 0.06,
        ("voyage", "voyage-3.5-lite"): 0.02,
        ("voyage", "voyage-3-large"): 0.18,
        ("voyage", "voyage-code-3"): 0.18,
    }
)


def estimate_cost(embedder: Embedder, tokens: int) -> float | None:
    """The price of so many tokens in dollars; None if it is unknown."""
    if not embedder.paid:
        return 0.0
    price = PRICES.get((embedder.provider, embedder.model))
    return None if price is None else price * tokens / 1_000_000


# providers whose key is looked up, in this order
_WITH_KEYS = ("openai", "gemini", "voyage")


def open_embedder(
    search: Search,
    find_provider: Callable[[str], Provider],
    cache: str,
    *,
    timeouts: Timeouts = Timeouts(),  # noqa: B008 (frozen, so it may be shared)
) -> CheckedEmbedder | WithFallback | None:
    """The embedder that the settings select; None for `none`.

    `find_provider` is `Config.provider`; `cache` is the folder for prepared weights ("" for none).
    """
    chosen = choose_provider(search, find_provider)
    if chosen == "none":
        return None
    first = _open(chosen, search.model, search, find_provider, cache, timeouts)
    second = search.fallback
    if second in (Embedding.NONE, chosen):
        return first
    # the setting `model` applies to the first embedder
    return WithFallback(first, _open(second, "", search, find_provider, cache, timeouts))


def wants_second(search: Search, find_provider: Callable[[str], Provider]) -> bool:
    """Whether the better local model may run beside the fast one: if the user chose no model."""
    return choose_provider(search, find_provider) == "local" and not search.model and not search.model_path


def misses_second(search: Search, find_provider: Callable[[str], Provider]) -> bool:
    """Whether the better local model would run and is not installed."""
    return search.enabled and wants_second(search, find_provider) and not local.has_quality()


def open_second(search: Search, find_provider: Callable[[str], Provider], cache: str) -> CheckedEmbedder | None:
    """The better local model beside the fast one; None if it is not wanted or not installed."""
    if not wants_second(search, find_provider) or not has_quality():
        return None
    return CheckedEmbedder(open_local("e5", "", cache))


def choose_provider(search: Search, find_provider: Callable[[str], Provider]) -> str:
    """The provider to use: `remote` for the user's own server; for `auto`, the first one with a key, else local."""
    if search.remote_url and search.provider in (Embedding.AUTO, Embedding.OPENAI):
        return "remote"
    if search.provider != Embedding.AUTO:
        return str(search.provider)
    if search.remote_key:
        return "openai"
    return next((name for name in _WITH_KEYS if find_provider(name).api_key), "local")


def _open(
    name: str, model: str, search: Search, find_provider: Callable[[str], Provider], cache: str, timeouts: Timeouts
) -> CheckedEmbedder:
    if name == "local":
        return CheckedEmbedder(open_local(model, search.model_path, cache))
    if name not in WIRE_FORMATS:
        return CheckedEmbedder(open_plugin(name, model, find_provider(name), cache))
    wire = WIRE_FORMATS[name]
    known = find_provider("openai" if name == "remote" else name)
    own = _is_for(name, search)
    url = (search.remote_url if own else "") or known.base_url or wire.url
    fault = find_fault(url)
    if fault:
        failure = EmbeddingFailed(fault, reason="missing", mend="everself config set memorySearch.remote.baseUrl URL")
        unavailable: Embedder = Unavailable(name, model or wire.model, failure)
        return CheckedEmbedder(unavailable)
    account = EmbeddingAccount(
        provider=name,
        model=model or wire.model,
        url=url,
        key=_key(search, known, own=own),
        headers=search.remote_headers if own else (),
        timeouts=timeouts,
    )
    return CheckedEmbedder(RemoteEmbedder(wire, account), Limits(batch=wire.batch))


def _is_for(name: str, search: Search) -> bool:
    """Whether `memorySearch.remote` applies to this provider: to the chosen one, not to its fallback."""
    if search.provider == Embedding.AUTO:
        return name == ("remote" if search.remote_url else "openai")
    return name in (search.provider, "remote")


def _key(search: Search, known: Provider, *, own: bool) -> Secret | None:
    if own and search.remote_key:
        return search.remote_key
    if own and search.remote_url:
        # a provider's key is sent to that provider only, not to the server in `remote.baseUrl`
        usual = WIRE_FORMATS[known.name].url
        return known.api_key if is_at_home(search.remote_url, usual) else None
    return known.api_key
