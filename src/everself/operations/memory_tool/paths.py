"""Maps paths of the memory tool to paths of the workspace. Pure: does not access the disk."""

from typing import Final

from everself.memory.provenance import OWN
from everself.operations.declaration import Result
from everself.storage.paths import find_fault
from everself.values import Tier
from everself.workspace.layout import Kind, fold, is_hidden, place

TOP: Final = "/memories"
# where deleted files are kept, relative to the memory folder
DELETED: Final = "archive/deleted"
_LONGEST: Final = 200
_DISGUISED: Final = ("\\", "\0", "%2e", "%2f", "%5c", "%00", "%c0", "%25", "%u00")


class MemoryAnswer(Result):
    """The reply for the model. `failed`: it is an error. `source` is `own`, or the least trusted source of its words."""

    text: str
    failed: bool = False
    source: str = OWN
    path: str = ""
    change: str = ""


class CommandFailed(Exception):
    """An error message for the model."""


def folder_of(project: str | None) -> str:
    """The workspace folder that `/memories` stands for."""
    return f"projects/{project}/memory" if project else "memory"


def workspace_path(path: str, folder: str) -> str:
    """The workspace path of a tool path; `folder` itself for `/memories`."""
    if path != TOP and not path.startswith(f"{TOP}/"):
        raise CommandFailed(f"Path must start with {TOP}, got: {shown(path)}")
    inner = path.removeprefix(TOP).removeprefix("/").removesuffix("/")
    if not inner and path in (TOP, f"{TOP}/"):
        return folder
    if _climbs(inner):
        raise CommandFailed(f"Path {shown(path)} would escape {TOP} directory")
    if fault := find_fault(inner) or find_fault(f"{folder}/{inner}"):
        raise CommandFailed(f"Path {shown(path)} is not valid: {fault}.")
    return f"{folder}/{inner}"


def is_kept_apart(path: str, folder: str) -> bool:
    """Whether the tool hides the path: hidden names and deleted files."""
    inner, apart = fold(path.removeprefix(f"{folder}/")), DELETED
    return is_hidden(path) or inner == apart or inner.startswith(f"{apart}/")


def unwritable(path: str, personas: tuple[str, ...]) -> str:
    """Why a model may not write a document at this path; empty if it may."""
    where = place(path, personas)
    if where.tier is Tier.WORKING:
        return "notes of a day and archives are written by Everself itself; choose a name without a date"
    if where.writer != "agent" or where.kind is Kind.TEMPORARY:
        return "only a human can write a file of this name"
    return ""


def shown(path: str) -> str:
    """The path as shown in an error."""
    whole = path if len(path) <= _LONGEST else f"{path[:_LONGEST]}…"
    return whole if whole.isprintable() else ascii(whole)[1:-1]


def _climbs(inner: str) -> bool:
    parts = inner.split("/")
    return any(part in (".", "..") for part in parts) or any(one in inner.lower() for one in _DISGUISED)
