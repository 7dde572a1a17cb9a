"""Opens the chat model that the settings name."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.models.chat.protocol import ChatModel

REFLEX = "reflex"


def open_chat_model(app: "App", name: str = "") -> "ChatModel":
    """The named model, else the agent's. Raises ModelFailed where there is none of that name; nothing is asked yet."""
    chosen = name or app.agent.model
    if chosen == REFLEX:
        from everself.conversation.reflex.model import Reflex

        return Reflex()
    from everself.models.chat.opening import open_model

    return open_model(chosen, app.loaded.config.providers)
