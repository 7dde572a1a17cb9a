"""Which sessions may use external tools. Pure."""

from typing import Final

from everself.conversation.tools.protocol import Outcome, ToolContext
from everself.search.sharing import is_owner

REFUSED: Final = Outcome(
    "Permission denied: this tool is only available in the owner's own conversations.", failed=True
)


def is_for_owner(setting: ToolContext) -> bool:
    """Programs and servers act with the owner's rights, so nobody else's words may reach them."""
    return is_owner(setting.scope)
