"""Entries that contain a wrong one among other words, such as the whole message beside one of its sentences. The rest is kept."""

from collections.abc import Sequence

from everself.classify.coverage import is_chatter
from everself.memory.catalog import Catalog
from everself.memory.closing import part_of
from everself.memory.provenance import is_human, kept
from everself.memory.same_message import of_same_message
from everself.memory.writing import NewEntry
from everself.values import Entry


def wider_than(wrong: Sequence[Entry], newer: str, catalog: Catalog) -> tuple[list[Entry], list[NewEntry]]:
    """What a person said in the messages that these rest on and has all words of one of them, and what stays of it. The newer entry that
    they are closed for is none of that."""
    apart = {newer, *(one.id for one in wrong)}
    found: dict[str, tuple[Entry, str]] = {}
    for entry in wrong:
        words = entry.text.strip()
        for one in of_same_message(entry, catalog):
            _, text = found.get(one.id, (one, one.text))
            if one.id not in apart and is_human(one.source) and text.count(words) == 1 and one.text.strip() != words:
                found[one.id] = one, " ".join(text.replace(words, " ", 1).split())
    left = [part_of(one, rest, kept(one)) for one, rest in found.values() if rest and not is_chatter(rest)]
    return [one for one, _ in found.values()], left
