"""Every route that the gateway serves, as requests that can be sent: what the rows about it run over."""

from dataclasses import dataclass
from typing import Any

from starlette.routing import Route, WebSocketRoute
from tests.interfaces.http.gateways import Gateway

from everself.interfaces.cli.commands.gateway import surfaces
from everself.interfaces.http.service import offered_operations


@dataclass(frozen=True, slots=True)
class Target:
    """One way to ask. `body` is sent where the method takes one."""

    method: str
    path: str
    body: dict[str, Any] | None
    # whether a socket may be opened there
    socket: bool = False
    # whether a token, or a cookie, lets anybody in there
    by_token: bool = True
    by_cookie: bool = False


# what stands for a part of a path that is a name
NAMES = {
    "{name}": tuple(one.name for one in offered_operations()),
    "{model}": ("main",),
    "{turn}": ("AAAAAAAAAAAA",),
    "{hook}": ("builds",),
    "{secret}": ("evs_nothing",),
}


def targets(gateway: Gateway) -> list[Target]:
    """From the routes themselves, so that a new one is asked too."""
    found = [Target("GET", "/nothing/here", None), Target("POST", "/api/v1/no.such.operation", {}, by_cookie=True)]
    for surface in surfaces():
        for route in surface.routes(gateway.service):
            assert isinstance(route, Route | WebSocketRoute), route
            mark = next((one for one in NAMES if one in route.path), "")
            assert mark or "{" not in route.path, f"say what stands for the names in {route.path}"
            methods = {"GET"} if isinstance(route, WebSocketRoute) else (route.methods or set()) - {"HEAD"}
            below = route.path.startswith(surface.prefix)
            how = {
                "socket": isinstance(route, WebSocketRoute),
                "by_token": not below or surface.door.admit is None,
                "by_cookie": below and surface.door.cookies,
            }
            for method in methods:
                for name in NAMES.get(mark, ("",)):
                    body = {} if method == "POST" else None
                    path = route.path.replace(mark, name) if mark else route.path
                    found.append(Target(method, path, body, **how))
    return found
