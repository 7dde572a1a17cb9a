"""The state of a conversation that its commands read and change, and how they ask the person."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from everself.conversation.conversation import Chat
from everself.conversation.events import Done
from everself.conversation.sessions.session import Session
from everself.interfaces.repl.screens import Screen
from everself.runtime import Runtime
from everself.text.yes_no import read_answer

# returns an answer, or None if no more will come
Asking = Callable[[str], Awaitable[str | None]]

_TIMES: Final = 3
_AGAIN: Final = "Please answer yes or no."


@dataclass(slots=True)
class DialogState:
    """`left`: the person wants to leave; `failed`: something did not work; `last` is the end of the last reply."""

    app: Runtime
    chat: Chat
    session: Session
    screen: Screen
    ask: Asking
    left: bool = False
    failed: bool = False
    last: Done | None = None
    # cost of this conversation's replies; None once a price is unknown
    spent: float | None = 0.0
    # tokens sent and received
    tokens: int = 0


async def agreed(ask: Asking, question: str) -> bool:
    """Ask again while the answer is neither yes nor no, so that nothing is done by misunderstanding. No answer counts as no."""
    for _ in range(_TIMES):
        said = await ask(question)
        if said is None:
            return False
        answer = read_answer(said)
        if answer is not None:
            return answer
        question = _AGAIN
    return False
