"""Connections to vendors, reused between requests on event loops that ask for it; elsewhere each request has its own.

A connection belongs to its event loop, so it is kept only inside `kept_connections`, which closes it on that loop. Accounts share no
connections. Knows neither requests nor answers.
"""

from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    import httpx2

# seconds; servers close idle connections after 5 to 60 seconds, which is noticed before a connection is reused
IDLE_SECONDS: Final = 30.0
MOST_IDLE: Final = 16

_KEPT: "dict[AbstractEventLoop, dict[Hashable, httpx2.AsyncClient]]" = {}


@asynccontextmanager
async def kept_connections() -> AsyncIterator[None]:
    """Keep the connections of the running event loop while the context is open. A nested context has no effect."""
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
    """The kept client of the account, or one that is closed afterwards."""
    import asyncio

    kept = _KEPT.get(asyncio.get_running_loop())
    if kept is None:
        async with make() as client:
            yield client
        return
    if account not in kept:
        kept[account] = make()
    yield kept[account]
