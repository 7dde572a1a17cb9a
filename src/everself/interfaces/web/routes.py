"""What the gateway serves to browsers: the way in, the pages, and the files that they load."""

from collections.abc import Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from everself.interfaces.http.app import Surface
from everself.interfaces.http.guard import Door
from everself.interfaces.http.service import Service
from everself.interfaces.web import assets, sign_in
from everself.interfaces.web.dispatch import Tabs, answer_problem, endpoint
from everself.interfaces.web.pages import changes, chat, context, entry, health, memory, review, settings, soul
from everself.interfaces.web.pages.stream import talk_routes
from everself.interfaces.web.responses import moved
from everself.interfaces.web.visit import PREFIX, Page, url_of

# in the order of the navigation; whoever is not the owner sees those of guests
TABS: Final[Tabs] = (
    ("chat", "owner"),
    ("memory", "owner"),
    ("soul", "owner"),
    ("review", "owner"),
    ("context", "owner"),
    ("health", "owner"),
    ("people", "owner"),
    ("settings", "owner"),
)
PAGES: Final[tuple[Page, ...]] = (
    *chat.PAGES,
    *memory.PAGES,
    *entry.PAGES,
    *soul.PAGES,
    *review.PAGES,
    *context.PAGES,
    *health.PAGES,
    *settings.PAGES,
    *changes.PAGES,
)


def _sign_in_routes(service: Service) -> Sequence[BaseRoute]:
    show: Any = sign_in.welcome(service, PREFIX)
    return (Route(f"{sign_in.PREFIX}{{secret}}", show, methods=["GET"]),)


def _page_routes(service: Service) -> Sequence[BaseRoute]:
    async def begin(request: Request) -> Response:
        """Where nothing else is named: the first page of the agent that the link was made for."""
        agent = request.path_params.get("agent", request.state.access.agent)
        return moved(url_of(agent, TABS[0][0]))

    return (
        Route("/", begin, methods=["GET"]),
        Route(PREFIX.removesuffix("/"), begin, methods=["GET"]),
        Route(PREFIX, begin, methods=["GET"]),
        Route(f"{PREFIX}{{agent}}", begin, methods=["GET"]),
        Route(f"{PREFIX}{{agent}}/", begin, methods=["GET"]),
        *talk_routes(service),
        *(
            Route(f"{PREFIX}{{agent}}/{page.path}", endpoint(service, page, TABS), methods=[page.method])
            for page in PAGES
        ),
    )


def _asset_routes(_: Service) -> Sequence[BaseRoute]:
    return (Route(f"{assets.PREFIX}{{name}}", assets.serve_asset, methods=["GET"]),)


_PROBLEMS: Final = answer_problem(TABS)
SURFACES: Final = (
    Surface(sign_in.PREFIX, _sign_in_routes, door=Door(admit=sign_in.admit), answering=_PROBLEMS),
    Surface(
        PREFIX,
        _page_routes,
        door=Door(cookies=True, tokens=False, forms=True),
        paths=("/", PREFIX.removesuffix("/")),
        answering=_PROBLEMS,
    ),
    Surface(assets.PREFIX, _asset_routes, door=Door(public=True)),
)
