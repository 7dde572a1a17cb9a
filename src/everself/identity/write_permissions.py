"""The routes by which documents are written, and what each route may write. A new way to write needs a route here.

The guards refuse; this says it beforehand, so that a tool knows whether to write or to propose. Knows names, opens nothing.
"""

from dataclasses import dataclass
from typing import Final, Literal

from everself.values import Author
from everself.workspace.guards import HUMANS, may_write
from everself.workspace.layout import place

Permission = Literal["write", "propose", "refuse"]


@dataclass(frozen=True, slots=True)
class Route:
    """One way to write. `author` is whom the guards see."""

    name: str
    author: Author

    @property
    def human(self) -> bool:
        """A human stands behind each use of it."""
        return self.author in HUMANS


# own tools that write
TOOLS: Final = ("memory_write", "memory_correct", "memory_forget", "file_write", "file_edit", "soul_propose")

ROUTES: Final[tuple[Route, ...]] = (
    *(Route(f"change set of {author}", author) for author in Author),
    Route("setup", Author.RUNTIME),
    Route("remember for the agent", Author.AGENT),
    Route("remember for a tool", Author.AGENT),
    Route("remember for a page", Author.AGENT),
    Route("remember for an import", Author.IMPORT),
    Route("remember for another person", Author.AGENT),
    Route("bank page", Author.AGENT),
    Route("bank entity", Author.AGENT),
    Route("quarantine", Author.RUNTIME),
    Route("import of entries", Author.IMPORT),
    Route("undo by a machine", Author.AGENT),
    # tools of a conversation, called by a model; two of them act for the owner, with the same restrictions
    *(Route(f"tool {name}", Author.AGENT) for name in TOOLS),
)


def permission(author: Author, path: str, *, tainted: bool = False, personas: tuple[str, ...] = ()) -> Permission:
    """What that author may do to a document that exists. `tainted` as in a change."""
    where = place(path, personas)
    if author in HUMANS:
        return "write"
    if not may_write(author, where):
        # a keeper may draft what a human then reads
        return "propose" if where.humans_only and author in (Author.AGENT, Author.KEEPER) else "refuse"
    return "propose" if tainted and where.injected else "write"
