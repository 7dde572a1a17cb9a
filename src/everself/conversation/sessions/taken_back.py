"""Finds what a person took back out of memory, by undoing the change that wrote it or by deleting it in an editor.

Without this, a checkpoint that reads the message again would write it again. Forgotten text has a tombstone; this is about text that was
only taken back and may be said again. Writes nothing.
"""

from typing import Final

from everself.classify.coverage import untold
from everself.errors import EverselfError
from everself.memory.entries import ParsedEntry, holds_memory, read_document
from everself.memory.memory import Memory
from everself.text.normalise import fold
from everself.values import FileChange

# number of changes examined: a checkpoint follows soon after a message
_LOOKED_BACK: Final = 100
_ENDS: Final = " .!?。！？…"


class TakenBack:
    """Checks statements one by one. Undone changes are read once, on first use."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._undone: list[ParsedEntry] | None = None

    def rest(self, statement: str, reference: str) -> tuple[str, ...]:
        """The parts of a statement that were not taken back, verbatim; all of it if nothing was. `reference` names its message."""
        if self._memory.catalog.is_gone(statement, reference):
            return ()
        undone = [one.text for one in self._brought() if reference in one.claim("from").split(",")]
        if not undone:
            return (statement,)
        if any(fold(statement).strip(_ENDS) in fold(one) for one in undone):
            return ()
        return tuple(untold(statement, undone))

    def _brought(self) -> list[ParsedEntry]:
        if self._undone is None:
            self._undone = self._load()
        return self._undone

    def _load(self) -> list[ParsedEntry]:
        changes = self._memory.workspace.changes(_LOOKED_BACK)
        again = {one.undoes for one in changes if one.undoes}
        # undoing an undo brought the text back
        undone = [one.undoes for one in changes if one.undoes and one.id not in again]
        return [entry for change in undone for entry in self._entries(change)]

    def _entries(self, change: str) -> tuple[ParsedEntry, ...]:
        """The entries that a change added."""
        try:
            _, files = self._memory.workspace.record(change)
        except EverselfError:
            # forgotten since, or lost with its history: nothing is known of its text
            return ()
        return tuple(one for file in files if holds_memory(file.path) for one in _new(file))


def _new(file: FileChange) -> list[ParsedEntry]:
    stood = {one.claim("id") for one in read_document(file.before or b"")}
    return [one for one in read_document(file.after or b"") if one.claim("id") not in stood]
