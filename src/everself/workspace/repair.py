"""Repairs a damaged history from the ledger, the journal and the documents, and reports exactly what is lost.

Collects the evidence; `storage.history.repair` links the commits. The caller holds the history lock.
"""

from collections.abc import Iterator, Mapping

from everself.clock import system_now
from everself.errors import Damaged
from everself.frozen import Frozen
from everself.storage import damaged_files as aside
from everself.storage import writes
from everself.storage.filesystem import READ_LIMIT, FileSystem
from everself.storage.history.commits import MEND, MENDER, CommitNote, History
from everself.storage.history.repair import MendableHistory, blob_name
from everself.storage.journal import Journal, Step
from everself.storage.paths import find_fault
from everself.storage.state.database import State
from everself.values import FileChange

SHOWN = 20


class Mended(Frozen):
    """The result of a repair: `lost` changes can no longer be shown or undone; `aside` files were moved to `folder`."""

    lost: tuple[str, ...] = ()
    kept: int = 0
    aside: tuple[str, ...] = ()
    folder: str = ""

    def lines(self) -> Iterator[str]:
        yield "The history of changes was damaged and has been repaired. Your documents are not affected."
        if self.lost:
            names = ", ".join(self.lost[:SHOWN]) + (f" and {len(self.lost) - SHOWN} more" if self.lost[SHOWN:] else "")
            yield f"These changes can no longer be shown or undone: {names}."
        else:
            yield "Every recorded change can still be shown and undone."
        if self.aside:
            files = "1 file" if len(self.aside) == 1 else f"{len(self.aside)} files"
            yield f"What could not be read was set aside, not deleted: {files} in {self.folder} of the agent's state."


def mend(documents: FileSystem, state: FileSystem, history: History, records: State) -> Mended:
    """Repair the history. Can be repeated after a crash; does nothing if the history is undamaged."""
    known = records.commits()
    mender = MendableHistory(*history.place)
    try:
        damage = mender.examine(known)
        if not damage.found:
            return Mended(kept=len(known))
        if damage.foreign and agrees(documents, history):
            # the history belongs to this agent, so the ledger does not
            raise Damaged("state.db belongs to another agent: it has none of the changes in the history.", mend=MEND)
        folder = aside.free_folder(state, "history", system_now())
        made = mender.salvage(known, _Bytes(documents, state).find, folder)
        # before the branch moves: the new commits exist, and the mapping from old to new is known
        records.set_commits(dict.fromkeys(made.lost) | _moved(known, made.commits, set(made.lost)))
        mender.settle(made, folder)
    finally:
        mender.close()
    if not made.whole:
        _take_in(documents, state, history)
    found = Mended(made.lost, len(known) - len(made.lost), made.aside, folder if made.aside else "")
    if made.aside or made.lost:
        aside.leave_note(state, folder, [*found.lines(), *(f"change {one}" for one in made.lost[SHOWN:])])
    return found


def agrees(documents: FileSystem, history: History) -> bool:
    """Whether the newest commit matches these documents: more than half of those it contains are unchanged."""
    known = history.paths()
    same = sum(known.get(path) == blob_name(writes.find(documents, path) or b"") for path in walk(documents))
    return 2 * same > len(known)


def _moved(known: Mapping[str, str], commits: Mapping[str, str], lost: set[str]) -> dict[str, str | None]:
    return {change: commits[one] for change, one in known.items() if one in commits and change not in lost}


def _take_in(documents: FileSystem, state: FileSystem, history: History) -> None:
    """Commit the documents as they are now, as a parent for later commits."""
    # journal records contain their documents
    waiting = {step.path for filed in Journal(state).waiting() for step in filed.intent.steps}
    known = history.paths()
    found = []
    for path in walk(documents):
        if path in waiting:
            continue
        data = writes.find(documents, path)
        if data is not None and known.get(path) != blob_name(data):
            found.append(FileChange(path, None, data))
    if found:
        words = f"Taken in as it is after the history was mended: {len(found)} documents\n"
        history.commit(found, CommitNote(MENDER, words, system_now()))
        history.publish()


def walk(files: FileSystem, folder: str = "") -> Iterator[str]:
    """Yield the path of every readable Markdown document, without hidden names."""
    for one in files.list(folder):
        if one.path.rpartition("/")[2].startswith(".") or find_fault(one.path):
            continue
        if one.kind == "directory":
            yield from walk(files, one.path)
        elif one.kind == "file" and one.links == 1 and one.size <= READ_LIMIT and one.path.endswith(".md"):
            yield one.path


class _Bytes:
    """Finds the bytes of a blob outside the history: in present documents, and in waiting changes of the journal."""

    def __init__(self, documents: FileSystem, state: FileSystem) -> None:
        self._documents = documents
        self._state = state
        self._paths: dict[str, str] | None = None
        self._journalled: dict[str, bytes] = {}

    def find(self, name: str) -> bytes | None:
        if self._paths is None:
            self._paths = {}
            for path in walk(self._documents):
                try:
                    self._paths[blob_name(writes.find(self._documents, path) or b"")] = path
                except OSError:
                    # an unreadable document is skipped; doctor reports it
                    continue
            for filed in Journal(self._state).waiting():
                for step in filed.intent.steps:
                    for data in self._sides(step):
                        self._journalled[blob_name(data)] = data
        home = self._paths.get(name)
        return writes.find(self._documents, home) if home is not None else self._journalled.get(name)

    def _sides(self, step: Step) -> Iterator[bytes]:
        """The content of a document before and after a waiting change."""
        if step.is_append:
            now = writes.find(self._documents, step.path) if step.path in (self._paths or {}).values() else None
            yield from () if now is None else (now[: step.offset], now[: step.offset] + (step.new or b""))
        else:
            yield from (data for data in (step.old, step.new) if data is not None)
