"""Opens a chat model by the name in the settings. Packages, connections and secrets are first used by the first request.

The reflex is opened in `conversation.chat_models`, not here.
"""

from collections.abc import Sequence
from urllib.parse import urlsplit

from everself.config.sections import Provider
from everself.errors import ModelFailed
from everself.models.chat._plugin import PluginModel, find_plugin_model
from everself.models.chat._remote import RemoteChatModel, StreamTimeouts
from everself.models.chat.model_table import find_model_facts
from everself.models.chat.vendors import VENDORS, ModelAccount, build, compatible, settle_url


def open_model(
    name: str,
    providers: Sequence[Provider],
    patience: StreamTimeouts = StreamTimeouts(),  # noqa: B008 (frozen, so it may be shared)
) -> RemoteChatModel | PluginModel:
    """The model of that name, such as `anthropic/claude-sonnet-5`; `providers` are `Config.providers`.

    A provider that is no vendor's name is one that an installed package adds, else any server that speaks as OpenAI's chat does, at
    the address in the settings.
    """
    added = find_added(name, providers)
    if added is not None:
        return added
    account = find_account(name, providers)
    named = (account.provider, account.settings)
    own = next((one.context_window for one in providers if one.name in named and one.context_window), 0)
    return RemoteChatModel(account, find_model_facts(account.provider, account.model, own), patience)


def find_added(name: str, providers: Sequence[Provider]) -> PluginModel | None:
    """The model where an installed package adds its provider. Packages are looked for only where Everself does not know the provider."""
    provider, _, model = name.partition("/")
    if provider in VENDORS or not provider or not model:
        return None
    settings = next((one for one in providers if one.name == provider), Provider(provider))
    return find_plugin_model(provider, model, settings)


def find_account(name: str, providers: Sequence[Provider]) -> ModelAccount:
    """The account for a model name. Raises ModelFailed where there is none."""
    provider, _, model = name.partition("/")
    if not provider or not model:
        words = f'"{name}" is not a model name; use provider/name.'
        raise ModelFailed(words, reason="missing", mend="everself model list")
    vendor = VENDORS.get(provider) or compatible(provider)
    settings = [one for wanted in vendor.sections for one in providers if one.name == wanted]
    url = next((one.base_url for one in settings if one.base_url), vendor.url)
    mend = f"everself config set provider.{vendor.sections[-1]}.baseUrl URL"
    if not url:
        words = f"{provider} is not a known provider, and no baseUrl is set for it."
        raise ModelFailed(words, reason="missing", mend=mend)
    if not _is_address(url):
        # without repeating it: it may hold a password
        words = f"The address of {provider} does not begin with http:// or https:// and a host."
        raise ModelFailed(words, reason="missing", mend=mend)
    key = next((one.api_key for one in settings if one.api_key), None)
    model = model.removeprefix("models/")
    return ModelAccount(provider, model, vendor.wire, settle_url(url, vendor.tail), key, vendor.sections[-1])


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def check_ready(account: ModelAccount) -> None:
    """Raises ModelFailed with what is missing and how to get it."""
    import httpx2

    # a client that was never used holds no connection, so there is nothing to close
    build(account, httpx2.AsyncClient())
