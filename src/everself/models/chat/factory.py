"""Opens a chat model by its name in the settings. Packages, connections and secrets are first used by the first request.

The reflex is opened in `conversation.chat_models`.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from everself.clock import monotonic
from everself.config.plugins import MODELS, Plugin
from everself.config.sections import Provider
from everself.errors import ModelFailed
from everself.logs import get_logger
from everself.models.addresses import is_address
from everself.models.call_switch import check_allowed
from everself.models.chat._remote import RemoteChatModel, StreamTimeouts
from everself.models.chat.model_table import find_model_facts
from everself.models.chat.protocol import ChatModel, ChatRequest, ReplyEnd, ReplyPart, takes_images
from everself.models.chat.vendors import VENDORS, ModelAccount, build, compatible, load, settle_url
from everself.models.plugins import PluginFailed, fenced, find_plugin, make_from

_log = get_logger(__name__)


class PluginModel:
    """A model `provider/model` of another package. It is never retried: only the package knows what may be sent twice."""

    note = ""

    def __init__(self, plugin: Plugin, made: ChatModel) -> None:
        self._plugin = plugin
        self._made = made
        self.name = made.name
        self.window = made.window
        self.most_output = made.most_output
        self.paid = made.paid
        self.takes_images = takes_images(made)

    def __repr__(self) -> str:
        return f"PluginModel({self.name})"

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ReplyPart, None]:
        """Closing it also closes the package's stream, if possible."""
        check_allowed()
        begun = monotonic()
        pieces = None
        try:
            with fenced(self._plugin):
                pieces = self._made.stream(request)
                async for piece in pieces:
                    if isinstance(piece, ReplyEnd):
                        self._log_answer(piece, monotonic() - begun)
                    yield piece
        except PluginFailed as failed:
            _log.warning("%s of %s failed.", self.name, self._plugin.package)
            raise _told(failed) from None
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()

    def _log_answer(self, end: ReplyEnd, seconds: float) -> None:
        _log.info(
            "%s answered in %.0f ms (%s): %d tokens in, %d out.",
            *(self.name, seconds * 1000, end.why, end.usage.sent, end.usage.received),
        )


def find_plugin_model(provider: str, model: str, settings: Provider) -> PluginModel | None:
    """The model of a package that adds this provider; None if there is no such package. Raises ModelFailed if it cannot be used."""
    try:
        plugin = find_plugin(MODELS, provider)
        if plugin is None:
            return None
        made = make_from(plugin, lambda made, name: _find_fault(made, f"{name}/{model}"), model, settings)
    except PluginFailed as failed:
        raise _told(failed) from None
    return PluginModel(plugin, made)


def _told(failed: PluginFailed) -> ModelFailed:
    return ModelFailed(failed.words, reason="missing", mend=failed.mend)


def _find_fault(made: Any, name: str) -> str:
    """The part of the protocol that the object does not implement; empty if none."""
    if made.name != name:
        return f'the model is not called "{name}"'
    if not callable(made.stream):
        return "the model has no method stream"
    if not all(isinstance(size, int) and size > 0 for size in (made.window, made.most_output)):
        return "the model does not say how many tokens it takes and gives"
    return "" if isinstance(made.paid, bool) else "the model does not say whether it is paid"


def open_model(
    name: str,
    providers: Sequence[Provider],
    patience: StreamTimeouts = StreamTimeouts(),  # noqa: B008 (frozen, so it may be shared)
) -> RemoteChatModel | PluginModel:
    """The model with that name, such as `anthropic/claude-sonnet-5`; `providers` are `Config.providers`.

    An unknown provider is one that an installed package adds, or else an OpenAI-compatible server with an address in the settings.
    """
    added = find_added(name, providers)
    if added is not None:
        return added
    account = find_account(name, providers)
    named = (account.provider, account.settings)
    own = next((one.context_window for one in providers if one.name in named and one.context_window), 0)
    return RemoteChatModel(account, find_model_facts(account.provider, account.model, own), patience)


def find_added(name: str, providers: Sequence[Provider]) -> PluginModel | None:
    """The model of an installed package that adds its provider. Packages are searched only for providers that Everself does not know."""
    provider, _, model = name.partition("/")
    if provider in VENDORS or not provider or not model:
        return None
    settings = next((one for one in providers if one.name == provider), Provider(provider))
    return find_plugin_model(provider, model, settings)


def find_account(name: str, providers: Sequence[Provider]) -> ModelAccount:
    """The account for a model name. Raises ModelFailed if there is none."""
    provider, _, model = name.partition("/")
    if not provider or not model:
        words = f'"{name}" is not a model name; use provider/name.'
        raise ModelFailed(words, reason="missing", mend="everself model list")
    vendor = VENDORS.get(provider) or compatible(provider)
    settings = [one for wanted in vendor.sections for one in providers if one.name == wanted]
    url = next((one.base_url for one in settings if one.base_url), vendor.url)
    mend = f"everself config set provider.{vendor.sections[-1]}.baseUrl URL"
    if provider not in VENDORS:
        mend = f"everself model use {provider}/{model} --url http://HOST:PORT/v1"
    if not url:
        words = f"{provider} is not a known provider, and no address is set for it."
        raise ModelFailed(words, reason="missing", mend=mend)
    if not is_address(url):
        # without the address: it may contain a password
        words = f"The address of {provider} does not begin with http:// or https:// and a host."
        raise ModelFailed(words, reason="missing", mend=mend)
    key = next((one.api_key for one in settings if one.api_key), None)
    model = model.removeprefix("models/")
    return ModelAccount(provider, model, vendor.wire, settle_url(url, vendor.tail), key, vendor.sections[-1])


def check_ready(account: ModelAccount) -> None:
    """Raise ModelFailed with what is missing and how to get it."""
    load(account)
    import httpx2

    # an unused client has no connection, so it need not be closed
    build(account, httpx2.AsyncClient())
