"""COMPACTION_LOG.md: what was archived, from where and to where. One section for each change, written by the change itself."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from everself.memory.drafts import Draft
from everself.text.markdown.blocks import Scan
from everself.text.markdown.edit import Splice, append_log

PATH: Final = "COMPACTION_LOG.md"
_SHOWN: Final = 16


def note(draft: Draft, now: datetime, what: str, lines: Sequence[str]) -> None:
    """Add one record at the end of the log."""
    text = "\n".join(f"- {line}" for line in lines).encode("utf-8", "replace")

    def add(document: Scan) -> Splice:
        return append_log(document, now.strftime("%H:%M:%S"), f"{what} on {now.date().isoformat()}", text)

    draft.splice(PATH, add, b"# Compaction log\n")


def moved(path: str, to: str, entries: int, sha: str) -> str:
    """One line of it. The hash tells the file as it was in the history."""
    count = "1 entry" if entries == 1 else f"{entries} entries"
    return f"`{path}` → `{to}`, {count} (sha256 {sha[:_SHOWN]})"
