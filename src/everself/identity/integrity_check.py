"""Compares the guarded documents with the accepted state, and detects Everself's own changes. Changes nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, Protocol

from everself.errors import Damaged, DiskError, UnsafePath
from everself.frozen import Frozen
from everself.identity.outside_changes import Counter, GuardedDocument, IntegrityMark, Tamper, compare, find_breach
from everself.storage.state.baselines import Sealed
from everself.storage.state.database import State
from everself.storage.state.ledger import Since
from everself.values import Author, Document, FileStat
from everself.workspace.guards import HUMANS
from everself.workspace.layout import place

# documents that every workspace may have; no other file with these names enters a prompt
FIXED: Final = ("SOUL.md", "IDENTITY.md", "SOUL_TESTS.md", "CONFIG.md", "BOOT.md")
KEEPERS: Final = "agents"


class Reader(Protocol):
    """What the check reads of a workspace."""

    def find(self, path: str) -> Document | None: ...

    def list(self, under: str = "") -> Sequence[FileStat]: ...


def guarded_paths(documents: Reader, personas: tuple[str, ...], known: Iterable[str] = ()) -> list[str]:
    """All paths to check: fixed names and alternates, existing or not, known ones, and keepers' prompts.

    The workspace is not walked: this runs before every prompt, and there may be thousands of daily logs.
    """
    return sorted({*FIXED, *personas, *known, *_keeper_prompts(documents, personas)})


def _keeper_prompts(documents: Reader, personas: tuple[str, ...]) -> Iterable[str]:
    try:
        found = documents.list(KEEPERS)
    except (UnsafePath, DiskError):
        # a link or file in place of the folder is checked by its own name
        return [KEEPERS]
    # a link may point to a folder with prompts, whatever its name
    return [
        one.path
        for one in found
        if place(one.path, personas).humans_only and (one.kind == "link" or one.path.lower().endswith(".md"))
    ]


SOUL: Final = "SOUL.md"


class Look(Frozen):
    """The current state beside the accepted one. A tamper without a path concerns Everself's own records."""

    mark: IntegrityMark | None
    sealed: Sealed
    since: Since
    seen: dict[str, GuardedDocument]
    tampers: tuple[Tamper, ...]
    # changed by Everself since the last check
    own: tuple[str, ...]

    @property
    def first(self) -> bool:
        """Nothing was accepted here yet; a mark of 0 is left by a crash before the first seal."""
        return self.sealed.genuine and not self.sealed.counter and (self.mark is None or not self.mark.counter)

    @property
    def breached(self) -> bool:
        return any(not one.path for one in self.tampers)


class Examination:
    def __init__(self, documents: Reader, state: State, counter: Counter, personas: tuple[str, ...] = ()) -> None:
        self._documents = documents
        self._state = state
        self._counter = counter
        self._personas = personas

    def look(self) -> Look:
        # in this order, so that concurrent changes only make later values newer
        damaged = ""
        try:
            mark = self._counter.get()
        except Damaged as error:
            mark, damaged = None, error.detail
        sealed = self._state.baselines.load()
        since = self._since(mark)
        seen = {path: self._read(path) for path in self._paths(sealed)}
        breach = Tamper("", "forged", why=damaged) if damaged else find_breach(mark, sealed, since.broken)
        found = Look(mark, sealed, since, seen, (breach,) if breach is not None else (), ())
        if found.first and breach is None:
            return found
        differing = [one for path in seen if (one := compare(path, sealed.baselines.get(path), seen[path]))]
        own = () if breach else tuple(one.path for one in differing if self._is_own(one.path, found))
        outside = tuple(one for one in differing if one.path not in own)
        return replace(found, tampers=found.tampers + outside, own=own)

    def _since(self, mark: IntegrityMark | None) -> Since:
        return Since(self._state.ledger_head(), {}) if mark is None else self._state.ledger_since(mark.ledger)

    def _paths(self, sealed: Sealed) -> list[str]:
        return guarded_paths(self._documents, self._personas, sealed.baselines if sealed.genuine else ())

    def _read(self, path: str) -> GuardedDocument:
        try:
            found = self._documents.find(path)
        except (UnsafePath, DiskError) as error:
            return GuardedDocument(None, fault=error.detail)
        if found is None:
            return GuardedDocument(None)
        # bytes beyond the reading limit never enter a prompt, but their number is known
        return GuardedDocument(found.data, found.hash + (f"+{found.cut}" if found.cut else ""))

    def _is_own(self, path: str, found: Look) -> bool:
        """Whether only change sets led from the accepted to the current content."""
        touch, now = found.since.newest.get(path), found.seen[path]
        if touch is None or now.fault:
            return False
        accepted = found.sealed.baselines.get(path)
        if (touch.before, touch.after) != (self._keyed(accepted.hash if accepted else ""), self._keyed(now.hash)):
            return False
        author = Author(touch.author)
        if author is Author.RUNTIME:
            return touch.before is None
        # guards allow keepers to change only the learned section, if the policy permits it
        return author in HUMANS or (author is Author.KEEPER and path == SOUL)

    def _keyed(self, content: str) -> str | None:
        return self._state.keyed(content) if content else None
