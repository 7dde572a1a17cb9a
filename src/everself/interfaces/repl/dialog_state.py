"""Where a conversation stands: what its commands read and change, and how they ask the person."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from everself.conversation.conversation import Chat
from everself.conversation.events import Done
from everself.conversation.sessions.session import Session
from everself.interfaces.repl.screens import Screen
from everself.runtime import Runtime
from everself.text.yes_no import read_answer

# an answer, or nothing where no more will come
Asking = Callable[[str], Awaitable[str | None]]

_TIMES: Final = 3
_AGAIN: Final = "Please answer yes or no."


@dataclass(slots=True)
class DialogState:
    """`left` once the person wants to go; `failed` once something did not work; `last` is how the last reply ended."""

    app: Runtime
    chat: Chat
    session: Session
    screen: Screen
    ask: Asking
    left: bool = False
    failed: bool = False
    last: Done | None = None
    # what the replies of this conversation cost; None once a price is unknown
    spent: float | None = 0.0
    # sent and received
    tokens: int = 0


async def agreed(ask: Asking, question: str) -> bool:
    """Asked again while the answer is neither yes nor no, so that nothing is done by a misunderstanding; no answer at all is a no."""
    for _ in range(_TIMES):
        said = await ask(question)
        if said is None:
            return False
        answer = read_answer(said)
        if answer is not None:
            return answer
        question = _AGAIN
    return False
