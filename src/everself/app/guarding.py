"""Opens integrity for an agent: with the count that stands beside the key, out of reach of whoever writes workspace and state."""

import hmac
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from everself.errors import ChangedMeanwhile, Damaged, EverselfError
from everself.identity.integrity import Integrity
from everself.identity.outside_changes import Mark
from everself.storage.host_files import ensure_key, find_file, save_file, sweep
from everself.storage.state.ledger import LedgerHead
from everself.values import digest

if TYPE_CHECKING:
    from everself.app.app import App

TRIES: Final = 5
_FIELDS: Final = 4


class KeptCounter:
    """A small file in the key folder: the count, how far the ledger went, and a keyed hash over both."""

    def __init__(self, path: str, key: bytes) -> None:
        self._path = path
        self._key = key

    def get(self) -> Mark | None:
        data = find_file(self._path)
        return None if data is None else self._parse(data)

    def tidy(self) -> None:
        """Remove what somebody left who was killed while raising it."""
        sweep(self._path)

    def raise_to(self, mark: Mark) -> None:
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

    def _is_higher(self, data: bytes, mark: Mark) -> bool:
        try:
            found = self._parse(data)
        except Damaged:
            # whoever raises a count over a damaged one was told, and accepted
            return False
        return (found.counter, found.ledger.seq) >= (mark.counter, mark.ledger.seq)

    def _render(self, mark: Mark) -> bytes:
        said = f"{mark.counter} {mark.ledger.seq} {mark.ledger.mac}"
        return f"{said} {self._mac(said)}\n".encode()

    def _parse(self, data: bytes) -> Mark:
        parts = data.decode("ascii", "replace").split()
        if len(parts) == _FIELDS and hmac.compare_digest(self._mac(" ".join(parts[:3])).encode(), parts[3].encode()):
            return Mark(int(parts[0]), LedgerHead(int(parts[1]), parts[2]))
        raise Damaged(f"{self._path} is no count that this key made.")

    def _mac(self, said: str) -> str:
        return hmac.digest(self._key, f"count {said}".encode(), "sha256").hex()


def counter_file(key_folder: str, agent: str, state: str) -> str:
    """One for each agent of each installation: two homes may share the folder of the keys, and both have an agent `main`."""
    return f"{key_folder}/{agent}-{digest(os.path.realpath(state).encode('utf-8', 'surrogateescape'))[:12]}.count"


def open_counter(app: "App") -> KeptCounter:
    folder = app.places.key_folder
    return KeptCounter(counter_file(folder, app.agent.id, app.agent.state), ensure_key(folder))


def open_integrity(app: "App") -> Integrity:
    return Integrity(
        app.workspace,
        app.state,
        open_counter(app),
        app.clock,
        personas=(app.loaded.config.hooks.persona.file,),
        policy=app.agent.soul.integrity,
    )


def keep_up(app: "App") -> None:
    """At the end of a run that changed something: an older copy of the state shall not pass for the newest tomorrow."""
    # whoever leaves, leaves; what is wrong is told by the next look
    with suppress(EverselfError):
        counter = open_counter(app)
        # a run that changes nothing raises no count, and would leave that for good
        counter.tidy()
        mark = counter.get()
        if mark is not None and mark.ledger.seq < app.state.ledger_head().seq:
            app.integrity.look()
