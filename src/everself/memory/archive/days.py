"""Archives old daily logs by quarter, verbatim: selects them and moves or copies them in one change.

A moved day is in the archive only, with the same entries and days. Archive, removal, chronicle and log are one change, so a day is never
missing from both places. A day with a correction is not moved.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Final

from everself.errors import WrongUse
from everself.frozen import Frozen
from everself.memory._archive_parts import LARGEST, Day, find_copy, part_of, put_over, said, verify
from everself.memory.archive import log as record
from everself.memory.archive.chronicle import ChronicleText, add_days, tells
from everself.memory.drafts import Draft
from everself.memory.memory import Memory
from everself.text.markdown.blocks import scan
from everself.text.markdown.copies import parts
from everself.text.markdown.edit import lead_in
from everself.values import Author, Change, Edit, Entry, Move, ProvenanceRecord, Remove, Tag, digest
from everself.workspace.layout import archives_of, is_day, place

AGE: Final = 90
CORRECTION: Final = "it contains a correction"
CUT: Final = "it is too large"
ODD: Final = "it is not a regular file"


class OldDay(Frozen):
    """A day that can be archived, and its destination. `copied`: the archive has an identical copy."""

    path: str
    day: date
    bytes: int
    entries: int
    to: str
    copied: bool = False


class HeldDay(Frozen):
    """A day that is old enough but is not archived, and the reason."""

    path: str
    why: str


class OldDays(Frozen):
    days: tuple[OldDay, ...]
    held: tuple[HeldDay, ...] = ()


class Archived(Frozen):
    """The result of archiving: the days, the archives and the change; empty if nothing was done."""

    change: str = ""
    paths: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()


@dataclass(slots=True)
class _Making:
    """The parts of a change while it is planned."""

    draft: Draft
    edits: list[Edit] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    archives: dict[str, bytes] = field(default_factory=dict)
    days: dict[str, list[Day]] = field(default_factory=lambda: defaultdict(list))
    replaced: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))

    def lead(self, archive: str, data: bytes) -> bytes:
        """The bytes before the next part. A part that was added in this change is known to end cleanly."""
        return b"\n" if self.days[archive] else lead_in(scan(data))


def find_old_days(memory: Memory, days: int = AGE) -> OldDays:
    """The days older than `days`, in order. Reads file names, and the catalog of unchanged files."""
    if days < 1:
        raise WrongUse("Only past days can be archived.", mend="Say --days 1 or more.")
    last = memory.clock.today() - timedelta(days=days)
    stats = [one for one in memory.workspace.list() if is_day(one.path) and _day(one.path) <= last]
    if not stats:
        return OldDays(())
    wanted = {one.path for one in stats}
    counts: dict[str, int] = defaultdict(int)
    corrected: set[str] = set()
    for entry in memory.catalog.all():
        if entry.path in wanted:
            counts[entry.path] += 1
            corrected |= {entry.path} if entry.tag is Tag.CORRECTION else set()
    found: list[OldDay] = []
    held: list[HeldDay] = []
    for one in stats:
        why = ODD if one.kind != "file" or one.links != 1 else CUT if one.size > LARGEST else ""
        why = CORRECTION if one.path in corrected else why
        if why:
            held.append(HeldDay(one.path, why))
            continue
        found.append(OldDay(one.path, _day(one.path), one.size, counts[one.path], next(archives_of(one.path))))
    return OldDays(tuple(_with_copies(memory, sorted(found, key=lambda one: (one.day, one.path)))), tuple(held))


def archive_days(
    memory: Memory,
    paths: Sequence[str],
    *,
    remove: bool,
    chronicled: bool = False,
    stories: Sequence[ChronicleText] = (),
    author: Author = Author.OWNER,
) -> Archived:
    """Archive days in one change. If they are not removed, the archive gets copies that do not count as entries."""
    done = Archived()

    def plan() -> Change | None:
        nonlocal done
        days = [Day(path, data.data) for path in paths if (data := memory.workspace.find(path)) is not None]
        making = _Making(memory.draft())
        for day in days:
            _put_away(making, day, remove=remove)
        if not making.paths:
            done = Archived()
            return None
        for path, before in making.archives.items():
            verify(before, making.draft.find(path) or b"", making.days[path], making.replaced[path])
        provenance: tuple[ProvenanceRecord, ...] = ()
        if chronicled:
            provenance = add_days(making.draft, _told(memory, making.paths), stories, now=memory.words_now)
        what = "days archived" if remove else "days copied"
        record.note(making.draft, memory.clock.now(), what, making.lines)
        edits = (*making.draft.edits(), *making.edits)
        archives = tuple(dict.fromkeys((*making.archives, *(one.to for one in making.edits if isinstance(one, Move)))))
        done = Archived("", tuple(making.paths), archives)
        key = f"archive {digest(repr([(day.path, day.sha, remove) for day in days]).encode())[:32]}"
        return Change(
            author, what, edits, tuple(f"file:{path}" for path in making.paths[:50]), provenance=provenance, key=key
        )

    change = memory.change(plan)
    # refresh all documents together, or an id would briefly belong to two places
    memory.catalog.refresh()
    return replace(done, change=change)


def _put_away(making: _Making, day: Day, *, remove: bool) -> None:
    if not is_day(day.path):
        raise WrongUse(f"{day.path} is not a daily log.")
    part = part_of(day, kept=not remove)
    if part is None:
        if remove:
            to = _whole(making.draft, day.path)
            making.edits.append(Move(day.path, day.sha, to))
            making.lines.append(record.moved(day.path, to, len(said(day.data)), day.sha))
            making.paths.append(day.path)
        return
    archive = _home(making.draft, day, len(part))
    before = making.draft.find(archive)
    data = _title(archive) if before is None else before
    copy = find_copy(data, day.path)
    if copy is not None and not remove and copy.sha == day.sha:
        return
    making.archives.setdefault(archive, data)
    making.replaced[archive] += [data[copy.start : copy.end]] if copy is not None else []
    made = put_over(data, copy, part) if copy is not None else data + making.lead(archive, data) + part
    making.draft.put(archive, made)
    making.days[archive].append(day)
    if remove:
        making.edits.append(Remove(day.path, day.sha))
    making.lines.append(record.moved(day.path, archive, len(said(day.data)), day.sha))
    making.paths.append(day.path)


def _home(draft: Draft, day: Day, size: int) -> str:
    """The archive that has a copy of the day, else the first one with room for it."""
    with_room = ""
    for path in archives_of(day.path):
        found = draft.find(path)
        if found is None:
            return with_room or path
        if find_copy(found, day.path) is not None:
            return path
        with_room = with_room or (path if len(found) + size <= LARGEST else "")
    raise AssertionError("archives never end")


def _whole(draft: Draft, path: str) -> str:
    """A free file name in the archive for a file that must stay whole."""
    folder = next(archives_of(path)).rpartition("/")[0]
    stem = path.rpartition("/")[2].removesuffix(".md")
    number = 1
    while draft.find(made := f"{folder}/{stem}{f'-{number}' if number > 1 else ''}.md") is not None:
        number += 1
    return made


def _told(memory: Memory, paths: Sequence[str]) -> dict[date, list[Entry]]:
    """The entries of these days for a chronicle. Entries of a person or a project are left out: chronicles are the owner's."""
    found: dict[date, list[Entry]] = defaultdict(list)
    for path in paths:
        where = place(path)
        if where.person or where.project:
            continue
        for entry in memory.catalog.of(path):
            if tells(entry, memory.trust(entry)):
                found[_day(path)].append(entry)
    return found


def _with_copies(memory: Memory, found: Sequence[OldDay]) -> Iterator[OldDay]:
    """The same days, each with whether and where it has been copied."""
    copies: dict[str, tuple[str, str]] = {}
    looked: set[str] = set()
    for one in found:
        if one.to not in looked:
            looked.add(one.to)
            for path in archives_of(one.path):
                document = memory.workspace.find(path)
                if document is None:
                    break
                copies |= {part.path: (path, part.sha) for part in parts(document.data) if part.sha}
        to, sha = copies.get(one.path, (one.to, ""))
        now = memory.workspace.find(one.path) if sha else None
        yield replace(one, to=to, copied=now is not None and now.hash == sha)


def _day(path: str) -> date:
    return place(path).day or date.max


def _title(archive: str) -> bytes:
    return f"# Memory archive: {archive.rpartition('/')[2].removesuffix('.md')}\n".encode()
