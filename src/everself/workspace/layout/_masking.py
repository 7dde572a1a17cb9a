"""Paths as a log may hold them: names that somebody chose, which can be words of a conversation, are left out."""

from everself.workspace.layout._names import fold
from everself.workspace.layout._places import Kind, place
from everself.workspace.layout.dates import find_day

MASK = "…"
_FOLDERS = frozenset(
    [
        "memory",
        "daily",
        "bank",
        "archive",
        "corrections",
        "chronicles",
        "users",
        "projects",
        "agents",
        "soul_history",
        "quarantine",
    ]
)
_FIXED = frozenset(["MEMORY.md", "USER.md", "SOUL.md"])
# of a day, a month or a quarter
_NUMBERS = frozenset("0123456789-Q")


def masked(path: str) -> str:
    """`memory/2026-11-16.md` as it is; `memory/2026-11-16-otto.md` as `memory/2026-11-16-….md`."""
    folder, _, name = path.rpartition("/")
    if not folder and place(path).kind not in (Kind.OTHER, Kind.FOREIGN, Kind.PERSONA):
        return path
    shown = [part if fold(part) in _FOLDERS or _is_number(part) else MASK for part in folder.split("/") if folder]
    return "/".join([*shown, _masked_name(name)])


def _masked_name(name: str) -> str:
    stem, dot, suffix = name.rpartition(".")
    if name in _FIXED or _is_number(stem):
        return name
    day = find_day(stem)
    begun = f"{day.isoformat()}-" if day is not None and stem.startswith(day.isoformat()) else ""
    return f"{begun}{MASK}{dot}{suffix if suffix == 'md' else MASK}" if dot else MASK


def _is_number(text: str) -> bool:
    return bool(text) and set(text) <= _NUMBERS
