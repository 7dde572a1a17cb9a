"""Taking back what was done in a page."""

from typing import Final
from urllib.parse import urlsplit

from everself.interfaces.web.visit import Answer, Moved, Page, Visit

_ENTRY: Final = "memory/entry/"


def undo(visit: Visit) -> Answer:
    """Undo one change, and go back to the page it was asked on; the undo is itself a change that can be taken back."""
    done = visit.run_agreed("undo", change=visit.form["change"])
    back = visit.back("memory")
    return Moved(visit.url("memory") if _is_gone(visit, back) else back, "undone", done.applied or "")


def _is_gone(visit: Visit, page: str) -> bool:
    """Whether it is the page of an entry that the undo took away."""
    identity = urlsplit(page).path.removeprefix(visit.url(_ENTRY))
    return page.startswith(visit.url(_ENTRY)) and visit.runtime.memory.catalog.find(identity) is None


PAGES: Final = (Page("undo", undo, "", "POST"),)
