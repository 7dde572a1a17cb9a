"""Frozen values shared by several packages. They hold data and say nothing about how it is stored."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import field
from datetime import date, datetime
from enum import StrEnum
from typing import Literal, NamedTuple

from everself.frozen import Frozen


def digest(data: bytes) -> str:
    """How Everself names content: SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_id(random: Callable[[int], bytes] = os.urandom) -> str:
    """Twelve characters of Crockford's base 32: 60 random bits."""
    number = int.from_bytes(random(8), "big")
    return "".join(CROCKFORD[number >> shift & 31] for shift in range(0, 60, 5))


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────

FileKind = Literal["file", "directory", "link", "other"]


class FileStat(Frozen):
    """What the file system says of one name, links not followed."""

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
    """One file of the workspace as it was read. `cut` counts the bytes beyond the reading limit, which are not in `data`."""

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
    """Add bytes at the end of a document, creating it when it is missing. Appends commute, so no base hash is needed."""

    path: str
    data: bytes
    # what the document begins with when this append has to create it
    header: bytes = b""


class Insert(Frozen):
    path: str
    base: str
    offset: int
    data: bytes


class Replace(Frozen):
    """Put `data` in the place of bytes start..end of the document whose hash is `base`."""

    path: str
    base: str
    start: int
    end: int
    data: bytes


class Create(Frozen):
    """A document that must not exist yet."""

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
    """Who makes a change. Guards decide by it what may be written. Only an interface or the runtime sets it."""

    OWNER = "owner"
    HAND = "hand"
    AGENT = "agent"
    KEEPER = "keeper"
    RUNTIME = "runtime"
    IMPORT = "import"


class ProvenanceRecord(Frozen):
    """What the runtime records when an entry is created: where its text came from. `text` is the hash of that text."""

    entry: str
    source: str
    tag: str
    text: str
    lineage: tuple[str, ...] = ()


class Change(Frozen):
    """One reviewed, atomic, reversible step of the workspace's files.

    `provenance` are recorded with it or not at all. A change with a `key` happens once: asked for again with the same key, it is what
    it was the first time. `tainted`: the conversation that it comes from holds text of tools, pages, imports or other people.
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
    """What a change does to one document; `None` means that the document does not exist on that side."""

    path: str
    before: bytes | None
    after: bytes | None


class Applied(Frozen):
    id: str
    paths: tuple[str, ...]


class Nothing(Frozen):
    """The change would have changed no byte."""


class Conflict(Frozen):
    """Somebody changed these documents since the change was planned, and the two do not merge. Nothing was written."""

    paths: tuple[str, ...]


class Refused(Frozen):
    """A guard said no. Nothing was written."""

    reasons: tuple[str, ...]


Outcome = Applied | Nothing | Conflict | Refused


class ChangeRecord(Frozen):
    """A change that was applied, as `everself log` lists it. `forgotten`: something of it was, so it cannot be undone."""

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
    """The origin of a text: who said it (`source`), how it came in (`door`), and what it was derived from (`lineage`, references).

    No text reaches a writer of memory without one. Only `memory.provenance` creates one.
    """

    source: str
    door: Door
    lineage: tuple[str, ...] = ()


class Tag(StrEnum):
    """What kind of memory an entry is; exactly one, or none for text that Everself never touched."""

    EVENT = "event"
    KNOWLEDGE = "knowledge"
    SKILL = "skill"
    DECISION = "decision"
    CORRECTION = "correction"
    NONE = ""


class Entry(NamedTuple):
    """One memory as it stands in a document. What is said in its comment counts only where a provenance record confirms it.

    A named tuple, because a frozen dataclass of so many fields takes three times as long to make, and a memory has a hundred thousand.

    `source` and `base` are what may be believed, `claimed` what the comment says. `day` is the day it belongs to, `seen` the last
    mention. Lines count from 1, `start..end` are bytes of the document.
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
        """How an answer cites it."""
        return _reference(self.path, self.first_line, self.last_line)

    @property
    def closed(self) -> bool:
        return self.struck or self.until is not None


# ── recall ───────────────────────────────────────────────────────────────────────────────────────────────────────────


class ScorePart(NamedTuple):
    """One reason for a score. Parts of the kind "sum" add up; a "factor" multiplies what was there before it.

    What is "measured" is told beside them and changes nothing.
    """

    name: str
    value: float
    kind: Literal["sum", "factor", "measured"] = "sum"


class Hit(NamedTuple):
    """A chunk of a document that matches a query. `also` are other places with the same text.

    `closed`: it no longer holds; `now` are the words that hold instead, where they are known and the caller may see them.
    `weak`: it is only the nearest there is, and scores too little to be taken for an answer. `later`: the words of a newer statement, where
    nobody said yet which of the two holds.
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
        """How an answer cites it."""
        return _reference(self.path, self.first_line, self.last_line)

    @property
    def ended(self) -> str:
        """The mark to show beside text that no longer holds; empty where it holds."""
        return ended_words(self.until, self.now) if self.closed or self.until is not None else ""

    @property
    def mark(self) -> str:
        """What to show beside it where it is not to be taken as it stands: it ended, or something newer may hold instead."""
        return self.ended or (f"in doubt, said later: {self.later}" if self.later else "")


def _reference(path: str, first: int, last: int) -> str:
    return f"{path}#L{first}-L{last}" if last > first else f"{path}#L{first}"


def ended_words(until: date | None, now: str = "") -> str:
    """The mark for text that no longer holds, wherever it is shown."""
    since = f"until {until.isoformat()}" if until is not None else "no longer holds"
    return f"{since}, now: {now}" if now else since


# ── findings ─────────────────────────────────────────────────────────────────────────────────────────────────────────

Severity = Literal["error", "warning", "note"]


class Finding(Frozen):
    """Something a person should know, with the command or step that fixes it."""

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
    """`spec` is five cron fields, a moment or a step; `zone` is empty for the user's own; slots up to `since` are settled.

    `words` are the message to the agent, or the name of the operation. `standing`: a built-in job, whose times are set in CONFIG.md.
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
    """One slot that was run or skipped. `until`: the lease of its process; after that the process counts as dead."""

    job: str
    slot: str
    state: RunState
    holder: str
    until: str
    began_at: str
    ended_at: str
    detail: str
