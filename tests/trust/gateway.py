"""Every route that the gateway serves, as requests that can be sent: what the rows about it run over."""

from dataclasses import dataclass
from typing import Any

from starlette.routing import Route
from tests.interfaces.http.gateways import Gateway

from everself.interfaces.cli.commands.gateway import surfaces
from everself.interfaces.http.service import offered_operations


@dataclass(frozen=True, slots=True)
class Target:
    """One way to ask. `body` is sent where the method takes one."""

    method: str
    path: str
    body: dict[str, Any] | None


# what stands for a part of a path that is a name
NAMES = {"{name}": tuple(one.name for one in offered_operations()), "{model}": ("main",)}


def targets(gateway: Gateway) -> list[Target]:
    """From the routes themselves, so that a new one is asked too."""
    found = [Target("GET", "/nothing/here", None), Target("POST", "/api/v1/no.such.operation", {})]
    for surface in surfaces():
        for route in surface.routes(gateway.service):
            assert isinstance(route, Route), route
            mark = next((one for one in NAMES if one in route.path), "")
            assert mark or "{" not in route.path, f"say what stands for the names in {route.path}"
            for method in (route.methods or set()) - {"HEAD"}:
                for name in NAMES.get(mark, ("",)):
                    body = {} if method == "POST" else None
                    found.append(Target(method, route.path.replace(mark, name) if mark else route.path, body))
    return found
