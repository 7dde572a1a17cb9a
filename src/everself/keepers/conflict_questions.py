"""The question which of two statements holds, asked by the Conflict Detector, or by a conversation that got no answer."""

from typing import Final

from everself.keepers.keeper import Ask, Choice, CloseEntry
from everself.text.normalise import one_line
from everself.values import Entry

_SHOWN: Final = 160


def which_holds(older: Entry, newer: Entry) -> Ask:
    words = f"Which holds: {_said(newer)} or, earlier, {_said(older)}?"
    choices = (
        Choice("the newer", (CloseEntry(older.id, newer.id),)),
        Choice("the older", (CloseEntry(newer.id, older.id),)),
        Choice("both"),
    )
    return Ask("conflict", about_both(older.id, newer.id), words, choices)


def about_both(one: str, other: str) -> str:
    return " ".join(sorted((one, other)))


def _said(entry: Entry) -> str:
    return f"“{one_line(entry.text, _SHOWN)}”" + (f" ({entry.day.isoformat()})" if entry.day is not None else "")
