"""Asks until an answer means yes or no, so that nothing is done or thrown away by a misunderstanding."""

from collections.abc import Awaitable, Callable
from typing import Final

from everself.text.yes_no import read_answer

# an answer, or nothing where no more will come
Asking = Callable[[str], Awaitable[str | None]]

_TIMES: Final = 3
_AGAIN: Final = "Please answer yes or no."


async def agreed(ask: Asking, question: str) -> bool:
    """Asked again while the answer is neither; no answer at all is a no."""
    for _ in range(_TIMES):
        said = await ask(question)
        if said is None:
            return False
        answer = read_answer(said)
        if answer is not None:
            return answer
        question = _AGAIN
    return False
