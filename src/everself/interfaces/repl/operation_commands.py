"""Slash commands made from operations: what follows the name is the operation's argument, what comes back is shown by its view."""

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from everself.errors import WrongUse
from everself.interfaces.rendering.lines import render
from everself.interfaces.rendering.view import Look, view_of
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Operation
from everself.operations.registry import get_operation

if TYPE_CHECKING:
    from everself.runtime import Runtime


async def run_slash(name: str, app: "Runtime", session: str, words: str) -> list[str]:
    """The lines that an operation's slash command says, asked in this session by the owner who types."""
    operation = get_operation(name)
    request = _request(operation, words)
    caller = Caller(Audience.OWNER_AT_TERMINAL, session=session, present=True)
    return await asyncio.to_thread(lambda: list(_said(operation, app, caller, request)))


def _said(operation: Operation[Any, Any], app: "Runtime", caller: Caller, request: object) -> Iterable[str]:
    result, view = operation(app, caller, request), view_of(operation)
    yield from (render(line) for line in view.lines(result, Look(app.clock.zone)))
    yield from (f"Note: {notice}" for notice in view.notices(result))


def _request(operation: Operation[Any, Any], words: str) -> object:
    field = operation.argument
    if field is None or (not words and field.optional):
        return operation.request()
    if not words:
        raise WrongUse(f"{operation.slash} needs to know what.", mend=f"{operation.slash} {operation.takes}")
    return operation.request(**{field.name: words})
