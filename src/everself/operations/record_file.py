"""A small file of named records beside the gateway. It is read again when it was replaced, and changed by compare and replace.

Knows neither the meaning of a record nor HTTP. Blocks.
"""

import os
from collections.abc import Callable
from types import GenericAlias
from typing import Any, Final, Generic, Protocol, TypeVar

from everself.errors import ChangedMeanwhile, Damaged, LockTimeout, NotFound, WrongUse
from everself.storage.host_files import find_file, save_file, sweep

# each attempt is one read and compare; this many conflicts in a row do not happen by chance
_ATTEMPTS: Final = 50
_LONGEST: Final = 64


class Named(Protocol):
    @property
    def name(self) -> str: ...


R = TypeVar("R", bound=Named)
Edit = Callable[[tuple[R, ...]], tuple[R, ...]]


class RecordFile(Generic[R]):
    """A change by any process takes effect at once.

    `title` is the key of the list in the file, `noun` the name of one record, `command` the group of its commands.
    """

    def __init__(self, path: str, record: type[R], title: str, noun: str, command: str) -> None:
        self.path = path
        self._record = record
        self._title = title
        self._noun = noun
        self._command = command
        self._seen: tuple[object, tuple[R, ...]] | None = None

    def records(self) -> tuple[R, ...]:
        """Raises Damaged if the file is invalid; then nobody is let in."""
        mark = self._mark()
        if self._seen is None or self._seen[0] != mark or mark is None:
            self._seen = (mark, self._parse(find_file(self.path)))
        return self._seen[1]

    def get(self, name: str) -> R:
        return self._named(self.records(), name)

    def add(self, record: R) -> None:
        def edit(known: tuple[R, ...]) -> tuple[R, ...]:
            if any(one.name == record.name for one in known):
                raise WrongUse(
                    f"A {self._noun} named {record.name} already exists.", mend=f"{self._command} rotate {record.name}"
                )
            return (*known, record)

        self.change(edit)

    def replace(self, record: R) -> None:
        """Replace the record with the same name."""

        def edit(known: tuple[R, ...]) -> tuple[R, ...]:
            old = self._named(known, record.name)
            return tuple(record if one is old else one for one in known)

        self.change(edit)

    def remove(self, name: str) -> None:
        def edit(known: tuple[R, ...]) -> tuple[R, ...]:
            old = self._named(known, name)
            return tuple(one for one in known if one is not old)

        self.change(edit)

    def change(self, edit: Edit[R]) -> None:
        """Apply `edit` to the current list and save it. It may be called more than once."""
        sweep(self.path)
        for attempt in range(_ATTEMPTS):
            before = find_file(self.path)
            after = self._render(edit(self._parse(before)))
            try:
                save_file(self.path, after, before)
            except LockTimeout:
                raise
            except ChangedMeanwhile:
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                return

    def check(self, records: tuple[R, ...]) -> None:
        """Raises Damaged if a record is invalid. Subclasses override it."""

    def _named(self, records: tuple[R, ...], name: str) -> R:
        for one in records:
            if one.name == name:
                return one
        raise NotFound(f"{self._noun} {name[:_LONGEST]}.", mend=f"{self._command} list")

    def _parse(self, data: bytes | None) -> tuple[R, ...]:
        if data is None:
            return ()
        # imported here: `doctor` rarely finds the file
        import msgspec

        records: Any = GenericAlias(tuple, (self._record, ...))
        try:
            found: tuple[R, ...] = msgspec.json.decode(data, type=dict[str, records])[self._title]
        except (msgspec.DecodeError, KeyError) as error:
            raise Damaged(
                f"{self.path} does not list {self._title}.", mend=f"Move {self.path} away and make new {self._title}."
            ) from error
        self.check(found)
        return found

    def _render(self, records: tuple[R, ...]) -> bytes:
        import msgspec

        return msgspec.json.format(msgspec.json.encode({self._title: records}), indent=2) + b"\n"

    def _mark(self) -> object:
        """Identifies one version of the file. The file is always replaced, never overwritten."""
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_dev, found.st_mtime_ns, found.st_ctime_ns, found.st_size
