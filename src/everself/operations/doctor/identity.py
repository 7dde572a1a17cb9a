"""Checks whether the identity documents are as a human last accepted them. Reports like `everself soul verify` and changes nothing."""

from collections.abc import Iterator
from typing import Final

from everself.identity.integrity_check import Examination
from everself.identity.outside_changes import VERIFY
from everself.identity.seal_counter import KeptCounter
from everself.operations.doctor.case import Case
from everself.operations.doctor.words import bad, shown, warning
from everself.storage.filesystem import READ_LIMIT, disk_errors
from everself.storage.host_files import counter_file
from everself.values import Document, FileStat, Finding

_DONE: Final = {
    "edited": "was changed outside Everself",
    "removed": "was removed outside Everself",
    "added": "was added outside Everself",
    "link": "is no longer a regular file",
}


class _Documents:
    """The documents of a workspace that is not opened."""

    def __init__(self, case: Case) -> None:
        self._files = case.files
        self._case = case

    def find(self, path: str) -> Document | None:
        with disk_errors(path):
            try:
                data = self._files.read(path, 0, READ_LIMIT + 1)
            except (FileNotFoundError, NotADirectoryError):
                return None
            found = self._files.stat(path) if len(data) > READ_LIMIT else None
        if len(data) <= READ_LIMIT:
            return Document(path, data)
        return Document(path, data[:READ_LIMIT], max(1, found.size - READ_LIMIT) if found is not None else 1)

    def list(self, under: str = "") -> list[FileStat]:
        found = self._case.listing.found
        return [one for one in found if one.path.startswith(f"{under}/") and one.kind != "directory"]


def check_identity(case: Case) -> Iterator[Finding]:
    # without the key nothing can be verified; another check reports the missing key
    if case.state is None or case.key is None or not case.usable:
        return
    counter = KeptCounter(counter_file(case.places.key_folder, case.agent.id, case.agent.state), case.key)
    personas = (case.config.hooks.persona.file,)
    found = Examination(_Documents(case), case.state, counter, personas).look()
    if found.mark is None:
        # a home that was moved or restored has no counter; the agent reports this before its next prompt
        return
    for one in found.tampers:
        if not one.path:
            yield bad("identity-unsure", f"Who the agent is cannot be vouched for. {one.why}", VERIFY)
        elif not found.breached:
            words = f"{shown(one.path)} {_DONE[one.kind]}, and nobody has accepted that yet."
            yield warning("identity-changed", words, f"Look at it, then accept or undo it: {VERIFY}", one.path)
