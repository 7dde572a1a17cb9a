"""The intent journal: what a change is about to do, durable before the first document is written.

An intent is one file. `.intent` means that the change may be half done; `.done` that it is done and recorded, and waits
for the history commit; `.abort` that it failed and must be undone. A file with a wrong checksum was never finished, so
its change never began. Handles steps and files, not the purpose of a change.
"""

import hashlib
import json

from everself.errors import Damaged, EverselfError, Unfinished
from everself.frozen import Frozen
from everself.storage.filesystem import FileSystem, parent_of, say
from everself.storage.writes import discard, make_directories, write_new
from everself.values import ProvenanceRecord

MAGIC = b"everself-intent 1\n"
FOLDER = "journal"
ENDINGS = (".intent", ".abort", ".done")


class Step(Frozen):
    """What happens to one document: `old` is replaced by `new` (None: no file), or `new` is appended at `offset`."""

    path: str
    base: str | None
    old: bytes | None
    new: bytes | None
    offset: int = -1
    header: bytes = b""

    @property
    def is_append(self) -> bool:
        return self.offset >= 0


class Intent(Frozen):
    """A change set that is being applied."""

    id: str
    at: str
    author: str
    reason: str
    evidence: tuple[str, ...]
    undoes: str
    steps: tuple[Step, ...]
    # directories that did not exist before, outermost first
    folders: tuple[str, ...] = ()
    provenance: tuple[ProvenanceRecord, ...] = ()
    key: str = ""
    # a file gets its temporary name only once it is whole; earlier versions wrote under that name directly and may have
    # left a torn file
    staged: bool = True


def render_intent(intent: Intent) -> bytes:
    payload = bytearray()
    steps = []
    for step in intent.steps:
        row: dict[str, object] = {"path": step.path, "base": step.base, "offset": step.offset}
        for name, data in (("old", step.old), ("new", step.new), ("header", step.header)):
            row[name] = None if data is None else len(data)
            payload += data or b""
        steps.append(row)
    head = {
        "id": intent.id,
        "at": intent.at,
        "author": intent.author,
        "reason": intent.reason,
        "evidence": intent.evidence,
        "undoes": intent.undoes,
        "folders": intent.folders,
        "vouchers": [[one.entry, one.source, one.tag, one.text, one.lineage] for one in intent.provenance],
        "key": intent.key,
        "staged": intent.staged,
        "steps": steps,
    }
    body = MAGIC + json.dumps(head).encode() + b"\n" + bytes(payload)
    return body + hashlib.sha256(body).digest()


def parse_intent(data: bytes) -> Intent:
    """Inverse of `render_intent`. Raises Damaged if the bytes are incomplete."""
    body, check = data[:-32], data[-32:]
    if not body.startswith(MAGIC) or hashlib.sha256(body).digest() != check:
        raise Damaged("A record in the journal is incomplete.")
    line, _, payload = body[len(MAGIC) :].partition(b"\n")
    head = json.loads(line)
    steps = []
    at = 0
    for row in head["steps"]:
        parts: dict[str, bytes | None] = {}
        for name in ("old", "new", "header"):
            length = row[name]
            parts[name] = None if length is None else payload[at : at + length]
            at += length or 0
        steps.append(Step(row["path"], row["base"], parts["old"], parts["new"], row["offset"], parts["header"] or b""))
    return Intent(
        id=head["id"],
        at=head["at"],
        author=head["author"],
        reason=head["reason"],
        evidence=tuple(head["evidence"]),
        undoes=head["undoes"],
        steps=tuple(steps),
        folders=tuple(head["folders"]),
        provenance=tuple(
            ProvenanceRecord(entry, source, tag, text, tuple(lineage))
            for entry, source, tag, text, lineage in head["vouchers"]
        ),
        key=head["key"],
        staged=head.get("staged", False),
    )


def unfinished(intent: Intent, error: EverselfError) -> Unfinished:
    """The error for a change that can be neither completed nor reverted now: its intent stays in the journal for the next process."""
    return Unfinished(
        f"{error} The next start completes or reverts change {intent.id}.",
        mend="Check what was done before you retry: everself log",
    )


def is_intent(name: str) -> bool:
    """Whether the journal creates such file names; other files in its folder are ignored."""
    number, dash, rest = name.partition("-")
    return len(number) >= 8 and number.isascii() and number.isdigit() and bool(dash) and rest.endswith(ENDINGS)


class Filed(Frozen):
    """An intent and the name of its file."""

    name: str
    intent: Intent


class Survey(Frozen):
    """The state of the journal: the number of unfinished changes, the highest number in use, and whether the folder exists."""

    unfinished: int
    highest: int
    exists: bool


class Journal:
    """The folder of intents. Changing it requires the workspace lock, except `forget` for finished ones."""

    def __init__(self, files: FileSystem) -> None:
        self.files = self._files = files

    def survey(self) -> Survey:
        names = self._names()
        unfinished = sum(name.endswith((".intent", ".abort")) for name in names or ())
        highest = max((int(name.partition("-")[0]) for name in names or ()), default=0)
        return Survey(unfinished, highest, names is not None)

    def begin(self, intent: Intent, seen: Survey | None = None) -> Filed:
        """Make the intent durable. From here on the change is either completed or undone, whatever happens.

        `seen` is a survey that the caller took under the lock, so that no other process has used a number since.
        """
        seen = seen or self.survey()
        path = f"{FOLDER}/{1 + seen.highest:08d}-{intent.id}.intent"
        if not seen.exists:
            make_directories(self._files, path)
        try:
            write_new(self._files, path, render_intent(intent))
            self._files.sync_directory(FOLDER)
        except OSError as error:
            try:
                discard(self._files, [path])
            except OSError:
                raise unfinished(intent, say(error, path)) from error
            raise
        return Filed(path, intent)

    def finish(self, filed: Filed) -> Filed:
        """Mark the change as recorded; only the history commit is left. Losing this rename is harmless: the ledger has the change."""
        name = filed.name.removesuffix(".intent") + ".done"
        self._files.rename(filed.name, name)
        return Filed(name, filed.intent)

    def abort(self, filed: Filed) -> Filed:
        """Mark a change that failed and could not be undone now; the next start must undo it."""
        name = filed.name.removesuffix(".intent") + ".abort"
        self._files.rename(filed.name, name)
        self._files.sync_directory(parent_of(name))
        return Filed(name, filed.intent)

    def forget(self, filed: Filed) -> None:
        discard(self._files, [filed.name])

    def unfinished(self) -> list[Filed]:
        """Changes of a process that died, to be completed (`.intent`) or undone (`.abort`), oldest first."""
        return self._load((".intent", ".abort"), drop_torn=True)

    def unfinished_count(self) -> int:
        return self.survey().unfinished

    def waiting(self, limit: int | None = None) -> list[Filed]:
        """Changes that are recorded but not yet in the history, oldest first."""
        return self._load((".done",), drop_torn=False, limit=limit)

    def waiting_count(self) -> int:
        return sum(name.endswith(".done") for name in self._names() or ())

    def _load(self, endings: tuple[str, ...], *, drop_torn: bool, limit: int | None = None) -> list[Filed]:
        found: list[Filed] = []
        for name in self._names() or ():
            if len(found) == limit:
                break
            if not name.endswith(endings):
                continue
            path = f"{FOLDER}/{name}"
            stat = self._files.stat(path)
            if stat is None:
                continue
            try:
                found.append(Filed(path, parse_intent(self._files.read(path, 0, stat.size + 1))))
            except FileNotFoundError:
                continue
            except Damaged:
                if drop_torn:
                    self._files.unlink(path)
        return found

    def _names(self) -> list[str] | None:
        """The names of intent files, by number; None if the folder does not exist."""
        try:
            names = [one.path.rpartition("/")[2] for one in self._files.list(FOLDER) if one.kind == "file"]
        except FileNotFoundError:
            return None
        return [name for name in names if is_intent(name)]
