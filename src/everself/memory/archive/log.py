"""COMPACTION_LOG.md: what was archived, from where and to where. Each change writes one section."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from everself.memory.drafts import Draft

PATH: Final = "COMPACTION_LOG.md"
_SHOWN: Final = 16


def note(draft: Draft, now: datetime, what: str, lines: Sequence[str]) -> None:
    """Add one record at the end of the log."""
    text = "\n".join(f"- {line}" for line in lines)
    draft.log(PATH, now, f"{what} on {now.date().isoformat()}", text, empty="# Compaction log\n")


def moved(path: str, to: str, entries: int, sha: str) -> str:
    """A line of the log. The hash identifies the old file in the history."""
    count = "1 entry" if entries == 1 else f"{entries} entries"
    return f"`{path}` → `{to}`, {count} (sha256 {sha[:_SHOWN]})"
