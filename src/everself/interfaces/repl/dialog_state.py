"""Where a conversation stands: what its commands read and change."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from everself.interfaces.repl.agreement import Asking
from everself.interfaces.repl.screens import Screen

if TYPE_CHECKING:
    from everself.conversation.conversation import Chat
    from everself.conversation.events import Done
    from everself.conversation.sessions.session import Session
    from everself.runtime import Runtime


@dataclass(slots=True)
class DialogState:
    """`left` once the person wants to go; `failed` once something did not work; `last` is how the last reply ended."""

    app: "Runtime"
    chat: "Chat"
    session: "Session"
    screen: Screen
    ask: Asking
    left: bool = False
    failed: bool = False
    last: "Done | None" = None
    # what the replies of this conversation cost; None once a price is unknown
    spent: float | None = 0.0
    # sent and received
    tokens: int = 0
