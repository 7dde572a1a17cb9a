"""The guard that prevents a keeper, an import or the agent from writing forgotten text again."""

from collections.abc import Iterator, Sequence

from everself.memory.entries import ParsedEntry, read_document, text_hash
from everself.storage.state.entries import EntryRows
from everself.values import Change, FileChange
from everself.workspace.guards import HUMANS, added_section
from everself.workspace.protocol import Guard


def tombstone_guard(rows: EntryRows) -> Guard:
    """Only a human may add an entry with forgotten text or with the id of a forgotten entry."""

    def guard(change: Change, files: Sequence[FileChange]) -> Iterator[str]:
        if change.author in HUMANS or not rows.has_buried():
            return
        documents = [file for file in files if file.path.lower().endswith(".md")]
        added = [added_section(file) for file in documents]
        if not any(part is None or _buried(rows, part) for part in added):
            return
        # text that was added again outside Everself may be moved
        known = {_key(read) for file in documents for read in read_document(file.before or b"")}
        for file in documents:
            new = {_key(read) for read in read_document(file.after or b"")} - known
            count = sum(rows.is_buried(rows.mac(text), identity) for text, identity in new)
            if count:
                yield f"{file.path} would contain {count} entries that were forgotten on request."

    return guard


def _buried(rows: EntryRows, data: bytes) -> bool:
    return any(rows.is_buried(rows.mac(text), identity) for text, identity in map(_key, read_document(data)))


def _key(read: ParsedEntry) -> tuple[str, str]:
    # no tombstone has an empty id, so text without an id is looked up by its hash alone
    return text_hash(read.text), read.claim("id")
