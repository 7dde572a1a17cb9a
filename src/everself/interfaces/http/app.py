"""Puts the routes of the HTTP interfaces behind the guard. Knows no interface: whoever starts it says which there are."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp

from everself.interfaces.http.guard import Guard, Wording, plain_wording
from everself.interfaces.http.service import Service

_IDLE_CHECK: Final = 30.0


@dataclass(frozen=True, slots=True)
class Surface:
    """What one interface serves: its routes, made for a service, and how problems below `prefix` are worded."""

    prefix: str
    routes: Callable[[Service], Sequence[BaseRoute]]
    wording: Wording = plain_wording
    # where a token may be shown in the header of Anthropic's clients
    keyed: tuple[str, ...] = ()


def build_app(service: Service, surfaces: Sequence[Surface]) -> ASGIApp:
    @asynccontextmanager
    async def lifespan(_: object) -> AsyncIterator[None]:
        sweeping = asyncio.ensure_future(_close_idle(service))
        try:
            yield
        finally:
            sweeping.cancel()
            with suppress(asyncio.CancelledError):
                await sweeping
            await service.pool.close(service.limits.close_seconds)

    def wording(path: str) -> Wording:
        return next((one.wording for one in surfaces if path.startswith(one.prefix)), plain_wording)

    routes = [route for surface in surfaces for route in surface.routes(service)]
    keyed = tuple(prefix for surface in surfaces for prefix in surface.keyed)
    return Guard(Router(routes, redirect_slashes=False, lifespan=lifespan), service, wording, keyed)


async def _close_idle(service: Service) -> None:
    while True:
        await asyncio.sleep(min(_IDLE_CHECK, service.limits.idle_seconds))
        await service.pool.close_idle(service.limits.idle_seconds)
