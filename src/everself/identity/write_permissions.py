"""What an author may write. The guards enforce it; this tells tools in advance whether to write or to propose.

Knows names, opens nothing.
"""

from typing import Literal

from everself.values import Author
from everself.workspace.guards import HUMANS, may_write
from everself.workspace.layout import place

Permission = Literal["write", "propose", "refuse"]


def permission(author: Author, path: str, *, tainted: bool = False, personas: tuple[str, ...] = ()) -> Permission:
    """What the author may do to an existing document. `tainted` as in a change."""
    where = place(path, personas)
    if author in HUMANS:
        return "write"
    if not may_write(author, where):
        # a keeper may draft text that a human then reads
        return "propose" if where.humans_only and author in (Author.AGENT, Author.KEEPER) else "refuse"
    return "propose" if tainted and where.injected else "write"
