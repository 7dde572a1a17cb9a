"""CORRECTIONS.md: what was said, what is right, how it was noticed. Entries are added and archived, never removed."""

from datetime import datetime

from everself.entries.drafts import Draft
from everself.markdown.blocks import Scan
from everself.markdown.edit import Splice, append_log

PATH = "CORRECTIONS.md"
TRIGGER = "- **Trigger:**"


def log_correction(
    draft: Draft, now: datetime, *, said: str, right: str, trigger: str, sure: str, entries: tuple[tuple[str, ...], str]
) -> None:
    """Add one record at the end of the log."""
    old, new = entries
    lines = [
        f"- **Said:** {_one(said)}",
        f"- **Right:** {_one(right)}",
        f"{TRIGGER} {_one(trigger) or 'told directly'} (confidence {sure})",
        f"- **Entries:** {', '.join(old) or 'none'} → entry:{new}",
        "- **Re-embedded:** false",
    ]
    text = "\n".join(lines).encode("utf-8", "replace")

    def add(document: Scan) -> Splice:
        return append_log(document, now.strftime("%H:%M:%S"), f"correction on {now.date().isoformat()}", text, None)

    draft.splice(PATH, add, b"# Corrections\n")


def _one(text: str) -> str:
    return " ".join(text.split())
