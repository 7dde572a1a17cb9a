"""Taking back what was done in a page."""

from typing import Final

from everself.interfaces.web.visit import PREFIX, Answer, Moved, Page, Visit


def undo(visit: Visit) -> Answer:
    """Undo one change, and go back to the page it was asked on; the undo is itself a change that can be taken back."""
    done = visit.run_agreed("undo", change=visit.form["change"])
    back = visit.form["back"]
    where = back if back.startswith(PREFIX) and "\\" not in back else visit.url("memory")
    return Moved(where, "undone", done.applied or "")


PAGES: Final = (Page("undo", undo, "", "POST"),)
