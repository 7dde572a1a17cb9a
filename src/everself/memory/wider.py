"""Closes entries that contain a closed one among other words, such as the whole message beside one of its sentences. The rest is kept."""

from collections.abc import Iterator, Sequence

from everself.classify.coverage import is_chatter
from everself.memory.closing import part_of
from everself.memory.copies import of_same_message
from everself.memory.memory import Memory
from everself.memory.provenance import is_human, kept
from everself.values import Entry


def close_wider(memory: Memory, wrong: Sequence[Entry], by: str) -> None:
    """Close entries that share a message with these and contain all their words, and keep their rest as new entries."""
    for entry in wrong:
        for other, rest in _holding(entry, memory):
            left = [part_of(other, rest, kept(other))] if not is_chatter(rest) else []
            memory.supersede(other.id, by, kept=left)


def _holding(entry: Entry, memory: Memory) -> Iterator[tuple[Entry, str]]:
    words = entry.text.strip()
    for one in of_same_message(entry, memory.catalog):
        if is_human(one.source) and one.text.count(words) == 1 and one.text.strip() != words:
            yield one, " ".join(one.text.replace(words, " ", 1).split())
