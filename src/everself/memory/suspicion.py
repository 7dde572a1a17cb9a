"""Decides which outside entries are quarantined as possible prompt injection. Returns the reason; writes no document.

Released text stays released, whoever repeats it. The owner's and the agent's own words are not checked: giving orders is how one talks to
an agent.
"""

from dataclasses import replace
from datetime import date, datetime

from everself.memory.entries import text_hash
from everself.memory.provenance import is_outside
from everself.memory.writing import NewEntry, PageSpot
from everself.storage.state.entries import EntryRows
from everself.storage.state.reviews import Reviews


class Releases:
    """The texts that the owner released from quarantine, stored as keyed hashes."""

    def __init__(self, reviews: Reviews, rows: EntryRows) -> None:
        self._reviews = reviews
        self._rows = rows

    def note(self, text: str, at: datetime) -> None:
        self._reviews.release(self._mac(text), at.isoformat(timespec="seconds"))

    def holds(self, text: str) -> bool:
        return self._reviews.is_released(self._mac(text))

    def _mac(self, text: str) -> str:
        return self._rows.mac(text_hash(text))


def injection_reason(text: str, source: str) -> str:
    """The reason to quarantine a text, in a few words; empty if there is none."""
    if not is_outside(source):
        return ""
    from everself.classify.injection import label

    found = label(text)
    return f"suspicious: {found.why}" if found.suspicious else ""


def set_apart(new_entry: NewEntry, reason: str, day: date) -> NewEntry:
    """The same entry for the quarantine of that day, with the reason as its category."""
    spot = PageSpot(f"quarantine/{day.isoformat()}.md", f"Quarantine: {day.isoformat()}")
    return replace(new_entry, category=reason, explicit=False, person="", project="", spot=spot)
