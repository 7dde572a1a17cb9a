"""Frozen values shared by several packages. They do not know how they are stored."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import field
from datetime import date, datetime
from enum import StrEnum
from typing import Literal, NamedTuple

from everself.frozen import Frozen


def digest(data: bytes) -> str:
    """The name of content: its SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_id(random: Callable[[int], bytes] = os.urandom) -> str:
    """An id of twelve characters of Crockford's base 32, with 60 random bits."""
    number = int.from_bytes(random(8), "big")
    return "".join(CROCKFORD[number >> shift & 31] for shift in range(0, 60, 5))


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────

FileKind = Literal["file", "directory", "link", "other"]


class FileStat(Frozen):
    """The file system's data about one name; links are not followed."""

    path: str
    kind: FileKind
    size: int
    mode: int
    links: int
    device: int
    inode: int
    mtime_ns: int
    ctime_ns: int


class Document(Frozen):
    """One file of the workspace as read. `cut` is the number of bytes beyond the reading limit, which are not in `data`."""

    path: str
    data: bytes
    cut: int = 0

    @property
    def hash(self) -> str:
        return digest(self.data)


# ── where a path belongs ─────────────────────────────────────────────────────────────────────────────────────────────


class Tier(StrEnum):
    SOUL = "T0"
    CORE = "T1"
    WORKING = "T2"
    NONE = "-"


# ── change sets ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Append(Frozen):
    """Append bytes to a document, creating it if missing. Appends commute, so no base hash is needed."""

    path: str
    data: bytes
    # the beginning of the document if this append creates it
    header: bytes = b""


class Insert(Frozen):
    path: str
    base: str
    offset: int
    data: bytes


class Replace(Frozen):
    """Replace bytes start..end of the document whose hash is `base`."""

    path: str
    base: str
    start: int
    end: int
    data: bytes


class Create(Frozen):
    """Create a document, which must not exist."""

    path: str
    data: bytes


class Move(Frozen):
    path: str
    base: str
    to: str


class Remove(Frozen):
    path: str
    base: str


Edit = Append | Insert | Replace | Create | Move | Remove


class Author(StrEnum):
    """The author of a change, by which guards decide what may be written. Only an interface or the runtime sets it."""

    OWNER = "owner"
    HAND = "hand"
    AGENT = "agent"
    KEEPER = "keeper"
    RUNTIME = "runtime"
    IMPORT = "import"


class ProvenanceRecord(Frozen):
    """The source of an entry's text, recorded by the runtime. `text` is the hash of that text."""

    entry: str
    source: str
    tag: str
    text: str
    lineage: tuple[str, ...] = ()


class Change(Frozen):
    """One reviewed, atomic, reversible change of the workspace's files.

    `provenance` is recorded together with the change or not at all. A change with a `key` is applied once: a repetition returns the first
    result. `tainted`: its conversation contains text of tools, pages, imports or other people.
    """

    author: Author
    reason: str
    edits: tuple[Edit, ...]
    evidence: tuple[str, ...] = ()
    undoes: str = ""
    provenance: tuple[ProvenanceRecord, ...] = ()
    key: str = ""
    tainted: bool = False


class FileChange(Frozen):
    """The effect of a change on one document; `None` means that it does not exist on that side."""

    path: str
    before: bytes | None
    after: bytes | None


class Applied(Frozen):
    id: str
    paths: tuple[str, ...]


class Nothing(Frozen):
    """The change has no effect."""


class Conflict(Frozen):
    """These documents were changed since the change was planned, and the changes cannot be merged. Nothing was written."""

    paths: tuple[str, ...]


class Refused(Frozen):
    """A guard refused the change. Nothing was written."""

    reasons: tuple[str, ...]


Outcome = Applied | Nothing | Conflict | Refused


class ChangeRecord(Frozen):
    """An applied change, as `everself log` lists it. `forgotten`: a part of it was forgotten, so it cannot be undone."""

    id: str
    at: datetime
    author: Author
    reason: str
    paths: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    undoes: str = ""
    forgotten: bool = False


# ── entries ──────────────────────────────────────────────────────────────────────────────────────────────────────────

# how text comes in: a conversation, the owner's terminal or program, an imported file, a job, a keeper; `test` for fakes
Door = Literal["chat", "terminal", "import", "job", "keeper", "test"]


class Origin(Frozen):
    """The origin of a text: who said it (`source`), how it came in (`door`), and what it was derived from (`lineage`).

    All text written to memory has one. Only `memory.provenance` creates one.
    """

    source: str
    door: Door
    lineage: tuple[str, ...] = ()


class Tag(StrEnum):
    """The kind of an entry; NONE for text that Everself never wrote."""

    EVENT = "event"
    KNOWLEDGE = "knowledge"
    SKILL = "skill"
    DECISION = "decision"
    CORRECTION = "correction"
    NONE = ""


class Entry(NamedTuple):
    """One entry of a document. The claims in its comment count only if a provenance record confirms them.

    A named tuple, because a frozen dataclass of so many fields takes three times as long to create, and a memory has a hundred thousand
    entries.

    `source` and `base` are trusted, `claimed` is what the comment says. `day` is the day of the entry, `seen` the last mention. Lines
    count from 1; `start..end` are bytes of the document.
    """

    id: str
    path: str
    text: str
    tag: Tag = Tag.NONE
    source: str = "hand"
    base: float = 0.95
    mentions: int = 1
    day: date | None = None
    seen: date | None = None
    lineage: tuple[str, ...] = ()
    until: date | None = None
    closed_by: str = ""
    who: str = ""
    project: str = ""
    tier: Tier = Tier.NONE
    kind: str = ""
    heading: tuple[str, ...] = ()
    category: str = ""
    time: str = ""
    struck: bool = False
    vouched: bool = False
    claimed: str = ""
    start: int = 0
    end: int = 0
    first_line: int = 0
    last_line: int = 0

    @property
    def reference(self) -> str:
        """The citation of the entry."""
        return _reference(self.path, self.first_line, self.last_line)

    @property
    def closed(self) -> bool:
        return self.struck or self.until is not None


# ── recall ───────────────────────────────────────────────────────────────────────────────────────────────────────────


class ScorePart(NamedTuple):
    """One component of a score. Parts of kind "sum" are added; a "factor" multiplies the result so far.

    A "measured" part is information only.
    """

    name: str
    value: float
    kind: Literal["sum", "factor", "measured"] = "sum"


class Hit(NamedTuple):
    """A chunk that matches a query. `also` are other places with the same text.

    `closed`: it no longer holds; `now` is the text that replaced it, if known and visible to the caller. `weak`: its score is too low for
    an answer. `later`: a newer statement that contradicts it, while the question which one holds is open.
    """

    path: str
    first_line: int
    last_line: int
    score: float
    text: str
    entry: str = ""
    day: date | None = None
    tier: Tier = Tier.NONE
    tag: Tag = Tag.NONE
    until: date | None = None
    imported: bool = False
    also: tuple[str, ...] = ()
    parts: tuple[ScorePart, ...] = ()
    closed: bool = False
    now: str = ""
    weak: bool = False
    later: str = ""

    @property
    def reference(self) -> str:
        """The citation of the hit."""
        return _reference(self.path, self.first_line, self.last_line)

    @property
    def ended(self) -> str:
        """The mark to show beside text that no longer holds; empty if it holds."""
        return ended_words(self.until, self.now) if self.closed or self.until is not None else ""

    @property
    def mark(self) -> str:
        """The mark to show beside text that ended or may have been replaced."""
        return self.ended or (f"in doubt, said later: {self.later}" if self.later else "")


def _reference(path: str, first: int, last: int) -> str:
    return f"{path}#L{first}-L{last}" if last > first else f"{path}#L{first}"


def ended_words(until: date | None, now: str = "") -> str:
    """The mark for text that no longer holds."""
    since = f"until {until.isoformat()}" if until is not None else "no longer holds"
    return f"{since}, now: {now}" if now else since


# ── findings ─────────────────────────────────────────────────────────────────────────────────────────────────────────

Severity = Literal["error", "warning", "note"]


class Finding(Frozen):
    """A finding for the user, with the command or step that fixes it."""

    severity: Severity
    code: str
    message: str
    mend: str = ""
    path: str = ""
    fixable: bool = field(default=False)


# ── jobs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

JobKind = Literal["cron", "at", "every"]
JobAction = Literal["message", "verb"]
RunState = Literal["running", "done", "failed", "skipped"]


class Job(Frozen):
    """`spec` is five cron fields, a time or an interval; `zone` is empty for the user's zone; slots up to `since` are done.

    `words` are the message to the agent, or the name of the operation. `standing`: a built-in job, with times from CONFIG.md.
    """

    id: str
    name: str
    kind: JobKind
    spec: str
    zone: str
    action: JobAction
    words: str
    created_at: str
    since: str
    enabled: bool = True
    failures: int = 0
    announce: bool = False
    standing: bool = False


class JobRun(Frozen):
    """One slot that was run or skipped. `until` is the end of its process's lease, after which the process counts as dead."""

    job: str
    slot: str
    state: RunState
    holder: str
    until: str
    began_at: str
    ended_at: str
    detail: str
