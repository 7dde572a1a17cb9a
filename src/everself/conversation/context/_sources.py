"""Collects the documents for each slot of a prompt that this kind of session may see.

Reads documents and decides nothing about budgets. A missing or unreadable document is reported and never an error.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Final, Protocol

from everself.conversation.context._shown_text import shown_text
from everself.conversation.context.budget import Slot
from everself.conversation.context.packing import unverified_lines
from everself.conversation.context.provenance import Passage, unlabelled, vet
from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.identity.persona import SOUL_FILE, Speaker
from everself.memory.entries import ParsedEntry, holds_memory, quotes_a_talk, read_document
from everself.memory.provenance import PERSON
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import Run, SharingRules, effective, files_of, gets, is_owner, visible
from everself.text.normalise import fold, one_line
from everself.values import Document, digest, ended_words
from everself.workspace.layout import Kind, place

_SHOWN: Final = 160
_ENDS: Final = " .!?。！？…"
# most documents have no closed entries and need not be parsed
_SIGN: Final = b"until="
# a mark after one of these would become part of it, or break it
_BLOCKS: Final = (b"```", b"~~~", b"|", b"<", b"#", b"$$", b"    ", b"\t")


def mark_ended(path: str, data: bytes) -> bytes:
    """The document with a mark after the text of each ended entry; the same bytes if there is none."""
    if _SIGN not in data or not holds_memory(path):
        return data
    found = read_document(data)
    known = {one.claim("id"): one for one in found if one.claim("id")}
    for one in reversed(found):
        until = _day(one.claim("until"))
        if until is not None:
            data = _marked(data, one, f"({ended_words(until, _now(one, known))})".encode())
    return data


def ended_in(path: str, data: bytes) -> tuple[tuple[str, str], ...]:
    """The text of each ended entry, with its mark."""
    if _SIGN not in data or not holds_memory(path):
        return ()
    found = read_document(data)
    known = {one.claim("id"): one for one in found if one.claim("id")}
    dated = [(one, _day(one.claim("until"))) for one in found]
    return tuple(
        (unlabelled(one.text), ended_words(until, _now(one, known))) for one, until in dated if until is not None
    )


def mark_quoted(data: bytes, ended: Sequence[tuple[str, str]]) -> bytes:
    """The session note with a mark after each quoted statement that has ended. A note quotes the conversation and has no comments that
    could say so."""
    lines = data.decode("utf-8", "replace").split("\n") if ended else []
    folded = [(fold(words).strip(_ENDS), one_line(words, _SHOWN), mark) for words, mark in ended]
    for at, line in enumerate(lines):
        said = fold(line) if quotes_a_talk(line) else ""
        for words, shown, mark in folded:
            if words and words in said and mark not in line:
                lines[at] += f" (“{shown}” {mark})"
    return "\n".join(lines).encode("utf-8", "replace") if ended else data


def _now(ended: ParsedEntry, known: dict[str, ParsedEntry]) -> str:
    """The text of the entry that replaced the ended one; the last of a chain of replacements. Empty if that one ended too."""
    seen = {ended.claim("id")}
    found: ParsedEntry | None = ended
    while found is not None and (name := found.claim("by")) and name not in seen:
        seen.add(name)
        found = known.get(name)
    holds = found is not None and found is not ended and not found.claim("until") and not found.struck
    return one_line(unlabelled(found.text), _SHOWN) if found is not None and holds else ""


def _marked(data: bytes, one: ParsedEntry, mark: bytes) -> bytes:
    """Insert the mark at the end of the entry's last line, or above its text if that line is not prose."""
    start, end, cut, after, _ = one.words
    if after and cut <= end <= after:
        end = cut
    words = data[start:end].rstrip()
    if words.rpartition(b"\n")[2].startswith(_BLOCKS):
        return data[:start] + mark + b"\n\n" + data[start:]
    end = start + len(words)
    return data[:end] + b" " + mark + data[end:]


def _day(said: str) -> date | None:
    try:
        return date.fromisoformat(said)
    except ValueError:
        return None


CORRECTIONS: Final = "CORRECTIONS.md"
_CORE: Final = ("MEMORY.md", "memory.md")
_DATED: Final = frozenset({Kind.DAILY_LOG, Kind.SESSION_NOTE, Kind.PERSON_MEMORY})


class DocumentSource(Protocol):
    """`find` returns a document as it may be used, which can differ from the file (see `identity`). `passages` are the entries of a
    document, by their position in its bytes, with the source that each rests on."""

    def find(self, path: str) -> Document | None: ...

    def paths(self, folder: str) -> Iterable[str]: ...

    def passages(self, path: str, data: bytes) -> Sequence[Passage]: ...


class Source(Frozen):
    """What a session sees of one document. `hash` is that of the document as read; `partly`: only labelled sections are visible."""

    path: str
    data: bytes
    hash: str
    day: date | None = None
    partly: bool = False
    # text of ended entries, and the mark to show with it
    ended: tuple[tuple[str, str], ...] = ()
    # sources of the visible entries, and the entries withheld because they are from outside
    sources: tuple[str, ...] = ()
    withheld: tuple[Passage, ...] = ()
    # first lines of the corrections that were not embedded again yet
    unverified: frozenset[int] = frozenset()


class Material(Frozen):
    """Everything that a prompt may be made of. `missing` are documents that this session should have but that do not exist."""

    soul: Source | None
    files: tuple[Source, ...]
    slots: dict[Slot, tuple[Source, ...]]
    missing: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    def documents(self) -> tuple[Source, ...]:
        """Each document once, in the order of the prompt."""
        found = (
            *((self.soul,) if self.soul else ()),
            *self.files,
            *(one for many in self.slots.values() for one in many),
        )
        return tuple({one.path: one for one in found}.values())


class Viewer(Frozen):
    """The kind of session and the person for whom documents are read, the sharing rules of the settings, and the kind of run.

    `soul` is the path of the active soul, which is shared like SOUL.md whatever its name.
    """

    scope: Scope
    rules: SharingRules = field(default_factory=SharingRules)
    run: Run = "ordinary"
    soul: str = SOUL_FILE

    def gets(self, path: str) -> bool:
        return gets(self.scope, self._shared_as(path), self.rules, self.run)

    def visible(self, path: str, data: bytes) -> bytes:
        return visible(self.scope, self._shared_as(path), data, self.rules, self.run)

    def _shared_as(self, path: str) -> str:
        return SOUL_FILE if path == self.soul else path

    @property
    def files(self) -> tuple[str, ...]:
        return files_of(self.scope, self.rules, self.run)

    @property
    def person(self) -> str:
        """The guest whose own files are included; empty if there is none."""
        scope = effective(self.scope)
        return scope.person or "" if scope.kind is SessionKind.GUEST else ""

    @property
    def owner(self) -> bool:
        return is_owner(self.scope)


class DocumentReader:
    def __init__(self, source: DocumentSource) -> None:
        self._source = source

    def gather(self, viewer: Viewer, days: Sequence[date], speaker: Speaker) -> Material:
        """All documents that this viewer may see. `days` are the recent days, newest first."""
        reads = _DocumentReads(self._source, viewer)
        soul = reads.see(speaker.file, Document(speaker.file, speaker.data) if speaker.data else None)
        if soul is None and viewer.gets(speaker.file):
            reads.missing.append(speaker.file)
        files = reads.all(viewer.files, expected=True)
        own = f"users/{viewer.person}" if viewer.person else ""
        slots = {
            Slot.USER: reads.all([*([f"{own}/USER.md"] if own else []), "USER.md"], expected=viewer.owner),
            Slot.CORRECTIONS: reads.all([CORRECTIONS]),
            Slot.RECENT: reads.all(self._recent(days, own)),
            Slot.LONGTERM: reads.all([f"{own}/MEMORY.md"] if own else []) + reads.core(),
        }
        ended = [one for slot in (Slot.RECENT, Slot.LONGTERM) for source in slots[slot] for one in source.ended]
        slots[Slot.RECENT] = tuple(_with_marks(one, ended) for one in slots[Slot.RECENT])
        return Material(soul, files, slots, tuple(reads.missing), tuple(reads.notices))

    def again(self, viewer: Viewer, known: Mapping[str, Source | None]) -> dict[str, Source | None]:
        """Read the same documents again. Unchanged ones are returned as they are."""
        reads = _DocumentReads(self._source, viewer)
        found = {path: reads.read(path, before) for path, before in known.items()}
        ended = [one for source in found.values() if source is not None for one in source.ended]
        return {path: None if one is None else _with_marks(one, ended) for path, one in found.items()}

    def _recent(self, days: Sequence[date], own: str) -> list[str]:
        """Logs and notes of these days: newest day first, the day's log before its notes."""
        found: list[tuple[int, int, str]] = []
        for folder in ("memory", f"{own}/memory") if own else ("memory",):
            for path in self._source.paths(folder):
                where = place(path)
                if where.day in days and where.kind in _DATED:
                    found.append((days.index(where.day), where.kind is not Kind.DAILY_LOG, path))
        return [path for _, _, path in sorted(found)]


def _with_marks(source: Source, ended: Sequence[tuple[str, str]]) -> Source:
    """A session note with its ended statements marked, as known from the other documents. Other sources are returned as they are."""
    if place(source.path).kind is not Kind.SESSION_NOTE:
        return source
    return replace(source, data=mark_quoted(source.data, ended))


def recent_days(today: date, hours: int) -> tuple[date, ...]:
    """The human days that count as recent, newest first: 48 hours are today and yesterday."""
    return tuple(today - timedelta(days=back) for back in range(max(1, -(-hours // 24))))


@dataclass(slots=True)
class _DocumentReads:
    source: DocumentSource
    viewer: Viewer
    missing: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def read(self, path: str, before: Source | None = None) -> Source | None:
        try:
            found = self.source.find(path)
            if found is not None and before is not None and before.hash == found.hash:
                return before
            return self.see(path, found)
        except EverselfError as error:
            self.notices.append(f"{path} cannot be read: {error}")
            return None

    def see(self, path: str, found: Document | None) -> Source | None:
        if found is None:
            return None
        if found.cut:
            self.notices.append(
                f"{path} is larger than Everself reads; its last {found.cut:,} bytes are not in the prompt."
            )
        whole = self.viewer.gets(path)
        own = f"{PERSON}{self.viewer.person}" if self.viewer.person else ""
        vetted = vet(found.data, self.source.passages(path, found.data), own)
        visible_part = self.viewer.visible(path, vetted.data)
        seen, ended = mark_ended(path, visible_part), ended_in(path, visible_part)
        if not whole and not seen.strip():
            return None
        hashed, day = digest(found.data), place(path).day
        unverified = unverified_lines(path, seen) if path == CORRECTIONS else frozenset()
        shown = shown_text(path, seen)
        return Source(path, shown, hashed, day, not whole, ended, vetted.sources, vetted.withheld, unverified)

    def all(self, paths: Sequence[str], *, expected: bool = False) -> tuple[Source, ...]:
        found: list[Source] = []
        for path in paths:
            one = self.read(path)
            if one is not None:
                found.append(one)
            elif expected and self.viewer.gets(path):
                self.missing.append(path)
        return tuple(found)

    def core(self) -> tuple[Source, ...]:
        """MEMORY.md, or `memory.md` if it does not exist."""
        for path in _CORE:
            one = self.read(path)
            if one is not None:
                return (one,)
        if self.viewer.gets(_CORE[0]):
            self.missing.append(_CORE[0])
        return ()
