"""Which tools a model is offered: none where it cannot call any, those of memory where its window is small. Pure."""

from collections.abc import Sequence
from typing import Final

from everself.conversation.context.request import SMALL_WINDOW
from everself.conversation.tools.protocol import Tool
from everself.models.chat.protocol import Calling, ChatModel

# what a conversation needs in order to remember; eleven schemas would fill a fifth of a small window
MEMORY_TOOLS: Final = frozenset({"memory_search", "memory_get", "memory_write", "memory_correct", "memory_forget"})


def offered(tools: Sequence[Tool], model: ChatModel, calling: Calling) -> tuple[Tool, ...]:
    """Of the agent's own tools those that this model is offered."""
    if calling == "none":
        return ()
    if model.window < SMALL_WINDOW:
        return tuple(tool for tool in tools if tool.spec.name in MEMORY_TOOLS)
    return tuple(tools)
