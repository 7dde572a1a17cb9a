"""A counter of accepted changes, stored beside the integrity key, where neither workspace nor state can be used to alter it."""

import hmac
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from everself.errors import ChangedMeanwhile, Damaged, EverselfError
from everself.identity.outside_changes import IntegrityMark
from everself.storage.host_files import find_file, save_file, sweep
from everself.storage.state.database import State
from everself.storage.state.ledger import LedgerHead

if TYPE_CHECKING:
    from everself.identity.integrity import Integrity

TRIES: Final = 5
_FIELDS: Final = 4


class KeptCounter:
    """A small file in the key folder: the count, the ledger position, and a keyed hash of both."""

    def __init__(self, path: str, key: bytes) -> None:
        self._path = path
        self._key = key

    def get(self) -> IntegrityMark | None:
        data = find_file(self._path)
        return None if data is None else self._parse(data)

    def tidy(self) -> None:
        """Remove a temporary file left by a process that was killed while raising it."""
        sweep(self._path)

    def raise_to(self, mark: IntegrityMark) -> None:
        self.tidy()
        for _ in range(TRIES):
            there = find_file(self._path)
            if there is not None and self._is_higher(there, mark):
                return
            # another process of this agent may be faster; the higher count stays
            with suppress(ChangedMeanwhile):
                save_file(self._path, self._render(mark), there)
                return
        raise ChangedMeanwhile(f"({self._path})")

    def _is_higher(self, data: bytes, mark: IntegrityMark) -> bool:
        try:
            found = self._parse(data)
        except Damaged:
            # a damaged count is replaced only after the person was told and accepted
            return False
        return (found.counter, found.ledger.seq) >= (mark.counter, mark.ledger.seq)

    def _render(self, mark: IntegrityMark) -> bytes:
        said = f"{mark.counter} {mark.ledger.seq} {mark.ledger.mac}"
        return f"{said} {self._mac(said)}\n".encode()

    def _parse(self, data: bytes) -> IntegrityMark:
        parts = data.decode("ascii", "replace").split()
        if len(parts) == _FIELDS and hmac.compare_digest(self._mac(" ".join(parts[:3])).encode(), parts[3].encode()):
            return IntegrityMark(int(parts[0]), LedgerHead(int(parts[1]), parts[2]))
        raise Damaged(f"{self._path} was not written with this integrity key.")

    def _mac(self, said: str) -> str:
        return hmac.digest(self._key, f"count {said}".encode(), "sha256").hex()


def keep_up(counter: Callable[[], KeptCounter], state: State, integrity: "Callable[[], Integrity]") -> None:
    """Called at the end of a run with changes, so that an older copy of the state cannot pass for the newest."""
    # on exit errors are ignored; the next check reports them
    with suppress(EverselfError):
        kept = counter()
        # a run without changes raises no count, and would leave the temporary file forever
        kept.tidy()
        mark = kept.get()
        if mark is not None and mark.ledger.seq < state.ledger_head().seq:
            integrity().look()
