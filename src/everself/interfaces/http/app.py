"""Puts the routes of the HTTP interfaces behind the guard. Knows no interface; the caller passes them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp

from everself.frozen import Frozen
from everself.interfaces.http.guard import TOKENS_ONLY, Answering, Door, Guard, Wording, plain_wording
from everself.interfaces.http.service import Service

_IDLE_CHECK: Final = 30.0


class Surface(Frozen):
    """An interface: its routes, the format of problems below `prefix`, and its access rules.

    `paths` are additional single paths. `answering` formats problems instead of JSON.
    """

    prefix: str
    routes: Callable[[Service], Sequence[BaseRoute]]
    wording: Wording = plain_wording
    # paths that accept a token in the header of Anthropic's clients
    keyed: tuple[str, ...] = ()
    door: Door = TOKENS_ONLY
    paths: tuple[str, ...] = ()
    answering: Answering | None = None

    def covers(self, path: str) -> bool:
        return path.startswith(self.prefix) or path in self.paths


def build_app(service: Service, surfaces: Sequence[Surface]) -> ASGIApp:
    @asynccontextmanager
    async def lifespan(_: object) -> AsyncIterator[None]:
        background = [asyncio.ensure_future(_close_idle(service)), asyncio.ensure_future(service.jobs.run())]
        try:
            yield
        finally:
            ending = (*background, *service.background)
            for task in ending:
                task.cancel()
            await asyncio.gather(*ending, return_exceptions=True)
            await asyncio.gather(
                service.jobs.close(service.limits.job_seconds),
                service.turns.close(service.grace(), service.limits.job_seconds),
            )
            await service.pool.close(service.limits.close_seconds)

    def covering(path: str) -> Surface | None:
        return next((one for one in surfaces if one.covers(path)), None)

    def wording(path: str) -> Wording:
        found = covering(path)
        return found.wording if found else plain_wording

    def answering(path: str) -> Answering | None:
        found = covering(path)
        return found.answering if found else None

    keyed = tuple(prefix for surface in surfaces for prefix in surface.keyed)

    def door(path: str) -> Door:
        found = covering(path)
        return replace(found.door if found else TOKENS_ONLY, keyed=path.startswith(keyed))

    routes = [route for surface in surfaces for route in surface.routes(service)]
    return Guard(Router(routes, redirect_slashes=False, lifespan=lifespan), service, wording, door, answering)


async def _close_idle(service: Service) -> None:
    while True:
        await asyncio.sleep(min(_IDLE_CHECK, service.limits.idle_seconds))
        await service.pool.close_idle(service.limits.idle_seconds)
        service.turns.sweep()
