"""The files that pages load: styles, scripts and the libraries in `vendor`. Each is served under a name that holds its content's hash.

Our own modules import each other by their plain names, such as `"./banner.js"`; the hashed ones are put in when a file is read.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from everself.interfaces.http.problems import refuse
from everself.interfaces.web.responses import asset, compressed

PREFIX: Final = "/static/"
FOLDERS: Final = ("static", "vendor")
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """`name` is the one it is served under."""

    name: str
    media_type: str
    plain: bytes
    packed: bytes


def _read_sources() -> dict[str, bytes]:
    root = resources.files("everself.interfaces.web")
    return {
        one.name: one.read_bytes()
        for folder in FOLDERS
        for one in root.joinpath(folder).iterdir()
        if any(one.name.endswith(ending) for ending in _TYPES)
    }


@lru_cache(maxsize=1)
def all_assets() -> dict[str, Asset]:
    """By their plain names."""
    sources = _read_sources()
    made: dict[str, Asset] = {}

    def make(name: str, within: tuple[str, ...]) -> Asset:
        if name in within:
            raise ValueError(f"the modules {', '.join(within)} import each other in a circle")
        if name not in made:
            data = sources[name]
            if name.endswith(".js"):
                for other in sources:
                    mention = f'"./{other}"'.encode()
                    if mention in data:
                        data = data.replace(mention, f'"./{make(other, (*within, name)).name}"'.encode())
            stem, _, ending = name.rpartition(".")
            hashed = f"{stem}.{hashlib.sha256(data).hexdigest()[:12]}.{ending}"
            made[name] = Asset(hashed, _TYPES[f".{ending}"], data, compressed(data))
        return made[name]

    for name in sorted(sources):
        make(name, ())
    return made


def asset_url(name: str) -> str:
    return PREFIX + all_assets()[name].name


@lru_cache(maxsize=1)
def _by_hash() -> dict[str, Asset]:
    return {one.name: one for one in all_assets().values()}


async def serve_asset(request: Request) -> Response:
    found = _by_hash().get(request.path_params["name"])
    if found is None:
        # a page that was open while Everself was upgraded still names the old ones
        raise refuse(404, "not-found", "There is no such file", mend="Load the page again.")
    return asset(request, found.media_type, found.plain, found.packed)
