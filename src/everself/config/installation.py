"""Detects how Everself was installed, and gives the command that adds an extra to this installation.

A clone uses its make targets, pipx and uv tools have their own environments, and a wheel from a file is in no registry.
"""

import json
import os
import shlex
import sys
from functools import lru_cache
from importlib.util import find_spec
from typing import Final, Literal
from urllib.parse import unquote, urlsplit

from everself.frozen import Frozen

Kind = Literal["clone", "editable", "pipx", "uv-tool", "uvx", "pip", "uv-pip"]

# extras that `make` installs into the environment of a clone
TARGETS: Final = ("gateway", "mcp", "models", "quality")


class Installation(Frozen):
    """`source` is the folder of a clone or the file of a wheel; empty for an install from a registry."""

    kind: Kind
    python: str
    source: str = ""


def install_command(extra: str) -> str:
    """The shell command that installs an extra here."""
    return command_for(read_installation(), extra, _here())


def install_package(name: str) -> str:
    """The shell command that installs another package here."""
    found = read_installation()
    match found.kind:
        case "pipx":
            return f"pipx inject everself {name}"
        case "uv-tool" | "uvx":
            return f"uv tool install --with {name} {_wanted(found, '')}"
    return _by_pip(found, name)


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        # the folder was removed
        return ""


def command_for(found: Installation, extra: str, folder: str) -> str:
    wanted = _wanted(found, extra)
    match found.kind:
        case "clone" if extra in TARGETS:
            return f"make {extra}" if found.source == folder else f"make -C {shlex.quote(found.source)} {extra}"
        case "pipx":
            return f"pipx install --force {wanted}"
        case "uv-tool":
            return f"uv tool install {wanted}"
        case "uvx":
            return f"uvx --from {wanted} everself"
    return _by_pip(found, wanted)


def _by_pip(found: Installation, what: str) -> str:
    python = shlex.quote(found.python)
    return f"uv pip install --python {python} {what}" if found.kind == "uv-pip" else f"{python} -m pip install {what}"


def _wanted(found: Installation, extra: str) -> str:
    name = f"everself[{extra}]" if extra else "everself"
    if found.kind in ("clone", "editable"):
        return "-e " + shlex.quote(f"{found.source}[{extra}]" if extra else found.source)
    if found.source:
        return shlex.quote(f"{name} @ file://{found.source}")
    # always quoted: brackets are a pattern in some shells
    return f"'{name}'"


@lru_cache(maxsize=1)
def read_installation() -> Installation:
    source, editable = _source()
    if editable:
        made = os.path.realpath(sys.prefix) == os.path.join(os.path.realpath(source), ".venv")
        return Installation("clone" if made and _is_file(source, "Makefile") else "editable", sys.executable, source)
    if _is_file(sys.prefix, "pipx_metadata.json"):
        return Installation("pipx", sys.executable, source)
    if _is_file(sys.prefix, "uv-receipt.toml"):
        return Installation("uv-tool", sys.executable, source)
    if os.path.basename(os.path.dirname(os.path.realpath(sys.prefix))) == "archive-v0":
        # the folder where uvx keeps temporary environments
        return Installation("uvx", sys.executable, source)
    return Installation("pip" if find_spec("pip") is not None else "uv-pip", sys.executable, source)


def _source() -> tuple[str, bool]:
    """The path that Everself was installed from, and whether it runs from there; empty if unknown or gone."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        noted = json.loads(distribution("everself").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return "", False
    url = urlsplit(str(noted.get("url", "")))
    path = unquote(url.path) if url.scheme == "file" else ""
    there = path if path and os.path.exists(path) else ""
    return there, bool(there) and bool(noted.get("dir_info", {}).get("editable"))


def _is_file(folder: str, name: str) -> bool:
    return os.path.isfile(os.path.join(folder, name))
