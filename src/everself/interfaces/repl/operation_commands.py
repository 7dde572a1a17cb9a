"""Slash commands made from operations: what follows the name is the operation's argument, what comes back is shown by its view."""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from everself.errors import Interrupted, WrongUse
from everself.interfaces.rendering.lines import plain
from everself.interfaces.rendering.view import Look, view_of
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Operation
from everself.operations.registry import get_operation

if TYPE_CHECKING:
    from everself.runtime import Runtime

# shows a plan line by line and asks the question; whether the person agreed
Agreeing = Callable[[Sequence[str], str], Coroutine[Any, Any, bool]]


async def run_slash(
    name: str, app: "Runtime", session: str, words: str, agreeing: Agreeing, *, verbose: bool = False
) -> list[str]:
    """The lines that an operation's slash command says, asked in this session by the owner who types."""
    operation = get_operation(name)
    look = Look(app.clock.zone, frozenset({"chat", "verbose"} if verbose else {"chat"}))
    request, view = _request(operation, words), view_of(operation)
    loop = asyncio.get_running_loop()
    seen: list[object] = []

    def agree(plan: object) -> None:
        """Asked from the worker thread; the conversation's own loop reads the answer."""
        shown = [plain(line) for line in view.lines(plan, replace(look, asking=True))]
        if not asyncio.run_coroutine_threadsafe(agreeing(shown, operation.question.format(plan=plan)), loop).result():
            raise Interrupted("Nothing was changed.")
        seen.append(plan)

    # whoever is not at a terminal may be a program that the agent started
    present = sys.stdin.isatty()
    caller = Caller(Audience.OWNER_AT_TERMINAL, session=session, present=present, agree=agree)

    def run() -> list[str]:
        result = operation(app, caller, request)
        lines = [plain(line) for line in view.lines(result, replace(look, agreed=bool(seen)))]
        return [*lines, *(f"Note: {notice}" for notice in view.notices(result))]

    return await asyncio.to_thread(run)


def _request(operation: Operation[Any, Any], words: str) -> object:
    field = operation.argument
    if field is None or (not words and field.optional):
        return operation.request()
    if not words:
        raise WrongUse(f"{operation.slash} needs to know what.", mend=f"{operation.slash} {operation.takes}")
    return operation.request(**{field.name: words})
