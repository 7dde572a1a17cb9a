"""Versions of the soul: byte copies in SOUL_HISTORY/, named by time and hash. Reads and names them; `growth` writes them."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Literal

from everself.clock import Clock
from everself.errors import NotFound, RefusedByRule, TooLarge, WrongUse
from everself.frozen import Frozen
from everself.memory.archive import log as record
from everself.memory.memory import Memory
from everself.text.markdown.blocks import scan
from everself.text.markdown.edit import append_log
from everself.text.normalise import without_surrogates
from everself.values import Append, Author, Change, FileStat, Remove, digest
from everself.workspace.layout import Kind, place
from everself.workspace.learned_section import SOUL
from everself.workspace.protocol import Workspace

FOLDER = "SOUL_HISTORY"
CURRENT = "current"
LAST = "last"
_STAMP = "%Y-%m-%dT%H%M%S"
_HASH = 8


class Version(Frozen):
    """One soul. `at` is when it was archived; None for the current soul and for files of unknown origin.

    `altered`: its name does not match its content.
    """

    name: str
    path: str
    at: datetime | None
    hash: str
    size: int
    altered: bool = False

    @property
    def current(self) -> bool:
        return self.path == SOUL


class Versions:
    def __init__(self, workspace: Workspace, clock: Clock) -> None:
        self._workspace = workspace
        self._clock = clock

    def soul(self) -> bytes | None:
        return self.content(SOUL)

    def content(self, path: str) -> bytes | None:
        """The bytes of a soul; raises if they are incomplete."""
        found = self._workspace.find(path)
        if found is not None and found.cut:
            raise TooLarge(f"{path} exceeds the size limit of a soul.", mend="Shorten it by hand.")
        return None if found is None else found.data

    def list(self) -> tuple[Version, ...]:
        """The current soul, then earlier ones, newest first; those without a time last."""
        now = self.soul()
        today = () if now is None else (Version(CURRENT, SOUL, None, digest(now), len(now)),)
        stats = [one for one in self._workspace.list(FOLDER) if _is_snapshot(one)]
        dated = sorted(((_moment(one.path), one) for one in stats), key=_order, reverse=True)
        return (*today, *(version for at, one in dated if (version := self._version(one.path, at)) is not None))

    def find(self, name: str) -> Version:
        """By name, path, name prefix or hash; `current`, or `last` for the newest different soul."""
        known = self.list()
        if name == LAST:
            now = next((one.hash for one in known if one.current), "")
            found = [one for one in known if not one.current and one.hash != now][:1]
        else:
            found = [one for one in known if name in (one.name, one.path)]
            found = found or [one for one in known if name and _answers(one, name)]
        if not found:
            raise NotFound(f'earlier soul "{name[:60]}".', mend="everself soul history")
        if len(found) > 1:
            raise WrongUse(f'"{name[:60]}" is ambiguous: {", ".join(one.name for one in found[:10])}.')
        return found[0]

    def with_hash(self, wanted: str) -> bytes | None:
        """The bytes of that hash, from today's soul or an earlier one."""
        now = self.soul()
        if now is not None and digest(now) == wanted:
            return now
        for one in self._workspace.list(FOLDER):
            if _is_snapshot(one) and one.path.endswith(f"-{wanted[:_HASH]}.md"):
                data = self.content(one.path)
                if data is not None and digest(data) == wanted:
                    return data
        return None

    def place_for(self, data: bytes) -> str:
        """The path for a copy of these bytes; empty if one exists."""
        mark = digest(data)
        for one in self._workspace.list(FOLDER):
            if _is_snapshot(one) and one.path.endswith(f"-{mark[:_HASH]}.md") and self.content(one.path) == data:
                return ""
        return f"{FOLDER}/{self._clock.now().strftime(_STAMP)}-{mark[:_HASH]}.md"

    def thin(self, days: int, needed: Iterable[str] = ()) -> tuple[str, ...]:
        """The copies that may be removed: past their retention time, not the newest of their month, and without a `needed` hash."""
        oldest = self._clock.today() - timedelta(days=days)
        spared = set(needed)
        seen: set[date] = set()
        going: list[str] = []
        for one in self.list():
            if one.at is None:
                continue
            day = one.at.date()
            if day >= oldest:
                continue
            month = day.replace(day=1)
            if month in seen and one.hash not in spared and not one.altered:
                going.append(one.path)
            seen.add(month)
        return tuple(going)

    def _version(self, path: str, at: datetime | None) -> Version | None:
        data = self.content(path)
        if data is None:
            return None
        stem = path.rpartition("/")[2].removesuffix(".md")
        mark = digest(data)
        moment = None if at is None else at.replace(tzinfo=self._clock.zone)
        return Version(stem, path, moment, mark, len(data), at is not None and stem[-_HASH:] != mark[:_HASH])


def _is_snapshot(one: FileStat) -> bool:
    return one.kind == "file" and one.path.endswith(".md") and one.path.count("/") == 1


def _moment(path: str) -> datetime | None:
    """The time of a copy, in the local time of its creation."""
    stem = path.rpartition("/")[2].removesuffix(".md")
    stamp, _, mark = stem.rpartition("-")
    if len(mark) != _HASH:
        return None
    try:
        return datetime.strptime(stamp, _STAMP)
    except ValueError:
        return None


def _order(dated: tuple[datetime | None, FileStat]) -> tuple[datetime, int, str]:
    at, one = dated
    # copies of the same second are in the order of writing
    return at or datetime.min, one.mtime_ns, one.path


def _answers(one: Version, name: str) -> bool:
    return one.name.startswith(name) or (len(name) >= 4 and one.hash.startswith(name.lower()))


def find_old_souls(memory: Memory, days: int, needed: Sequence[str] = ()) -> tuple[str, ...]:
    """Copies that may be removed; `needed` are the base hashes of open proposals."""
    return Versions(memory.workspace, memory.clock).thin(days, needed)


def thin_souls(memory: Memory, paths: Sequence[str]) -> str:
    """Remove these copies, as one change. Returns its id, empty if there was nothing to do."""
    stray = [path for path in paths if place(path).kind is not Kind.SOUL_HISTORY]
    if stray:
        raise RefusedByRule(f"{stray[0]} is not an earlier soul.")

    def plan() -> Change | None:
        found = [one for path in paths if (one := memory.workspace.find(path)) is not None]
        if not found:
            return None
        draft = memory.draft()
        lines = [f"`{one.path}` removed, another of its month is kept (sha256 {one.hash[:16]})" for one in found]
        record.note(draft, memory.clock.now(), "earlier souls thinned", lines)
        edits = (*draft.edits(), *(Remove(one.path, one.hash) for one in found))
        key = f"thin {digest(repr([(one.path, one.hash) for one in found]).encode())[:32]}"
        evidence = tuple(f"file:{one.path}" for one in found)
        return Change(Author.KEEPER, "earlier souls thinned", edits, evidence, key=key)

    return memory.change(plan)


CHANGELOG = "CHANGELOG.md"
_HEADER = b"# Changelog\n"
# a rollback over years must not copy two souls into the log; the earlier version is stored in SOUL_HISTORY/
MOST_LINES = 40

Step = Literal["growth", "rollback", "refusal"]


class ChangelogEntry(Frozen):
    """One entry. `earlier` is the path of the previous soul's copy."""

    step: Step
    who: str
    reason: str
    evidence: tuple[str, ...] = ()
    earlier: str = ""
    removed: Sequence[str] = ()
    added: Sequence[str] = ()


def append_entry(document: bytes | None, told: ChangelogEntry, now: datetime) -> Append:
    """The addition to CHANGELOG.md for one entry."""
    text = "\n".join(_lines(told)).encode()
    clock = now.isoformat(sep=" ", timespec="seconds")
    splice = append_log(scan(_HEADER if document is None else document), clock, f"soul: {told.step}", text)
    return Append(CHANGELOG, splice.data, _HEADER)


def _lines(told: ChangelogEntry) -> Iterator[str]:
    yield f"- who: {told.who}"
    yield f"- reason: {_inert(told.reason) or 'none given'}"
    if told.evidence:
        yield f"- evidence: {', '.join(_inert(one) for one in told.evidence)}"
    if told.earlier:
        yield f"- before: {told.earlier}"
    for word, lines in (("removed", told.removed), ("added", told.added)):
        # without bullets: the text after the colon is exact, as forgetting searches for it
        yield from (f"- {word}: {_inert(line.lstrip('-*+ '))}" for line in lines[:MOST_LINES])
        if len(lines) > MOST_LINES:
            yield f"- {word}: {len(lines) - MOST_LINES} more lines"


def _inert(text: str) -> str:
    """On one line, without comments that tools interpret."""
    return " ".join(without_surrogates(text).split()).replace("<!--", "&lt;!--")
