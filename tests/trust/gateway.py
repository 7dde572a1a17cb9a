"""Every route that the gateway serves, as requests that can be sent: what the rows about it run over."""

from dataclasses import dataclass
from typing import Any

from starlette.routing import Route, WebSocketRoute
from tests.interfaces.http.gateways import Gateway

from everself.interfaces.cli.commands.gateway import surfaces
from everself.interfaces.client_hooks.routes import PREFIX as CLIENT_HOOKS
from everself.interfaces.http.service import offered_operations
from everself.interfaces.web.assets import asset_url


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
    # whether a process of the same user is let in there, over the unix socket
    by_user: bool = False
    # anybody may read it, since it tells nothing
    public: bool = False
    # the body is what a form sends
    form: bool = False


# what stands for a part of a path that is a name
NAMES = {
    "{agent}": ("main",),
    "{entry}": ("AAAAAAAAAAAA",),
    "{change}": ("AAAAAAAAAAAA",),
    "{name}": tuple(one.name for one in offered_operations()),
    "{model}": ("main",),
    "{turn}": ("AAAAAAAAAAAA",),
    "{hook}": ("builds",),
    "{message}": ("AAAAAAAAAAAA",),
    "{version}": ("AAAAAAAAAAAA",),
    "{secret}": ("evs_nothing",),
}


def targets(gateway: Gateway) -> list[Target]:
    """From the routes themselves, so that a new one is asked too."""
    found = [Target("GET", "/nothing/here", None), Target("POST", "/api/v1/no.such.operation", {}, by_cookie=True)]
    for surface in surfaces():
        for route in surface.routes(gateway.service):
            assert isinstance(route, Route | WebSocketRoute), route
            methods = {"GET"} if isinstance(route, WebSocketRoute) else (route.methods or set()) - {"HEAD"}
            below = surface.covers(route.path)
            how = {
                "socket": isinstance(route, WebSocketRoute),
                "by_token": not below or (surface.door.admit is None and surface.door.tokens),
                "by_cookie": below and surface.door.cookies,
                "by_user": below and (surface.door.local or surface.prefix == CLIENT_HOOKS),
                "public": below and surface.door.public,
                "form": below and surface.door.forms,
            }
            for method in methods:
                body = {} if method == "POST" else None
                found += [Target(method, path, body, **how) for path in _paths(route.path, surface.prefix)]
    return found


def _paths(path: str, prefix: str) -> list[str]:
    """The path with every name that may stand in it."""
    if prefix == "/static/":
        return [asset_url("everself.css")]
    found = [path]
    for mark, names in NAMES.items():
        found = [one.replace(mark, name) for one in found for name in (names if mark in one else ("",))]
    assert not any("{" in one for one in found), f"say what stands for the names in {path}"
    return found
