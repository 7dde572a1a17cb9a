"""CORRECTIONS.md: what was wrong, what is right, how it was noticed. Records are added and archived, never removed.

A record begins as not embedded again; once search finds the correction by its meaning, that one word is changed.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from everself.memory.drafts import Draft
from everself.text.markdown.entries import entries

PATH = "CORRECTIONS.md"
TRIGGER = "- **Trigger:**"
_SAID = "- **Said:** "
_RIGHT = "- **Right:** "
_ENTRIES = "- **Entries:** "
_RIGHT_ENTRY = "→ entry:"
_EMBEDDED = b"- **Re-embedded:** "
_NAMES = b"\xe2\x86\x92 entry:"


def log_correction(
    draft: Draft, now: datetime, *, said: str, right: str, trigger: str, sure: str, entries: tuple[tuple[str, ...], str]
) -> None:
    """Add one record at the end of the log."""
    old, new = entries
    lines = [
        f"{_SAID}{_one(said)}",
        f"{_RIGHT}{_one(right)}",
        f"{TRIGGER} {_one(trigger) or 'told directly'} (confidence {sure})",
        f"{_ENTRIES}{', '.join(old) or 'none'} {_RIGHT_ENTRY}{new}",
        f"{_EMBEDDED.decode()}false",
    ]
    draft.log(PATH, now, f"correction on {now.date().isoformat()}", "\n".join(lines), empty="# Corrections\n")


def sentence_of(lines: Sequence[str]) -> str:
    """A record's lines in one sentence, without how it was noticed; empty where it does not say both what was said and what is right."""
    said, right = ([line.removeprefix(label) for line in lines if line.startswith(label)] for label in (_SAID, _RIGHT))
    return f"“{said[0]}” was corrected to “{right[0]}”" if said and right else ""


def right_entry(record: str) -> str:
    """The id of the entry that holds what is right; empty if the text is not a record."""
    named = (line.rpartition(_RIGHT_ENTRY)[2] for line in record.splitlines() if line.startswith(_ENTRIES))
    return next(named, "")


def trigger_of(data: bytes, identity: str) -> str:
    """What was said when a correction was noticed, as its record has it; empty where there is none."""
    found = next((line.removeprefix(TRIGGER) for line in _record(data, identity) if line.startswith(TRIGGER)), "")
    return found.rpartition(" (confidence ")[0].strip()


def put_right(data: bytes, identity: str) -> tuple[str, ...]:
    """The ids of the entries that a correction put right, as its record has them."""
    named = next((line for line in _record(data, identity) if line.startswith(_ENTRIES)), "").removeprefix(_ENTRIES)
    return tuple(one.strip().removeprefix("entry:") for one in named.partition(_RIGHT_ENTRY)[0].split(","))


def told_by(data: bytes, words: str) -> str:
    """The id of the entry that was written when these words put something right; empty where none was."""
    sought = _one(words).casefold()
    for span in entries(data):
        record = data[span.start : span.end].decode("utf-8", "replace")
        if any(line.startswith(TRIGGER) and sought in line.casefold() for line in record.splitlines()):
            return right_entry(record)
    return ""


def _record(data: bytes, identity: str) -> list[str]:
    for span in entries(data):
        lines = data[span.start : span.end].decode("utf-8", "replace").splitlines()
        if any(line.endswith(f"{_RIGHT_ENTRY}{identity}") for line in lines):
            return lines
    return []


def not_embedded(data: bytes) -> tuple[str, ...]:
    """The corrections, by their ids, whose records say that they were not embedded again yet."""
    return tuple(identity for identity, _, _ in _waiting(data))


def mark_embedded(draft: Draft, identities: Collection[str]) -> bool:
    """Say in the records of these corrections that they were embedded again; whether any said otherwise."""
    data = draft.find(PATH) or b""
    for identity, start, end in reversed(list(_waiting(data))):
        if identity in identities:
            data = data[:start] + b"true" + data[end:]
    changed = data != (draft.find(PATH) or b"")
    if changed:
        draft.put(PATH, data)
    return changed


def _waiting(data: bytes) -> Iterator[tuple[str, int, int]]:
    """The correction of each such record, and where its "false" stands."""
    word = b"false"
    for span in entries(data):
        named = data.find(_NAMES, span.start, span.end)
        at = data.find(b"\n" + _EMBEDDED + word, max(named, span.start), span.end)
        if named >= 0 and at >= 0:
            identity = data[named + len(_NAMES) : span.end].split(None, 1)[0]
            start = at + 1 + len(_EMBEDDED)
            yield identity.decode("utf-8", "replace"), start, start + len(word)


def _one(text: str) -> str:
    return " ".join(text.split())
