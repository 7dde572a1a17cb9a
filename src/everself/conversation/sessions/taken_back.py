"""What a person took out of memory again: by undoing the change that wrote it, or by deleting it in an editor.

A checkpoint reads the message once more and would write it anew. What was forgotten has its tombstone; this is about what was only taken
back, and may be said again. Writes nothing.
"""

from typing import Final

from everself.classify.coverage import untold
from everself.errors import EverselfError
from everself.memory.entries import ParsedEntry, holds_memory, read_document
from everself.memory.memory import Memory
from everself.text.normalise import fold
from everself.values import FileChange

# changes that are looked through: a checkpoint follows soon after what was said
_LOOKED_BACK: Final = 100
_ENDS: Final = " .!?。！？…"


class TakenBack:
    """Asked about one statement of one message after the other; what was undone is read once, where something was."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._undone: list[ParsedEntry] | None = None

    def rest(self, statement: str, reference: str) -> tuple[str, ...]:
        """What of a statement was not taken back, word for word: all of it where nothing was. `reference` names its message."""
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
        # an undo that was undone itself brought the words back
        undone = [one.undoes for one in changes if one.undoes and one.id not in again]
        return [entry for change in undone for entry in self._entries(change)]

    def _entries(self, change: str) -> tuple[ParsedEntry, ...]:
        """The entries that a change brought."""
        try:
            _, files = self._memory.workspace.record(change)
        except EverselfError:
            # forgotten since, or lost with its history: nothing is known of its words
            return ()
        return tuple(one for file in files if holds_memory(file.path) for one in _new(file))


def _new(file: FileChange) -> list[ParsedEntry]:
    stood = {one.claim("id") for one in read_document(file.before or b"")}
    return [one for one in read_document(file.after or b"") if one.claim("id") not in stood]
