"""Connections to vendors, kept from one request to the next on an event loop that asked for it; elsewhere each request has its own.

A connection belongs to the event loop that opened it. So it is kept only inside `kept_connections`, which closes it on that loop. Accounts
share none. Knows neither requests nor answers.
"""

from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    import httpx2

# seconds; servers close an idle connection after five to sixty, which is noticed before it is used again
IDLE_SECONDS: Final = 30.0
MOST_IDLE: Final = 16

_KEPT: "dict[AbstractEventLoop, dict[Hashable, httpx2.AsyncClient]]" = {}


@asynccontextmanager
async def kept_connections() -> AsyncIterator[None]:
    """Keep connections of the running event loop until it is left. Within another one, that one keeps them."""
    import asyncio

    loop = asyncio.get_running_loop()
    if loop in _KEPT:
        yield
        return
    clients = _KEPT[loop] = {}
    try:
        yield
    finally:
        del _KEPT[loop]
        for client in clients.values():
            await client.aclose()


@asynccontextmanager
async def client_for(
    account: Hashable, make: "Callable[[], httpx2.AsyncClient]"
) -> "AsyncIterator[httpx2.AsyncClient]":
    """The client of that account which is kept here, else one that is closed afterwards."""
    import asyncio

    kept = _KEPT.get(asyncio.get_running_loop())
    if kept is None:
        async with make() as client:
            yield client
        return
    if account not in kept:
        kept[account] = make()
    yield kept[account]
