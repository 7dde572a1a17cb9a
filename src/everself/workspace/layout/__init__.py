"""Classifies a path: kind of file, tier, day, person or project, and who may write it.

Only the path counts, so that scope fails closed: a file belongs to a person because of its folder, not because of its
content. Does not validate paths (the file system does) and accepts any string.
"""

import unicodedata
from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from functools import lru_cache
from itertools import count
from typing import Final, Literal

from everself.frozen import Frozen
from everself.storage.filesystem import TEMPORARY_PREFIX
from everself.values import Tier
from everself.workspace.layout.dates import MONTHS, find_day, find_span_end

# Some file systems drop these when they compare names, so "SOUL<zero width>.md" can open SOUL.md.
_IGNORED: Final = dict.fromkeys(
    (
        *(0x00AD, 0x034F, 0x061C, 0x180E, 0xFEFF),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),
    )
)

_TEMPORARY_STARTS: Final = (TEMPORARY_PREFIX, ".#", "~$", ".~lock.", "~syncthing~", ".syncthing.", ".goutputstream-")
_TEMPORARY_ENDS: Final = (
    "~",
    ".tmp",
    ".temp",
    ".swp",
    ".swo",
    ".swx",
    ".part",
    ".crdownload",
    ".kate-swp",
    "___jb_tmp___",
    "___jb_old___",
)
# vim creates and removes a file of this name to test whether the folder is writable
_VIM_PROBE: Final = "4913"


def fold(path: str) -> str:
    """One spelling for all paths that a case-insensitive or normalising file system would open as the same file.

    In doubt two paths count as the same: guards use this, so that no spelling of SOUL.md bypasses them.
    """
    if path.isascii():
        folded = path.lower()
    else:
        folded = unicodedata.normalize("NFKC", path).translate(_IGNORED).casefold()
        folded = unicodedata.normalize("NFKC", folded)
    # Windows drops what follows a colon (a stream of the same file) and dots and spaces at the end
    if ":" in folded or " " in folded or "." in (folded[-1:], folded[:1]) or "./" in folded:
        segments = [segment.partition(":")[0].rstrip(". ") for segment in folded.split("/")]
        return "/".join(segment for segment in segments if segment)
    return folded


def is_hidden(path: str) -> bool:
    """Whether the name or a folder in the path begins with a dot."""
    return path[:1] == "." or "/." in path


def is_temporary(name: str) -> bool:
    """Whether this is a temporary file of an editor, a syncer or Everself. `name` is the last part of a path."""
    # this test settles almost every name in a workspace
    if name.endswith(".md") and name[0] not in ".~":
        return False
    return (
        name.startswith(_TEMPORARY_STARTS)
        or name.lower().endswith(_TEMPORARY_ENDS)
        or name == _VIM_PROBE
        or (len(name) > 2 and name[0] == name[-1] == "#")
    )


class Kind(StrEnum):
    SOUL = "soul"
    IDENTITY = "identity"
    PERSONA = "alternate persona"
    SOUL_TESTS = "soul tests"
    AGENTS = "agents"
    USER = "user"
    TOOLS = "tools"
    HEARTBEAT = "heartbeat"
    BOOT = "boot"
    BOOTSTRAP = "bootstrap"
    CORE_MEMORY = "core memory"
    DAILY_LOG = "daily log"
    SESSION_NOTE = "session note"
    TOPIC = "topic"
    ARCHIVE = "archive"
    CHRONICLE = "chronicle"
    BANK = "bank page"
    CORRECTIONS = "corrections"
    CONFLICTS = "conflicts"
    CHANGELOG = "changelog"
    COMPACTION_LOG = "compaction log"
    CONFIG = "config"
    KEEPER_PROMPT = "keeper prompt"
    SOUL_HISTORY = "soul history"
    QUARANTINE = "quarantine"
    PERSON_USER = "person's profile"
    PERSON_MEMORY = "person's memory"
    PROJECT_MEMORY = "project memory"
    OTHER = "other"
    FOREIGN = "foreign"
    TEMPORARY = "temporary"


Writer = Literal["human", "agent", "runtime"]


class Place(Frozen):
    """Where a path belongs.

    `day`: the day by which a T2 file ages; for a quarter or a month, its last day. A T2 file without a day is an
    archive whose entries carry their own days. `span`: the file contains many days, and each entry has its own.
    `injected`: the whole file is part of every prompt or of some runs. `indexed`: search may find it. `writer`: the
    least privileged author who may write it.
    """

    kind: Kind
    tier: Tier = Tier.NONE
    day: date | None = None
    person: str | None = None
    project: str | None = None
    injected: bool = False
    indexed: bool = False
    writer: Writer = "agent"
    span: bool = False

    @property
    def scope(self) -> tuple[str | None, str | None]:
        """Whose file it is: a person's, a project's, or the owner's if both are None."""
        return self.person, self.project

    @property
    def humans_only(self) -> bool:
        """Whether the write barrier treats it as T0."""
        return self.writer == "human"


_ROOT: Final = {
    "SOUL.md": Place(Kind.SOUL, Tier.SOUL, injected=True, writer="human"),
    "IDENTITY.md": Place(Kind.IDENTITY, Tier.SOUL, injected=True, writer="human"),
    "SOUL_TESTS.md": Place(Kind.SOUL_TESTS, writer="human"),
    "CONFIG.md": Place(Kind.CONFIG, writer="human"),
    "BOOT.md": Place(Kind.BOOT, injected=True, writer="human"),
    "AGENTS.md": Place(Kind.AGENTS, injected=True),
    "USER.md": Place(Kind.USER, injected=True),
    "TOOLS.md": Place(Kind.TOOLS, injected=True),
    "HEARTBEAT.md": Place(Kind.HEARTBEAT, injected=True),
    "MEMORY.md": Place(Kind.CORE_MEMORY, Tier.CORE, injected=True, indexed=True),
    # read if there is no MEMORY.md
    "memory.md": Place(Kind.CORE_MEMORY, Tier.CORE, injected=True, indexed=True),
    "BOOTSTRAP.md": Place(Kind.BOOTSTRAP, injected=True, writer="runtime"),
    "CORRECTIONS.md": Place(Kind.CORRECTIONS, indexed=True, writer="runtime"),
    "CONFLICTS.md": Place(Kind.CONFLICTS, writer="runtime"),
    "CHANGELOG.md": Place(Kind.CHANGELOG, writer="runtime"),
    "COMPACTION_LOG.md": Place(Kind.COMPACTION_LOG, writer="runtime"),
}
# Another spelling is the same file on some systems and a stray file on others: guarded alike, but never read as the
# file.
_MISSPELT: Final = {
    name.lower(): Place(at.kind, at.tier, writer=at.writer) for name, at in _ROOT.items() if name != "memory.md"
}
_PERSONA: Final = Place(Kind.PERSONA, injected=True, writer="human")
_KEEPER_PROMPT: Final = Place(Kind.KEEPER_PROMPT, injected=True, writer="human")
# Storage refuses to open these paths; classify them as restrictively as possible.
_UNSAFE: Final = Place(Kind.FOREIGN, writer="human")
_TEMPORARY: Final = Place(Kind.TEMPORARY, writer="human")

_ARCHIVE_FOLDERS: Final = frozenset(["archive", "archives"])


# a search classifies thousands of documents again and again
@lru_cache(maxsize=8192)
def place(path: str, personas: tuple[str, ...] = ()) -> Place:
    """Classify a path with forward slashes, relative to the workspace. `personas`: the alternate souls in the settings."""
    if personas and fold(path) in {fold(persona) for persona in personas}:
        return _PERSONA
    if path in _ROOT:
        return _ROOT[path]
    segments = path.split("/")
    if "" in segments or "\\" in path or "\0" in path:
        return _UNSAFE
    name = segments[-1]
    if is_temporary(name):
        return _TEMPORARY
    # this also matches the names "." and ".."
    if is_hidden(path):
        return _UNSAFE
    if len(segments) == 1:
        return _place_in_root(name)
    if segments[0] == "memory":
        return _place_in_memory(segments[1:], Kind.TOPIC)
    return _place_in_folder(segments)


def _place_in_root(name: str) -> Place:
    folded = fold(name)
    if folded in _MISSPELT:
        return _MISSPELT[folded]
    # SOUL_EVIL.md and the like: guarded although no setting names it today, because one may tomorrow
    if folded.startswith("soul") and folded.endswith(".md") and not folded[4].isalnum():
        return _PERSONA
    return Place(Kind.OTHER if _is_markdown(name) else Kind.FOREIGN)


def _place_in_folder(segments: list[str]) -> Place:
    top = _fold_top(segments[0])
    rest = segments[1:]
    match top:
        case "memory":
            return _place_in_memory(rest, Kind.TOPIC)
        case "users" if len(rest) > 1:
            return _place_of_person(rest)
        case "projects" if len(rest) > 1:
            return _place_of_project(rest)
        case "agents":
            return _place_of_keeper(rest)
    markdown = _is_markdown(rest[-1])
    day = _day_in(rest)
    match top:
        case "bank" if markdown:
            return Place(Kind.BANK, Tier.WORKING if day else Tier.CORE, day, indexed=True)
        case "archive" if markdown:
            folder = fold(rest[0]) if len(rest) > 1 else ""
            if folder == "corrections":
                # an archived correction keeps its day
                return Place(Kind.CORRECTIONS, day=_archive_day(rest), indexed=True, writer="runtime", span=day is None)
            kind = Kind.CHRONICLE if folder == "chronicles" else Kind.ARCHIVE
            return Place(kind, Tier.WORKING, _archive_day(rest), indexed=True, writer="runtime", span=day is None)
        case "soul_history":
            return Place(Kind.SOUL_HISTORY, day=day, writer="runtime")
        case "quarantine":
            return Place(Kind.QUARANTINE, day=day, writer="runtime")
    return Place(Kind.OTHER if markdown else Kind.FOREIGN, writer="runtime" if top == "archive" else "agent")


def _place_in_memory(rest: list[str], kind: Kind, person: str | None = None, project: str | None = None) -> Place:
    """A file beneath a `memory/` folder. `kind` is TOPIC for the agent's own memory, which is classified further here."""
    name = rest[-1]
    if not _is_markdown(name):
        return Place(Kind.FOREIGN, person=person, project=project)
    stem = _stem(name)
    if len(rest) > 1 and not _ARCHIVE_FOLDERS.isdisjoint(map(fold, rest[:-1])):
        kind = Kind.ARCHIVE if kind is Kind.TOPIC else kind
        span = _day_in(rest) is None
        return Place(kind, Tier.WORKING, _archive_day(rest), person, project, indexed=True, span=span)
    day = _day_in(rest) or find_span_end(stem, whole=True)
    if day is None:
        return Place(kind, Tier.CORE, None, person, project, indexed=True)
    if kind is Kind.TOPIC:
        at_home = len(rest) == 1 or (len(rest) == 2 and rest[0] == "daily")
        kind = Kind.DAILY_LOG if at_home and stem == day.isoformat() else Kind.SESSION_NOTE
    return Place(kind, Tier.WORKING, day, person, project, indexed=True)


def _place_of_person(rest: list[str]) -> Place:
    person, inner = rest[0], fold(rest[1])
    if inner == "memory" and len(rest) > 2:
        return _place_in_memory(rest[2:], Kind.PERSON_MEMORY, person=person)
    if len(rest) == 2 and inner == "user.md":
        return Place(Kind.PERSON_USER, person=person, injected=rest[1] == "USER.md")
    if len(rest) == 2 and inner == "memory.md":
        return Place(Kind.PERSON_MEMORY, Tier.CORE, person=person, injected=True, indexed=True)
    return Place(Kind.OTHER if _is_markdown(rest[-1]) else Kind.FOREIGN, person=person)


def _place_of_project(rest: list[str]) -> Place:
    project, inner = rest[0], fold(rest[1])
    if inner == "memory" and len(rest) > 2:
        return _place_in_memory(rest[2:], Kind.PROJECT_MEMORY, project=project)
    if len(rest) == 2 and inner == "memory.md":
        return Place(Kind.PROJECT_MEMORY, Tier.CORE, project=project, indexed=True)
    return Place(Kind.OTHER if _is_markdown(rest[-1]) else Kind.FOREIGN, project=project)


def _place_of_keeper(rest: list[str]) -> Place:
    if len(rest) > 1 and fold(rest[-1]) == "soul.md":
        return _KEEPER_PROMPT
    # files next to a keeper's prompt may become part of it
    return Place(Kind.OTHER if _is_markdown(rest[-1]) else Kind.FOREIGN, writer="human")


def _day_in(rest: list[str]) -> date | None:
    """The day in the file's name, or in the name of the nearest folder that has one."""
    day = find_day(_stem(rest[-1]))
    if day is None and len(rest) > 1:
        for folder in reversed(rest[:-1]):
            day = find_day(folder)
            if day:
                break
    return day


def _archive_day(rest: list[str]) -> date | None:
    return _day_in(rest) or find_span_end(_stem(rest[-1]), whole=False)


@lru_cache(maxsize=256)
def _fold_top(segment: str) -> str:
    return fold(segment)


def _stem(name: str) -> str:
    return name[:-3] if name.endswith(".md") else name.rpartition(".")[0]


def _is_markdown(name: str) -> bool:
    return name.endswith(".md") or name.lower().endswith((".md", ".markdown"))


_CHRONICLES = "Archive/Chronicles"
_DAYS = frozenset({Kind.DAILY_LOG, Kind.SESSION_NOTE, Kind.PERSON_MEMORY, Kind.PROJECT_MEMORY})
_ARCHIVES = frozenset({Kind.ARCHIVE, Kind.PERSON_MEMORY, Kind.PROJECT_MEMORY})


def is_day(path: str) -> bool:
    """Whether this is a log or note of one day in its usual folder: not a month, not a topic page, not archived."""
    where = place(path)
    if where.kind not in _DAYS or where.tier is not Tier.WORKING or where.day is None or not path.endswith(".md"):
        return False
    return where.day.isoformat() in path and "archive" not in map(fold, path.split("/")[:-1])


def is_quarter(path: str) -> bool:
    """Whether this is an archive of many days."""
    where = place(path)
    return where.span and where.kind in _ARCHIVES


def chronicle_of(day: date) -> str:
    """The chronicle file for the month of a day."""
    return f"{_CHRONICLES}/{day.year}-{MONTHS[day.month - 1]}.md"


def archives_of(path: str) -> Iterator[str]:
    """The archive files for a day's log, in the same memory: `memory/archive/2026-Q1.md`, and the next ones if that is full.

    Yields nothing if the path is not a day's log.
    """
    day = place(path).day
    if day is None or not is_day(path):
        return
    segments = path.split("/")
    at = [fold(one) for one in segments].index("memory")
    first = f"{'/'.join(segments[: at + 1])}/archive/{day.year}-Q{(day.month + 2) // 3}"
    yield f"{first}.md"
    for number in count(2):
        yield f"{first}-{number}.md"


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
# characters of a day, a month or a quarter
_NUMBERS = frozenset("0123456789-Q")


def masked(path: str) -> str:
    """Mask names chosen by people: `memory/2026-11-16.md` stays, `memory/2026-11-16-otto.md` becomes `memory/2026-11-16-….md`."""
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
