"""A chat model that an installed package adds, behind a fence: whatever it raises is ModelFailed and names the package."""

from collections.abc import AsyncGenerator
from typing import Any

from everself.clock import monotonic
from everself.config.plugins import MODELS, Plugin
from everself.config.sections import Provider
from everself.errors import ModelFailed
from everself.logs import get_logger
from everself.models.call_switch import check_allowed
from everself.models.chat.protocol import ChatModel, ChatRequest, ReplyEnd, ReplyPart
from everself.models.plugins import PluginFailed, fenced, find_plugin, make_from

_log = get_logger(__name__)


class PluginModel:
    """`provider/model` of a package. Tries nothing again: only the package knows what it may send twice."""

    note = ""

    def __init__(self, plugin: Plugin, made: ChatModel) -> None:
        self._plugin = plugin
        self._made = made
        self.name = made.name
        self.window = made.window
        self.most_output = made.most_output
        self.paid = made.paid

    def __repr__(self) -> str:
        return f"PluginModel({self.name})"

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ReplyPart, None]:
        """Closing it closes the stream of the package too, where that can be closed."""
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
    """The model of a package that adds this provider; None where none does. Raises ModelFailed where it cannot be used."""
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
    """What of the protocol it does not keep."""
    if made.name != name:
        return f'the model is not called "{name}"'
    if not callable(made.stream):
        return "the model has no method stream"
    if not all(isinstance(size, int) and size > 0 for size in (made.window, made.most_output)):
        return "the model does not say how many tokens it takes and gives"
    return "" if isinstance(made.paid, bool) else "the model does not say whether it is paid"
