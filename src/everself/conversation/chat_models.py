"""Opens a chat model by name: the built-in reflex, which answers from memory, or a provider's model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everself.config.sections import Provider
    from everself.models.chat.protocol import ChatModel

REFLEX = "reflex"


def open_chat_model(name: str, providers: "Sequence[Provider]") -> "ChatModel":
    """Open the model without sending a request. Raises ModelFailed if there is no model of that name."""
    if name == REFLEX:
        from everself.conversation.reflex.model import Reflex

        return Reflex()
    from everself.models.chat.factory import open_model

    return open_model(name, providers)
